package store

import (
	"context"
	"fmt"
	"os"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"example.com/flowercafe/examples/with/service/booking"
)

type sqliteDB struct{ *sqlitex.Pool }

// OpenSQLite opens a SQLite database in a file that only this user may read, or in memory if the
// name is empty.
func OpenSQLite(file string) (*Store, error) {
	options := sqlitex.PoolOptions{PoolSize: 8, PrepareConn: func(conn *sqlite.Conn) error {
		return sqlitex.ExecuteTransient(conn, "PRAGMA foreign_keys = on", nil) // off by default
	}}
	if file == "" {
		file, options.PoolSize = "file::memory:", 1 // each connection would have a database of its own
	} else { // SQLite would let everybody read the file; its other files get the same mode
		created, err := os.OpenFile(file, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, fmt.Errorf("open the database: %w", err)
		}
		created.Close()
	}
	pool, err := sqlitex.NewPool(file, options)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return &Store{sqliteDB{pool}}, nil
}

func (db sqliteDB) query(ctx context.Context, each func(row) error, sql string, args ...any) error {
	return db.with(ctx, func(conn *sqlite.Conn) error {
		read := func(s *sqlite.Stmt) error { return each(sqliteRow{s}) }
		return sqlitex.Execute(conn, sql, &sqlitex.ExecOptions{Args: args, ResultFunc: read})
	})
}

func (db sqliteDB) transaction(ctx context.Context, f func(context.Context) error) error {
	return db.with(ctx, func(conn *sqlite.Conn) (err error) {
		end, err := sqlitex.ImmediateTransaction(conn)
		if err != nil {
			return fmt.Errorf("begin: %w", err)
		}
		defer end(&err)
		return f(context.WithValue(ctx, txKey{}, conn))
	})
}

// lockMigrations has nothing to do: a transaction excludes all others.
func (db sqliteDB) lockMigrations(context.Context) error { return nil }

// with calls f with the connection of the transaction in ctx, or with one from the pool.
func (db sqliteDB) with(ctx context.Context, f func(*sqlite.Conn) error) error {
	if conn, ok := ctx.Value(txKey{}).(*sqlite.Conn); ok {
		return f(conn)
	}
	ctx, cancel := limited(ctx) // also for the statements of f
	defer cancel()
	conn, err := db.Take(ctx)
	if err != nil {
		return fmt.Errorf("%w: take a connection: %w", booking.ErrUnavailable, err)
	}
	defer db.Put(conn)
	err = f(conn)
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultFull, sqlite.ResultIOErr, sqlite.ResultBusy, sqlite.ResultInterrupt: // the disk is full, or the time is up
		return fmt.Errorf("%w: %w", booking.ErrUnavailable, err)
	}
	return err
}

type sqliteRow struct{ *sqlite.Stmt }

// Scan supports the types of our columns.
func (r sqliteRow) Scan(destinations ...any) error {
	for i, to := range destinations {
		switch to := to.(type) {
		case *string:
			*to = r.ColumnText(i)
		case *int:
			*to = r.ColumnInt(i)
		case *[]byte:
			*to = make([]byte, r.ColumnLen(i))
			r.ColumnBytes(i, *to)
		default:
			return fmt.Errorf("column %d cannot be read into a %T", i, to)
		}
	}
	return nil
}
