package session

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
)

// This file is a transaction that changes the tables. It is serializable: if data that it has
// read changes before it commits, it fails with a serialization failure and is repeated. All
// settings end with the transaction, so it works through a pooler.

// Work is the work of a transaction. It may be called again if the transaction was not committed.
type Work func(ctx context.Context, t *Transaction) error

// Transaction is a transaction in progress. Statements sent with [Transaction.Send] also have a
// time limit on the server.
type Transaction struct{ Conn *pgx.Conn }

// endLimit limits the rollback of a failed transaction.
const endLimit = 500 * time.Millisecond

// end commits without a limit on the server: if a limit ends the wait for a synchronous standby,
// the server reports success (PostgreSQL documentation, 27.2.8).
const end = `SET LOCAL statement_timeout = 0; COMMIT`

// transact runs do in a transaction.
func transact(ctx context.Context, conn *pgx.Conn, limits limits, do Work) error {
	begin := fmt.Sprintf(`BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE READ WRITE;
		SET LOCAL lock_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = %d; %s; SELECT %s`,
		milliseconds(limits.lock), milliseconds(limits.idle), limitStatement(ctx), safeSettings)
	begun, ending := false, false
	err := pgx.BeginTxFunc(ctx, conn, pgx.TxOptions{BeginQuery: begin, CommitQuery: end}, func(pgx.Tx) error {
		begun = true
		err := do(ctx, &Transaction{conn})
		ending = err == nil
		return err
	})
	switch {
	case err == nil:
		return nil
	case ending:
		return fmt.Errorf("commit: %w", CommitError(conn, err))
	case begun:
		return err
	}
	return fmt.Errorf("%w: %w", errNotBegun, err)
}

// CommitError returns the error of a COMMIT. It wraps ErrUnknown if the session has ended, unless
// the server says that it has ended the transaction before.
func CommitError(conn *pgx.Conn, err error) error {
	if !conn.IsClosed() || HasCode(err, pgerrcode.IdleInTransactionSessionTimeout) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnknown, err)
}

// rollBack ends the transaction, so that the connection can be reused. If that fails, the
// connection is closed.
func rollBack(ctx context.Context, conn *pgx.Conn) {
	if conn.IsClosed() || conn.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
	defer cancel()
	if _, err := conn.Exec(ctx, `ROLLBACK`); err != nil {
		conn.Close(ctx)
	}
}

// Send sends statements together, with the remaining time as their limit on the server.
func (t *Transaction) Send(ctx context.Context, batch *pgx.Batch) error {
	limited := &pgx.Batch{}
	limited.Queue(limitStatement(ctx))
	limited.QueuedQueries = append(limited.QueuedQueries, batch.QueuedQueries...)
	return t.Conn.SendBatch(ctx, limited).Close()
}

// Exec executes one statement.
func (t *Transaction) Exec(ctx context.Context, statement string) error {
	batch := &pgx.Batch{}
	batch.Queue(statement)
	return t.Send(ctx, batch)
}

// limitStatement sets the server's limit for a statement.
func limitStatement(ctx context.Context) string {
	return fmt.Sprintf(`SET LOCAL statement_timeout = %d`, statementLimit(ctx))
}

// statementLimit is a little less than the remaining time, in milliseconds. So the response comes
// before the call ends, and the connection can be kept.
func statementLimit(ctx context.Context) int64 {
	end, _ := ctx.Deadline()
	return milliseconds(time.Until(end) * 9 / 10)
}
