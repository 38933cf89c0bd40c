package flowercatalog_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/routing"
)

// faulty is a store with failures that a test sets.
type faulty struct {
	flowercatalog.Store
	revision func(context.Context) (string, error) // nil: the Store's own
	find     func(context.Context) error           // called before the Store's Find
	list     func(context.Context, flowercatalog.Page) error
	after    int // if failure is not nil, List and Search fail after this many flowers
	failure  error
	hang     func(ctx context.Context, n int) error // called before flower n, starting at 1
	closed   int
}

func (f *faulty) Revision(ctx context.Context) (string, error) {
	if f.revision != nil {
		return f.revision(ctx)
	}
	return f.Store.Revision(ctx)
}

func (f *faulty) Find(ctx context.Context, slug string) (flowercatalog.Flower, error) {
	if f.find != nil {
		if err := f.find(ctx); err != nil {
			return flowercatalog.Flower{}, err
		}
	}
	return f.Store.Find(ctx, slug)
}

func (f *faulty) List(ctx context.Context, page flowercatalog.Page, each func(flowercatalog.Flower) error) error {
	if f.list != nil {
		if err := f.list(ctx, page); err != nil {
			return err
		}
	}
	n := 0
	return f.Store.List(ctx, page, func(flower flowercatalog.Flower) error {
		if n++; f.failure != nil && n > f.after {
			return f.failure
		}
		if f.hang != nil {
			if err := f.hang(ctx, n); err != nil {
				return err
			}
		}
		return each(flower)
	})
}

func (f *faulty) Search(ctx context.Context, _ string, page flowercatalog.Page, each func(flowercatalog.Flower) error) error {
	return f.List(ctx, page, each)
}

func (f *faulty) Close() error {
	f.closed++
	return f.Store.Close()
}

func newFaulty(t *testing.T, n int) *faulty {
	t.Helper()
	memory, err := flowercatalog.NewMemory(manyFlowers(n, true)...)
	if err != nil {
		t.Fatal(err)
	}
	return &faulty{Store: memory}
}

var errBroken = errors.New("the disk at /var/lib/flowers is on fire")

// An unavailable store is a 503 with Retry-After. A failing store is a 500 without the cause.
func TestStoreErrors(t *testing.T) {
	busy := fmt.Errorf("connect: %w", flowercatalog.ErrBusy)
	for _, test := range []struct {
		name   string
		err    error
		status int
	}{
		{"busy", busy, 503},
		{"changed", flowercatalog.ErrChanged, 503},
		{"closed", flowercatalog.ErrClosed, 503},
		{"broken", errBroken, 500},
	} {
		for _, pages := range [][]flowercatalog.Option{nil, {flowercatalog.WithPageSize(10)}} {
			store := newFaulty(t, 30)
			var logged strings.Builder
			logger := slog.New(slog.NewTextHandler(&logged, nil))
			app := newApp(t, append(pages, flowercatalog.WithStore(store), flowercatalog.WithLogger(logger))...)
			store.find = func(context.Context) error { return test.err }
			if got := routing.StatusOf(httptest.NewRequest("GET", "/", nil), test.err); got != test.status {
				t.Errorf("%s in a host's own route: got %d, want %d", test.name, got, test.status)
			}
			check := func(what, target string) {
				t.Helper()
				w := ask(app, "GET", target)
				body, h := w.Body.String(), w.Header()
				if w.Code != test.status || (h.Get("Retry-After") == "1") != (test.status == 503) || h.Get("ETag") != "" || strings.Contains(body, "fire") {
					t.Errorf("%s, %s %s: got %d, Retry-After %q, ETag %q, %q; want %d", test.name, what, target, w.Code, h.Get("Retry-After"), h.Get("ETag"), body, test.status)
				}
				if test.status == 500 && !strings.Contains(logged.String(), "fire") {
					t.Errorf("%s, %s %s: the log lacks the cause: %q", test.name, what, target, logged.String())
				}
				logged.Reset()
			}
			check("find", "/flowers/f1")
			for _, target := range []string{"/flowers", "/flowers?name=e"} {
				store.failure, store.after = test.err, 0
				check("at once", target)
				store.after = 5 // which is not sent yet
				check("soon", target)
				store.failure = nil
				store.revision = func(context.Context) (string, error) { return "", test.err }
				check("revision", target)
				store.revision = nil
			}
			if got := ask(app, "GET", "/flowers"); got.Code != 200 {
				t.Errorf("%s, afterwards: got %d, want 200", test.name, got.Code)
			}
		}
	}
}

// Clients can detect that a list is incomplete.
func TestListsThatFailMidway(t *testing.T) {
	for _, err := range []error{flowercatalog.ErrBusy, flowercatalog.ErrChanged, errBroken} {
		for _, after := range []int{1000, 4999} {
			store := newFaulty(t, 5000)
			store.failure, store.after = err, after
			app := newApp(t, flowercatalog.WithStore(store), flowercatalog.WithLogger(slog.New(slog.DiscardHandler)))
			server := httptest.NewServer(app)
			t.Cleanup(server.Close)
			response, err := http.Get(server.URL + "/flowers")
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			if response.StatusCode != 200 || err == nil {
				t.Errorf("broken off behind %d flowers: got %d with %d bytes, and no error", after, response.StatusCode, len(body))
			}
		}
	}
}

// A request waits for a store until the timeout. The limit does not apply to slow clients.
func TestStoreTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testStoreTimeout)
}

func testStoreTimeout(t *testing.T) {
	store := newFaulty(t, 1000) // more than is written at once
	const short = 100 * time.Millisecond
	app := newApp(t, flowercatalog.WithStore(store), flowercatalog.WithStoreTimeout(short))
	hang := func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(time.Minute):
			return errors.New("nobody ended this")
		}
	}
	for _, test := range []struct {
		target string
		set    func()
	}{
		{"/flowers/f1", func() { store.find = hang }},
		{"/flowers", func() { store.revision = func(ctx context.Context) (string, error) { return "", hang(ctx) } }},
		{"/flowers", func() {
			store.revision = nil
			store.list = func(ctx context.Context, _ flowercatalog.Page) error { return hang(ctx) }
		}},
	} {
		test.set()
		if w := ask(app, "GET", test.target); w.Code != 503 || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: got %d, want 503 with Retry-After", test.target, w.Code)
		}
	}
	// The limit is for each call: two slow ones may take longer together.
	slow := func() { time.Sleep(short * 3 / 4) }
	store.revision = func(ctx context.Context) (string, error) { slow(); return store.Store.Revision(ctx) }
	store.list = func(context.Context, flowercatalog.Page) error { slow(); return nil }
	if w := ask(app, "GET", "/flowers"); w.Code != 200 {
		t.Errorf("two slow calls: got %d, want 200", w.Code)
	}
	if err := newApp(t, flowercatalog.WithStore(silent{store, hang}), flowercatalog.WithStoreTimeout(short)).Ping(t.Context()); !errors.Is(err, flowercatalog.ErrBusy) {
		t.Errorf("Ping: got %v, want ErrBusy", err)
	}
	store.revision, store.list = nil, nil
	// Here the store has to respond before it hangs, on a slow machine too.
	const wait = time.Second
	app = newApp(t, flowercatalog.WithStore(store), flowercatalog.WithStoreTimeout(wait))
	store.hang = func(ctx context.Context, n int) error {
		if n < 900 {
			return nil
		}
		return hang(ctx)
	}
	func() {
		defer func() {
			if v := recover(); v != http.ErrAbortHandler {
				t.Errorf("a store that hangs within a list: got %v, want the connection aborted", v)
			}
		}()
		ask(app, "GET", "/flowers")
	}()
	store.hang = nil
	w := &slowWriter{ResponseRecorder: httptest.NewRecorder(), pause: wait + wait/4}
	app.ServeHTTP(w, httptest.NewRequest("GET", "/flowers", nil))
	if w.Code != 200 || !json.Valid(w.Body.Bytes()) {
		t.Errorf("a slow client: got %d with %d bytes, want all", w.Code, w.Body.Len())
	}
}

// silent is a store whose Ping hangs.
type silent struct {
	flowercatalog.Store
	hang func(context.Context) error
}

func (s silent) Ping(ctx context.Context) error { return s.hang(ctx) }

// slowWriter pauses in its first Write.
type slowWriter struct {
	*httptest.ResponseRecorder
	pause time.Duration
}

func (w *slowWriter) Write(p []byte) (int, error) {
	time.Sleep(w.pause)
	w.pause = 0
	return w.ResponseRecorder.Write(p)
}

// If the flowers change after their revision was read, the response does not have the old ETag.
func TestFlowersChangeWithinARequest(t *testing.T) {
	for _, pages := range [][]flowercatalog.Option{nil, {flowercatalog.WithPageSize(10)}} {
		store := newFaulty(t, 30)
		app := newApp(t, append(pages, flowercatalog.WithStore(store))...)
		want := ask(app, "GET", "/flowers").Body.String()
		store.revision = func(context.Context) (string, error) { return "before", nil }
		w := ask(app, "GET", "/flowers")
		if w.Code != 200 || w.Header()["Etag"] != nil || w.Body.String() != want {
			t.Errorf("got %d, ETag %q, %.50q; want 200, none, %.50q", w.Code, w.Header()["Etag"], w.Body, want)
		}
	}
}

// endless is a store that generates flowers while it lists them. It measures the heap meanwhile.
type endless struct {
	flowercatalog.Store
	n    int
	heap uint64 // the most bytes that were in use
}

func (e *endless) List(_ context.Context, _ flowercatalog.Page, each func(flowercatalog.Flower) error) error {
	for i := range e.n {
		if i%(e.n/10) == 0 {
			var stats runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&stats)
			e.heap = max(e.heap, stats.HeapAlloc)
		}
		if err := each(flowercatalog.Flower{Slug: "rose", Name: "Rösé"}); err != nil {
			return err
		}
	}
	return nil
}

// The memory of a list does not grow with the number of flowers.
func TestListsAreStreamed(t *testing.T) {
	memory, err := flowercatalog.NewMemory()
	if err != nil {
		t.Fatal(err)
	}
	store := &endless{Store: memory}
	app := newApp(t, flowercatalog.WithStore(store))
	r := httptest.NewRequest("GET", "/flowers", nil)
	heap := func(n int) uint64 {
		store.n, store.heap = n, 0
		app.ServeHTTP(sink{make(http.Header)}, r)
		return store.heap
	}
	heap(10)
	if few, many := heap(1000), heap(100_000); many > few+500_000 { // the list has over 3 MB
		t.Errorf("the heap had %d bytes while 1,000 flowers were listed, and %d with 100,000; want about the same", few, many)
	}
}

func TestStoreOwnership(t *testing.T) {
	store := newFaulty(t, 3)
	if _, err := flowercatalog.New(flowercatalog.WithStore(store), flowercatalog.WithBasePath("shop")); err == nil || store.closed != 0 {
		t.Errorf("New with a wrong option: got error %v and closed the store %d times, want an error and 0", err, store.closed)
	}
	app := newApp(t, flowercatalog.WithStore(store))
	if err := app.SetFlowers(); err == nil {
		t.Error("SetFlowers with a store of the host's: got no error")
	}
	for range 2 {
		if err := app.Close(); err != nil || store.closed == 0 {
			t.Errorf("Close: got %v, closed %d times", err, store.closed)
		}
	}
	if w := ask(app, "GET", "/flowers"); w.Code != 503 {
		t.Errorf("after Close: got %d, want 503", w.Code)
	}
	own := newApp(t)
	own.Close()
	if w := ask(own, "GET", "/flowers"); w.Code != 200 {
		t.Errorf("flowers of the app's own after Close: got %d, want 200", w.Code)
	}
	late := newApp(t, flowercatalog.WithStore(store))
	if err := late.Ping(t.Context()); !errors.Is(err, flowercatalog.ErrClosed) {
		t.Errorf("Ping of a closed store: got %v, want ErrClosed", err)
	}
}

func TestRefusedStoreOptions(t *testing.T) {
	memory, err := flowercatalog.NewMemory()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		options []flowercatalog.Option
		says    string
	}{
		{[]flowercatalog.Option{flowercatalog.WithStore(nil)}, "pass a store"},
		{[]flowercatalog.Option{flowercatalog.WithStore(memory), flowercatalog.WithFlowers()}, "WithStore and WithFlowers exclude each other"},
		{[]flowercatalog.Option{flowercatalog.WithStore(memory), flowercatalog.WithStoreTimeout(0)}, "above 0"},
		{[]flowercatalog.Option{flowercatalog.WithStoreTimeout(1)}, "without WithStore"},
		{[]flowercatalog.Option{flowercatalog.WithPageSize(0)}, "1 to 1000000"},
		{[]flowercatalog.Option{flowercatalog.WithPageSize(1_000_001)}, "1 to 1000000"},
	} {
		if _, err := flowercatalog.New(test.options...); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("got error %v, want one that says %q", err, test.says)
		}
	}
}
