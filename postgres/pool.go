// Package postgres opens a pool of connections to PostgreSQL for the stores of a host.
//
//	pool, err := postgres.Open(ctx, "postgres://cafe@db1,db2/cafe?sslmode=verify-full")
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer pool.Close()
//	app, err := flowercafe.New(
//		flowercafe.WithCoffee(coffeedemo.WithStore(coffees.New(pool))),
//		flowercafe.WithCatalog(flowercatalog.WithStore(flowers.New(pool))),
//	)
//
// For a single store, coffees.Open and flowers.Open open pools of their own.
//
// By default, connections that are not used close within a minute, except for one. Of 4 connections
// or more, calls that change tables use at most a quarter, and so do searches, which leaves others
// for short reads. At most 20 calls for each connection wait or run; further ones fail at once with
// the store's ErrBusy.
//
// A connection string may name several servers. The one that accepted the last connection is tried
// first. To connect to an address takes at most 2 seconds, or a shorter connect_timeout. A
// connection is pinged before use if it was idle for a second, or since another one was lost.
//
// The pool logs two lines for each outage: one when calls begin to fail because of the database,
// with the reason, and one at the first success after a second without failures. It is an outage
// too if the user or the password is refused, but not if a call waits for a lock or a full pool, or
// if a server that responds to other calls is slow. The pool also logs changes of which it is
// unknown whether they were committed. The password is not logged, and clients see none of this.
package postgres

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"example.com/flowercafe/postgres/internal/session"
)

// Pool is a pool of connections for coffees.New and flowers.New. It is safe for concurrent use. The
// caller must close it after the stores. Its methods:
//
//	Stats() Stats // the use of the connections
//	Close()       // interrupts all calls and closes all connections
//
//	// whether changes wait for a synchronous standby; if not, a failover may lose them
//	WaitsForStandby(context.Context) (bool, error)
type Pool = session.Pool

// Stats is the current use of a [Pool], with counters since it was opened. Its fields:
//
//	Limit    int           // the maximum number of connections
//	InUse    int           // connections in use
//	Idle     int           // connections not in use
//	Waiting  int           // calls that are waiting for a connection
//	Tries    int           // of calls: each waits for a connection
//	Waited   time.Duration // for a connection, by all tries
//	TimedOut int           // calls that reached the acquire timeout
//	Refused  int           // calls that were refused at once, because too many were in progress
//	Repeats  int           // tries that failed and were repeated
//	Unknown  int           // changes of which it is unknown whether they were committed
//	Outages  int           // outages that have begun
//	Outage   bool          // in progress
type Stats = session.Stats

// Option configures a [Pool].
type Option = session.Option

// StoreOption is an [Option] that coffees.Open and flowers.Open accept too.
type StoreOption = session.StoreOption

// LoadOption is a [StoreOption] that flowers.Load takes too.
type LoadOption = session.LoadOption

// WithPoolSize sets the maximum number of connections, 50 by default. A pool_max_conns in the
// connection string replaces it. For fewer than 1, [Open] returns an error.
func WithPoolSize(connections int) StoreOption { return session.WithPoolSize(connections) }

// WithAcquireTimeout sets how long a call of a store may wait for the database, 5 seconds by
// default. A list of flowers may wait that long for each 2,000. Then the call fails with the
// store's ErrBusy or ErrOutcomeUnknown, at most a second later. For less than 10 milliseconds or
// more than a day, [Open] returns an error.
func WithAcquireTimeout(wait time.Duration) LoadOption { return session.WithAcquireTimeout(wait) }

// WithStandbys lets the pool use standbys too, for stores that only read. Without it,
// target_session_attrs=any, the default, means primary. With prefer-standby, the pool connects to
// the primary only if no standby responds.
func WithStandbys() Option { return session.WithStandbys() }

// WithLogger sets the logger for outages. The default, or nil, is [slog.Default] at the time
// of logging.
func WithLogger(logger *slog.Logger) StoreOption { return session.WithLogger(logger) }

// Open opens a pool by a connection string, as pgxpool.ParseConfig reads it: a URL, or pairs of key
// and value. It returns an error if the string is invalid; the error does not repeat it. Open does
// not wait for a connection, and does not use the context.
func Open(_ context.Context, dsn string, options ...Option) (*Pool, error) {
	pool, err := session.Open(dsn, false, options)
	if err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	return pool, nil
}
