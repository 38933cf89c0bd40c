package session

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// beginRead begins a transaction that reads. It names the isolation level, because the default may
// be one where a snapshot is older than the tables that it reads.
const beginRead = `BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ ONLY`

// safeSettings are settings for a transaction in a schema where other roles may create objects.
// Names are resolved in pg_catalog or in the first schema of search_path that exists, and a policy
// that hides rows is an error.
const safeSettings = `pg_catalog.set_config('row_security', 'off', true),
	pg_catalog.set_config('search_path', pg_catalog.quote_ident(pg_catalog.current_schema()), true)`

// Query returns the rows of a statement, converted by read, such as [pgx.RowTo]. The statement runs
// in its own read-only transaction, and the server limits it to the remaining time. The transaction
// takes one round trip. Query only works with PostgreSQL, because it sets jit. If read fails, the
// connection is closed, since many rows may follow.
func Query[T any](ctx context.Context, conn *pgx.Conn, read pgx.RowToFunc[T], statement string, args ...any) ([]T, error) {
	return QueryAfter(ctx, conn, "", read, statement, args...)
}

// QueryAfter is [Query] with a check, a statement that runs first. If the check fails, the
// statement does not run.
func QueryAfter[T any](ctx context.Context, conn *pgx.Conn, check string, read pgx.RowToFunc[T], statement string, args ...any) (all []T, err error) {
	defer rollBack(ctx, conn)
	batch := &pgx.Batch{}
	begun := false
	batch.Queue(beginRead).Exec(func(pgconn.CommandTag) error {
		begun = true
		return nil
	})
	// For few rows, just-in-time compilation takes longer than it saves.
	batch.Queue(fmt.Sprintf(`SELECT %s, pg_catalog.set_config('jit', 'off', true), pg_catalog.set_config('statement_timeout', '%d', true)`,
		safeSettings, statementLimit(ctx)))
	if check != "" {
		batch.Queue(check)
	}
	batch.Queue(statement, args...).Query(func(rows pgx.Rows) error {
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (T, error) {
			one, err := read(row)
			if err != nil {
				err = fmt.Errorf("%w: %w", errRows, err)
				conn.Close(ctx)
			}
			return one, err
		})
		return err
	})
	batch.Queue(`COMMIT`)
	err = conn.SendBatch(ctx, batch).Close()
	switch {
	case err == nil:
		return all, nil
	case !begun:
		return nil, fmt.Errorf("%w: %w", errNotBegun, err)
	}
	return nil, err
}
