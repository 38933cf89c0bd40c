package coffeedemo

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// This file is the pool of connections to one SQLite database: a stack of idle ones behind a
// semaphore.
//
// The semaphore has one permit for each connection of the limit. A reading session takes one
// permit, a writing session takes all. So the semaphore limits the pool, separates readers from
// writers, and is a fair queue for both. With a permit, a session uses an idle connection or opens
// a new one.

// pool is safe for concurrent use. It keeps at least one connection open until it is closed,
// because the data is lost when the last connection closes.
type pool struct {
	open    func() (*connection, error)
	limit   int64
	wait    time.Duration
	permits *semaphore.Weighted

	// closing ends when the pool closes, which wakes the callers that wait for permits.
	closing context.Context
	wake    context.CancelFunc

	// drained is closed when the pool is closed and no connection is left.
	drained chan struct{}

	mu       sync.Mutex
	all      map[*connection]struct{}
	idle     []*connection // a stack, so that few connections do the work and stay in the caches
	opening  int           // connections that are being opened
	waiting  int
	timedOut int
	closed   bool
	failures []error // errors of closing connections
}

// newPool returns a pool with one connection.
func newPool(limit int, wait time.Duration, open func() (*connection, error)) (*pool, error) {
	first, err := open()
	if err != nil {
		return nil, fmt.Errorf("open connection: %w", err)
	}
	p := &pool{
		open:    open,
		limit:   int64(limit),
		wait:    wait,
		permits: semaphore.NewWeighted(int64(limit)),
		drained: make(chan struct{}),
		all:     map[*connection]struct{}{first: {}},
		idle:    []*connection{first},
	}
	p.closing, p.wake = context.WithCancel(context.Background())
	return p, nil
}

// take returns a connection, for weight permits. It waits until ctx ends, the wait limit has passed
// (ErrBusy) or the pool is closed (ErrClosed). The caller must call put afterwards.
func (p *pool) take(ctx context.Context, weight int64) (*connection, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	// TryAcquire fails while others wait, so it never jumps the queue.
	if !p.permits.TryAcquire(weight) {
		if err := p.queue(ctx, weight); err != nil {
			return nil, err
		}
	}
	return p.takeWith(weight)
}

// takeWith returns a connection for permits that the caller has.
func (p *pool) takeWith(weight int64) (*connection, error) {
	c, err := p.pick()
	if err != nil {
		p.permits.Release(weight)
		return nil, err
	}
	return c, nil
}

// takeBesideWriters is take for one permit, but it does not wait for a writing session, nor behind
// one that waits: then it returns nil.
func (p *pool) takeBesideWriters(ctx context.Context) (*connection, error) {
	if ctx.Err() == nil && p.permits.TryAcquire(1) {
		return p.takeWith(1)
	}
	if s := p.stats(); s.InUse > 0 && s.InUse < int(p.limit) {
		return nil, nil // a connection is free, so the permits are those of a writing session
	}
	return p.take(ctx, 1)
}

// queue waits for permits.
func (p *pool) queue(ctx context.Context, weight int64) error {
	turn, cancel := context.WithTimeout(ctx, p.wait)
	defer cancel()
	defer context.AfterFunc(p.closing, cancel)()

	p.count(&p.waiting, +1)
	err := p.permits.Acquire(turn, weight)
	p.count(&p.waiting, -1)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case p.closing.Err() != nil:
		return ErrClosed
	}
	p.count(&p.timedOut, +1)
	return fmt.Errorf("no connection within %v: %w", p.wait, ErrBusy)
}

func (p *pool) count(n *int, by int) {
	p.mu.Lock()
	*n += by
	p.mu.Unlock()
}

// pick returns the connection that was used last, or a new one if none is idle. The caller holds a
// permit.
func (p *pool) pick() (*connection, error) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	last := len(p.idle) - 1
	if last < 0 {
		p.opening++
		p.mu.Unlock()
		return p.grow()
	}
	c := p.idle[last]
	p.idle = p.idle[:last]
	p.mu.Unlock()
	if c.dirty {
		return p.revive(c)
	}
	return c, nil
}

// grow opens a connection.
func (p *pool) grow() (*connection, error) {
	c, err := p.open()

	p.mu.Lock()
	defer p.mu.Unlock()
	p.opening--
	if err != nil {
		p.drain()
		return nil, fmt.Errorf("open connection: %w", err)
	}
	p.all[c] = struct{}{}
	if p.closed {
		p.discard(c)
		return nil, ErrClosed
	}
	return c, nil
}

// put returns a connection and its permits to the pool. A connection that cannot be cleaned is
// replaced. If that fails too, it stays dirty, and the next session tries again.
func (p *pool) put(c *connection, weight int64) {
	c, _ = p.clean(c)
	p.keep(c)
	p.permits.Release(weight)
}

// revive tries again to clean or replace a dirty connection.
func (p *pool) revive(c *connection) (*connection, error) {
	c, err := p.clean(c)
	if err != nil {
		p.keep(c)
		return nil, err
	}
	return c, nil
}

// clean cleans the connection and returns it, or a new one if that fails. If there is an error, it
// returns the dirty connection.
func (p *pool) clean(c *connection) (*connection, error) {
	err := c.clean()
	if err == nil {
		return c, nil
	}
	p.mu.Lock()
	closed := p.closed
	p.mu.Unlock()
	if closed {
		return c, err
	}
	// Open the new one before closing the old one, which may be the last.
	fresh, openErr := p.open()
	if openErr != nil {
		return c, errors.Join(err, fmt.Errorf("open connection: %w", openErr))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all[fresh] = struct{}{}
	p.discard(c)
	return fresh, nil
}

// keep puts a connection on the stack, or closes it if the pool is closed.
func (p *pool) keep(c *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		p.discard(c)
		return
	}
	p.idle = append(p.idle, c)
}

// discard closes a connection. The caller holds the lock.
func (p *pool) discard(c *connection) {
	if err := c.Close(); err != nil {
		p.failures = append(p.failures, err)
	}
	delete(p.all, c)
	p.drain()
}

// drain closes drained if the pool is closed and no connection is left. The caller holds the lock.
func (p *pool) drain() {
	if !p.closed || len(p.all) > 0 || p.opening > 0 {
		return
	}
	select {
	case <-p.drained:
	default:
		close(p.drained)
	}
}

func (p *pool) stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	open := len(p.all) + p.opening
	return Stats{
		Open:     open,
		InUse:    open - len(p.idle),
		Idle:     len(p.idle),
		Waiting:  p.waiting,
		TimedOut: p.timedOut,
	}
}

// stop refuses new sessions and closes the idle connections.
func (p *pool) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.wake()
	for _, c := range p.idle {
		p.discard(c)
	}
	p.idle = nil
}

// shutdown stops the pool, waits for sessions in progress until ctx ends, and interrupts the rest.
func (p *pool) shutdown(ctx context.Context) error {
	p.stop()
	select {
	case <-p.drained:
		return p.closeFailures()
	case <-ctx.Done():
	}
	interrupted, err := p.interrupt()
	if interrupted > 0 {
		err = errors.Join(fmt.Errorf("%d sessions were interrupted: %w", interrupted, context.Cause(ctx)), err)
	}
	return err
}

// close stops the pool and interrupts the sessions in progress.
func (p *pool) close() error {
	p.stop()
	_, err := p.interrupt()
	return err
}

// interruptGrace is how long sessions may take to end after an interrupt. SQLite takes
// milliseconds; only work outside of SQLite, such as a function that hangs, takes longer.
const interruptGrace = time.Second

// interrupt interrupts all sessions, waits for them to end, and returns their number.
func (p *pool) interrupt() (int, error) {
	p.mu.Lock()
	sessions := len(p.all)
	for c := range p.all {
		c.interrupt()
	}
	p.mu.Unlock()

	grace := time.NewTimer(interruptGrace)
	defer grace.Stop()
	select {
	case <-p.drained:
		return sessions, p.closeFailures()
	case <-grace.C:
		return sessions, fmt.Errorf("%d sessions still run %v after they were interrupted", p.stats().InUse, interruptGrace)
	}
}

func (p *pool) closeFailures() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.failures...)
}
