package coffeedemo

import (
	"context"
	"errors"

	"example.com/flowercafe/coffeedemo/internal/pool"
	"example.com/flowercafe/internal/outage"
)

// This file is the interface between the routes and the databases. It has no SQL and no HTTP.

// Store keeps the suppliers and the coffees. Package storetest tests implementations.
//
// All methods are safe for concurrent use. Create, Load, Drop and List are each one atomic and
// isolated transaction; after an error nothing has changed, unless it wraps ErrOutcomeUnknown. They
// and Ping end soon after their context ends, with its [context.Cause] in the error.
type Store interface {
	// Create creates the two empty tables. If one of them exists, the error wraps ErrTablesExist.
	Create(ctx context.Context) error

	// Load inserts suppliers and coffees into the empty tables. If a table is missing, the error
	// wraps ErrTablesMissing; if one has a row, ErrDataLoaded.
	Load(ctx context.Context, suppliers []Supplier, coffees []Coffee) error

	// Drop drops the tables that exist, with their rows. If neither exists, the error wraps
	// ErrTablesMissing.
	Drop(ctx context.Context) error

	// List calls row for every coffee, in byte order of the names. If a table is missing, the error
	// wraps ErrTablesMissing. If row returns an error, List stops and wraps it. If row panics, the
	// panic continues. row must not use the Store.
	List(ctx context.Context, row func(coffee, supplier string) error) error

	// Ping checks that the database responds.
	Ping(ctx context.Context) error

	// Stats returns the current use of the connections.
	Stats() Stats

	// Shutdown refuses new work with errors that wrap ErrClosed, and waits for work in progress
	// until ctx ends. If it then interrupts work, it returns an error that wraps the cause of ctx.
	// Close interrupts work at once. Both may be called again.
	Shutdown(ctx context.Context) error
	Close() error
}

// Errors of a [Store], perhaps wrapped.
var (
	ErrTablesExist   = errors.New("coffeedemo: the tables exist already")
	ErrTablesMissing = errors.New("coffeedemo: the tables do not exist")
	ErrDataLoaded    = errors.New("coffeedemo: the tables have rows already")

	ErrBusy   = pool.ErrBusy // or the database is unavailable
	ErrClosed = pool.ErrClosed

	// ErrOutcomeUnknown means that a commit got no response. Clients get a 503 without Retry-After.
	ErrOutcomeUnknown = outage.New("coffeedemo: it is unknown whether the change was made")
)

// Stats is the use of a [Store]'s connections at one moment.
type Stats struct {
	Open     int // InUse + Idle
	InUse    int // connections in use by a session
	Idle     int // connections not in use
	Waiting  int // calls that wait for a connection
	TimedOut int // calls so far that reached the acquire timeout
}
