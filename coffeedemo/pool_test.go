package coffeedemo_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/routing"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// hold starts n reading sessions and returns a function that ends them.
func hold(t *testing.T, db *coffeedemo.SQLite, n int) (release func()) {
	t.Helper()
	inside, leave := make(chan struct{}), make(chan struct{})
	var ended sync.WaitGroup
	for range n {
		ended.Go(func() {
			err := db.Read(context.Background(), func(context.Context, *sqlite.Conn) error {
				inside <- struct{}{}
				<-leave
				return nil
			})
			if err != nil {
				t.Errorf("Read: got %v, want no error", err)
			}
		})
	}
	for range n {
		select {
		case <-inside:
		case <-time.After(hangGuard):
			t.Fatalf("%d sessions at once: hangs", n)
		}
	}
	return sync.OnceFunc(func() {
		close(leave)
		ended.Wait()
	})
}

// TestGrowth: the pool has one connection at first, and k while k sessions run.
func TestGrowth(t *testing.T) {
	const limit = 50
	app, err := coffeedemo.New()
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	if got, want := app.Stats(), (coffeedemo.Stats{Open: 1, Idle: 1}); got != want {
		t.Errorf("at first: got %+v, want %+v", got, want)
	}
	db := openSQLite(t, limit, time.Second)
	var releases []func()
	for k := 1; k <= limit; k++ {
		releases = append(releases, hold(t, db, 1))
		if got, want := db.Stats(), (coffeedemo.Stats{Open: k, InUse: k}); got != want {
			t.Errorf("%d held: got %+v, want %+v", k, got, want)
		}
	}
	for k := limit - 1; k >= 0; k-- {
		releases[k]()
		if got, want := db.Stats(), (coffeedemo.Stats{Open: limit, InUse: k, Idle: limit - k}); got != want {
			t.Errorf("%d held still: got %+v, want %+v", k, got, want)
		}
	}
	// Further sessions find an idle connection.
	hold(t, db, 7)()
	if got, want := db.Stats(), (coffeedemo.Stats{Open: limit, Idle: limit}); got != want {
		t.Errorf("in the end: got %+v, want %+v", got, want)
	}
}

// TestSequence: sequential sessions need one connection.
func TestSequence(t *testing.T) {
	d := openDemo(t, 50, time.Second)
	for range 20 {
		for _, path := range []string{createPath, loadPath, coffeesPath, coffeesPath, dropPath, dropPath} {
			d.get(t.Context(), path)
		}
	}
	if got, want := d.Stats(), (coffeedemo.Stats{Open: 1, Idle: 1}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestLastInFirstOut: the connection used last is used next.
func TestLastInFirstOut(t *testing.T) {
	db := openSQLite(t, 5, time.Second)
	connections, release, err := db.TakeAll(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	release()
	slices.Reverse(connections)
	for range 3 {
		again, release, err := db.TakeAll(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		release()
		if !slices.Equal(again, connections) {
			t.Error("got the connections in another order, want the last one back first")
		}
		slices.Reverse(connections)
	}
}

// TestFairness: sessions run in the order in which they were started. No reader overtakes a waiting
// writer.
func TestFairness(t *testing.T) {
	synctest.Test(t, testFairness)
}

func testFairness(t *testing.T) {
	db := openSQLite(t, 2, 10*time.Second)
	release := hold(t, db, 2)
	var mu sync.Mutex
	var order []int
	var all sync.WaitGroup
	const count = 20
	for i := range count {
		session := db.Read
		if i%3 == 0 {
			session = db.Write
		}
		all.Go(func() {
			err := session(t.Context(), func(context.Context, *sqlite.Conn) error {
				mu.Lock()
				order = append(order, i)
				mu.Unlock()
				time.Sleep(time.Millisecond)
				return nil
			})
			if err != nil {
				t.Errorf("session %d: got %v, want no error", i, err)
			}
		})
		synctest.Wait() // it is in the queue
	}
	release()
	all.Wait()
	// Two readers that run together may record their numbers in any order.
	for place, i := range order {
		if distance := place - i; distance < -1 || distance > 1 {
			t.Fatalf("got order %v, want the order of coming", order)
		}
	}
	for place, i := range order {
		if i%3 == 0 && place != i {
			t.Errorf("got order %v, want writer %d in its place", order, i)
		}
	}
}

// TestExhausted: while all connections are held, other requests get a 503 in time, and other routes
// work. When the connections are released, all routes work again.
func TestExhausted(t *testing.T) {
	t.Parallel()
	const (
		limit   = 50
		clients = 1000
		wait    = 300 * time.Millisecond
	)
	d := openDemo(t, limit, wait)
	d.state(t, fullTables)
	d.Routes().Get("/other", func(routing.Context) (routing.Result, error) { return routing.Text("other"), nil })
	release := hold(t, d.db, limit)

	var refused atomic.Int64
	var longest atomic.Int64
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			began := time.Now()
			w := d.get(t.Context(), []string{coffeesPath, coffeesPath, loadPath, dropPath}[i%4])
			if w.Code == http.StatusServiceUnavailable && w.Header().Get("Retry-After") != "" {
				refused.Add(1)
			}
			assertDiscreet(t, w)
			storeMax(&longest, int64(time.Since(began)))
		})
	}
	var others []time.Duration
	for d.Stats().TimedOut < clients && len(others) < 10000 {
		began := time.Now()
		if w := d.get(t.Context(), "/other"); w.Code != http.StatusOK {
			t.Errorf("another route meanwhile: got %d, want 200", w.Code)
		}
		others = append(others, time.Since(began))
		time.Sleep(100 * time.Microsecond)
	}
	all.Wait()
	slices.Sort(others)
	t.Logf("%d refused, the last after %v (acquire timeout %v); another route meanwhile: %d times, p99 %v",
		refused.Load(), time.Duration(longest.Load()), wait, len(others), others[len(others)*99/100])
	if got := refused.Load(); got != clients {
		t.Errorf("got %d responses 503 with Retry-After, want %d", got, clients)
	}
	if got := d.Stats(); got != (coffeedemo.Stats{Open: limit, InUse: limit, TimedOut: clients}) {
		t.Errorf("got %+v, want %d in use and %d timed out", got, limit, clients)
	}
	release()
	if w := d.get(t.Context(), coffeesPath); w.Code != http.StatusOK || w.Body.String() != fullList {
		t.Errorf("when the connections are back: got %d %q, want the list", w.Code, w.Body)
	}
	d.assertHealthy(t)
}

// storeMax raises n to at least v.
func storeMax(n *atomic.Int64, v int64) {
	for {
		old := n.Load()
		if v <= old || n.CompareAndSwap(old, v) {
			return
		}
	}
}

// TestCanceledWaitersReturnPermits: a waiter that gives up loses no permits.
func TestCanceledWaitersReturnPermits(t *testing.T) {
	d := openDemo(t, 2, 10*time.Second)
	d.state(t, fullTables)
	release := hold(t, d.db, 2)
	var all sync.WaitGroup
	const clients = 100
	for range clients {
		ctx, cancel := context.WithCancel(t.Context())
		all.Go(func() {
			if w := d.get(ctx, coffeesPath); w.Code != http.StatusServiceUnavailable {
				t.Errorf("client gone: got %d, want 503", w.Code)
			}
		})
		defer cancel()
		time.AfterFunc(10*time.Millisecond, cancel)
	}
	all.Wait()
	if got, want := d.Stats(), (coffeedemo.Stats{Open: 2, InUse: 2}); got != want {
		t.Errorf("all gone: got %+v, want %+v", got, want)
	}
	release()
	d.assertHealthy(t)
}

// TestMoreClientsThanConnections: many more clients than connections, and all get their list.
func TestMoreClientsThanConnections(t *testing.T) {
	const clients, limit = 500, 50
	requests := 20
	if testing.Short() {
		requests = 4
	}
	d := openDemo(t, limit, time.Minute)
	d.state(t, fullTables)
	var most, open, failures atomic.Int64
	began := time.Now()
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for range requests {
				if w := d.get(t.Context(), coffeesPath); w.Code != http.StatusOK || w.Body.String() != fullList {
					failures.Add(1)
				}
				s := d.Stats()
				storeMax(&most, int64(s.InUse))
				storeMax(&open, int64(s.Open))
			}
		})
	}
	all.Wait()
	t.Logf("%d clients, %d requests each: %v, %d failures, at most %d connections open and %d in use",
		clients, requests, time.Since(began), failures.Load(), open.Load(), most.Load())
	if failures.Load() > 0 || open.Load() > limit {
		t.Errorf("got %d failures and %d connections, want none and at most %d", failures.Load(), open.Load(), limit)
	}
	d.assertHealthy(t)
}

// TestConnectionIsReplacedAfterFailedRollback: the data stays, even if the connection is the only
// one.
func TestConnectionIsReplacedAfterFailedRollback(t *testing.T) {
	for _, limit := range []int{1, 3} {
		d := openDemo(t, limit, time.Second)
		d.state(t, fullTables)
		for range 3 {
			var spoiled *sqlite.Conn
			err := d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
				spoiled = conn
				conn.SetAuthorizer(sqlite.AuthorizeFunc(func(sqlite.Action) sqlite.AuthResult { return sqlite.AuthResultDeny }))
				return errors.New("failure")
			})
			if err == nil {
				t.Error("Write: got no error, want one")
			}
			err = d.db.Read(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
				if conn == spoiled {
					return errors.New("the connection is there still")
				}
				return nil
			})
			if err != nil {
				t.Errorf("limit %d: got %v, want a new connection", limit, err)
			}
			if got, want := d.Stats(), (coffeedemo.Stats{Open: 1, Idle: 1}); got != want {
				t.Errorf("limit %d: got %+v, want %+v", limit, got, want)
			}
		}
		if got := d.tables(t); got != fullTables {
			t.Errorf("limit %d: got tables %+v, want %+v", limit, got, fullTables)
		}
		d.assertHealthy(t)
	}
}

// TestOpenFails: if a connection cannot be opened, the request fails and no data is lost. A
// connection that cannot be replaced stays until it can.
func TestOpenFails(t *testing.T) {
	const limit = 3
	d := openDemo(t, limit, time.Second)
	d.state(t, fullTables)
	undo := d.db.OpenWith(func(func() error) error { return errors.New("fault: no connection today") })
	release := hold(t, d.db, 1)
	for range 2 * limit { // more often than there are permits, to see lost ones
		w := d.get(t.Context(), coffeesPath)
		if w.Code != http.StatusInternalServerError {
			t.Errorf("no connection to be had: got %d, want 500", w.Code)
		}
		assertDiscreet(t, w)
	}
	release()
	if w := d.get(t.Context(), coffeesPath); w.Code != http.StatusOK {
		t.Errorf("the first connection is back: got %d, want 200", w.Code)
	}
	func() {
		defer func() { recover() }()
		d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
			sqlitex.Execute(conn, addCoffee, nil)
			panic("fault")
		})
	}()
	for range 2 * limit {
		if w := d.get(t.Context(), coffeesPath); w.Code != http.StatusInternalServerError {
			t.Errorf("a connection that can be neither used nor replaced: got %d, want 500", w.Code)
		}
		if got, want := d.Stats(), (coffeedemo.Stats{Open: 1, Idle: 1}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	undo()
	if got := d.tables(t); got != fullTables {
		t.Errorf("when connections can be opened again: got tables %+v, want %+v", got, fullTables)
	}
	d.assertHealthy(t)
}

// TestStorm runs all routes at once for a second. Clients get only 200 and 409, and each list is
// complete.
func TestStorm(t *testing.T) {
	t.Parallel()
	const clients, limit = 50, 50
	d := openDemo(t, limit, time.Minute)
	length := time.Second
	if testing.Short() {
		length /= 5
	}
	deadline := time.Now().Add(length)
	var all sync.WaitGroup
	var ok, conflicts, longest, rows atomic.Int64
	for client := range clients {
		all.Go(func() {
			for i := client; time.Now().Before(deadline); i++ {
				path := []string{createPath, loadPath, coffeesPath, coffeesPath, coffeesPath, dropPath}[i%6]
				began := time.Now()
				w := d.get(t.Context(), path)
				storeMax(&longest, int64(time.Since(began)))
				switch {
				case w.Code == http.StatusConflict:
					conflicts.Add(1)
				case w.Code != http.StatusOK:
					t.Errorf("GET %s: got %d %q, want 200 or 409", path, w.Code, w.Body)
				case path == coffeesPath && w.Body.String() != "" && w.Body.String() != fullList:
					t.Errorf("GET %s: got %q, want no coffees or five", path, w.Body)
				default:
					ok.Add(1)
					if path == coffeesPath && w.Body.Len() > 0 {
						rows.Add(1)
					}
				}
			}
		})
	}
	all.Wait()
	s := d.Stats()
	t.Logf("%d clients, %v: %d responses 200 (%d lists of five), %d responses 409, longest wait %v, %d connections opened",
		clients, length, ok.Load(), rows.Load(), conflicts.Load(), time.Duration(longest.Load()), s.Open)
	if log := d.log.String(); log != "" {
		t.Errorf("got log %q, want nothing", log)
	}
	d.assertHealthy(t)
}

// TestStormOverNetwork is TestStorm over the network, with clients that disconnect.
func TestStormOverNetwork(t *testing.T) {
	d := openDemo(t, 5, 10*time.Second)
	server := httptest.NewServer(d)
	client := server.Client()
	var all sync.WaitGroup
	var statuses [600]atomic.Int64
	for k := range 20 {
		all.Go(func() {
			for i := range 20 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+(k*i)%40)*200*time.Microsecond)
				path := []string{createPath, loadPath, coffeesPath, dropPath}[(k+i)%4]
				r, _ := http.NewRequestWithContext(ctx, "GET", server.URL+path, nil)
				if response, err := client.Do(r); err == nil {
					statuses[response.StatusCode].Add(1)
					response.Body.Close()
				} else {
					statuses[0].Add(1)
				}
				cancel()
			}
		})
	}
	all.Wait()
	server.Close() // waits until the requests have ended, also those whose clients have left
	seen := ""
	for status := range statuses {
		if n := statuses[status].Load(); n > 0 {
			seen += fmt.Sprintf(" %d: %d", status, n)
			// A client that leaves may still read the 503 that this causes.
			if status != 0 && status != 200 && status != 409 && status != 503 {
				t.Errorf("got %d responses %d, want 200, 409 or 503", n, status)
			}
		}
	}
	t.Logf("responses by status, 0 is a client that left:%s", seen)
	d.assertHealthy(t)
}
