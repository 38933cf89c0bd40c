package postgres

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/flowercafe/coffeedemo"
)

// Option sets up a [Store].
type Option interface {
	apply(*settings)
}

type option func(*settings)

func (o option) apply(s *settings) { o(s) }

type settings struct {
	poolSize int
	wait     time.Duration
}

// WithPoolSize sets how many connections there are at most, 50 by default; 1 stays open. Fewer than 1 is an error from Open.
func WithPoolSize(connections int) Option {
	return option(func(s *settings) { s.poolSize = connections })
}

// WithWaitLimit sets how long a call waits for a connection, and for a database that is not there, before it returns
// [coffeedemo.ErrBusy]; the default is 5 seconds. A time that is not positive is an error from Open.
func WithWaitLimit(wait time.Duration) Option {
	return option(func(s *settings) { s.wait = wait })
}

// Store is a [coffeedemo.Store] in PostgreSQL. It is safe for concurrent use.
type Store struct {
	pool *pgxpool.Pool
	wait time.Duration

	// life ends when work under way is to be interrupted.
	life      context.Context
	interrupt context.CancelCauseFunc

	waiting  atomic.Int64
	timedOut atomic.Int64

	mu      sync.Mutex
	active  int
	closed  bool
	drained chan struct{} // closed when the store is closed and nothing is active
}

var _ coffeedemo.Store = (*Store)(nil)

// Open opens a store by a connection string, a URL or pairs of key and value as PostgreSQL's libpq has them (PostgreSQL
// documentation, 34.1.1). It returns an error if the string cannot be read; whether the database answers is for [Store.Ping],
// which [coffeedemo.New] calls. The caller closes the store, or gives it to an App.
func Open(ctx context.Context, dsn string, options ...Option) (*Store, error) {
	s := settings{poolSize: 50, wait: 5 * time.Second}
	for _, o := range options {
		o.apply(&s)
	}
	switch {
	case s.poolSize < 1:
		return nil, fmt.Errorf("postgres: pool size %d: write at least 1", s.poolSize)
	case s.wait <= 0:
		return nil, fmt.Errorf("postgres: wait limit %v: write a positive time", s.wait)
	}
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		// pgx has taken the password out of its message.
		return nil, fmt.Errorf("postgres: connection string: %w", err)
	}
	config.MinConns = 1
	config.MaxConns = int32(s.poolSize)
	config.ConnConfig.ConnectTimeout = min(s.wait, 2*time.Second)
	if config.ConnConfig.ValidateConnect == nil {
		config.ConnConfig.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("postgres: open: %w", err)
	}
	store := &Store{pool: pool, wait: s.wait, drained: make(chan struct{})}
	store.life, store.interrupt = context.WithCancelCause(context.Background())
	return store, nil
}

// Create implements [coffeedemo.Store].
func (s *Store) Create(ctx context.Context) error {
	return s.run(ctx, "create tables", create)
}

// Load implements [coffeedemo.Store].
func (s *Store) Load(ctx context.Context, suppliers []coffeedemo.Supplier, coffees []coffeedemo.Coffee) error {
	return s.run(ctx, "load data", func(ctx context.Context, tx pgx.Tx) error {
		return load(ctx, tx, suppliers, coffees)
	})
}

// Drop implements [coffeedemo.Store].
func (s *Store) Drop(ctx context.Context) error {
	return s.run(ctx, "drop tables", drop)
}

// List implements [coffeedemo.Store].
func (s *Store) List(ctx context.Context, row func(coffee, supplier []byte) error) error {
	return s.run(ctx, "list coffees", func(ctx context.Context, tx pgx.Tx) error {
		return list(ctx, tx, row)
	})
}

// Ping implements [coffeedemo.Store].
func (s *Store) Ping(ctx context.Context) error {
	return s.run(ctx, "ping", func(ctx context.Context, tx pgx.Tx) error { return tx.Conn().Ping(ctx) })
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

// Shutdown implements [coffeedemo.Store].
func (s *Store) Shutdown(ctx context.Context) error {
	s.close()
	select {
	case <-s.drained:
		s.pool.Close()
		return nil
	default:
	}
	select {
	case <-s.drained:
		s.pool.Close()
		return nil
	case <-ctx.Done():
		s.cut()
		return fmt.Errorf("postgres: shut down: %w", context.Cause(ctx))
	}
}

// Close implements [coffeedemo.Store].
func (s *Store) Close() error {
	s.close()
	select {
	case <-s.drained:
		s.pool.Close()
	default:
		s.cut()
	}
	return nil
}

// close takes no more work.
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

// cut interrupts what is under way. The pool is closed as soon as all have given their connections back, which does not wait for
// what a row is given to.
func (s *Store) cut() {
	s.interrupt(coffeedemo.ErrClosed)
	go s.pool.Close()
}

// enter begins a call, unless the store is closed.
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

// errUnknown says that a connection was lost while it committed.
var errUnknown = errors.New("the connection was lost while committing; whether it did is not known")
