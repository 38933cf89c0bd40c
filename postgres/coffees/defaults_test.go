package coffees_test

import (
	"strings"
	"testing"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/coffeedemo/storetest"
	"example.com/flowercafe/postgres/internal/servertest"
)

// TestDefaults runs the tests of package storetest in databases whose defaults are unusual.
func TestDefaults(t *testing.T) {
	s := servertest.New(t)
	for name, settings := range servertest.Defaults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it mostly waits
			storetest.Run(t, func(t *testing.T) coffeedemo.Store { return open(t, s.DatabaseWith(t, settings...)) })
		})
	}
}

// TestText: what is stored has as many characters as what was passed.
func TestText(t *testing.T) {
	s := servertest.New(t)
	for name, settings := range servertest.Defaults() {
		dsn := s.DatabaseWith(t, settings...)
		store := open(t, dsn)
		defer store.Close()
		if err := store.Create(t.Context()); err != nil {
			t.Fatal(err)
		}
		suppliers := []coffeedemo.Supplier{{ID: 1, Name: "Kaffeerösterei"}}
		if err := store.Load(t.Context(), suppliers, []coffeedemo.Coffee{{Name: "Café 桜", SupplierID: 1}}); err != nil {
			t.Fatal(err)
		}
		if got := s.Value(servertest.DatabaseOf(dsn), `SELECT length(cof_name) FROM coffees`); got != len([]rune("Café 桜")) {
			t.Errorf("%s: got %d characters, want 6", name, got)
		}
	}
}

func TestEncodings(t *testing.T) {
	s := servertest.New(t)
	for _, encoding := range []string{"LATIN1", "SQL_ASCII"} {
		store := open(t, s.DatabaseIn(t, encoding))
		defer store.Close()
		if err := store.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "ENCODING 'UTF8'") {
			t.Errorf("%s: got %v, want what to write instead", encoding, err)
		}
	}
}

// TestSearchPath: without a schema for the tables, the error says what to write.
func TestSearchPath(t *testing.T) {
	s := servertest.New(t)
	store := open(t, s.DatabaseWith(t, `search_path = 'nowhere'`))
	defer store.Close()
	if err := store.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "search_path=public") {
		t.Errorf("got %v, want what to write", err)
	}
}
