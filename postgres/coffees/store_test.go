package coffees_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/coffeedemo/storetest"
	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/internal/servertest"
)

// open opens a store whose calls wait for a busy machine, unless an option says otherwise.
func open(t *testing.T, dsn string, options ...coffees.Option) *coffees.Store {
	t.Helper()
	store, err := coffees.Open(t.Context(), dsn, append([]coffees.Option{coffees.WithAcquireTimeout(hangGuard)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func TestStore(t *testing.T) {
	s := servertest.New(t)
	storetest.Run(t, func(t *testing.T) coffeedemo.Store { return open(t, s.Database(t)) })
}

func TestOpenRefuses(t *testing.T) {
	for _, test := range []struct {
		name, dsn, says string
		options         []coffees.Option
	}{
		{"no connection", "host=x", "pool size 0: write at least 1", []coffees.Option{coffees.WithPoolSize(0)}},
		{"too many connections", "host=x", "pool size 2147483648: write at most 2147483647", []coffees.Option{coffees.WithPoolSize(1 << 31)}},
		{"no time", "host=x", "acquire timeout 0s: write at least 10ms", []coffees.Option{coffees.WithAcquireTimeout(0)}},
		{"too much time", "host=x", "acquire timeout 24h0m1s: write at most 24h0m0s", []coffees.Option{coffees.WithAcquireTimeout(24*time.Hour + time.Second)}},
		{"nil", "host=x", "option 0 is nil: leave it out", []coffees.Option{nil}},
		{"no string", "postgres://%", "connection string", nil},
		{"another database", "mysql://cafe@db/cafe", "write a URL of postgres, or host=… user=… dbname=…", nil},
	} {
		_, err := coffees.Open(t.Context(), test.dsn, test.options...)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got error %v, want one that says %q", test.name, err, test.says)
		}
	}
}

func TestNoServer(t *testing.T) {
	store := open(t, "host=127.0.0.1 port="+servertest.NoPort+" user=cafe dbname=cafe sslmode=disable", coffees.WithAcquireTimeout(200*time.Millisecond))
	defer store.Close()
	if err := store.Ping(t.Context()); !errors.Is(err, coffeedemo.ErrBusy) {
		t.Errorf("got error %v, want ErrBusy", err)
	}
	app, err := coffeedemo.New(coffeedemo.WithStore(store))
	if err != nil {
		t.Fatalf("got %v, want an app that waits for its database", err)
	}
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/coffees", nil))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("got %d with the headers %v, want 503 with Retry-After", w.Code, w.Header())
	}
}

// TestAcquireTimeout blocks the only connection of a pool with a lock that the list waits for.
func TestAcquireTimeout(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	prepare := open(t, dsn)
	fill(t, prepare)
	prepare.Close()
	store := open(t, dsn, coffees.WithPoolSize(1), coffees.WithAcquireTimeout(time.Second))
	defer store.Close()
	other, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	if _, err := other.Exec(t.Context(), `BEGIN; LOCK TABLE coffees`); err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	for range 2 {
		calls.Go(func() {
			if _, err := names(t.Context(), store); !errors.Is(err, coffeedemo.ErrBusy) {
				t.Errorf("got %v, want ErrBusy", err)
			}
		})
	}
	calls.Wait()
	if got := store.Stats().TimedOut; got != 2 {
		t.Errorf("timed out: got %d, want 2", got)
	}
}

func TestSchema(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	store := open(t, dsn)
	defer store.Close()
	if err := store.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, test := range []struct{ what, query, want string }{
		{"foreign key", `SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'sup_fk'`, "FOREIGN KEY (sup_id) REFERENCES suppliers(sup_id)"},
		{"price", `SELECT data_type FROM information_schema.columns WHERE table_name = 'coffees' AND column_name = 'price'`, "double precision"},
	} {
		var got string
		if err := conn.QueryRow(t.Context(), test.query).Scan(&got); err != nil || got != test.want {
			t.Errorf("%s: got %q, %v, want %q", test.what, got, err, test.want)
		}
	}
}

// TestRoutes calls the four routes of two apps that share a database.
func TestRoutes(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	var apps []*coffeedemo.App
	for range 2 {
		app, err := coffeedemo.New(coffeedemo.WithStore(open(t, dsn)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { app.Close() })
		apps = append(apps, app)
	}
	for i, step := range []struct {
		path   string
		status int
	}{
		{"/coffees", 409}, {"/db/create-tables", 200}, {"/db/create-tables", 409}, {"/coffees", 200}, {"/db/load-data", 200},
		{"/db/load-data", 409}, {"/coffees", 200}, {"/db/drop-tables", 200}, {"/db/drop-tables", 409},
	} {
		w := httptest.NewRecorder()
		apps[i%2].ServeHTTP(w, httptest.NewRequest(http.MethodGet, step.path, nil))
		body, _ := io.ReadAll(w.Result().Body)
		if w.Code != step.status {
			t.Errorf("step %d, %s: got status %d %q, want %d", i+1, step.path, w.Code, body, step.status)
		}
		if i == 6 && strings.Count(string(body), "<br />") != 4 {
			t.Errorf("the list is %q, want five lines", body)
		}
	}
}
