package coffeedemo

import (
	"context"
	"errors"

	"example.com/flowercafe/coffeedemo/internal/pool"
)

// This file is the interface between the routes and the databases. It has no SQL and no HTTP.

// Store keeps the suppliers and the coffees. Create, Load, Drop and List are each one atomic and
// isolated transaction. Package storetest tests implementations.
//
// All methods are safe for concurrent use. Create, Load, Drop, List and Ping end soon after their
// context ends, with an error that wraps [context.Cause] of it. After an error nothing has changed,
// unless it wraps ErrOutcomeUnknown.
//
// If another object in the database prevents an operation, such as a view with the name of a table,
// the error may have the method Obstacle() string. Clients get a 409 with its result.
type Store interface {
	// Create creates the two empty tables. If one of them exists, the error wraps ErrTablesExist.
	Create(ctx context.Context) error

	// Load inserts suppliers and coffees into the empty tables. If a table is missing, the error
	// wraps ErrTablesMissing; if one has a row, ErrDataLoaded. Load must not change or keep the
	// slices.
	Load(ctx context.Context, suppliers []Supplier, coffees []Coffee) error

	// Drop drops the tables that exist, with their rows. If neither exists, the error wraps
	// ErrTablesMissing.
	Drop(ctx context.Context) error

	// List calls row for every coffee, in byte order of the names, with the names of the coffee and
	// its supplier. If a table is missing, the error wraps ErrTablesMissing. If row returns an
	// error, List stops and wraps it. If row panics, List releases the connection and the panic
	// continues. row must not use the Store.
	List(ctx context.Context, row func(coffee, supplier string) error) error

	// Ping checks that the database responds.
	Ping(ctx context.Context) error

	// Stats returns the current use of the connections.
	Stats() Stats

	// Shutdown refuses new work, waits for work in progress until ctx ends, then interrupts it. The
	// error wraps the cause of ctx if work was interrupted. Close does the same without waiting.
	// Both may be called several times, in any order. From the first call on, Create, Load, Drop,
	// List and Ping return errors that wrap ErrClosed.
	Shutdown(ctx context.Context) error
	Close() error
}

// The errors of a [Store]. They may be wrapped: use [errors.Is]. The first three are conflicts with
// the state of the tables: another call must come first.
var (
	ErrTablesExist   = errors.New("coffeedemo: the tables exist already")
	ErrTablesMissing = errors.New("coffeedemo: the tables do not exist")
	ErrDataLoaded    = errors.New("coffeedemo: the tables have rows already")

	// ErrBusy means that no connection was free, or the database was not available, within the
	// acquire timeout. Nothing was changed.
	ErrBusy = pool.ErrBusy

	// ErrOutcomeUnknown means that the connection was lost during the commit: the change may have
	// been made.
	ErrOutcomeUnknown = errors.New("coffeedemo: it is unknown whether the change was made")

	// ErrClosed means that Shutdown or Close was called.
	ErrClosed = pool.ErrClosed
)

// Stats is the use of a [Store]'s connections at one moment.
type Stats struct {
	Open     int // connections that exist or are being opened
	InUse    int // of these, in use by a session
	Idle     int // of these, not in use
	Waiting  int // calls that are waiting for a connection
	TimedOut int // calls so far that found no free connection within the acquire timeout
}
