// Package hosts_test has the code of docs/several-hosts.md that uses further libraries, and its
// tests.
package hosts_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/scs/pgxstore"
	"github.com/alexedwards/scs/v2"
	"github.com/go-chi/chi/v5/middleware"
	"github.com/go-chi/httprate"
	"github.com/gorilla/securecookie"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"example.com/flowercafe/examples/with/internal/postgrestest"
	"example.com/flowercafe/routing"
)

var server postgrestest.Server

func TestMain(m *testing.M) {
	code := m.Run()
	server.Close()
	os.Exit(code)
}

func newSessions(pool *pgxpool.Pool) *scs.SessionManager {
	sessions := scs.New()
	sessions.Store = pgxstore.New(pool)
	sessions.HashTokenInStore = true // who reads the table can't log in
	return sessions
}

// A user who has logged in on one host is logged in on the other.
func TestSessions(t *testing.T) {
	pool := open(t, server.Database(t))
	exec(t, pool, "CREATE TABLE sessions (token TEXT PRIMARY KEY, data BYTEA NOT NULL, expiry TIMESTAMPTZ NOT NULL)")
	host := func() http.Handler {
		sessions := newSessions(pool)
		t.Cleanup(sessions.Store.(*pgxstore.PostgresStore).StopCleanup)
		app := routing.New()
		app.Use(sessions.LoadAndSave)
		app.Post("/login", func(c routing.Context) (routing.Result, error) {
			sessions.Put(c.Request().Context(), "user", "ann")
			return routing.Text("ok"), nil
		})
		app.Get("/", func(c routing.Context) (routing.Result, error) {
			return routing.Text(sessions.GetString(c.Request().Context(), "user")), nil
		})
		return app
	}
	login := send(host(), httptest.NewRequest("POST", "/login", nil))
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("Cookie", login.Header().Get("Set-Cookie"))
	if got := send(host(), r).Body.String(); got != "ann" {
		t.Errorf("the other host has the user %q", got)
	}
}

// newSigned signs cookies with a key of 32 random bytes, the same on all hosts.
func newSigned(key []byte) *securecookie.SecureCookie {
	return securecookie.New(key, nil).MaxAge(24 * 60 * 60)
}

// A cookie that one host has signed is read by the other. A changed one is refused.
func TestSignedCookies(t *testing.T) {
	key := securecookie.GenerateRandomKey(32)
	first, second := newSigned(key), newSigned(key)
	value, err := first.Encode("user", "ann")
	if err != nil {
		t.Fatal(err)
	}
	var user string
	if err := second.Decode("user", value, &user); err != nil || user != "ann" {
		t.Errorf("got %q, %v", user, err)
	}
	if err := newSigned(securecookie.GenerateRandomKey(32)).Decode("user", value, &user); err == nil {
		t.Error("a cookie of another key is accepted")
	}
}

func limit(app *routing.App, requests int) {
	byClient := func(r *http.Request) (string, error) {
		return httprate.CanonicalizeIP(middleware.GetClientIP(r.Context())), nil
	}
	app.Use(
		middleware.ClientIPFromXFF("10.0.0.0/8"), // the network of the balancers
		httprate.LimitBy(requests, time.Minute, byClient))
}

// Each client has its own limit, through the balancer and beside it, whatever it writes.
func TestLimit(t *testing.T) {
	app := routing.New()
	limit(app, 1)
	app.Get("/", func(routing.Context) (routing.Result, error) { return routing.Text("ok"), nil })
	for _, test := range []struct {
		peer, forwarded string
		status          int
	}{
		{"10.0.0.1:1000", "192.0.2.1", 200},
		{"10.0.0.2:1001", "192.0.2.1", 429},
		{"10.0.0.1:1002", "192.0.2.77, 192.0.2.1", 429},
		{"10.0.0.1:1003", "192.0.2.2", 200},
		{"192.0.2.3:1000", "192.0.2.77", 200},
		{"192.0.2.3:1001", "192.0.2.78", 429},
		{"10.0.0.1:1004", "2001:db8::1", 200},
		{"10.0.0.1:1004", "2001:db8::2", 429}, // the same network
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = test.peer
		r.Header.Set("X-Forwarded-For", test.forwarded)
		w := send(app, r)
		if w.Code != test.status || (w.Code == 429) != (w.Header().Get("Retry-After") != "") {
			t.Errorf("%s for %q: got %d, want %d", test.peer, test.forwarded, w.Code, test.status)
		}
	}
}

// hub wakes the streams of this host.
type hub struct {
	mu    sync.Mutex
	woken chan struct{}
}

func newHub() *hub { return &hub{woken: make(chan struct{})} }

// next returns a channel that the next change closes. Call it before the query whose result a
// change would make stale.
func (h *hub) next() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.woken
}

func (h *hub) wake() {
	h.mu.Lock()
	defer h.mu.Unlock()
	close(h.woken)
	h.woken = make(chan struct{})
}

// listen wakes the streams after each change, until ctx ends or the connection is lost.
func (h *hub) listen(ctx context.Context, address string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "LISTEN changes"); err != nil {
		return err
	}
	for {
		h.wake() // also for what was missed before
		if _, err := conn.WaitForNotification(ctx); err != nil {
			return err
		}
	}
}

// A change wakes the streams when it is committed. A lost connection is an error.
func TestListen(t *testing.T) {
	address := server.Database(t)
	pool, h := open(t, address), newHub()
	ended, listening := make(chan error, 1), h.next()
	go func() { ended <- h.listen(t.Context(), address) }()
	<-listening
	for range 3 {
		woken := h.next()
		err := pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), "NOTIFY changes"); err != nil {
				return err
			}
			select {
			case <-woken:
				t.Error("woken before the commit")
			case <-time.After(20 * time.Millisecond):
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		<-woken
	}
	exec(t, pool, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")
	if err := <-ended; err == nil {
		t.Error("the end of the connection is no error")
	}
}

func send(handler http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

func open(t *testing.T, address string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func exec(t *testing.T, pool *pgxpool.Pool, sql string) {
	t.Helper()
	if _, err := pool.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}
