package session

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/semaphore"
)

// This file is the work in a call. It repeats what failed because of the server or a conflict,
// until the deadline of the call.

// Pauses between the tries are random up to these, so that hosts in conflict do not collide again.
const (
	firstPause   = 10 * time.Millisecond
	longestPause = 200 * time.Millisecond
)

// Read calls do with a connection. It repeats this until do succeeds, fails with an error that
// cannot be repeated, or ctx ends.
func (c *Client) Read(ctx context.Context, do func(context.Context, *pgx.Conn) error) error {
	first := true
	return retry(ctx, func() error {
		if !first {
			c.pool.repeats.Add(1)
		}
		first = false
		return c.try(ctx, do)
	}, func(err error) bool { return c.statementTimedOut(ctx, err) })
}

// Scan is Read for a query that may read a whole table. Scans use at most a quarter of the pool.
func (c *Client) Scan(ctx context.Context, do func(context.Context, *pgx.Conn) error) error {
	if err := c.acquire(ctx, c.pool.scans); err != nil {
		return fmt.Errorf("wait for other scans: %w", err)
	}
	defer c.pool.scans.Release(1)
	return c.Read(ctx, do)
}

// Write is Read for work in a transaction. Writers use at most a quarter of the pool.
func (c *Client) Write(ctx context.Context, do Work) error {
	if err := c.acquire(ctx, c.pool.writers); err != nil {
		return fmt.Errorf("wait for other writers: %w", err)
	}
	defer c.pool.writers.Release(1)
	return c.Read(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		return transact(ctx, conn, c.pool.limits, do)
	})
}

func (c *Client) acquire(ctx context.Context, limit *semaphore.Weighted) error {
	defer c.pool.startWaiting()()
	if err := limit.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("%w: %w", errFull, err)
	}
	return nil
}

// startWaiting counts a call as waiting for a connection until done is called.
func (p *Pool) startWaiting() (done func()) {
	begin := time.Now()
	p.waiting.Add(1)
	return func() {
		p.waiting.Add(-1)
		p.waited.Add(int64(time.Since(begin)))
	}
}

// retry calls try until it succeeds, fails with an error that is final or cannot be repeated, or
// ctx ends. After the end of ctx it returns the error of the previous try, if any: the last one may
// only say that ctx has ended.
func retry(ctx context.Context, try func() error, final func(error) bool) error {
	var reason error
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := try()
		switch {
		case err == nil, !Repeatable(err), final(err):
			return err
		case ctx.Err() != nil && reason != nil:
			return reason
		case ctx.Err() != nil:
			return err
		}
		reason = err
		select {
		case <-time.After(rand.N(pause)):
		case <-ctx.Done():
		}
	}
}

// statementTimedOut reports whether err means that a statement was canceled because the time of its
// call was used up, and not by another session.
func (c *Client) statementTimedOut(ctx context.Context, err error) bool {
	end, _ := ctx.Deadline()
	return HasCode(err, pgerrcode.QueryCanceled) && time.Until(end) < c.pool.limits.call/8
}

// try calls do once.
func (c *Client) try(ctx context.Context, do func(context.Context, *pgx.Conn) error) error {
	c.pool.tries.Add(1)
	acquired := c.pool.startWaiting()
	conn, err := c.pool.pool.Acquire(ctx)
	acquired()
	if err != nil {
		if stat := c.pool.pool.Stat(); ctx.Err() != nil && stat.AcquiredConns() == stat.MaxConns() {
			return fmt.Errorf("%w: %w", errFull, err)
		}
		return fmt.Errorf("%w: %w", errNoSession, explainPassword(err, c.pool.pool.Config().ConnConfig))
	}
	defer conn.Release()
	err = markLost(conn.Conn(), do(ctx, conn.Conn()))
	if ctx.Err() == nil || errors.Is(context.Cause(ctx), c.busy) {
		// An error after the caller's context has ended is not the server's fault.
		c.pool.noteError(err)
	}
	return err
}

// markLost marks the error of work in a session that has ended meanwhile. Nothing was committed,
// unless it is ErrUnknown.
func markLost(conn *pgx.Conn, err error) error {
	if err == nil || !conn.IsClosed() || errors.Is(err, ErrUnknown) || errors.Is(err, errRows) {
		return err
	}
	return fmt.Errorf("%w: %w", errLost, err)
}
