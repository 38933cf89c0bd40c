package postgres

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"

	"example.com/flowercafe/coffeedemo"
)

// This file is the store: its options, its methods, and how it ends.

// Option configures a [Store].
type Option interface {
	apply(*settings)
}

type option func(*settings)

func (o option) apply(s *settings) { o(s) }

type settings struct {
	poolSize int
	wait     time.Duration
}

// WithPoolSize sets the maximum number of connections, 50 by default; 1 stays open. Calls that
// change the tables use a quarter of them at most. Fewer than 1 is an error from [Open].
func WithPoolSize(connections int) Option {
	return option(func(s *settings) { s.poolSize = connections })
}

// WithWaitLimit sets how long a call may take, 5 seconds by default: waiting for a connection, for
// locks of others, for a network that stalls, for a server that restarts. Then it returns
// [coffeedemo.ErrBusy], at most a second later. Less than 10 milliseconds is an error from [Open].
func WithWaitLimit(wait time.Duration) Option {
	return option(func(s *settings) { s.wait = wait })
}

const shortestWait = 10 * time.Millisecond

// Store is a [coffeedemo.Store] in PostgreSQL. It is safe for concurrent use.
type Store struct {
	pool    *pgxpool.Pool
	limits  limits
	writers *semaphore.Weighted // a part of the pool, so that writers that wait leave the rest to readers

	life      context.Context // ends when calls in progress are to be interrupted
	interrupt context.CancelCauseFunc

	waiting  atomic.Int64
	timedOut atomic.Int64

	mu      sync.Mutex
	active  int
	closed  bool
	drained chan struct{} // closed when the store is closed and no call is active

	poolClosing sync.Once
	poolClosed  chan struct{}
}

var _ coffeedemo.Store = (*Store)(nil)

// Open opens a store by a connection string: a URL or pairs of key and value, as in PostgreSQL's
// libpq (PostgreSQL documentation, 34.1.1). It returns an error if the string cannot be read; the
// error repeats nothing of it. Whether the database responds is for [Store.Ping], which
// [coffeedemo.New] calls. ctx is not used after Open returns. The caller closes the store, or gives
// it to an App, which does.
func Open(ctx context.Context, dsn string, options ...Option) (*Store, error) {
	s := settings{poolSize: 50, wait: 5 * time.Second}
	for _, o := range options {
		o.apply(&s)
	}
	switch {
	case s.poolSize < 1:
		return nil, fmt.Errorf("postgres: pool size %d: write at least 1", s.poolSize)
	case s.wait < shortestWait:
		return nil, fmt.Errorf("postgres: wait limit %v: write at least %v", s.wait, shortestWait)
	}
	store := &Store{
		limits:     limitsFor(s.wait),
		writers:    semaphore.NewWeighted(int64(max(1, s.poolSize/4))),
		drained:    make(chan struct{}),
		poolClosed: make(chan struct{}),
	}
	store.life, store.interrupt = context.WithCancelCause(context.Background())
	config, err := poolConfig(dsn, s.poolSize, &connector{life: store.life, limits: store.limits})
	if err != nil {
		return nil, fmt.Errorf("postgres: connection string: %w", withoutSecrets(err))
	}
	if store.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, fmt.Errorf("postgres: open: %w", withoutSecrets(err))
	}
	return store, nil
}

// Create implements [coffeedemo.Store]. The error is a [*coffeedemo.ObstacleError] if something else
// in the database has the name of a table.
func (s *Store) Create(ctx context.Context) error {
	return s.write(ctx, "create tables", create)
}

// Load implements [coffeedemo.Store].
func (s *Store) Load(ctx context.Context, suppliers []coffeedemo.Supplier, coffees []coffeedemo.Coffee) error {
	return s.write(ctx, "load data", func(ctx context.Context, t *transaction) error {
		return load(ctx, t, suppliers, coffees)
	})
}

// Drop implements [coffeedemo.Store]. The error is a [*coffeedemo.ObstacleError] if something else in
// the database has the name of a table, or depends on one.
func (s *Store) Drop(ctx context.Context) error {
	return s.write(ctx, "drop tables", drop)
}

// List implements [coffeedemo.Store]. It collects all rows, 16 MiB at most, and gives the connection
// back before it calls row for the first time. So a connection that is lost after some rows is no
// reason to fail or to call row twice, and a row that takes long holds nothing. A longer list is an
// error.
func (s *Store) List(ctx context.Context, row func(coffee, supplier []byte) error) error {
	return s.call(ctx, "list coffees", func(ctx context.Context) error {
		var found []listed
		err := s.limited(ctx, func(ctx context.Context) error {
			return s.repeat(ctx, func(ctx context.Context, conn *pgx.Conn) (err error) {
				found, err = list(ctx, conn)
				return err
			})
		})
		if err != nil {
			return err
		}
		for _, f := range found {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := row(f.coffee, f.supplier); err != nil {
				return fmt.Errorf("row: %w", err)
			}
		}
		return nil
	})
}

// Ping implements [coffeedemo.Store].
func (s *Store) Ping(ctx context.Context) error {
	return s.call(ctx, "ping", func(ctx context.Context) error {
		return s.limited(ctx, func(ctx context.Context) error {
			return s.repeat(ctx, func(ctx context.Context, conn *pgx.Conn) error { return conn.Ping(ctx) })
		})
	})
}

// write runs work that changes the tables.
func (s *Store) write(ctx context.Context, operation string, do work) error {
	return s.call(ctx, operation, func(ctx context.Context) error {
		return s.limited(ctx, func(ctx context.Context) error {
			if err := s.enterWriters(ctx); err != nil {
				return err
			}
			defer s.writers.Release(1)
			return s.repeat(ctx, func(ctx context.Context, conn *pgx.Conn) error {
				return transact(ctx, conn, s.limits, do)
			})
		})
	})
}

func (s *Store) enterWriters(ctx context.Context) error {
	s.waiting.Add(1)
	defer s.waiting.Add(-1)
	if err := s.writers.Acquire(ctx, 1); err != nil {
		return fmt.Errorf("wait for other writers: %w", err)
	}
	return nil
}

// Stats implements [coffeedemo.Store].
func (s *Store) Stats() coffeedemo.Stats {
	s.mu.Lock()
	closed := s.closed && s.active == 0
	s.mu.Unlock()
	timedOut := int(s.timedOut.Load())
	if closed {
		return coffeedemo.Stats{TimedOut: timedOut}
	}
	stat := s.pool.Stat()
	inUse, idle := int(stat.AcquiredConns()), int(stat.IdleConns())
	return coffeedemo.Stats{Open: inUse + idle, InUse: inUse, Idle: idle, Waiting: int(s.waiting.Load()), TimedOut: timedOut}
}

// Shutdown implements [coffeedemo.Store]. It ends within ctx, also while connections are being made.
func (s *Store) Shutdown(ctx context.Context) error {
	s.close()
	var err error
	select {
	case <-s.drained:
	default:
		select {
		case <-s.drained:
		case <-ctx.Done():
			err = fmt.Errorf("postgres: shut down: %w", context.Cause(ctx))
		}
	}
	s.closePool(ctx)
	return err
}

// Close implements [coffeedemo.Store].
func (s *Store) Close() error {
	s.close()
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	s.closePool(ctx)
	return nil
}

// closeGrace is how long Close waits for idle connections to say good-bye to the server.
const closeGrace = 100 * time.Millisecond

// close lets no more calls begin.
func (s *Store) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		if s.active == 0 {
			close(s.drained)
		}
	}
}

// closePool interrupts the calls that are left and the connections being made, and waits until all
// connections are closed or ctx ends. The rest closes in the background within seconds.
func (s *Store) closePool(ctx context.Context) {
	s.interrupt(coffeedemo.ErrClosed)
	s.poolClosing.Do(func() {
		go func() {
			s.pool.Close()
			close(s.poolClosed)
		}()
	})
	select {
	case <-s.poolClosed:
	case <-ctx.Done():
	}
}
