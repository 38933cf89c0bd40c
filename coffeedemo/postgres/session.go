package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/flowercafe/coffeedemo"
)

// This file runs a piece of work: one connection, one transaction, and when it may be repeated.

// work is what happens in a transaction. It may be called again if nothing of it was committed.
type work func(ctx context.Context, tx pgx.Tx) error

// pauses between the tries of work that a failing server has interrupted.
const (
	firstPause   = 10 * time.Millisecond
	longestPause = 200 * time.Millisecond
)

// run does the work in one transaction, and repeats what was interrupted until the wait limit or ctx ends.
func (s *Store) run(ctx context.Context, operation string, do work) error {
	if err := s.enter(); err != nil {
		return fmt.Errorf("%s: %w", operation, err)
	}
	defer s.leave()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.life, func() { cancel(context.Cause(s.life)) })()

	end := time.Now().Add(s.wait)
	pause := firstPause
	for {
		err := s.try(ctx, end, do)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("%s: %w", operation, context.Cause(ctx))
		case !repeatable(err):
			return fmt.Errorf("%s: %w", operation, err)
		case time.Now().Add(pause).After(end):
			s.timedOut.Add(1)
			return fmt.Errorf("%s: %w: %w", operation, coffeedemo.ErrBusy, err)
		}
		select {
		case <-time.After(pause):
			pause = min(2*pause, longestPause)
		case <-ctx.Done():
		}
	}
}

// try does the work once.
func (s *Store) try(ctx context.Context, end time.Time, do work) (err error) {
	conn, err := s.acquire(ctx, end)
	if err != nil {
		return err
	}
	defer conn.Release()
	defer func() {
		if err != nil && repeatable(err) && !hasCode(err, serializationFailure) && !hasCode(err, deadlockDetected) {
			// A server that is going, or that has become a standby: what is pooled of it is of no more use.
			s.pool.Reset()
		}
	}()
	tx, err := conn.Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	// Behind a commit this does nothing. It also runs when do panics, and does not end with the caller's context.
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		tx.Rollback(ctx)
	}()
	if err := do(ctx, tx); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		var answered *pgconn.PgError
		if errors.As(err, &answered) || pgconn.SafeToRetry(err) {
			return fmt.Errorf("commit: %w", err)
		}
		return fmt.Errorf("commit: %w: %s", errUnknown, err)
	}
	return nil
}

// acquire takes a connection, waiting until end.
func (s *Store) acquire(ctx context.Context, end time.Time) (*pgxpool.Conn, error) {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	waiting, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	conn, err := s.pool.Acquire(waiting)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		s.timedOut.Add(1)
		return nil, fmt.Errorf("wait for a connection: %w", coffeedemo.ErrBusy)
	}
	if err != nil {
		return nil, fmt.Errorf("connect: %w", err)
	}
	return conn, nil
}

// SQLSTATE codes (PostgreSQL documentation, appendix A).
const (
	undefinedTable       = "42P01"
	duplicateTable       = "42P07"
	uniqueViolation      = "23505"
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	readOnlyTransaction  = "25006"
	adminShutdown        = "57P01"
	crashShutdown        = "57P02"
	cannotConnectNow     = "57P03"
)

// repeatable reports whether err means that nothing was committed, and that the same work may succeed on another try.
func repeatable(err error) bool {
	if errors.Is(err, errUnknown) || errors.Is(err, errRowsSeen) || errors.Is(err, coffeedemo.ErrBusy) {
		return false
	}
	var answered *pgconn.PgError
	if errors.As(err, &answered) {
		switch answered.Code {
		case serializationFailure, deadlockDetected, readOnlyTransaction, adminShutdown, crashShutdown, cannotConnectNow:
			return true
		}
		return false
	}
	var connecting *pgconn.ConnectError
	var network net.Error
	// A connection that broke off before the commit took its transaction with it.
	return errors.As(err, &connecting) || errors.As(err, &network) || pgconn.SafeToRetry(err) || isBroken(err)
}

// hasCode reports whether err is the server's, with that code.
func hasCode(err error, code string) bool {
	var answered *pgconn.PgError
	return errors.As(err, &answered) && answered.Code == code
}
