// Package store keeps houses, rooms and bookings in SQLite or PostgreSQL, with the same statements.
package store

import (
	"context"
	"crypto/rand"
	"embed"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"example.com/flowercafe/examples/with/service/booking"
)

//go:embed migrations/*.sql
var migrations embed.FS

//go:embed demo.sql
var demo string

// Store is a database. It is safe for concurrent use.
type Store struct{ database }

// database is SQLite or PostgreSQL. The arguments of a statement are $1, $2 and so on, in the order
// in which they occur. Statements with the context of a transaction are part of it.
type database interface {
	query(ctx context.Context, each func(row) error, sql string, args ...any) error
	transaction(ctx context.Context, f func(context.Context) error) error
	lockMigrations(ctx context.Context) error // until the transaction ends
	Close() error                             // waits for running statements
}

// row is a row of a result.
type row interface {
	Scan(destinations ...any) error
}

// txKey is the key of the transaction in a context.
type txKey struct{}

// limited returns a context that ends after 5 seconds, unless ctx has a deadline. It limits each
// statement, and each wait for a connection.
func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, 5*time.Second)
}

// Prepare runs the migrations that the database lacks, and adds demo data if there are no houses.
// Hosts that start at once wait for each other.
func (s *Store) Prepare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return s.transaction(ctx, func(ctx context.Context) error {
		if err := s.lockMigrations(ctx); err != nil {
			return err
		}
		if err := s.run(ctx, "CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)"); err != nil {
			return err
		}
		names, _ := fs.Glob(migrations, "migrations/*.sql") // in order; an error only for a bad pattern
		for _, name := range names {
			if err := s.migrate(ctx, name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if houses, err := s.Houses(ctx); err != nil || len(houses) > 0 {
			return err
		}
		return s.script(ctx, demo)
	})
}

// migrate runs a migration, unless the database has it. Append migrations, and never change one.
func (s *Store) migrate(ctx context.Context, name string) error {
	read := func(r row, name *string) error { return r.Scan(name) }
	if before, err := list(ctx, s, read, "SELECT name FROM migrations WHERE name = $1", name); err != nil || len(before) > 0 {
		return err
	}
	text, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	if err := s.script(ctx, string(text)); err != nil {
		return err
	}
	return s.run(ctx, "INSERT INTO migrations (name) VALUES ($1)", name)
}

// script runs statements with empty lines between them.
func (s *Store) script(ctx context.Context, text string) error {
	for statement := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if err := s.run(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

// Change calls f in a transaction, which is committed if f returns nil. Until then it excludes
// other changes of the house: its first statement locks the house, by counting the change.
func (s *Store) Change(ctx context.Context, house string, f func(context.Context) error) error {
	return s.transaction(ctx, func(ctx context.Context) error {
		if err := s.run(ctx, "UPDATE houses SET changes = changes + 1 WHERE id = $1", house); err != nil {
			return err
		}
		return f(ctx)
	})
}

// Changes returns how often a house was changed.
func (s *Store) Changes(ctx context.Context, house string) (int, error) {
	return one(ctx, s, readInt, "SELECT changes FROM houses WHERE id = $1", house)
}

// Houses returns all houses, by name.
func (s *Store) Houses(ctx context.Context) ([]booking.House, error) {
	return list(ctx, s, readHouse, "SELECT id, name FROM houses ORDER BY name")
}

// House returns a house.
func (s *Store) House(ctx context.Context, id string) (booking.House, error) {
	return one(ctx, s, readHouse, "SELECT id, name FROM houses WHERE id = $1", id)
}

func readHouse(r row, h *booking.House) error { return r.Scan(&h.ID, &h.Name) }

const selectRooms = "SELECT id, name, seats, photo_version FROM rooms WHERE house = $1"

// Rooms returns the rooms of a house, by name.
func (s *Store) Rooms(ctx context.Context, house string) ([]booking.Room, error) {
	return list(ctx, s, readRoom, selectRooms+" ORDER BY name", house)
}

// Room returns a room of a house.
func (s *Store) Room(ctx context.Context, house, id string) (booking.Room, error) {
	return one(ctx, s, readRoom, selectRooms+" AND id = $2", house, id)
}

func readRoom(r row, room *booking.Room) error {
	return r.Scan(&room.ID, &room.Name, &room.Seats, &room.Photo)
}

// Photo returns the photo of a room that has one.
func (s *Store) Photo(ctx context.Context, house, room string) (booking.Photo, error) {
	read := func(r row, p *booking.Photo) error { return r.Scan(&p.Version, &p.Content) }
	return one(ctx, s, read, "SELECT photo_version, photo FROM rooms WHERE house = $1 AND id = $2 AND photo_version <> ''", house, room)
}

// SetPhoto replaces the photo of a room.
func (s *Store) SetPhoto(ctx context.Context, house, room string, content []byte) error {
	return s.run(ctx, "UPDATE rooms SET photo = $1, photo_version = $2 WHERE house = $3 AND id = $4", content, rand.Text(), house, room)
}

const selectBookings = "SELECT id, version, room, day, name, guests, note FROM bookings WHERE house = $1"

// Bookings returns the bookings of a house from a day on, by day and room.
func (s *Store) Bookings(ctx context.Context, house, from string) ([]booking.Booking, error) {
	return list(ctx, s, readBooking, selectBookings+" AND day >= $2 ORDER BY day, room", house, from)
}

// Booking returns a booking.
func (s *Store) Booking(ctx context.Context, house, id string) (booking.Booking, error) {
	return one(ctx, s, readBooking, selectBookings+" AND id = $2", house, id)
}

func readBooking(r row, b *booking.Booking) error {
	return r.Scan(&b.ID, &b.Version, &b.Room, &b.Day, &b.Name, &b.Guests, &b.Note)
}

// Add adds a booking. Call it in [Store.Change] of the house.
func (s *Store) Add(ctx context.Context, house string, d booking.Details) (booking.Booking, error) {
	return s.Replace(ctx, house, booking.Booking{ID: rand.Text(), Details: d})
}

// Replace replaces a booking and returns it with the next version. Call it in the same
// [Store.Change] in which it was read.
func (s *Store) Replace(ctx context.Context, house string, b booking.Booking) (booking.Booking, error) {
	switch room, err := s.Room(ctx, house, b.Room); {
	case err != nil:
		return b, err
	case room.Seats < b.Guests:
		return b, booking.ErrRoomTooSmall
	}
	others, err := list(ctx, s, readBooking, selectBookings+" AND room = $2 AND day = $3 AND id <> $4", house, b.Room, b.Day, b.ID)
	if err == nil && len(others) > 0 {
		err = booking.ErrTaken
	}
	if err != nil {
		return b, err
	}
	b.Version++
	return b, s.run(ctx, `INSERT INTO bookings (id, version, house, room, day, name, guests, note) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (id) DO UPDATE SET version = excluded.version, room = excluded.room, day = excluded.day,
			name = excluded.name, guests = excluded.guests, note = excluded.note`,
		b.ID, b.Version, house, b.Room, b.Day, b.Name, b.Guests, b.Note)
}

// Remove removes a booking.
func (s *Store) Remove(ctx context.Context, house, id string) error {
	return s.run(ctx, "DELETE FROM bookings WHERE house = $1 AND id = $2", house, id)
}

// run runs a statement without a result.
func (s *Store) run(ctx context.Context, sql string, args ...any) error {
	_, err := list(ctx, s, func(row, *struct{}) error { return nil }, sql, args...)
	return err
}

// one returns the value that read reads from the first row, or ErrNotFound.
func one[T any](ctx context.Context, s *Store, read func(row, *T) error, sql string, args ...any) (v T, err error) {
	all, err := list(ctx, s, read, sql, args...)
	if err == nil && len(all) == 0 {
		err = booking.ErrNotFound
	}
	if err != nil {
		return v, err
	}
	return all[0], nil
}

// list returns the values that read reads from all rows.
func list[T any](ctx context.Context, s *Store, read func(row, *T) error, sql string, args ...any) ([]T, error) {
	var all []T
	err := s.query(ctx, func(r row) error {
		var v T
		err := read(r, &v)
		all = append(all, v)
		return err
	}, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", sql, err)
	}
	return all, nil
}
