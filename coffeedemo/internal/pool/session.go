package pool

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
)

// This file implements sessions. A session takes a connection, runs a transaction, and returns the
// connection to the pool.

// Mode is the kind of a session.
type Mode int

const (
	Reading Mode = iota
	Writing
	Listing // one SELECT, without BEGIN and COMMIT; work checks the context between rows
	Pinging // like Listing, but usually does not wait for writing sessions; see Session
)

// sessionKey is the context's key for the session of a database.
type sessionKey struct{ p *Pool }

var errNested = errors.New("coffeedemo: a session inside a session: use the connection of the outer one")

// Session takes a connection, runs work in a transaction, and puts the connection back, even if
// work panics. With Pinging it returns nil, without calling work, if a writing session has the
// permits or waits for them. But if all connections are in use, it waits.
func (p *Pool) Session(ctx context.Context, m Mode, work func(*Conn) error) error {
	if ctx.Value(sessionKey{p}) != nil {
		return errNested
	}
	take, weight := p.Take, int64(1)
	switch m {
	case Writing:
		weight = p.Limit
	case Pinging:
		take = func(ctx context.Context, _ int64) (*Conn, error) { return p.takeUnlessWriting(ctx) }
	}
	c, err := take(ctx, weight)
	if c == nil {
		return err // nil for a ping that would wait for a writing session
	}
	defer p.Put(c, weight)
	c.dirty, c.panicked = true, true // reset below
	if m == Listing || m == Pinging {
		// A SELECT is a transaction by itself. Writing sessions wait until the connection is back,
		// so another SELECT of work sees the same state.
		err = work(c)
	} else {
		c.watch(ctx)
		err = c.transact(ctx, work)
	}
	c.panicked = false
	if err != nil {
		return p.explain(ctx, err)
	}
	c.dirty = false
	return nil
}

// transact runs work between BEGIN and COMMIT.
func (c *Conn) transact(ctx context.Context, work func(*Conn) error) error {
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

// explain turns an error of SQLite into one that coffeedemo.Store documents. SQLITE_INTERRUPT does
// not show who interrupted.
func (p *Pool) explain(ctx context.Context, err error) error {
	switch {
	case sqlite.ErrCode(err).ToPrimary() != sqlite.ResultInterrupt:
		return err
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	case p.closing.Err() != nil:
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return err
}

// Run is Session for work that callers of coffeedemo wrote. The context of work also ends when the
// session is interrupted. A session inside work is refused, and statements that work left
// unfinished are reset.
func (p *Pool) Run(ctx context.Context, m Mode, work func(context.Context, *sqlite.Conn) error) error {
	return p.Session(ctx, m, func(c *Conn) error {
		within, cancel := context.WithCancelCause(context.WithValue(ctx, sessionKey{p}, true))
		defer cancel(nil)
		defer context.AfterFunc(p.ending, func() { cancel(ErrClosed) })()
		if err := work(within, c.Conn); err != nil {
			if ctx.Err() == nil && within.Err() != nil && errors.Is(err, within.Err()) {
				return fmt.Errorf("%w: %w", ErrClosed, err)
			}
			return err
		}
		for text := c.CheckReset(); text != ""; text = c.CheckReset() {
			c.Prepare(text) // this resets it
		}
		return nil
	})
}
