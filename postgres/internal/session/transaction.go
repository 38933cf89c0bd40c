package session

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// This file is one transaction that changes the tables. It is serializable: if data that it has
// read changes before it commits, it fails with a serialization failure and is repeated. All
// engines with this protocol support that, but not table locks or advisory locks. All settings end
// with the transaction, so it works through a pooler.

// Work is the work of a transaction. It may be called again if the transaction was not committed.
type Work func(ctx context.Context, t *Transaction) error

// Transaction is a transaction in progress. Statements sent with [Transaction.Send] also have a
// time limit on the server.
type Transaction struct{ Conn *pgx.Conn }

// errUnknown says that the connection was lost or abandoned during the commit.
var errUnknown = errors.New("it is unknown whether the transaction was committed")

// endLimit limits the rollback of a failed transaction.
const endLimit = 500 * time.Millisecond

// transact runs do in a transaction.
func transact(ctx context.Context, conn *pgx.Conn, limits limits, do Work) error {
	_, err := conn.Exec(ctx, fmt.Sprintf(`BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE READ WRITE;
		SET LOCAL lock_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = %d; %s; SELECT %s`,
		milliseconds(limits.lock), milliseconds(limits.idle), LimitStatement(ctx), safely))
	// After a commit this does nothing. It also runs if do panics or the context has ended.
	defer RollBack(ctx, conn)
	if HasCode(err, unsupported) { // a standby, whose other refusals of writes have this code:
		err = &pgconn.PgError{Severity: "ERROR", Code: readOnly, Message: "the server is a standby: " + err.Error()}
	}
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := do(ctx, &Transaction{conn}); err != nil {
		return err
	}
	return commit(ctx, conn)
}

// commit has no limit on the server: if a limit ends the wait for a synchronous standby, the server
// reports success (PostgreSQL documentation, 27.2.8).
func commit(ctx context.Context, conn *pgx.Conn) error {
	tag, err := conn.Exec(ctx, `SET LOCAL statement_timeout = 0; COMMIT`)
	if err == nil && tag.String() == "ROLLBACK" {
		err = pgx.ErrTxCommitRollback
	}
	if err != nil {
		return fmt.Errorf("commit: %w", CommitError(err))
	}
	return nil
}

// CommitError returns the error of a COMMIT, which says if it is unknown whether it has succeeded.
func CommitError(err error) error {
	if code := CodeOf(err); errors.Is(err, pgx.ErrTxCommitRollback) || code != "" && !commitUnknown(code) {
		return err
	}
	// pgconn.SafeToRetry is not reliable here: for several statements pgx may report "conn closed",
	// which is safe to retry, though the connection was lost after the first.
	return fmt.Errorf("%w: %w", errUnknown, err)
}

// RollBack ends the transaction, so that the connection can be reused. If that fails, the
// connection is closed.
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

// Send sends statements together, with the remaining time as their limit on the server.
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

// LimitStatement sets the server's limit for a statement to a little less than the remaining time.
// So the response comes before the call ends, and the connection can be kept.
func LimitStatement(ctx context.Context) string {
	end, _ := ctx.Deadline()
	return fmt.Sprintf(`SET LOCAL statement_timeout = %d`, milliseconds(time.Until(end)*9/10))
}
