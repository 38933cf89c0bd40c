package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/semaphore"
)

// This file opens, configures and closes the pool of sessions.

// config is the configuration of a [Pool].
type config struct {
	size     int           // the maximum number of connections; 1 stays open
	wait     time.Duration // the acquire timeout of a call
	logger   *slog.Logger
	standbys bool // accept servers that only read
}

// Option configures a pool.
type Option interface{ apply(*config) }

// StoreOption is an [Option] for the pool of a single store too.
type StoreOption interface {
	Option
	ofStore()
}

// LoadOption is a [StoreOption] for the session of [OpenLong] too.
type LoadOption interface {
	StoreOption
	ofLoad()
}

// option implements all of these. A constructor's return type determines where it is accepted.
type option func(*config)

func (o option) apply(c *config) { o(c) }
func (option) ofStore()          {}
func (option) ofLoad()           {}

// WithPoolSize sets the maximum number of connections.
func WithPoolSize(connections int) StoreOption {
	return option(func(c *config) { c.size = connections })
}

// WithAcquireTimeout sets how long a call may take.
func WithAcquireTimeout(wait time.Duration) LoadOption {
	return option(func(c *config) { c.wait = wait })
}

// WithLogger sets the logger for outages; nil is [slog.Default].
func WithLogger(logger *slog.Logger) StoreOption {
	return option(func(c *config) { c.logger = logger })
}

// WithStandbys allows servers that only read.
func WithStandbys() Option { return option(func(c *config) { c.standbys = true }) }

// The server reads its limits as milliseconds in 32 bits.
const shortestWait, longestWait = 10 * time.Millisecond, 24 * time.Hour

// set applies options, and checks the result.
func set[O Option](c *config, options []O) error {
	for i, o := range options {
		if any(o) == nil {
			return fmt.Errorf("option %d is nil: leave it out", i)
		}
		o.apply(c)
	}
	switch {
	case c.size < 1:
		return fmt.Errorf("pool size %d: write at least 1", c.size)
	case c.size > math.MaxInt32:
		return fmt.Errorf("pool size %d: write at most %d", c.size, math.MaxInt32)
	case c.wait < shortestWait:
		return fmt.Errorf("acquire timeout %v: write at least %v", c.wait, shortestWait)
	case c.wait > longestWait:
		return fmt.Errorf("acquire timeout %v: write at most %v", c.wait, longestWait)
	}
	return nil
}

// Pool is a pool of sessions, which several stores may share. It is safe for concurrent use.
type Pool struct {
	pool    *pgxpool.Pool
	limits  limits
	order   serverOrder
	outages outages

	// Writers and scans each use at most a part of the pool: they wait for locks and for the disk,
	// and must not keep short reads waiting.
	writers, scans *semaphore.Weighted

	// places are for calls in progress. Beyond them calls are refused at once: otherwise, during an
	// outage, they would fill the balancer, which has other requests to pass.
	places *semaphore.Weighted

	opened   time.Time
	lastLoss atomic.Int64 // when a session was lost last, in nanoseconds after opened

	waiting, tries, waited, timedOut, refused, repeats, unknown atomic.Int64 // waited is in nanoseconds

	life context.Context // ends to interrupt calls in progress
	end  context.CancelFunc
}

// callsPerConnection is the maximum number of calls in progress, for each connection of the pool.
const callsPerConnection = 20

// Open opens a pool by a connection string. The error does not repeat the string. Open does not
// wait for a connection. With standbys, servers that only read are accepted.
func Open[O Option](dsn string, standbys bool, options []O) (*Pool, error) {
	c := config{size: 50, wait: 5 * time.Second, standbys: standbys}
	if err := set(&c, options); err != nil {
		return nil, err
	}
	settings, err := configure(dsn, c)
	if err != nil {
		return nil, err
	}
	part := int64(max(1, settings.MaxConns/4))
	opened := time.Now()
	p := &Pool{
		limits:  limitsFor(c.wait),
		outages: outages{logger: c.logger, opened: opened},
		writers: semaphore.NewWeighted(part),
		scans:   semaphore.NewWeighted(part),
		places:  semaphore.NewWeighted(callsPerConnection * int64(settings.MaxConns)),
		opened:  opened,
	}
	p.life, p.end = context.WithCancel(context.Background())
	settings.ConnConfig.LookupFunc = p.order.recordHosts(settings.ConnConfig.LookupFunc, settings.ConnConfig.ConnectTimeout)
	settings.BeforeConnect = p.order.prepare
	settings.AfterConnect = p.connected
	settings.ShouldPing = p.shouldPing
	settings.BeforeClose = p.abandon
	if p.pool, err = pgxpool.NewWithConfig(p.life, settings); err != nil {
		return nil, fmt.Errorf("open: %w", err)
	}
	return p, nil
}

// connected is called when a session has begun.
func (p *Pool) connected(_ context.Context, conn *pgx.Conn) error {
	p.order.accepted(conn.PgConn().Conn())
	return acceptSession(conn.PgConn())
}

// abandon is called before a session is closed. The driver waits up to 15 seconds for the server to
// end an interrupted statement, and counts the session as open until then.
func (p *Pool) abandon(conn *pgx.Conn) {
	network := conn.PgConn().Conn()
	time.AfterFunc(p.limits.ping, func() { network.Close() })
}

// pingAfter is the idle time after which a session is pinged before it is used.
const pingAfter = time.Second

// shouldPing is called before a session is used again. It pings a session that was idle for
// pingAfter, or since another session was lost. If the server does not respond, it drops all idle
// sessions, since to ping each of them may take longer than a call.
func (p *Pool) shouldPing(_ context.Context, s pgxpool.ShouldPingParams) bool {
	if s.IdleDuration < min(pingAfter, time.Since(p.opened)-time.Duration(p.lastLoss.Load())) {
		return false
	}
	ctx, cancel := context.WithTimeout(p.life, p.limits.ping)
	defer cancel()
	err := s.Conn.Ping(ctx)
	if ctx.Err() != nil {
		p.pool.Reset()
	} else if err != nil {
		p.noteLoss()
	}
	return err != nil // the driver pings the closed session too, and drops it
}

// noteError notes an error of a call after which other sessions may be lost too.
func (p *Pool) noteError(err error) {
	switch {
	case sessionLost(err):
		p.noteLoss()
	case errors.Is(err, errNotBegun): // behind a pooler, the server may not be the primary any more
		p.pool.Reset()
	}
}

func (p *Pool) noteLoss() { p.lastLoss.Store(int64(time.Since(p.opened))) }

// Stats is the current use of a pool, with counters since it was opened.
type Stats struct {
	Limit   int // the maximum number of connections
	InUse   int // connections in use
	Idle    int // connections not in use
	Waiting int // calls that are waiting for a connection

	Tries  int           // of calls: each waits for a connection
	Waited time.Duration // for a connection, by all tries

	TimedOut int  // calls that reached the acquire timeout
	Refused  int  // calls that were refused at once, because too many were in progress
	Repeats  int  // tries that failed and were repeated
	Unknown  int  // changes of which it is unknown whether they were committed
	Outages  int  // outages that have begun
	Outage   bool // in progress
}

// Stats returns the current use of the pool.
func (p *Pool) Stats() Stats {
	stat := p.pool.Stat()
	return Stats{
		Limit: int(stat.MaxConns()), InUse: int(stat.AcquiredConns()), Idle: int(stat.IdleConns()), Waiting: int(p.waiting.Load()),
		Tries: int(p.tries.Load()), Waited: time.Duration(p.waited.Load()),
		TimedOut: int(p.timedOut.Load()), Refused: int(p.refused.Load()), Repeats: int(p.repeats.Load()), Unknown: int(p.unknown.Load()),
		Outages: int(p.outages.count.Load()), Outage: p.outages.active.Load(),
	}
}

// Close interrupts all calls and closes all connections. It may be called several times.
func (p *Pool) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	p.close(ctx)
}

// closeGrace is how long Close waits for idle connections to close.
const closeGrace = 100 * time.Millisecond

// close interrupts calls and connections being opened, and waits until all connections are closed
// or ctx ends. The rest closes in the background within seconds.
func (p *Pool) close(ctx context.Context) {
	p.end()
	closed := make(chan struct{})
	go func() {
		p.pool.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-ctx.Done():
	}
}
