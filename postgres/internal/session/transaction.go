package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// This file is one transaction that changes the tables. It is serializable: what it found is still
// so when it commits, or it fails with a serialization failure and is repeated. All engines that
// speak this protocol have that, unlike locks of tables or advisory locks. All settings end with
// the transaction, so that it may run through a pooler.

// Work is what happens in a transaction. It is called again when nothing of it was committed.
type Work func(ctx context.Context, t *Transaction) error

// Transaction is one that has begun. What goes through [Transaction.Send] has a limit on the server
// too.
type Transaction struct{ Conn *pgx.Conn }

// errUnknown says that the connection was lost, or given up, while it committed.
var errUnknown = errors.New("whether the transaction was committed is not known")

// endLimit is how long the end of a transaction that failed may take.
const endLimit = 500 * time.Millisecond

// transact runs do in a transaction.
func transact(ctx context.Context, conn *pgx.Conn, limits limits, do Work) error {
	_, err := conn.Exec(ctx, fmt.Sprintf(`BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE;
		SET LOCAL lock_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = %d; %s`,
		milliseconds(limits.lock), milliseconds(limits.idle), LimitStatement(ctx)))
	// After a commit this does nothing. It also runs when do panics, and when the caller has gone.
	defer RollBack(ctx, conn)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := do(ctx, &Transaction{conn}); err != nil {
		return err
	}
	return commit(ctx, conn)
}

// commit has no limit on the server: one that waits for a synchronous standby would report success
// when the limit ends its wait (PostgreSQL documentation, 27.2.8).
func commit(ctx context.Context, conn *pgx.Conn) error {
	tag, err := conn.Exec(ctx, `SET LOCAL statement_timeout = 0; COMMIT`)
	var response *pgconn.PgError
	switch {
	case err == nil && tag.String() == "ROLLBACK":
		return fmt.Errorf("commit: %w", pgx.ErrTxCommitRollback)
	case err == nil:
		return nil
	case errors.As(err, &response) && !commitUnknown(response):
		return fmt.Errorf("commit: %w", err)
	}
	// pgconn.SafeToRetry is no help: of several statements pgx may report "conn closed", which is
	// safe to retry, for a connection that was lost behind the first.
	return fmt.Errorf("commit: %w: %w", errUnknown, err)
}

// RollBack leaves the connection for others. If that fails, the connection is closed.
func RollBack(ctx context.Context, conn *pgx.Conn) {
	if conn.IsClosed() || conn.PgConn().TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endLimit)
	defer cancel()
	if _, err := conn.Exec(ctx, `ROLLBACK`); err != nil {
		conn.Close(ctx)
	}
}

// Send sends statements together. The server gets the time that is left.
func (t *Transaction) Send(ctx context.Context, batch *pgx.Batch) error {
	limited := &pgx.Batch{}
	limited.Queue(LimitStatement(ctx))
	limited.QueuedQueries = append(limited.QueuedQueries, batch.QueuedQueries...)
	return t.Conn.SendBatch(ctx, limited).Close()
}

// Exec executes one statement.
func (t *Transaction) Exec(ctx context.Context, statement string) error {
	batch := &pgx.Batch{}
	batch.Queue(statement)
	return t.Send(ctx, batch)
}

// LimitStatement gives the server the time that is left for a statement, and a little less, so that
// the server's response comes before the call ends and the connection can stay.
func LimitStatement(ctx context.Context) string {
	end, _ := ctx.Deadline()
	return fmt.Sprintf(`SET LOCAL statement_timeout = %d`, milliseconds(time.Until(end)*9/10))
}
