package coffeedemo

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
)

// This file is the session: it takes a connection, runs a transaction, and gives the connection
// back.

// Read runs work in a reading session: on a connection of its own, in one transaction. Other
// reading sessions run beside it, but no writing one. See [SQLite.Write].
func (db *SQLite) Read(ctx context.Context, work func(context.Context, *sqlite.Conn) error) error {
	return db.session(ctx, reading, func(c *connection) error { return db.foreign(ctx, c, work) })
}

// Write runs work in a writing session: on a connection of its own, in one transaction, with no
// other session beside it.
//
// If work returns nil, what it did is committed. If it returns an error or panics, or ctx ends, or
// the database is closed, everything is rolled back. Errors of work are returned as they are or
// wrapped. Other errors wrap [ErrBusy] when no connection was free in time, [ErrClosed] when the
// database is closed, and the cause of a context that has ended.
//
// The connection is for work alone, until it returns, and for one goroutine at a time. Work must
// not begin or end a transaction. A session inside a session, found by the context, is an error: it
// could wait for itself.
func (db *SQLite) Write(ctx context.Context, work func(context.Context, *sqlite.Conn) error) error {
	return db.session(ctx, writing, func(c *connection) error { return db.foreign(ctx, c, work) })
}

// foreign runs work of the host, which may try to open a session inside the session, and may leave
// a statement that is not at its end.
func (db *SQLite) foreign(ctx context.Context, c *connection, work func(context.Context, *sqlite.Conn) error) error {
	if err := work(context.WithValue(ctx, sessionKey{db}, true), c.Conn); err != nil {
		return err
	}
	for text := c.CheckReset(); text != ""; text = c.CheckReset() {
		c.Prepare(text) // which resets it
	}
	return nil
}

// mode is what a session does.
type mode int

const (
	reading  mode = iota
	stepping      // reading in short steps, between which the work asks for itself whether the context has ended
	writing
)

// sessionKey is the context's key for the session of a database.
type sessionKey struct{ db *SQLite }

var errNested = errors.New("coffeedemo: a session inside a session: use the connection of the outer one")

// session takes a connection, runs work in a transaction, and gives the connection back, whatever
// happens.
func (db *SQLite) session(ctx context.Context, m mode, work func(*connection) error) error {
	if ctx.Value(sessionKey{db}) != nil {
		return errNested
	}
	weight := int64(1)
	if m == writing {
		weight = db.pool.limit
	}
	c, err := db.pool.take(ctx, weight)
	if err != nil {
		return err
	}
	defer db.pool.put(c, weight)
	c.dirty, c.panicked = true, true // until the end
	c.gone = ctx.Done()
	if m != stepping {
		c.watch(ctx)
	}
	err = c.transact(m, work)
	c.panicked = false
	if err != nil {
		return db.explain(ctx, err)
	}
	c.dirty = false
	return nil
}

// transact runs work between BEGIN and COMMIT.
func (c *connection) transact(m mode, work func(*connection) error) error {
	begin := c.begin
	if m == writing {
		// EXCLUSIVE takes all locks now, so that nothing later has to wait for one, not even COMMIT.
		begin = c.beginExclusive
	}
	if _, err := c.step(begin); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := work(c); err != nil {
		return err
	}
	if _, err := c.commit.Step(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// explain turns an error of SQLite into one that [Store] documents. SQLite's codes do not tell the
// cause: when a client leaves while its session waits for a lock, the code may be SQLITE_BUSY or
// SQLITE_INTERRUPT.
func (db *SQLite) explain(ctx context.Context, err error) error {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultInterrupt:
	case sqlite.ResultBusy, sqlite.ResultLocked:
		if ctx.Err() == nil && db.pool.closing.Err() == nil {
			return fmt.Errorf("%w: %w", ErrBusy, err)
		}
	default:
		return err
	}
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	case db.pool.closing.Err() != nil:
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return err
}
