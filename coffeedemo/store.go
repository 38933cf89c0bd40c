package coffeedemo

import (
	"context"
	"errors"
)

// This file is the seam between the routes and the databases: what the four routes ask of one, in the words of suppliers and
// coffees. It knows no SQL and no HTTP. The errors become answers in answers.go, and nowhere else.

// Store keeps the suppliers and the coffees. Each of Create, Load, Drop and List is one transaction: it happens whole or not at
// all, and sees the others' work whole or not at all, also when several programs share one database. Package storetest holds
// the tests that every Store passes.
//
// All methods are safe for concurrent use. They end soon after their context ends, with an error that wraps
// [context.Cause] of it. A method that returns an error has changed nothing, except that the outcome is unknown where the
// connection to a server is lost while it commits.
type Store interface {
	// Create makes the two empty tables. If one of them exists, the error wraps ErrTablesExist.
	Create(ctx context.Context) error

	// Load inserts suppliers and coffees, with no sales yet, into the empty tables. If a table is missing, the error wraps
	// ErrTablesMissing; if one has a row, ErrDataLoaded. The slices must not be changed or kept.
	Load(ctx context.Context, suppliers []Supplier, coffees []Coffee) error

	// Drop removes the tables and what is in them. If neither exists, the error wraps ErrTablesMissing.
	Drop(ctx context.Context) error

	// List calls row for every coffee, in byte order of the coffees' names, with the name and its supplier's name. If a table
	// is missing, the error wraps ErrTablesMissing, and row was not called. No row comes twice. The slices are valid until
	// row returns, and must not be changed. An error of row ends the list and is wrapped in List's; a panic of row goes on
	// after the connection is back. row must not use the Store: a connection may be taken.
	List(ctx context.Context, row func(coffee, supplier []byte) error) error

	// Ping checks that the database answers.
	Ping(ctx context.Context) error

	// Stats tells how the connections are used at the moment.
	Stats() Stats

	// Shutdown takes no new work, waits for the work in progress until ctx ends, then interrupts it and closes all
	// connections. The error wraps the cause of ctx if work was interrupted. Close is Shutdown without the waiting. Both may be
	// called again and after each other; from the first call on, the other methods return errors that wrap ErrClosed.
	Shutdown(ctx context.Context) error
	Close() error
}

// What a [Store] returns, found with [errors.Is], when it refuses rather than fails. The first three are conflicts with the
// state that the tables are in: trying again does not help, another call first does.
var (
	ErrTablesExist   = errors.New("coffeedemo: the tables exist already")
	ErrTablesMissing = errors.New("coffeedemo: the tables do not exist")
	ErrDataLoaded    = errors.New("coffeedemo: the tables have rows already")

	// ErrBusy says that no connection was free, or the database not available, within the time that
	// the Store waits. Nothing was changed, unless a connection was lost while it committed: then the
	// text of the error says that the outcome is not known. Trying again later helps.
	ErrBusy = errors.New("coffeedemo: the database is busy")

	// ErrClosed says that Shutdown or Close was called.
	ErrClosed = errors.New("coffeedemo: the database is closed")
)

// ObstacleError says that the tables cannot be created, changed or dropped because of something else
// in the database: a view with the name of a table, say. Someone has to rename or drop it there.
type ObstacleError struct {
	// What it is, for a client to read: "a view named coffees".
	What string
}

func (e *ObstacleError) Error() string { return "coffeedemo: " + e.What + " is in the way" }

// Stats is how the connections of a [Store] are used at one moment; Open is InUse and Idle together. The zero Stats is that of a
// closed Store, but for TimedOut.
type Stats struct {
	Open     int // connections that exist
	InUse    int // of these, at work
	Idle     int // of these, waiting for work
	Waiting  int // calls that wait for a connection
	TimedOut int // calls since the beginning that waited in vain, as long as the Store waits
}
