package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"zombiezen.com/go/sqlite/sqlitex"

	"example.com/flowercafe/examples/with/service/booking"
)

// This test is in the package, because the size of a file is limited for each connection.

// On a full disk a change fails as unavailable, and leaves nothing behind.
func TestFullDisk(t *testing.T) {
	s, err := OpenSQLite(filepath.Join(t.TempDir(), "bookings.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	setPages := func(pages int) {
		t.Helper()
		pool := s.database.(sqliteDB)
		for range 8 {
			conn, err := pool.Take(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Put(conn)
			if err := sqlitex.ExecuteTransient(conn, fmt.Sprintf("PRAGMA max_page_count = %d", pages), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	setPages(1) // no more than the file has
	photo := make([]byte, 1<<20)
	if err := s.SetPhoto(t.Context(), "mill", "attic", photo); !errors.Is(err, booking.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if err := s.Sessions().CommitCtx(t.Context(), "token", photo, time.Now()); !errors.Is(err, booking.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	setPages(1 << 20)
	if room, err := s.Room(t.Context(), "mill", "attic"); err != nil || room.Photo != "" {
		t.Errorf("got %+v, %v", room, err)
	}
	if err := s.SetPhoto(t.Context(), "mill", "attic", photo); err != nil {
		t.Error(err)
	}
}
