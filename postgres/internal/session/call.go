package session

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
)

// This file is one call of a store's method. It repeats work that failed because of the server or a
// conflict, until the deadline of the call.

// Pauses between the tries are random up to these, so that hosts in conflict do not collide again.
const (
	firstPause   = 10 * time.Millisecond
	longestPause = 200 * time.Millisecond
)

// Call runs do, which may call Read and Write, unless the pool is closed. The context of do also
// ends when the pool interrupts its calls.
func (p *Pool) Call(ctx context.Context, operation string, do func(context.Context) error) error {
	if err := p.enter(); err != nil {
		return fmt.Errorf("%s: %w", operation, err)
	}
	defer p.leave()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(p.life, func() { cancel(context.Cause(p.life)) })()
	if err := do(ctx); err != nil {
		return fmt.Errorf("%s: %w", operation, err)
	}
	return nil
}

func (p *Pool) enter() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return p.config.Closed
	}
	p.active++
	return nil
}

func (p *Pool) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.active--; p.active == 0 && p.closed {
		close(p.drained)
	}
}

// Read calls do with a connection. It repeats this until do succeeds, fails with an error that
// cannot be repeated, or the wait limit has passed.
func (p *Pool) Read(ctx context.Context, do func(context.Context, *pgx.Conn) error) error {
	return p.limited(ctx, func(ctx context.Context) error { return p.repeat(ctx, do) })
}

// Write is Read for work in a transaction. Writers use at most a quarter of the pool.
func (p *Pool) Write(ctx context.Context, do Work) error {
	return p.limited(ctx, func(ctx context.Context) error {
		if err := p.enterWriters(ctx); err != nil {
			return err
		}
		defer p.writers.Release(1)
		return p.repeat(ctx, func(ctx context.Context, conn *pgx.Conn) error {
			return transact(ctx, conn, p.limits, do)
		})
	})
}

func (p *Pool) enterWriters(ctx context.Context) error {
	p.waiting.Add(1)
	defer p.waiting.Add(-1)
	if err := p.writers.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("wait for other writers: %w", err)
	}
	return nil
}

// Ping checks that the server responds.
func (p *Pool) Ping(ctx context.Context) error {
	return p.Read(ctx, func(ctx context.Context, conn *pgx.Conn) error { return conn.Ping(ctx) })
}

// limited runs do within the wait limit.
func (p *Pool) limited(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.limits.call, p.config.Busy)
	defer cancel()
	err := do(ctx)
	if err == nil {
		return nil
	}
	err = WithoutSecrets(err)
	cause := context.Cause(ctx)
	if cause == nil {
		cause = context.Cause(p.life) // which ends ctx a moment later
	}
	switch {
	case errors.Is(cause, p.config.Busy):
		p.timedOut.Add(1)
		return fmt.Errorf("%w: %w", cause, err)
	case cause != nil:
		return fmt.Errorf("%w: %w", cause, err)
	case errors.Is(err, errUnknown):
		return fmt.Errorf("%w: %w", p.config.Busy, err)
	}
	return err
}

// repeat calls do with a connection until it succeeds, fails with an error that cannot be repeated,
// or ctx ends.
func (p *Pool) repeat(ctx context.Context, do func(context.Context, *pgx.Conn) error) error {
	var reason error // for the next try
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := p.try(ctx, do)
		switch {
		case err == nil, !Repeatable(err):
			return err
		case ctx.Err() != nil && reason != nil:
			return reason // says more than that the time is over
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

// try calls do once.
func (p *Pool) try(ctx context.Context, do func(context.Context, *pgx.Conn) error) (err error) {
	p.waiting.Add(1)
	conn, err := p.pool.Acquire(ctx)
	p.waiting.Add(-1)
	if err != nil {
		if ctx.Err() != nil && p.pool.Stat().IdleConns() > 0 {
			// None of the idle connections responded.
			p.pool.Reset()
		}
		return fmt.Errorf("get a connection: %w", err)
	}
	defer conn.Release()
	err = do(ctx, conn.Conn())
	if serverGone(err) && (ctx.Err() == nil || errors.Is(context.Cause(ctx), p.config.Busy)) {
		// Other pooled connections are probably lost too. An error after the caller's context has
		// ended says nothing about the server.
		p.pool.Reset()
	}
	return err
}
