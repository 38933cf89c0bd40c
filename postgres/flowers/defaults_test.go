package flowers_test

import (
	"context"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/flowercatalog/catalogtest"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

// TestDefaults runs the tests of package catalogtest in databases whose defaults are unusual.
func TestDefaults(t *testing.T) {
	s := servertest.New(t)
	for name, settings := range servertest.Defaults() {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it mostly waits
			catalogtest.Run(t, func(t *testing.T, all ...flowercatalog.Flower) (flowercatalog.Store, func(...flowercatalog.Flower) error) {
				dsn := s.DatabaseWith(t, settings...)
				load(t, dsn, all...)
				return open(t, dsn), func(all ...flowercatalog.Flower) error {
					_, err := flowers.Load(context.WithoutCancel(t.Context()), dsn, sequence(all...))
					return err
				}
			})
		})
	}
}

func TestEncodings(t *testing.T) {
	s := servertest.New(t)
	for _, encoding := range []string{"LATIN1", "SQL_ASCII"} {
		dsn := s.DatabaseIn(t, encoding)
		if err := open(t, dsn).Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "ENCODING 'UTF8'") {
			t.Errorf("%s: got %v, want what to write instead", encoding, err)
		}
		if _, err := flowers.Load(t.Context(), dsn, sequence()); err == nil || !strings.Contains(err.Error(), "ENCODING 'UTF8'") {
			t.Errorf("%s: load: got %v, want what to write instead", encoding, err)
		}
	}
}

// TestText: what is stored has as many characters as what was loaded.
func TestText(t *testing.T) {
	s := servertest.New(t)
	for name, settings := range servertest.Defaults() {
		dsn := s.DatabaseWith(t, settings...)
		load(t, dsn, flowercatalog.Flower{Slug: "rosé", Name: "Rosé 桜"})
		if got := s.Value(servertest.DatabaseOf(dsn), `SELECT length(name) * 10 + length(slug) FROM flowers`); got != 64 {
			t.Errorf("%s: got %d characters of name and slug, want 64", name, got)
		}
	}
}
