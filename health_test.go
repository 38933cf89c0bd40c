package flowercafe_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/flowercafe"
	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/serving"
)

// switchable is a Memory whose Ping can be made to fail or hang.
type switchable struct {
	*flowercatalog.Memory
	broken atomic.Bool
	pings  atomic.Int64
	entry  chan struct{} // a Ping waits for it, if it is not nil
}

func (s *switchable) Ping(ctx context.Context) error {
	s.pings.Add(1)
	if s.entry != nil {
		<-s.entry
	}
	if s.broken.Load() {
		return errors.New("dial tcp 10.0.0.1:5432: secret reason")
	}
	return s.Memory.Ping(ctx)
}

func newSwitchable(t *testing.T) *switchable {
	t.Helper()
	memory, err := flowercatalog.NewMemory()
	if err != nil {
		t.Fatal(err)
	}
	return &switchable{Memory: memory}
}

// healthApp returns a shop over a store of flowers, and its log.
func healthApp(t *testing.T, store flowercatalog.Store) (*flowercafe.App, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	app, err := flowercafe.New(flowercafe.WithHealth(), flowercafe.WithBasePath("/shop"),
		flowercafe.WithLogger(slog.New(slog.NewTextHandler(log, nil))), flowercafe.WithCatalog(flowercatalog.WithStore(store)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	return app, log
}

// readiness waits for a response of /readyz, which reuses a result for a second.
func readiness(t *testing.T, h http.Handler, status int, text string) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		w := ask(h, "GET", "/shop/readyz")
		if w.Code == status && w.Body.String() == text+"\n" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("readyz: got %d %q, want %d %q", w.Code, w.Body, status, text)
		}
	}
}

// panicking is a store whose Ping panics when it is broken.
type panicking struct{ *switchable }

func (s panicking) Ping(context.Context) error {
	if s.broken.Load() {
		panic("no connection")
	}
	return nil
}

// A Ping that panics does not end the process.
func TestReadinessPanics(t *testing.T) {
	synctest.Test(t, testReadinessPanics)
}

func testReadinessPanics(t *testing.T) {
	store := panicking{newSwitchable(t)}
	app, log := healthApp(t, store)
	store.broken.Store(true)
	readiness(t, app, 200, "ready; not responding: catalog")
	if !strings.Contains(log.String(), "no connection") {
		t.Errorf("the log does not have the reason: %s", log)
	}
}

func TestReadiness(t *testing.T) {
	synctest.Test(t, testReadiness)
}

func testReadiness(t *testing.T) {
	store := newSwitchable(t)
	app, log := healthApp(t, store)
	readiness(t, app, 200, "ready")
	store.broken.Store(true)
	readiness(t, app, 200, "ready; not responding: catalog")
	if w := ask(app, "GET", "/shop/healthz"); w.Code != 200 || w.Body.String() != "ok\n" || w.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("healthz: got %d %q %v, want 200 whatever the store does", w.Code, w.Body, w.Header())
	}
	store.broken.Store(false)
	readiness(t, app, 200, "ready")
	if got := strings.Count(log.String(), "\n"); got != 2 || !strings.Contains(log.String(), "secret reason") || !strings.Contains(log.String(), "passes again") {
		t.Errorf("the log says %q, want a line for each change, with the reason", log.String())
	}
	app.Close()
	readiness(t, app, 503, "not ready: closed: catalog, coffee")
}

// An app starts without its stores: New does not wait for them.
func TestStartWithoutStore(t *testing.T) {
	store := newSwitchable(t)
	store.broken.Store(true)
	app, _ := healthApp(t, store)
	if w := ask(app, "GET", "/shop/flowers/rose"); w.Code != 200 && w.Code != 404 {
		t.Errorf("got %d, want the response of the store", w.Code)
	}
	readiness(t, app, 200, "ready; not responding: catalog")
}

// A probe does not wait for a store that does not respond, and pings it once.
func TestReadinessOfSlowStore(t *testing.T) {
	synctest.Test(t, testReadinessOfSlowStore)
}

func testReadinessOfSlowStore(t *testing.T) {
	store := newSwitchable(t)
	app, err := flowercafe.New(flowercafe.WithHealth(), flowercafe.WithBasePath("/shop"), flowercafe.WithCatalog(flowercatalog.WithStore(store)))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	store.entry = make(chan struct{})
	store.pings.Store(0)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			if w := ask(app, "GET", "/shop/readyz"); w.Code != 200 || w.Body.String() != "ready; not responding: catalog\n" {
				t.Errorf("got %d %q, want 200 and the catalog", w.Code, w.Body)
			}
		})
	}
	all.Wait()
	if got := store.pings.Load(); got != 1 {
		t.Errorf("the store was asked %d times, want once", got)
	}
	close(store.entry)
	readiness(t, app, 200, "ready")
}

// During the shutdown, /readyz responds with 503 while the host still serves.
func TestReadinessDuringShutdown(t *testing.T) {
	t.Parallel() // waits for the end
	app, err := flowercafe.New(flowercafe.WithHealth())
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	listener, err := serving.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	logger := slog.New(slog.DiscardHandler)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		end()
		<-serving.ShuttingDown(r.Context())
		app.ServeHTTP(w, r)
	})
	ended := make(chan error, 1)
	go func() {
		ended <- serving.Run(ctx, serving.NewServer(handler, logger), listener, logger, serving.WithDrain(0))
	}()
	response, err := http.Get("http://" + listener.Addr().String() + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 503 || string(body) != "not ready: shutting down\n" {
		t.Errorf("got %d %q, %v; want 503 and the reason", response.StatusCode, body, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestHealthPaths(t *testing.T) {
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418) })
	with := newApp(t, flowercafe.WithHealth(), flowercafe.WithNext(next))
	without := newApp(t, flowercafe.WithNext(next))
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/healthz", 200}, {"HEAD", "/healthz", 200}, {"HEAD", "/readyz", 200},
		{"POST", "/healthz", 418}, {"GET", "/healthz/", 418}, {"GET", "/readyz/x", 418}, {"GET", "/health", 418},
	} {
		if w := ask(with, test.method, test.path); w.Code != test.status {
			t.Errorf("%s %s: got %d, want %d", test.method, test.path, w.Code, test.status)
		}
		if w := ask(without, test.method, test.path); w.Code != 418 {
			t.Errorf("without the option: %s %s: got %d, want the next handler", test.method, test.path, w.Code)
		}
	}
	for _, prefix := range []string{"/healthz", "/readyz"} {
		_, err := flowercafe.New(flowercafe.WithHealth(), flowercafe.WithMount(prefix, next))
		if err == nil || !strings.Contains(err.Error(), "WithHealth or another mount: write another one") {
			t.Errorf("mount at %s: got %v, want an error", prefix, err)
		}
	}
}

// The health paths are ordinary routes: with the option they have 405, Allow and OPTIONS.
func TestHealthPathsMethodNotAllowed(t *testing.T) {
	app := newApp(t, flowercafe.WithHealth(), flowercafe.WithMethodNotAllowed(), flowercafe.WithBasePath("/shop"))
	for _, path := range []string{"/shop/healthz", "/shop/readyz"} {
		for method, status := range map[string]int{"POST": 405, "DELETE": 405, "OPTIONS": 204} {
			if w := ask(app, method, path); w.Code != status || w.Header().Get("Allow") != "GET, HEAD, OPTIONS" {
				t.Errorf("%s %s: got %d, Allow %q, want %d and the methods", method, path, w.Code, w.Header().Get("Allow"), status)
			}
		}
	}
}

// Each application alone has the home page and the health paths too.
func TestHomeAndHealthAlone(t *testing.T) {
	catalog, err := flowercatalog.New(flowercatalog.WithBasePath("/shop"), flowercatalog.WithHome(), flowercatalog.WithHealth())
	if err != nil {
		t.Fatal(err)
	}
	coffee, err := coffeedemo.New(coffeedemo.WithBasePath("/shop"), coffeedemo.WithHome(), coffeedemo.WithHealth())
	if err != nil {
		t.Fatal(err)
	}
	defer coffee.Close()
	for _, test := range []struct {
		app        http.Handler
		has, lacks string
	}{{catalog, "flowers/", "coffees"}, {coffee, "coffees", "flowers/"}} {
		if w := ask(test.app, "GET", "/shop"); w.Code != 302 || w.Header().Get("Location") != "shop/" {
			t.Errorf("without a slash: got %d to %q", w.Code, w.Header().Get("Location"))
		}
		if body := ask(test.app, "GET", "/shop/").Body.String(); !strings.Contains(body, test.has) || strings.Contains(body, test.lacks) {
			t.Errorf("got the page %s, want links to %s alone", body, test.has)
		}
		for _, path := range []string{"/shop/healthz", "/shop/readyz"} {
			if w := ask(test.app, "GET", path); w.Code != 200 {
				t.Errorf("%s: got %d %s", path, w.Code, w.Body)
			}
		}
	}
	for name, option := range map[string]flowercafe.Option{
		"WithHome in WithCatalog":  flowercafe.WithCatalog(flowercatalog.WithHome()),
		"WithHealth in WithCoffee": flowercafe.WithCoffee(coffeedemo.WithHealth()),
	} {
		if _, err := flowercafe.New(option); err == nil || !strings.Contains(err.Error(), name+": write flowercafe.With") {
			t.Errorf("%s: got %v, want an error", name, err)
		}
	}
}
