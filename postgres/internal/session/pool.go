package session

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"
)

// This file opens, configures and closes the pool of sessions.

// Config is the configuration of a [Pool]. [Option] sets Size and Wait.
type Config struct {
	Size int           // the maximum number of connections; 1 stays open
	Wait time.Duration // the wait limit of a call

	// Errors wrap Busy if a call took too long, and Closed if it came after Shutdown or Close.
	Busy, Closed error
}

// Option configures a store.
type Option interface {
	apply(*Config)
}

type option func(*Config)

func (o option) apply(c *Config) { o(c) }

// WithPoolSize sets Size.
func WithPoolSize(connections int) Option {
	return option(func(c *Config) { c.Size = connections })
}

// WithWaitLimit sets Wait.
func WithWaitLimit(wait time.Duration) Option {
	return option(func(c *Config) { c.Wait = wait })
}

const shortestWait = 10 * time.Millisecond

func (c Config) check() error {
	switch {
	case c.Size < 1:
		return fmt.Errorf("pool size %d: write at least 1", c.Size)
	case c.Wait < shortestWait:
		return fmt.Errorf("wait limit %v: write at least %v", c.Wait, shortestWait)
	}
	return nil
}

// Pool is a pool of sessions. It is safe for concurrent use.
type Pool struct {
	pool    *pgxpool.Pool
	config  Config
	limits  limits
	writers *semaphore.Weighted // limits writers to a part of the pool, so that waiting writers do not block readers

	life      context.Context // ends to interrupt calls in progress
	interrupt context.CancelCauseFunc

	waiting  atomic.Int64
	timedOut atomic.Int64

	mu      sync.Mutex
	active  int
	closed  bool
	drained chan struct{} // closed when the pool is closed and no call is active

	closing    sync.Once
	poolClosed chan struct{}
}

// Open opens a pool by a connection string. Options change the config. The error does not repeat
// the string. Open does not connect; see [Pool.Ping].
func Open(ctx context.Context, dsn string, config Config, options ...Option) (*Pool, error) {
	for i, o := range options {
		if o == nil {
			return nil, fmt.Errorf("option %d is nil: leave it out", i)
		}
		o.apply(&config)
	}
	if err := config.check(); err != nil {
		return nil, err
	}
	p := &Pool{
		config:     config,
		limits:     limitsFor(config.Wait),
		writers:    semaphore.NewWeighted(int64(max(1, config.Size/4))),
		drained:    make(chan struct{}),
		poolClosed: make(chan struct{}),
	}
	p.life, p.interrupt = context.WithCancelCause(context.Background())
	settings, err := poolConfig(dsn, config.Size, &connector{life: p.life, limits: p.limits})
	if err != nil {
		return nil, fmt.Errorf("connection string: %w", WithoutSecrets(err))
	}
	if p.pool, err = pgxpool.NewWithConfig(ctx, settings); err != nil {
		return nil, fmt.Errorf("open: %w", WithoutSecrets(err))
	}
	return p, nil
}

// Stats is the use of a pool at one moment. After the pool is closed and drained, all but TimedOut
// are 0.
type Stats struct{ InUse, Idle, Waiting, TimedOut int }

// Stats returns the current use of the pool.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	closed := p.closed && p.active == 0
	p.mu.Unlock()
	stats := Stats{TimedOut: int(p.timedOut.Load())}
	if closed {
		return stats
	}
	stat := p.pool.Stat()
	stats.InUse, stats.Idle, stats.Waiting = int(stat.AcquiredConns()), int(stat.IdleConns()), int(p.waiting.Load())
	return stats
}

// Shutdown refuses new calls and waits for those in progress until ctx ends. Then it interrupts
// them, and returns an error that wraps the cause of ctx. It ends within ctx, even while
// connections are being opened.
func (p *Pool) Shutdown(ctx context.Context) error {
	p.close()
	var err error
	select {
	case <-p.drained:
	default:
		select {
		case <-p.drained:
		case <-ctx.Done():
			err = fmt.Errorf("shut down: %w", context.Cause(ctx))
		}
	}
	p.end(ctx)
	return err
}

// Close is Shutdown without waiting.
func (p *Pool) Close() {
	p.close()
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	p.end(ctx)
}

// closeGrace is how long Close waits for idle connections to close.
const closeGrace = 100 * time.Millisecond

// close refuses new calls.
func (p *Pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed {
		p.closed = true
		if p.active == 0 {
			close(p.drained)
		}
	}
}

// end interrupts calls and connections being opened, and waits until all connections are closed or
// ctx ends. The rest closes in the background within seconds.
func (p *Pool) end(ctx context.Context) {
	p.interrupt(p.config.Closed)
	p.closing.Do(func() {
		go func() {
			p.pool.Close()
			close(p.poolClosed)
		}()
	})
	select {
	case <-p.poolClosed:
	case <-ctx.Done():
	}
}
