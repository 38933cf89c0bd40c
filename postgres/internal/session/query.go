package session

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Query calls row for each row of one statement, with the values as text; nil is NULL. The values
// are valid until row returns. The statement is all of a transaction that only reads, and has the
// time that is left as its limit on the server. Everything is sent at once: a round trip. It is for
// PostgreSQL alone, because of its setting jit.
func Query(ctx context.Context, conn *pgx.Conn, row func(values [][]byte) error, statement string, args ...any) error {
	defer RollBack(ctx, conn)
	batch := &pgx.Batch{}
	batch.Queue(`BEGIN TRANSACTION READ ONLY`)
	batch.Queue(LimitStatement(ctx))
	batch.Queue(`SET LOCAL jit = off`) // compiling takes longer than what few rows gain
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
