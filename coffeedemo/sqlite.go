package coffeedemo

import (
	"context"
	"crypto/rand"
	_ "embed"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"example.com/flowercafe/coffeedemo/internal/pool"
)

// This file is the Store in SQLite, with the SQL of its operations. Package internal/pool has
// sessions and connections.

// SQLite is a [Store] in memory.
type SQLite struct{ pool *pool.Pool }

var _ Store = (*SQLite)(nil)

// OpenSQLite opens an empty database with at most limit connections. Further callers wait for
// at most wait. The caller must close it, or pass it to [WithStore].
func OpenSQLite(limit int, wait time.Duration) (*SQLite, error) {
	if err := checkLimits(limit, wait); err != nil {
		return nil, fmt.Errorf("coffeedemo: %w", err)
	}
	name := rand.Text() // databases with the same name would share their data
	connections, err := pool.New(limit, wait, func() (*pool.Conn, error) { return pool.Open(name) })
	if err != nil {
		return nil, fmt.Errorf("coffeedemo: open database: %w", err)
	}
	return &SQLite{connections}, nil
}

func checkLimits(limit int, wait time.Duration) error {
	if limit < 1 {
		return fmt.Errorf("pool size %d: write at least 1", limit)
	}
	if wait <= 0 {
		return fmt.Errorf("acquire timeout %v: write more than 0, such as 5*time.Second", wait)
	}
	return nil
}

//go:embed schema.sql
var schema string

const (
	countTables = `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND upper(name) IN ('SUPPLIERS', 'COFFEES')`
	anyRow      = `SELECT EXISTS (SELECT 1 FROM SUPPLIERS) OR EXISTS (SELECT 1 FROM COFFEES)`

	insertSupplier = `INSERT INTO SUPPLIERS (SUP_ID, SUP_NAME, STREET, CITY, STATE, ZIP) VALUES (?, ?, ?, ?, ?, ?)`
	insertCoffee   = `INSERT INTO COFFEES (COF_NAME, SUP_ID, PRICE, SALES, TOTAL) VALUES (?, ?, ?, 0, 0)`

	// SUPPLIERS is dropped last, because COFFEES refers to it.
	dropCoffees   = `DROP TABLE IF EXISTS COFFEES`
	dropSuppliers = `DROP TABLE IF EXISTS SUPPLIERS`

	// By default text is ordered by its bytes (sqlite.org/datatype3.html, 7).
	listCoffees = `SELECT c.COF_NAME, s.SUP_NAME FROM COFFEES c JOIN SUPPLIERS s ON s.SUP_ID = c.SUP_ID ORDER BY c.COF_NAME`
)

// Create implements [Store].
func (db *SQLite) Create(ctx context.Context) error {
	return wrap("create tables", db.pool.Session(ctx, pool.Writing, func(c *pool.Conn) error {
		switch n, err := c.Number(countTables); {
		case err != nil:
			return err
		case n > 0:
			return ErrTablesExist
		}
		return misfit(sqlitex.ExecuteScript(c.Conn, schema, nil))
	}))
}

// Load implements [Store].
func (db *SQLite) Load(ctx context.Context, suppliers []Supplier, coffees []Coffee) error {
	return wrap("load data", db.pool.Session(ctx, pool.Writing, func(c *pool.Conn) error {
		if err := checkTables(c, 2); err != nil {
			return err
		}
		switch n, err := c.Number(anyRow); {
		case err != nil:
			return err
		case n > 0:
			return ErrDataLoaded
		}
		for _, s := range suppliers {
			if err := exec(c, insertSupplier, s.ID, s.Name, s.Street, s.City, s.State, s.ZIP); err != nil {
				return fmt.Errorf("supplier %d: %w", s.ID, err)
			}
		}
		for _, k := range coffees {
			if err := exec(c, insertCoffee, k.Name, k.SupplierID, k.Price); err != nil {
				return fmt.Errorf("coffee %q: %w", k.Name, err)
			}
		}
		return nil
	}))
}

// Drop implements [Store].
func (db *SQLite) Drop(ctx context.Context) error {
	err := db.pool.Session(ctx, pool.Writing, func(c *pool.Conn) error {
		if err := checkTables(c, 1); err != nil {
			return err
		}
		if err := exec(c, dropCoffees); err != nil {
			return err
		}
		return exec(c, dropSuppliers)
	})
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultConstraint { // a deferred one fails the commit
		err = obstacle{err, "a table that refers to these"}
	}
	return wrap("drop tables", err)
}

// obstacle is the error of an operation that something in the database prevents, which a host has
// created there.
type obstacle struct {
	error
	what string
}

func (e obstacle) Unwrap() error { return e.error }

// Obstacle names it for the response.
func (e obstacle) Obstacle() string { return e.what }

// exec runs a statement on the tables.
func exec(c *pool.Conn, text string, arguments ...any) error {
	return misfit(c.Exec(text, arguments...))
}

// misfit returns an obstacle if err is the error of a statement that the schema does not fit.
func misfit(err error) error {
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultError {
		return obstacle{err, "a table, view, index or trigger of its own"}
	}
	return err
}

// List implements [Store].
func (db *SQLite) List(ctx context.Context, row func(coffee, supplier string) error) error {
	return wrap("list coffees", db.pool.Session(ctx, pool.Listing, func(c *pool.Conn) error { return listTo(ctx, c, row) }))
}

// listTo steps through the list. Rows are read in the order of the key, so no step takes long.
// Checking ctx between rows costs a tenth of interrupting the connection when ctx ends.
func listTo(ctx context.Context, c *pool.Conn, row func(coffee, supplier string) error) error {
	rows, err := c.Prepare(listCoffees) // once for each connection
	if err != nil {
		return listError(c, err)
	}
	for {
		more, err := rows.Step()
		if err != nil {
			return listError(c, err)
		}
		if !more {
			return nil
		}
		if ctx.Err() != nil { // ctx.Done would allocate a channel for each request
			return context.Cause(ctx)
		}
		if err := row(rows.ColumnText(0), rows.ColumnText(1)); err != nil {
			return err
		}
	}
}

// listError returns ErrTablesMissing if a missing table caused err. It checks the tables, since
// SQLite has the same code for other errors. A check before each list would cost a statement.
func listError(c *pool.Conn, err error) error {
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultError {
		if missing := checkTables(c, 2); missing != nil {
			return missing
		}
	}
	return misfit(err)
}

// checkTables returns ErrTablesMissing if fewer than n of the two tables exist.
func checkTables(c *pool.Conn, n int) error {
	found, err := c.Number(countTables)
	if err == nil && found < n {
		err = ErrTablesMissing
	}
	return err
}

// Ping implements [Store].
func (db *SQLite) Ping(ctx context.Context) error {
	return wrap("ping", db.pool.Session(ctx, pool.Pinging, func(c *pool.Conn) error {
		_, err := c.Number("SELECT 1")
		return err
	}))
}

// Read is [SQLite.Write] for work that does not change the database. Such sessions run
// concurrently.
func (db *SQLite) Read(ctx context.Context, work func(context.Context, *sqlite.Conn) error) error {
	return db.pool.Run(ctx, pool.Reading, work)
}

// Write runs work in a writing session: on its own connection, in one transaction, while no other
// session runs. If work returns an error or panics, or if ctx ends, the transaction is rolled back.
// The error of work is returned, perhaps wrapped. Other errors wrap [ErrBusy], [ErrClosed], the
// cause of ctx, or an error of SQLite.
//
// Use the connection only until work returns, and in one goroutine at a time. work must not begin
// or end a transaction, nor start another session.
func (db *SQLite) Write(ctx context.Context, work func(context.Context, *sqlite.Conn) error) error {
	return db.pool.Run(ctx, pool.Writing, work)
}

// Stats implements [Store].
func (db *SQLite) Stats() Stats { return Stats(db.pool.Stats()) }

// Shutdown implements [Store].
func (db *SQLite) Shutdown(ctx context.Context) error {
	return wrap("shut down", db.pool.Shutdown(ctx))
}

// Close implements [Store].
func (db *SQLite) Close() error { return wrap("close", db.pool.Close()) }

// wrap adds the operation to an error; nil stays nil.
func wrap(operation string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", operation, err)
}
