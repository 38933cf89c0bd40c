package coffeedemo

import (
	"context"
	"errors"
)

// This file is the interface between the routes and the databases, in the words of suppliers and
// coffees. It knows no SQL and no HTTP. responses.go turns its errors into responses.

// Store keeps the suppliers and the coffees. Each of Create, Load, Drop and List is one atomic and
// isolated transaction, also when several programs share one database. Package storetest holds the
// tests that every Store passes.
//
// All methods are safe for concurrent use. They end soon after their context ends, with an error
// that wraps [context.Cause] of it. A method that returns an error has changed nothing, with one
// exception: the outcome is unknown if the connection to a server is lost during the commit.
type Store interface {
	// Create makes the two empty tables. If one of them exists, the error wraps ErrTablesExist.
	Create(ctx context.Context) error

	// Load inserts suppliers and coffees, with no sales yet, into the empty tables. If a table is
	// missing, the error wraps ErrTablesMissing; if one has a row, ErrDataLoaded. Load must not change
	// or keep the slices.
	Load(ctx context.Context, suppliers []Supplier, coffees []Coffee) error

	// Drop removes the tables with their rows. If neither exists, the error wraps ErrTablesMissing.
	Drop(ctx context.Context) error

	// List calls row for every coffee, in byte order of the names, with the name and its supplier's
	// name, and never twice for one. If a table is missing, the error wraps ErrTablesMissing, and row
	// was not called. The slices are valid until row returns, and row must not change them. List wraps
	// an error of row; a panic of row goes on once the connection is back. row must not use the Store,
	// because a connection may be held.
	List(ctx context.Context, row func(coffee, supplier []byte) error) error

	// Ping checks that the database responds.
	Ping(ctx context.Context) error

	// Stats returns how the connections are used at the moment.
	Stats() Stats

	// Shutdown takes no new work, waits for work in progress until ctx ends, then interrupts it and
	// closes all connections. The error wraps the cause of ctx if work was interrupted. Close is
	// Shutdown without the waiting. Both may be called again and after each other. From the first call
	// on, the other methods return errors that wrap ErrClosed.
	Shutdown(ctx context.Context) error
	Close() error
}

// Errors that a [Store] returns, most often wrapped: use [errors.Is]. The first three are conflicts
// with the state of the tables: another call has to come first.
var (
	ErrTablesExist   = errors.New("coffeedemo: the tables exist already")
	ErrTablesMissing = errors.New("coffeedemo: the tables do not exist")
	ErrDataLoaded    = errors.New("coffeedemo: the tables have rows already")

	// ErrBusy says that no connection was free, or the database not available, within the wait limit.
	// Nothing was changed, unless a connection was lost during a commit: then the text of the error
	// says that the outcome is unknown. Try again later.
	ErrBusy = errors.New("coffeedemo: the database is busy")

	// ErrClosed says that Shutdown or Close was called.
	ErrClosed = errors.New("coffeedemo: the database is closed")
)

// ObstacleError says that something else in the database is in the way of the tables, such as a
// view of that name. Rename or drop it there.
type ObstacleError struct {
	// What it is, for a client to read: "a view named coffees".
	What string
}

func (e *ObstacleError) Error() string { return "coffeedemo: " + e.What + " is in the way" }

// Stats is how the connections of a [Store] are used at one moment. Open is InUse and Idle
// together. A closed Store has the zero Stats, except for TimedOut.
type Stats struct {
	Open     int // connections that exist
	InUse    int // of these, at work
	Idle     int // of these, waiting for work
	Waiting  int // calls that wait for a connection
	TimedOut int // calls so far that no connection was free for within the wait limit
}
