package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// This file is a session outside a pool, for a transaction without a time limit.

// LongTransaction is a transaction in a separate session on the server that accepts writes.
type LongTransaction struct {
	Conn *pgx.Conn
	Wait time.Duration // for a response of the server

	config  *pgx.ConnConfig
	pid     int   // of the server's process
	started int64 // when the process started, in microseconds
}

// OpenLong opens a session and calls begin in it, which begins the transaction. If there is no such
// server yet, if it has no free session, or if begin fails because of the server or a conflict,
// OpenLong tries again for at most the acquire timeout, by default wait.
func OpenLong(ctx context.Context, dsn string, wait time.Duration, begin func(context.Context, *LongTransaction) error, options ...LoadOption) (*LongTransaction, error) {
	c := config{size: 1, wait: wait}
	if err := set(&c, options); err != nil {
		return nil, err
	}
	config, err := configure(dsn, c)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.wait)
	defer cancel()
	var l *LongTransaction
	err = retry(ctx, func() (err error) {
		l, err = openLong(ctx, config.ConnConfig, c.wait, begin)
		return err
	}, func(error) bool { return false })
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("could not begin within %v: %w", c.wait, err)
	}
	return l, err
}

const processStart = `(EXTRACT(epoch FROM backend_start) OPERATOR(pg_catalog.*) 1000000)::pg_catalog.int8`

func openLong(ctx context.Context, config *pgx.ConnConfig, wait time.Duration, begin func(context.Context, *LongTransaction) error) (*LongTransaction, error) {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoSession, explainPassword(err, config))
	}
	l := &LongTransaction{Conn: conn, Wait: wait, config: config}
	if err = acceptSession(conn.PgConn()); err == nil {
		err = begin(ctx, l)
	}
	if err == nil {
		// Behind a pooler, the driver has the number of another process.
		err = conn.QueryRow(ctx, `SELECT pid, `+processStart+` FROM pg_catalog.pg_stat_activity
			WHERE pid OPERATOR(pg_catalog.=) pg_catalog.pg_backend_pid()`).Scan(&l.pid, &l.started)
	}
	if err != nil {
		err = markLost(conn, err)
		l.Close(ctx)
		return nil, err
	}
	return l, nil
}

// Begin executes a statement that begins the transaction.
func (l *LongTransaction) Begin(ctx context.Context, statement string) error {
	if _, err := l.Conn.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%w: %w", errNotBegun, err)
	}
	return nil
}

// Close closes the session, which ends the transaction.
func (l *LongTransaction) Close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	network := l.Conn.PgConn().Conn()
	l.Conn.Close(ctx)
	network.Close() // the driver would keep an interrupted session for 15 seconds
}

// errSilent is the cause of the context of a step whose server does not respond.
var errSilent = errors.New("the database does not respond")

// Step calls do for a part of the work, which has no time limit while the server works on it.
// progress returns how far do is, and whether it waits for the server. After each acquire timeout
// without progress, a second session checks the first one. The context of do ends with errSilent if
// the server does not respond to the second session, or if two checks in a row find that the server
// waits for this program while do waits for the server.
func (l *LongTransaction) Step(ctx context.Context, progress func() (done int64, waiting bool), do func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var checks sync.WaitGroup
	defer checks.Wait()
	defer cancel(nil) // also if do panics
	checks.Go(func() {
		if l.silent(ctx, progress) {
			cancel(errSilent)
		}
	})
	err := do(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errSilent) {
		err = fmt.Errorf("%w: %w", errSilent, err)
	}
	return err
}

// silent returns true when the server does not respond, and false when ctx has ended.
func (l *LongTransaction) silent(ctx context.Context, progress func() (int64, bool)) bool {
	tick := time.NewTicker(l.Wait)
	defer tick.Stop()
	last, _ := progress()
	idle := 0
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick.C:
		}
		done, waiting := progress()
		if !waiting || done != last {
			last, idle = done, 0
			continue
		}
		works, err := l.check(ctx)
		switch {
		case ctx.Err() != nil:
			return false
		case err != nil && CodeOf(err) == "":
			return true
		case works || err != nil: // for example, there are too many connections
			idle = 0
		default:
			if idle++; idle == 2 {
				return true
			}
		}
	}
}

// check reports whether the server works on a statement of the session.
func (l *LongTransaction) check(ctx context.Context) (works bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.Wait)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, l.config)
	if err != nil {
		return false, err
	}
	defer conn.Close(ctx)
	if err := acceptSession(conn.PgConn()); err != nil {
		return false, err
	}
	found, err := Query(ctx, conn, pgx.RowTo[bool],
		`SELECT true FROM pg_stat_activity WHERE pid = $1 AND `+processStart+` = $2 AND wait_event IS DISTINCT FROM 'ClientRead'`, l.pid, l.started)
	return len(found) > 0, err
}
