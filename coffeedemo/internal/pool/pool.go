// Package pool is a pool of connections to one SQLite database in memory, and runs sessions on
// them. Idle connections are a stack behind a semaphore.
//
// The semaphore has one permit for each connection of the limit. A reading session takes one
// permit, a writing session takes all. So the semaphore limits the pool, separates readers from
// writers, and is a fair queue for both. With a permit, a session uses an idle connection or opens
// a new one.
package pool

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"example.com/flowercafe/internal/outage"
)

// The errors of sessions.
var (
	ErrBusy   = outage.New("coffeedemo: the database is busy")
	ErrClosed = outage.New("coffeedemo: the database is closed")
)

// Stats is the use of the connections; see coffeedemo.Stats.
type Stats struct{ Open, InUse, Idle, Waiting, TimedOut int }

// Pool is safe for concurrent use. It keeps at least one connection open until it is closed,
// because the data is lost when the last connection closes.
type Pool struct {
	Open    func() (*Conn, error) // changed only in tests
	Limit   int64
	wait    time.Duration
	permits *semaphore.Weighted

	// closing ends when the pool closes, which wakes the callers that wait for permits.
	closing context.Context
	wake    context.CancelFunc

	// ending ends when sessions in progress are interrupted, which ends the contexts of their work.
	ending context.Context
	end    context.CancelFunc

	// drained is closed when the pool is closed and no connection is left.
	drained chan struct{}

	mu       sync.Mutex
	all      map[*Conn]struct{}
	idle     []*Conn // a stack, so that few connections do the work and stay in the caches
	opening  int     // connections that are being opened
	waiting  int
	timedOut int
	closed   bool
	failures []error // errors of closing connections
}

// New returns a pool with a single connection.
func New(limit int, wait time.Duration, open func() (*Conn, error)) (*Pool, error) {
	first, err := open()
	if err != nil {
		return nil, fmt.Errorf("open connection: %w", err)
	}
	p := &Pool{
		Open:    open,
		Limit:   int64(limit),
		wait:    wait,
		permits: semaphore.NewWeighted(int64(limit)),
		drained: make(chan struct{}),
		all:     map[*Conn]struct{}{first: {}},
		idle:    []*Conn{first},
	}
	p.closing, p.wake = context.WithCancel(context.Background())
	p.ending, p.end = context.WithCancel(context.Background())
	return p, nil
}

// Take returns a connection, for weight permits. It waits until ctx ends, the acquire timeout has
// passed (ErrBusy) or the pool is closed (ErrClosed). The caller must call Put afterwards.
func (p *Pool) Take(ctx context.Context, weight int64) (*Conn, error) {
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
func (p *Pool) takeWith(weight int64) (*Conn, error) {
	c, err := p.pick()
	if err != nil {
		p.permits.Release(weight)
		return nil, err
	}
	return c, nil
}

// takeUnlessWriting is Take for a single permit, but returns nil if a writing session has the
// permits or waits for them. If all connections are in use, even a single one by a writing session,
// it waits like Take.
func (p *Pool) takeUnlessWriting(ctx context.Context) (*Conn, error) {
	if ctx.Err() != nil || p.closing.Err() != nil {
		return p.Take(ctx, 1) // returns the reason
	}
	if p.permits.TryAcquire(1) {
		return p.takeWith(1)
	}
	if s := p.Stats(); s.InUse > 0 && s.InUse < int(p.Limit) {
		return nil, nil // a connection is free, so a writing session has the permits or waits for them
	}
	return p.Take(ctx, 1)
}

// queue waits for permits.
func (p *Pool) queue(ctx context.Context, weight int64) error {
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

func (p *Pool) count(n *int, by int) {
	p.mu.Lock()
	*n += by
	p.mu.Unlock()
}

// pick returns the connection that was used last, or a new one if none is idle. The caller holds a
// permit.
func (p *Pool) pick() (c *Conn, err error) {
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
	c = p.idle[last]
	p.idle = p.idle[:last]
	p.mu.Unlock()
	if c.dirty { // the last session could neither clean nor replace it
		if c, err = p.clean(c); err != nil {
			p.keep(c)
			return nil, err
		}
	}
	return c, nil
}

// grow opens a connection.
func (p *Pool) grow() (*Conn, error) {
	c, err := p.Open()

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

// Put returns a connection and its permits to the pool. A connection that cannot be cleaned is
// replaced. If that fails too, it stays dirty, and the next session tries again.
func (p *Pool) Put(c *Conn, weight int64) {
	c, _ = p.clean(c)
	p.keep(c)
	p.permits.Release(weight)
}

// clean cleans the connection and returns it, or a new one if that fails. If there is an error, it
// returns the dirty connection.
func (p *Pool) clean(c *Conn) (*Conn, error) {
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
	fresh, openErr := p.Open()
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
func (p *Pool) keep(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		p.discard(c)
		return
	}
	p.idle = append(p.idle, c)
}

// discard closes a connection. The caller holds the lock.
func (p *Pool) discard(c *Conn) {
	if err := c.Close(); err != nil {
		p.failures = append(p.failures, err)
	}
	delete(p.all, c)
	p.drain()
}

// drain closes drained if the pool is closed and no connection is left. The caller holds the lock.
func (p *Pool) drain() {
	if !p.closed || len(p.all) > 0 || p.opening > 0 {
		return
	}
	select {
	case <-p.drained:
	default:
		close(p.drained)
	}
}

// Stats returns the current use of the connections.
func (p *Pool) Stats() Stats {
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
func (p *Pool) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.wake()
	for _, c := range p.idle {
		p.discard(c)
	}
	p.idle = nil
}

// Shutdown stops the pool, waits for sessions in progress until ctx ends, and interrupts the rest.
func (p *Pool) Shutdown(ctx context.Context) error {
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

// Close stops the pool and interrupts the sessions in progress.
func (p *Pool) Close() error {
	p.stop()
	_, err := p.interrupt()
	return err
}

// interruptGrace is how long sessions may take to end after an interrupt. SQLite takes
// milliseconds, and more on a busy machine; only work that ignores its context takes longer.
const interruptGrace = 5 * time.Second

// interrupt interrupts all sessions, waits for them to end, and returns their number.
func (p *Pool) interrupt() (int, error) {
	p.end()
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
		return sessions, fmt.Errorf("%d sessions still run %v after they were interrupted", p.Stats().InUse, interruptGrace)
	}
}

func (p *Pool) closeFailures() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return errors.Join(p.failures...)
}
