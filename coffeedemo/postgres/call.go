package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/coffeedemo"
)

// This file is one call of a method: it begins, it has a deadline, and what a failing server or a
// conflict has interrupted is repeated until then.

// pauses between the tries; each is random up to these, so that hosts in conflict do not meet again.
const (
	firstPause   = 10 * time.Millisecond
	longestPause = 200 * time.Millisecond
)

// call runs do unless the store is closed. do's context also ends when the store is to end.
func (s *Store) call(ctx context.Context, operation string, do func(context.Context) error) error {
	if err := s.enter(); err != nil {
		return fmt.Errorf("%s: %w", operation, err)
	}
	defer s.leave()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.life, func() { cancel(context.Cause(s.life)) })()
	if err := do(ctx); err != nil {
		return fmt.Errorf("%s: %w", operation, err)
	}
	return nil
}

func (s *Store) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return coffeedemo.ErrClosed
	}
	s.active++
	return nil
}

func (s *Store) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active--; s.active == 0 && s.closed {
		close(s.drained)
	}
}

// limited runs do within the wait limit.
func (s *Store) limited(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.call, coffeedemo.ErrBusy)
	defer cancel()
	err := do(ctx)
	if err == nil {
		return nil
	}
	err = withoutSecrets(err)
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, coffeedemo.ErrBusy):
		s.timedOut.Add(1)
		return fmt.Errorf("%w: %w", cause, err)
	case cause != nil:
		return fmt.Errorf("%w: %w", cause, err)
	case errors.Is(err, errUnknown):
		return fmt.Errorf("%w: %w", coffeedemo.ErrBusy, err)
	}
	return err
}

// repeat calls do with a connection until it succeeds, fails for good, or ctx ends.
func (s *Store) repeat(ctx context.Context, do func(context.Context, *pgx.Conn) error) error {
	var reason error // for the next try
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := s.try(ctx, do)
		switch {
		case err == nil, !repeatable(err):
			return err
		case ctx.Err() != nil && reason != nil:
			return reason // it says more than that the time is over
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
func (s *Store) try(ctx context.Context, do func(context.Context, *pgx.Conn) error) (err error) {
	s.waiting.Add(1)
	conn, err := s.pool.Acquire(ctx)
	s.waiting.Add(-1)
	if err != nil {
		if ctx.Err() != nil && s.pool.Stat().IdleConns() > 0 {
			// There were idle connections, and none of them responded.
			s.pool.Reset()
		}
		return fmt.Errorf("get a connection: %w", err)
	}
	defer conn.Release()
	err = do(ctx, conn.Conn())
	if serverGone(err) && (ctx.Err() == nil || errors.Is(context.Cause(ctx), coffeedemo.ErrBusy)) {
		// What else is pooled is of the same server. A caller that gave up says nothing about it.
		s.pool.Reset()
	}
	return err
}
