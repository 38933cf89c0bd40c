package coffeedemo

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
)

// This file is the session: one connection and one transaction, from the taking to the giving back.

// Read runs work in a reading session: with a connection of its own, in one transaction, beside other reading sessions and never
// beside a writing one. See [SQLite.Write].
func (db *SQLite) Read(ctx context.Context, work func(context.Context, *sqlite.Conn) error) error {
	return db.session(ctx, reading, func(c *connection) error { return db.foreign(ctx, c, work) })
}

// Write runs work in a writing session: with a connection of its own, in one transaction, alone.
//
// If work returns nil, what it did is committed. If it returns an error or panics, or ctx ends, or the database is closed, nothing
// of it stays, and the connection comes back clean for the next. Errors of work are returned as they are or wrapped; those
// of waiting in vain and of closing wrap [ErrBusy] and [ErrClosed], and that of a context that has ended wraps its cause.
//
// The connection is work's until it returns, for one goroutine. Transactions are the session's: work begins and ends none.
// A session inside a session, which the context tells, is an error: it could wait for itself.
func (db *SQLite) Write(ctx context.Context, work func(context.Context, *sqlite.Conn) error) error {
	return db.session(ctx, writing, func(c *connection) error { return db.foreign(ctx, c, work) })
}

// foreign runs work that knows only half of the rules: it may open a session in the session, and leave a statement behind that is
// not at its end.
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

// session takes a connection, runs work in a transaction, and gives the connection back, whatever happens in between.
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
	c.unclean, c.panicked = true, true // until the end
	c.gone = ctx.Done()
	if m != stepping {
		c.watch(ctx)
	}
	err = c.transact(m, work)
	c.panicked = false
	if err != nil {
		return db.explain(ctx, err)
	}
	c.unclean = false
	return nil
}

// transact runs work between BEGIN and COMMIT.
func (c *connection) transact(m mode, work func(*connection) error) error {
	begin := c.begin
	if m == writing {
		// EXCLUSIVE takes all locks now, so that nothing later has to wait for one, the COMMIT least of all.
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

// explain gives an error of a session the meaning that the interface of [Store] has for it. SQLite's codes don't tell whose fault
// it was: a wait for a lock that the client's leaving has ended may be SQLITE_BUSY as well as SQLITE_INTERRUPT.
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
