package flowers_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/flowercatalog/catalogtest"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

// sequence returns flowers as a sequence for Load.
func sequence(all ...flowercatalog.Flower) func(yield func(flowercatalog.Flower, error) bool) {
	return func(yield func(flowercatalog.Flower, error) bool) {
		for _, f := range all {
			if !yield(f, nil) {
				return
			}
		}
	}
}

func load(t *testing.T, dsn string, all ...flowercatalog.Flower) {
	t.Helper()
	if _, err := flowers.Load(t.Context(), dsn, sequence(all...)); err != nil {
		t.Fatal(err)
	}
}

// open opens a store whose calls wait for a busy machine, unless an option says otherwise.
func open(t *testing.T, dsn string, options ...flowers.Option) *flowers.Store {
	t.Helper()
	store, err := flowers.Open(t.Context(), dsn, append([]flowers.Option{flowers.WithAcquireTimeout(hangGuard)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	return store
}

// TestStore runs the tests of package catalogtest: with the server's plans for small tables, with
// the index of trigrams wherever possible, and through PgBouncer.
func TestStore(t *testing.T) {
	s := servertest.New(t)
	suite := func(t *testing.T, database func(direct string) string) {
		t.Parallel() // it mostly waits
		catalogtest.Run(t, func(t *testing.T, all ...flowercatalog.Flower) (flowercatalog.Store, func(...flowercatalog.Flower) error) {
			dsn := s.Database(t)
			load(t, dsn, all...)
			return open(t, database(dsn)), func(all ...flowercatalog.Flower) error {
				_, err := flowers.Load(context.WithoutCancel(t.Context()), dsn, sequence(all...))
				return err
			}
		})
	}
	t.Run("Direct", func(t *testing.T) { suite(t, func(dsn string) string { return dsn }) })
	if testing.Short() {
		return
	}
	t.Run("Index", func(t *testing.T) {
		suite(t, func(dsn string) string {
			for _, setting := range []string{"enable_seqscan", "enable_indexscan", "jit"} {
				s.Exec("postgres", `ALTER DATABASE `+servertest.DatabaseOf(dsn)+` SET `+setting+` = off`)
			}
			return dsn
		})
	})
	t.Run("PgBouncer", func(t *testing.T) {
		pooler := servertest.NewPooler(t, s)
		suite(t, func(dsn string) string { return s.Pooled(dsn, pooler) })
	})
}

func TestNothingLoaded(t *testing.T) {
	s := servertest.New(t)
	store := open(t, s.Database(t))
	if err := store.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "flowerload") {
		t.Errorf("got %v, want what to do", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	rose := flowercatalog.Flower{Slug: "rose", Name: "Rose"}
	load(t, dsn, rose)
	store := open(t, dsn)
	before, err := store.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the file is broken")
	for _, test := range []struct {
		name string
		seq  func(yield func(flowercatalog.Flower, error) bool)
		says string
	}{
		{"a slug twice", sequence(rose, flowercatalog.Flower{Slug: "lily"}, rose), "a slug occurs twice"},
		{"a slug with a slash", sequence(rose, flowercatalog.Flower{Slug: "a/b"}), "slash"},
		{"a long slug", sequence(flowercatalog.Flower{Slug: strings.Repeat("x", 2601)}), "write one of at most 2600"},
		{"an error", func(yield func(flowercatalog.Flower, error) bool) {
			_ = yield(rose, nil) && yield(flowercatalog.Flower{}, broken)
		}, "the file is broken"},
	} {
		_, err := flowers.Load(t.Context(), dsn, test.seq)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, want %q", test.name, err, test.says)
		}
		if now, err := store.Revision(t.Context()); err != nil || now != before {
			t.Errorf("%s: then the revision is %q, %v, want %q", test.name, now, err, before)
		}
	}
	load(t, dsn, flowercatalog.Flower{Slug: strings.Repeat("x", 2600), Name: "long"})
}
