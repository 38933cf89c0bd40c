package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/semaphore"

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

// repeat calls do with a connection until it succeeds, fails for good, or the wait limit is over. It
// first takes its place at the gates.
func (s *Store) repeat(ctx context.Context, do func(context.Context, *pgx.Conn) error, gates ...*semaphore.Weighted) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.limits.call, coffeedemo.ErrBusy)
	defer cancel()
	err := s.pass(ctx, gates)
	if err == nil {
		defer func() {
			for _, g := range gates {
				g.Release(1)
			}
		}()
		for pause := firstPause; ; pause = min(2*pause, longestPause) {
			if err = s.try(ctx, do); err == nil || ctx.Err() != nil || !repeatable(err) {
				break
			}
			select {
			case <-time.After(rand.N(pause)):
			case <-ctx.Done():
			}
		}
	}
	switch cause := context.Cause(ctx); {
	case err == nil:
		return nil
	case errors.Is(err, errUnknown):
		return fmt.Errorf("%w: %w", coffeedemo.ErrBusy, withoutSecrets(err))
	case cause != nil && errors.Is(cause, coffeedemo.ErrBusy):
		s.timedOut.Add(1)
		return fmt.Errorf("%w: %w", cause, withoutSecrets(err))
	case cause != nil:
		return cause
	}
	return withoutSecrets(err)
}

// pass waits for a place at each gate.
func (s *Store) pass(ctx context.Context, gates []*semaphore.Weighted) error {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	for i, g := range gates {
		if err := g.Acquire(ctx, 1); err != nil {
			for _, passed := range gates[:i] {
				passed.Release(1)
			}
			return fmt.Errorf("wait for other writers: %w", err)
		}
	}
	return nil
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
