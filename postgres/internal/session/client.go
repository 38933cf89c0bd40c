package session

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/jackc/pgerrcode"
	"golang.org/x/sync/semaphore"
)

// A Client is a user of the pool that can be closed without affecting other users.

// Client makes calls. It is safe for concurrent use.
type Client struct {
	pool *Pool
	owns bool // the pool ends with the client

	// Errors wrap busy if a call took too long or the database is not available, unless they wrap
	// ErrUnknown, and closed if it came after Shutdown or Close.
	busy, closed error

	life      context.Context // ends to interrupt calls in progress
	interrupt context.CancelFunc

	timedOut atomic.Int64

	calls *semaphore.Weighted // each call acquires 1, Shutdown acquires all
}

const allCalls = math.MaxInt64

// NewClient returns a client of p. Its errors wrap busy and closed.
func NewClient(p *Pool, busy, closed error) *Client {
	c := &Client{pool: p, busy: busy, closed: closed, calls: semaphore.NewWeighted(allCalls)}
	c.life, c.interrupt = context.WithCancel(p.life)
	return c
}

// OpenClient opens a pool for a single client, as [Open].
func OpenClient(dsn string, busy, closed error, standbys bool, options []StoreOption) (*Client, error) {
	p, err := Open(dsn, standbys, options)
	if err != nil {
		return nil, err
	}
	c := NewClient(p, busy, closed)
	c.owns = true
	return c, nil
}

// Call runs do, which may call Read, Scan and Write, within the acquire timeout. All calls inside
// do share the limit.
func (c *Client) Call(ctx context.Context, operation string, do func(context.Context) error) error {
	return c.Stream(ctx, operation, func(ctx context.Context) error { return c.Limit(ctx, do) })
}

// Stream is Call without a time limit. Use [Client.Limit] for its steps.
func (c *Client) Stream(ctx context.Context, operation string, do func(context.Context) error) error {
	if !c.calls.TryAcquire(1) {
		return fmt.Errorf("%s: %w", operation, c.closed)
	}
	defer c.calls.Release(1)
	if c.life.Err() != nil {
		return fmt.Errorf("%s: %w", operation, c.closed)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.life, func() { cancel(c.closed) })()
	err := do(ctx)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("%s: %w", operation, err)
	if errors.Is(err, ErrUnknown) {
		c.pool.unknown.Add(1)
		c.pool.outages.log().Error("it is unknown whether a change was committed", "error", err)
	}
	return err
}

// Limit runs do within the acquire timeout. It fails at once if the pool has too many calls.
func (c *Client) Limit(ctx context.Context, do func(context.Context) error) error {
	begin := time.Now()
	if !c.pool.places.TryAcquire(1) {
		c.pool.refused.Add(1)
		return fmt.Errorf("%w: too many calls at once: %w", c.busy, errFull)
	}
	defer c.pool.places.Release(1)
	ctx, cancel := context.WithTimeoutCause(ctx, c.pool.limits.call, c.busy)
	defer cancel()
	err := do(ctx)
	cause := c.Cause(ctx)
	switch {
	case err == nil:
		c.pool.outages.success()
		return nil
	case cause != nil && !errors.Is(cause, c.busy):
		return fmt.Errorf("%w: %w", cause, err)
	case cause != nil, HasCode(err, pgerrcode.QueryCanceled):
		c.timedOut.Add(1)
		c.pool.timedOut.Add(1)
		err = fmt.Errorf("no result within %v: %w", c.pool.limits.call, err)
	case !unavailable(err):
		c.pool.outages.success() // it has responded
		return err
	}
	if unavailable(err) {
		c.pool.outages.failure(begin, err)
	}
	if errors.Is(err, ErrUnknown) {
		return err
	}
	return fmt.Errorf("%w: %w", c.busy, err)
}

// Cause returns why the context of a call has ended, or nil if it has not. If the client is closed,
// it returns an error even before the context ends.
func (c *Client) Cause(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil || c.life.Err() == nil {
		return cause
	}
	return c.closed
}

// Stats returns the current use of the pool. TimedOut counts the client's own calls. After the
// client has ended, everything else is 0.
func (c *Client) Stats() (stats Stats) {
	if c.life.Err() == nil {
		stats = c.pool.Stats()
	}
	stats.TimedOut = int(c.timedOut.Load())
	return stats
}

// Shutdown refuses new calls and waits for those in progress until ctx ends. Then it interrupts
// them, and returns an error that wraps the cause of ctx. It ends within ctx, even while
// connections are being opened. A pool that the client owns is closed.
func (c *Client) Shutdown(ctx context.Context) error {
	var err error
	if !c.calls.TryAcquire(allCalls) {
		err = c.calls.Acquire(ctx, allCalls)
	}
	c.interrupt()
	if c.owns {
		c.pool.close(ctx)
	}
	if err != nil {
		return fmt.Errorf("shut down: %w", context.Cause(ctx))
	}
	c.calls.Release(allCalls)
	return nil
}

// Close is Shutdown without waiting.
func (c *Client) Close() {
	c.interrupt()
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	c.Shutdown(ctx)
}
