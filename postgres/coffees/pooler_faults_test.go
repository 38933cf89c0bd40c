package coffees_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/internal/servertest"
)

// TestFaultsBehindPgBouncer: while the server behind PgBouncer is stopped or frozen, or ends its
// sessions, clients get a 200, a 409 or a 503. Then they are served again, without a restart of the
// host or of PgBouncer.
func TestFaultsBehindPgBouncer(t *testing.T) {
	t.Parallel() // it mostly waits
	s := servertest.New(t)
	pooler := servertest.NewPooler(t, s, "query_wait_timeout = 1", "server_connect_timeout = 1", "server_login_retry = 1")
	store := open(t, s.Pooled(s.Database(t), pooler), coffees.WithPoolSize(8), coffees.WithAcquireTimeout(time.Second))
	app, err := coffeedemo.New(coffeedemo.WithStore(store))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	served := func() {
		t.Helper()
		for end := time.Now().Add(hangGuard); ; time.Sleep(10 * time.Millisecond) {
			status, body := ask(app, "/coffees")
			if status == http.StatusOK || status == http.StatusConflict {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("not served any more: %d %q", status, body)
			}
		}
	}
	const clients = 12
	for _, fault := range []struct {
		name string
		do   func(noticed func())
	}{
		{"stopped", func(noticed func()) {
			s.Kill()
			noticed()
			s.Start()
		}},
		{"frozen", func(noticed func()) {
			s.Signal(syscall.SIGSTOP)
			defer s.Signal(syscall.SIGCONT)
			noticed()
		}},
		{"sessions ended", func(func()) {
			for range 20 {
				s.Exec("postgres", `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'cafe%'`)
				time.Sleep(50 * time.Millisecond)
			}
		}},
	} {
		served()
		var statuses [600]atomic.Int64
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		paths := []string{"/coffees", "/coffees", "/db/create-tables", "/coffees", "/db/load-data", "/db/drop-tables"}
		for c := range clients {
			running.Go(func() {
				for i := 0; ctx.Err() == nil; i++ {
					status, body := ask(app, paths[(c+i)%len(paths)])
					if statuses[status].Add(1) == 1 && status != http.StatusOK && status != http.StatusConflict && status != http.StatusServiceUnavailable {
						t.Errorf("%s: got %d %q", fault.name, status, body)
					}
				}
			})
		}
		fault.do(func() {
			for end := time.Now().Add(hangGuard); statuses[503].Load() < 3*clients; time.Sleep(10 * time.Millisecond) {
				if time.Now().After(end) {
					t.Errorf("%s: clients get no response", fault.name)
					return
				}
			}
		})
		served()
		cancel()
		running.Wait()
		t.Logf("%s: %d × 200, %d × 409, %d × 503, %d × 500", fault.name, statuses[200].Load(), statuses[409].Load(), statuses[503].Load(), statuses[500].Load())
	}
}

// TestTooManyCalls: while the database does not respond, calls beyond 20 for each connection get a
// 503 at once, with Retry-After, and only those.
func TestTooManyCalls(t *testing.T) {
	const size, places, more = 2, 2 * 20, 30
	s := servertest.New(t)
	dsn := s.Database(t)
	prepare := open(t, dsn)
	fill(t, prepare)
	prepare.Close()
	store := open(t, dsn, coffees.WithPoolSize(size))
	app, err := coffeedemo.New(coffeedemo.WithStore(store))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	other, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	if _, err := other.Exec(t.Context(), `BEGIN; LOCK TABLE coffees`); err != nil {
		t.Fatal(err)
	}
	refused := make(chan *httptest.ResponseRecorder, places+more)
	var served atomic.Int64
	var all sync.WaitGroup
	for range places + more {
		all.Go(func() {
			w := httptest.NewRecorder()
			app.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/coffees", nil))
			if w.Code == http.StatusOK {
				served.Add(1)
			} else {
				refused <- w
			}
		})
	}
	for range more { // while the others wait
		select {
		case w := <-refused:
			if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
				t.Errorf("got %d %v, want 503 with Retry-After", w.Code, w.Header())
			}
		case <-time.After(hangGuard):
			t.Fatal("calls beyond the limit wait")
		}
	}
	other.Close(t.Context())
	all.Wait()
	if served.Load() != places {
		t.Errorf("%d calls were served, want %d", served.Load(), places)
	}
}
