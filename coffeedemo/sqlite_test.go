package coffeedemo_test

import (
	"testing"
	"time"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/coffeedemo/storetest"
)

func TestSQLiteStore(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string]int{"one connection": 1, "fifty": 50} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // most of it waits
			storetest.Run(t, func(t *testing.T) coffeedemo.Store { return openSQLite(t, limit, time.Minute) })
		})
	}
}

func openSQLite(tb testing.TB, limit int, wait time.Duration) *coffeedemo.SQLite {
	tb.Helper()
	db, err := coffeedemo.OpenSQLite(limit, wait)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := db.Close(); err != nil {
			tb.Errorf("Close: got %v, want no error", err)
		}
	})
	return db
}
