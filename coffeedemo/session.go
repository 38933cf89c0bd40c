package coffeedemo

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
)

// This file is the session: it takes a connection, runs a transaction, and returns the connection
// to the pool.

// Read runs work in a reading session: on its own connection, in one transaction, concurrently with
// other reading sessions but not with a writing one. work must not change the database: its changes
// would lock out other reading sessions. For errors and limits, see [SQLite.Write].
func (db *SQLite) Read(ctx context.Context, work func(context.Context, *sqlite.Conn) error) error {
	return db.session(ctx, reading, func(c *connection) error { return db.foreign(ctx, c, work) })
}

// Write runs work in a writing session: on its own connection, in one transaction, while no other
// session runs.
//
// If work returns nil, the transaction is committed. If work returns an error or panics, if ctx
// ends, or if the database is closed, it is rolled back. Errors of work are returned, perhaps
// wrapped. Other errors wrap [ErrBusy] if no connection was free within the wait limit, [ErrClosed]
// if the database is closed, and the cause of ctx if it has ended.
//
// The connection is valid until work returns, for one goroutine at a time. work must not begin or
// end a transaction. A session that is started with the context of another session returns an
// error, since it could deadlock.
func (db *SQLite) Write(ctx context.Context, work func(context.Context, *sqlite.Conn) error) error {
	return db.session(ctx, writing, func(c *connection) error { return db.foreign(ctx, c, work) })
}

// foreign runs work of callers of Read and Write. It detects nested sessions, and resets statements
// that work left unfinished.
func (db *SQLite) foreign(ctx context.Context, c *connection, work func(context.Context, *sqlite.Conn) error) error {
	if err := work(context.WithValue(ctx, sessionKey{db}, true), c.Conn); err != nil {
		return err
	}
	for text := c.CheckReset(); text != ""; text = c.CheckReset() {
		c.Prepare(text) // this resets it
	}
	return nil
}

// mode is the kind of a session.
type mode int

const (
	reading mode = iota
	writing
	listing // one SELECT, without BEGIN and COMMIT; work checks the context between rows
	pinging // as listing, and it does not wait for writing sessions
)

// sessionKey is the context's key for the session of a database.
type sessionKey struct{ db *SQLite }

var errNested = errors.New("coffeedemo: a session inside a session: use the connection of the outer one")

// session takes a connection, runs work in a transaction, and returns the connection in every case.
func (db *SQLite) session(ctx context.Context, m mode, work func(*connection) error) error {
	if ctx.Value(sessionKey{db}) != nil {
		return errNested
	}
	take, weight := db.pool.take, int64(1)
	switch m {
	case writing:
		weight = db.pool.limit
	case pinging:
		take = func(ctx context.Context, _ int64) (*connection, error) { return db.pool.takeBesideWriters(ctx) }
	}
	c, err := take(ctx, weight)
	if c == nil {
		return err // nil if writing sessions keep a ping from a connection
	}
	defer db.pool.put(c, weight)
	c.dirty, c.panicked = true, true // reset below
	if m == listing || m == pinging {
		// A SELECT is a transaction by itself. Writing sessions wait until the connection is back,
		// so what work looks up after an error is still the state that the SELECT has seen.
		err = work(c)
	} else {
		c.watch(ctx)
		err = c.transact(ctx, work)
	}
	c.panicked = false
	if err != nil {
		return db.explain(ctx, err)
	}
	c.dirty = false
	return nil
}

// transact runs work between BEGIN and COMMIT.
func (c *connection) transact(ctx context.Context, work func(*connection) error) error {
	if _, err := c.begin.Step(); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	if err := work(c); err != nil {
		return err
	}
	// The interrupt comes shortly after ctx has ended. On a busy machine that may be after the
	// COMMIT.
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, err := c.commit.Step(); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// explain turns an error of SQLite into one that [Store] documents. SQLITE_INTERRUPT does not show
// who interrupted.
func (db *SQLite) explain(ctx context.Context, err error) error {
	switch {
	case sqlite.ErrCode(err).ToPrimary() != sqlite.ResultInterrupt:
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	case db.pool.closing.Err() != nil:
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return err
}
