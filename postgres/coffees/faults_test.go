package coffees_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/internal/servertest"
)

// This file tests stalled and broken networks, and locks of other sessions: every call ends soon
// after the acquire timeout, with the right result, ErrBusy or ErrOutcomeUnknown.

var (
	faultSuppliers = []coffeedemo.Supplier{{ID: 1, Name: "s"}}
	faultCoffees   = []coffeedemo.Coffee{{Name: "a", SupplierID: 1}, {Name: "b", SupplierID: 1}, {Name: "c", SupplierID: 1}}
)

// Limits against hanging, far above what a slow machine needs: grace is the time after a wait
// limit, hangGuard is for what has no other limit.
const (
	grace     = 10 * time.Second
	hangGuard = time.Minute
)

// names returns the names of the coffees.
func names(ctx context.Context, store *coffees.Store) (string, error) {
	var all []string
	err := store.List(ctx, func(coffee, _ string) error {
		all = append(all, coffee)
		return nil
	})
	return strings.Join(all, ""), err
}

// calls are the store's methods in an order in which each succeeds.
var calls = []struct {
	name string
	do   func(context.Context, *coffees.Store) error
}{
	{"create", func(ctx context.Context, s *coffees.Store) error { return s.Create(ctx) }},
	{"load", func(ctx context.Context, s *coffees.Store) error { return s.Load(ctx, faultSuppliers, faultCoffees) }},
	{"list", func(ctx context.Context, s *coffees.Store) error {
		got, err := names(ctx, s)
		if err == nil && got != "abc" {
			return fmt.Errorf("the list is %q", got)
		}
		return err
	}},
	{"ping", func(ctx context.Context, s *coffees.Store) error { return s.Ping(ctx) }},
	{"drop", func(ctx context.Context, s *coffees.Store) error { return s.Drop(ctx) }},
}

func fill(t *testing.T, store *coffees.Store) {
	t.Helper()
	for _, call := range calls[:2] {
		if err := call.do(t.Context(), store); err != nil {
			t.Fatal(err)
		}
	}
}

// TestListCutAtEachByte cuts the connection after each byte that the server sends for a list.
func TestListCutAtEachByte(t *testing.T) {
	t.Parallel() // it mostly waits
	s := servertest.New(t)
	dsn := s.Database(t)
	n := servertest.NewNetwork(t, s.Port)
	store := open(t, n.Through(dsn))
	defer store.Close()
	fill(t, store)
	whole := 0
	for bytes := 0; whole < 3; bytes++ {
		n.After(bytes, servertest.Cut)
		got, err := names(t.Context(), store)
		if err != nil || got != "abc" {
			t.Errorf("cut after %d bytes: got %q, %v, want abc", bytes, got, err)
		}
		if !n.Happened() {
			whole++ // the list has fewer bytes
		}
	}
}

// TestStalls stalls the network after some bytes of each call.
func TestStalls(t *testing.T) {
	t.Parallel() // it mostly waits
	s := servertest.New(t)
	var stalls, failed, late atomic.Int64
	var all sync.WaitGroup
	places := make(chan struct{}, 8) // since each is mostly waiting
	for i := range calls {
		var over atomic.Bool
		for bytes := 0; bytes < 700; bytes += 23 {
			places <- struct{}{}
			if over.Load() {
				<-places
				break
			}
			all.Go(func() {
				defer func() { <-places }()
				for tries := 3; ; { // a busy machine delays some of them
					happened, spent, err := stallIn(t, s, i, bytes)
					if !happened {
						over.Store(true) // the call's responses are shorter
						return
					}
					stalls.Add(1)
					if err != nil {
						failed.Add(1)
					}
					if spent <= stallWait+time.Second {
						return
					}
					if tries--; tries == 0 {
						late.Add(1)
						return
					}
				}
			})
		}
	}
	all.Wait()
	t.Logf("%d stalls, %d of them ended with an error, %d more than a second late", stalls.Load(), failed.Load(), late.Load())
	if late.Load() > stalls.Load()/4 {
		t.Errorf("got %d of %d results more than a second after the acquire timeout, in each of three tries", late.Load(), stalls.Load())
	}
}

const stallWait = 500 * time.Millisecond

// stallIn stalls the network in a call, after so many bytes of the server's.
func stallIn(t *testing.T, s *servertest.Server, call, bytes int) (happened bool, spent time.Duration, err error) {
	place := fmt.Sprintf("%s, stalled after %d bytes", calls[call].name, bytes)
	dsn := s.Database(t)
	n := servertest.NewNetwork(t, s.Port)
	store := open(t, n.Through(dsn), coffees.WithAcquireTimeout(stallWait))
	defer store.Close()
	prepare := open(t, dsn)
	for _, before := range calls[:call] {
		if err := before.do(t.Context(), prepare); err != nil {
			t.Errorf("%s: prepare: %v", place, err)
		}
	}
	prepare.Close()
	if err := untilServed(t, store); err != nil {
		t.Errorf("%s: before: %v", place, err)
	}
	n.After(bytes, servertest.Stall)
	ctx, cancel := context.WithTimeout(t.Context(), hangGuard) // the store's own limit is earlier
	defer cancel()
	begin := time.Now()
	err = calls[call].do(ctx, store)
	spent = time.Since(begin)
	happened = n.Happened()
	n.Forget()
	if err != nil && !errors.Is(err, coffeedemo.ErrBusy) && !errors.Is(err, coffeedemo.ErrOutcomeUnknown) {
		t.Errorf("%s: got %v, want ErrBusy or ErrOutcomeUnknown", place, err)
	}
	if spent > stallWait+grace {
		t.Errorf("%s: got a result after %v, want it within %v", place, spent, stallWait+grace)
	}
	// Nothing keeps running on the server after the call.
	working := func() int {
		return s.Value("postgres", `SELECT count(*) FROM pg_stat_activity WHERE datname = $1 AND state <> 'idle'`, servertest.DatabaseOf(dsn))
	}
	for ; working() > 0; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > stallWait+grace {
			t.Errorf("%s: %d sessions still work on the server", place, working())
			break
		}
	}
	n.Resume()
	if err := untilServed(t, store); err != nil {
		t.Errorf("%s, and resumed: got %v, want no error", place, err)
	}
	return happened, spent, err
}

// untilServed waits until the store has a connection. On a busy machine that takes longer than the
// short acquire timeouts of these tests.
func untilServed(t *testing.T, store *coffees.Store) error {
	for end := time.Now().Add(hangGuard); ; {
		if err := store.Ping(t.Context()); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// TestLocksOfOthers calls while another session holds locks.
func TestLocksOfOthers(t *testing.T) {
	t.Parallel() // it mostly waits
	const wait = time.Second
	s := servertest.New(t)
	for _, lock := range []string{
		`LOCK TABLE coffees IN ACCESS EXCLUSIVE MODE`,
		`LOCK TABLE suppliers IN ACCESS EXCLUSIVE MODE`,
		`LOCK TABLE pg_catalog.pg_class IN ACCESS EXCLUSIVE MODE`,
		`LOCK TABLE coffees IN SHARE MODE`,
		`SELECT pg_advisory_lock(112628762273138)`, // of earlier versions
	} {
		dsn := s.Database(t)
		prepare := open(t, dsn)
		fill(t, prepare)
		prepare.Close()
		store := open(t, dsn, coffees.WithAcquireTimeout(wait))
		defer store.Close()
		other, err := pgx.Connect(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close(context.Background())
		if _, err := other.Exec(t.Context(), `BEGIN; `+lock); err != nil {
			t.Fatal(err)
		}
		for _, call := range calls {
			ctx, cancel := context.WithTimeout(t.Context(), hangGuard)
			begin := time.Now()
			err := call.do(ctx, store)
			cancel()
			right := err == nil && call.name != "create" || errors.Is(err, coffeedemo.ErrBusy) ||
				errors.Is(err, coffeedemo.ErrTablesExist) || errors.Is(err, coffeedemo.ErrDataLoaded) ||
				call.name == "ping" && err == nil
			if spent := time.Since(begin); !right || spent > wait+grace {
				t.Errorf("%s, %s: got %v after %v, want ErrBusy or what is right within %v", lock, call.name, err, spent, wait+grace)
			}
		}
	}
}

// TestReadersPassWaitingWriters lists while a drop waits for a reader in another session.
func TestReadersPassWaitingWriters(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	store := open(t, dsn, coffees.WithAcquireTimeout(10*time.Second), coffees.WithPoolSize(8))
	defer store.Close()
	fill(t, store)
	other, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	if _, err := other.Exec(t.Context(), `BEGIN; SELECT * FROM coffees`); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for range 20 {
		writers.Go(func() {
			if err := store.Drop(t.Context()); !errors.Is(err, coffeedemo.ErrBusy) {
				t.Errorf("drop: got %v, want ErrBusy", err)
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	lists := 0
	for {
		if got, err := names(t.Context(), store); err != nil || got != "abc" {
			t.Errorf("list: got %q, %v, want abc", got, err)
		}
		lists++
		select {
		case <-done:
			t.Logf("%d lists while 20 writers waited", lists)
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// TestFewConnections uses a role that may have 3 connections, with a pool of 50.
func TestFewConnections(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	s.Exec("postgres", `CREATE ROLE guest LOGIN CONNECTION LIMIT 3`)
	s.Exec(servertest.DatabaseOf(dsn), `GRANT CREATE ON SCHEMA public TO guest`)
	store := open(t, strings.Replace(dsn, "user=cafe", "user=guest", 1))
	fill(t, store)
	app, err := coffeedemo.New(coffeedemo.WithStore(store))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	counts := askMany(t, app, 300, "/coffees")
	t.Logf("300 requests at once over 3 connections: %v", counts)
	if counts[http.StatusOK] == 0 || counts[http.StatusOK]+counts[http.StatusServiceUnavailable] != 300 {
		t.Errorf("got %v, want 200 and 503 only", counts)
	}
}

// TestObstacles creates other objects with the names of the tables.
func TestObstacles(t *testing.T) {
	s := servertest.New(t)
	all, changes := []string{"create", "load", "list", "drop"}, []string{"create", "load", "drop"}
	for _, test := range []struct {
		make, name string
		calls      []string
	}{
		{`CREATE VIEW coffees AS SELECT 1 AS one`, "coffees", all},
		{`CREATE VIEW suppliers AS SELECT 1 AS one`, "suppliers", changes},
		{`CREATE MATERIALIZED VIEW coffees AS SELECT 1 AS one`, "coffees", all},
		{`CREATE SEQUENCE coffees`, "coffees", changes},
		{`CREATE FOREIGN DATA WRAPPER w; CREATE SERVER other FOREIGN DATA WRAPPER w; CREATE FOREIGN TABLE coffees (one int) SERVER other`, "coffees", all},
		{`CREATE TYPE coffees AS ENUM ('a')`, "coffees", changes},
	} {
		what := "an object named " + test.name + " that is not a table"
		dsn := s.Database(t)
		s.Exec(servertest.DatabaseOf(dsn), test.make)
		store := open(t, dsn)
		defer store.Close()
		app, err := coffeedemo.New(coffeedemo.WithStore(store))
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range calls {
			if slices.Contains(test.calls, call.name) {
				if err := call.do(t.Context(), store); err == nil || !strings.Contains(err.Error(), what) {
					t.Errorf("%s: %s: got %v, want %s in the way", test.make, call.name, err, what)
				}
			}
		}
		status, body := ask(app, "/db/create-tables")
		if status != http.StatusConflict || !strings.Contains(body, what) {
			t.Errorf("%s: got %d %q, want 409 with %q", test.make, status, body, what)
		}
	}
	// A view of the tables prevents a drop.
	dsn := s.Database(t)
	store := open(t, dsn)
	defer store.Close()
	fill(t, store)
	database := servertest.DatabaseOf(dsn)
	s.Exec(database, `CREATE VIEW cheap AS SELECT * FROM coffees`)
	if err := store.Drop(t.Context()); err == nil || !strings.Contains(err.Error(), "something that depends on the tables") {
		t.Errorf("drop below a view: got %v, want what is in the way", err)
	}
	if got, err := names(t.Context(), store); err != nil || got != "abc" {
		t.Errorf("after that: got %q, %v, want abc", got, err)
	}
}

// TestEndsWhileConnecting shuts down and closes stores while they connect to a server that accepts
// connections and sends nothing.
func TestEndsWhileConnecting(t *testing.T) {
	port := servertest.FreePort(t)
	n := servertest.NewNetwork(t, port)
	n.Stall()
	dsn := n.Through(fmt.Sprintf("host=127.0.0.1 port=%d user=cafe dbname=cafe sslmode=disable", port))
	for _, test := range []struct {
		name string
		end  func(*coffees.Store) error
	}{
		{"Shutdown", func(s *coffees.Store) error {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			return s.Shutdown(ctx)
		}},
		{"Close", (*coffees.Store).Close},
	} {
		for _, calling := range []bool{false, true} {
			// Opening a connection times out after 2 seconds, so the limit must be less. A busy
			// machine only adds time, so the minimum of several rounds is used.
			const limit = 600 * time.Millisecond
			least := time.Hour
			for round := 0; round < 10 && least > limit; round++ {
				store := open(t, dsn)
				if calling {
					go store.Ping(t.Context())
				}
				time.Sleep(50 * time.Millisecond)
				begin := time.Now()
				test.end(store)
				least = min(least, time.Since(begin))
			}
			t.Logf("%s, with a call: %v: ended after %v", test.name, calling, least)
			if least > limit {
				t.Errorf("%s, with a call: %v: ended after %v at best, want 100ms", test.name, calling, least)
			}
		}
	}
}

// TestSessionsEnd uses a server that ends idle sessions (SQLSTATE 57P05).
func TestSessionsEnd(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	s.Exec("postgres", `ALTER DATABASE `+servertest.DatabaseOf(dsn)+` SET idle_session_timeout = '30ms'`)
	store := open(t, dsn)
	defer store.Close()
	for range 5 {
		for _, call := range calls {
			if err := call.do(t.Context(), store); err != nil {
				t.Errorf("%s: got %v, want no error", call.name, err)
			}
			time.Sleep(60 * time.Millisecond)
		}
	}
}
