// Package store keeps houses, rooms and bookings in SQLite.
package store

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"example.com/flowercafe/examples/with/service/booking"
	"example.com/flowercafe/routing"
)

//go:embed schema.sql
var schema string

// Store is a database. It is safe for concurrent use.
type Store struct{ pool *sqlitex.Pool }

// inTransaction holds the connection of a transaction, which all calls with its context use.
var inTransaction = routing.NewKey[*sqlite.Conn]()

// Open opens the database in a file, with tables and data to look at. Size is the number of its
// connections: 1 for a database in memory, which cannot wait for locks.
func Open(ctx context.Context, uri string, size int) (*Store, error) {
	pool, err := sqlitex.NewPool(uri, sqlitex.PoolOptions{PoolSize: size, PrepareConn: func(conn *sqlite.Conn) error {
		return sqlitex.ExecuteTransient(conn, "PRAGMA foreign_keys = on", nil) // off by default
	}})
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	s := &Store{pool}
	if err := s.with(ctx, func(conn *sqlite.Conn) error { return sqlitex.ExecuteScript(conn, schema, nil) }); err != nil {
		return nil, fmt.Errorf("create tables: %w", errors.Join(err, pool.Close()))
	}
	return s, nil
}

// Close waits for the connections in use and closes the database.
func (s *Store) Close() error { return s.pool.Close() }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.query(ctx, "SELECT 1", nil) }

// Tx calls f in a transaction, which is committed if f returns nil. Calls with the context that f
// gets are part of it. In a transaction, Tx only calls f.
func (s *Store) Tx(ctx context.Context, f func(context.Context) error) error {
	return s.with(ctx, func(conn *sqlite.Conn) (err error) {
		if _, inside := inTransaction.From(ctx); inside {
			return f(ctx)
		}
		end, err := sqlitex.ImmediateTransaction(conn)
		if err != nil {
			return fmt.Errorf("begin: %w", err)
		}
		defer end(&err)
		return f(inTransaction.With(ctx, conn))
	})
}

// with calls f with the transaction's connection, or with one of the pool.
func (s *Store) with(ctx context.Context, f func(*sqlite.Conn) error) error {
	if conn, ok := inTransaction.From(ctx); ok {
		return f(conn)
	}
	conn, err := s.pool.Take(ctx)
	if err != nil {
		return fmt.Errorf("take a connection: %w", err)
	}
	defer s.pool.Put(conn)
	return f(conn)
}

// query runs one statement and calls row for each row.
func (s *Store) query(ctx context.Context, sql string, row func(*sqlite.Stmt), args ...any) error {
	return s.with(ctx, func(conn *sqlite.Conn) error {
		options := &sqlitex.ExecOptions{Args: args}
		if row != nil {
			options.ResultFunc = func(stmt *sqlite.Stmt) error { row(stmt); return nil }
		}
		return sqlitex.Execute(conn, sql, options)
	})
}

// Houses returns all houses.
func (s *Store) Houses(ctx context.Context) (houses []booking.House, err error) {
	err = s.query(ctx, "SELECT id, name FROM houses ORDER BY name", func(row *sqlite.Stmt) {
		houses = append(houses, booking.House{ID: row.ColumnText(0), Name: row.ColumnText(1)})
	})
	return houses, err
}

// Rooms returns the rooms of a house, by name.
func (s *Store) Rooms(ctx context.Context, house string) (rooms []booking.Room, err error) {
	err = s.query(ctx, "SELECT id, name, seats, photo FROM rooms WHERE house = ? ORDER BY name", func(row *sqlite.Stmt) {
		rooms = append(rooms, booking.Room{ID: row.ColumnText(0), Name: row.ColumnText(1), Seats: row.ColumnInt(2), Photo: row.ColumnText(3)})
	}, house)
	return rooms, err
}

// SetPhoto sets the name of a room's photo.
func (s *Store) SetPhoto(ctx context.Context, house, room, photo string) error {
	return s.change(ctx, "UPDATE rooms SET photo = ? WHERE house = ? AND id = ?", photo, house, room)
}

// Bookings returns the bookings of a house from a day on, by day and ID.
func (s *Store) Bookings(ctx context.Context, house, from string) (all []booking.Booking, err error) {
	err = s.query(ctx, selectBookings+" WHERE house = ? AND day >= ? ORDER BY day, id", func(row *sqlite.Stmt) {
		all = append(all, read(row))
	}, house, from)
	return all, err
}

// Booking returns a booking.
func (s *Store) Booking(ctx context.Context, house string, id int64) (found booking.Booking, err error) {
	err = s.query(ctx, selectBookings+" WHERE house = ? AND id = ?", func(row *sqlite.Stmt) { found = read(row) }, house, id)
	if err == nil && found.ID == 0 {
		err = booking.ErrNone
	}
	return found, err
}

const selectBookings = "SELECT id, version, room, day, name, guests, note FROM bookings"

func read(row *sqlite.Stmt) booking.Booking {
	return booking.Booking{ID: row.ColumnInt64(0), Version: row.ColumnInt64(1), Wish: booking.Wish{
		Room: row.ColumnText(2), Day: row.ColumnText(3), Name: row.ColumnText(4), Guests: row.ColumnInt(5), Note: row.ColumnText(6),
	}}
}

// Add grants a wish. Call it in a transaction.
func (s *Store) Add(ctx context.Context, house string, w booking.Wish) (booking.Booking, error) {
	if err := s.allows(ctx, house, 0, w); err != nil {
		return booking.Booking{}, err
	}
	added := booking.Booking{Version: 1, Wish: w}
	err := s.query(ctx, "INSERT INTO bookings (house, room, day, name, guests, note) VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
		func(row *sqlite.Stmt) { added.ID = row.ColumnInt64(0) }, house, w.Room, w.Day, w.Name, w.Guests, w.Note)
	return added, err
}

// Change replaces a booking that has still the version that b names, and returns it with the next
// one. Call it in a transaction.
func (s *Store) Change(ctx context.Context, house string, b booking.Booking) (booking.Booking, error) {
	if err := s.isCurrent(ctx, house, b.ID, b.Version); err != nil {
		return b, err
	}
	if err := s.allows(ctx, house, b.ID, b.Wish); err != nil {
		return b, err
	}
	b.Version++
	return b, s.change(ctx, "UPDATE bookings SET version = ?, room = ?, day = ?, name = ?, guests = ?, note = ? WHERE house = ? AND id = ?",
		b.Version, b.Room, b.Day, b.Name, b.Guests, b.Note, house, b.ID)
}

// Remove removes a booking that has still that version. Call it in a transaction.
func (s *Store) Remove(ctx context.Context, house string, id, version int64) error {
	if err := s.isCurrent(ctx, house, id, version); err != nil {
		return err
	}
	return s.change(ctx, "DELETE FROM bookings WHERE house = ? AND id = ?", house, id)
}

func (s *Store) isCurrent(ctx context.Context, house string, id, version int64) error {
	current, err := s.Booking(ctx, house, id)
	if err == nil && current.Version != version {
		err = booking.ErrStale
	}
	return err
}

// allows returns an error if the room is missing, too small, or taken by another booking.
func (s *Store) allows(ctx context.Context, house string, id int64, w booking.Wish) error {
	const sql = `SELECT seats, EXISTS (SELECT 1 FROM bookings WHERE house = rooms.house AND room = rooms.id AND day = ? AND id <> ?)
		FROM rooms WHERE house = ? AND id = ?`
	refusal := booking.ErrNone
	err := s.query(ctx, sql, func(row *sqlite.Stmt) {
		switch {
		case row.ColumnInt(0) < w.Guests:
			refusal = booking.ErrSmall
		case row.ColumnBool(1):
			refusal = booking.ErrTaken
		default:
			refusal = nil
		}
	}, w.Day, id, house, w.Room)
	if err != nil {
		return err
	}
	return refusal
}

// change runs a statement that must change a row.
func (s *Store) change(ctx context.Context, sql string, args ...any) error {
	return s.with(ctx, func(conn *sqlite.Conn) error {
		err := sqlitex.Execute(conn, sql, &sqlitex.ExecOptions{Args: args})
		if err == nil && conn.Changes() == 0 {
			err = booking.ErrNone
		}
		return err
	})
}
