package session

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// BeginRead begins a transaction that reads. It names the isolation level, because the default may
// be one where a snapshot is older than the tables that it reads.
const BeginRead = `BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED READ ONLY`

// Query calls row for each row of one statement, with the values as text; nil is NULL. The values
// are valid until row returns. The statement runs in a read-only transaction of its own, and the
// server limits it to the remaining time. All is sent in one round trip. It only works with
// PostgreSQL, because it sets jit.
func Query(ctx context.Context, conn *pgx.Conn, row func(values [][]byte) error, statement string, args ...any) error {
	defer RollBack(ctx, conn)
	batch := &pgx.Batch{}
	batch.Queue(BeginRead)
	batch.Queue(LimitStatement(ctx))
	batch.Queue(`SET LOCAL jit = off`) // for few rows, compiling takes longer than it saves
	batch.Queue(statement, args...).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			if err := row(rows.RawValues()); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	batch.Queue(`COMMIT`)
	return conn.SendBatch(ctx, batch).Close()
}
