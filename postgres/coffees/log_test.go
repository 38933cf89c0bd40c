package coffees_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/postgres/internal/servertest"
)

// TestServerLog: lists without tables are not an error in the server's log for each of them.
func TestServerLog(t *testing.T) {
	s := servertest.New(t)
	s.Kill()
	s.Start("logging_collector=on", "log_directory=log", "log_filename=server.log")
	store := open(t, s.Database(t))
	defer store.Close()
	lines := func() int {
		log, err := os.ReadFile(filepath.Join(s.Data, "log", "server.log"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(log), "ERROR:")
	}
	for range 2 {
		before := lines()
		for range 10 {
			if _, err := names(t.Context(), store); !errors.Is(err, coffeedemo.ErrTablesMissing) {
				t.Fatalf("got %v, want ErrTablesMissing", err)
			}
		}
		if got := lines() - before; got > 1 {
			t.Errorf("10 lists without tables are %d errors in the server's log, want at most 1", got)
		}
		fill(t, store)
		if got, err := names(t.Context(), store); err != nil || got != "abc" {
			t.Errorf("got %q, %v, want abc", got, err)
		}
		if err := store.Drop(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}
