package main

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/examples/with/service/booking"
)

// This file has the faults of a database that a host must survive.

const bookingsPath = "/houses/mill/api/v2/bookings"

// While PostgreSQL does not answer, clients get a 503 after five seconds. The session of a
// statement that took too long is of use again.
func TestSilentDatabase(t *testing.T) {
	slow, through := newNetwork(t, newDatabase(t))
	s := start(t, through)
	s.Post("https://example.com/login", apitest.Form{"name": "ann", "password": "rose"}).Want(303)
	slow.stall()
	var wait sync.WaitGroup
	for _, path := range []string{"/", "/houses/mill/", bookingsPath, "https://example.com/static/style.css"} { // the last one reads a session
		wait.Go(func() { s.with("reader").Get(path).Want(503).WantHeader("Retry-After", "1") })
	}
	wait.Go(func() { s.with("writer").Post(bookingsPath, party).Want(503).WantHeader("Retry-After", "1") })
	wait.Wait()
	s.Get("/readyz").Want(200)
	slow.resume()
	s.with("writer").Post(bookingsPath, party).Want(201)
}

// While PostgreSQL is frozen behind PgBouncer, clients get a 503. PgBouncer 1.18 crashes if
// requests to cancel a statement wait then, so it gets none.
func TestFrozenBehindPooler(t *testing.T) {
	through, pooler := startPooler(t, newDatabase(t))
	s := start(t, through)
	resume := sync.OnceFunc(func() { server.Signal(t, syscall.SIGCONT) })
	defer resume()
	var clients sync.WaitGroup
	for range 12 {
		clients.Go(func() {
			for {
				if response := s.with("reader").Get(bookingsPath); response.Status != http.StatusOK {
					response.Want(503).WantHeader("Retry-After", "1")
					return
				}
			}
		})
	}
	time.Sleep(500 * time.Millisecond) // all sessions are in use
	server.Signal(t, syscall.SIGSTOP)
	clients.Wait()
	resume()
	eventually(t, "it recovers", func() bool { return s.with("reader").Get(bookingsPath).Status == http.StatusOK })
	if pooler.log.contains("cancel request") {
		t.Errorf("PgBouncer got a request to cancel: %s", pooler.log)
	}
}

// Beyond 20 calls in progress for each session, calls are refused at once: during an outage the
// others would fill the balancer.
func TestTooManyCalls(t *testing.T) {
	const places, more = 2 * 20, 30
	address := newDatabase(t)
	s := start(t, address+"?pool_max_conns=2")
	conn := connect(t, address)
	execute(t, conn, "BEGIN; LOCK TABLE bookings")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	results := make(chan error, places+more)
	for range places + more {
		go func() {
			_, err := s.data.Bookings(ctx, "mill", party.Day)
			results <- err
		}()
	}
	for range more {
		if err := <-results; !errors.Is(err, booking.ErrUnavailable) || ctx.Err() != nil {
			t.Fatalf("got %v", err)
		}
	}
	s.with("reader").Get(bookingsPath).Want(503).WantHeader("Retry-After", "1")
	execute(t, conn, "COMMIT")
	for range places {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

// The server ends a statement that waits for a lock.
func TestStatementTimeout(t *testing.T) {
	address := newDatabase(t)
	s := start(t, address)
	conn := connect(t, address)
	execute(t, conn, "BEGIN; LOCK TABLE bookings")
	s.with("reader").Get(bookingsPath).Want(503).WantHeader("Retry-After", "1")
	if log := s.log.String(); !strings.Contains(log, "57014") {
		t.Errorf("the server has not ended the statement: %s", log)
	}
}

// A host that stops in the middle of a transaction loses its locks.
func TestAbandonedTransaction(t *testing.T) {
	address := newDatabase(t)
	cut, through := newNetwork(t, address)
	first, second := start(t, through), start(t, address)
	err := first.data.Change(t.Context(), "mill", func(context.Context) error {
		cut.stall()
		tries := 0
		for second.with("writer").Post(bookingsPath, party).Status != http.StatusCreated {
			if tries++; tries == 5 { // five seconds each
				t.Error("the locks are kept")
				break
			}
		}
		return nil
	})
	cut.resume()
	if err == nil {
		t.Error("a transaction that was abandoned is committed")
	}
}

// Sessions that the server has ended are replaced. A request gets no worse than a 503.
func TestEndedSessions(t *testing.T) {
	address := newDatabase(t)
	s := start(t, address)
	conn := connect(t, address)
	for range 20 {
		execute(t, conn, endSessions)
		for i := 0; ; i++ { // as many as the pool may have
			response := s.Get("/")
			if response.Status == http.StatusOK {
				break
			}
			if response.Want(503).WantHeader("Retry-After", "1"); i == 20 {
				t.Fatal("it does not recover")
			}
		}
	}
}

// After a failover, sessions of the old primary can only read. They are replaced.
func TestReadOnlySessions(t *testing.T) {
	address := newDatabase(t)
	s := start(t, address)
	conn := connect(t, address)
	name := address[strings.LastIndexByte(address, '/')+1:]
	execute(t, conn, "ALTER DATABASE "+name+" SET default_transaction_read_only = on")
	execute(t, conn, endSessions)
	for s.Get("/").Status != http.StatusOK { // until it has new sessions
	}
	execute(t, conn, "ALTER DATABASE "+name+" RESET default_transaction_read_only")
	refused := 0
	for s.with("writer").Post(bookingsPath, party).Status != http.StatusCreated {
		if refused++; refused == 20 {
			t.Fatal("it does not recover")
		}
	}
	if refused == 0 {
		t.Error("no session was read-only")
	}
	if log := s.log.String(); strings.Contains(log, `"status":500`) {
		t.Errorf("the log has %s", log)
	}
}

// If the connection is lost during the commit, the client learns that the outcome is unknown. A
// client with a key repeats the request, and gets the booking that it has made.
func TestUnknownCommit(t *testing.T) {
	address := newDatabase(t)
	cut, through := newNetwork(t, address)
	s := start(t, through)
	writer := s.with("writer").WithHeader("Idempotency-Key", "key-1")
	unknown := 0
	for answers := range 20 { // 0 is the first one
		cut.cutAfter(answers)
		response := writer.Post(bookingsPath, party)
		cut.resume()
		if response.Status == http.StatusCreated {
			break
		}
		response.Want(503)
		if strings.Contains(response.Body, "It is unknown") {
			unknown++
			response.WantHeader("Retry-After", "")
		} else {
			response.WantHeader("Retry-After", "1")
		}
	}
	if unknown == 0 {
		t.Error("no connection was lost during the commit")
	}
	var all []booking.Booking
	s.with("reader").Get(bookingsPath + "?from=" + party.Day).Want(200).Decode(&all)
	if len(all) != 1 {
		t.Errorf("got %d bookings, want 1", len(all))
	}
	writer.Post(bookingsPath, party).Want(201, all[0])
	s.with("writer").Post(bookingsPath, party).Want(409) // without the key
}

// Files of SQLite belong to the user alone.
func TestFileMode(t *testing.T) {
	dir := t.TempDir()
	s := start(t, filepath.Join(dir, "bookings.db"))
	s.with("writer").Post(bookingsPath, party).Want(201)
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 2 {
		t.Fatalf("got %d files, %v", len(files), err)
	}
	for _, file := range files {
		info, err := file.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: got the mode %v, %v, want 0600", file.Name(), info.Mode(), err)
		}
	}
}

// What looks like a connection string of another database is refused, and creates no file.
func TestDatabaseNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"mysql://root@localhost/rooms", "sqlite://rooms.db", "file:rooms.db?mode=ro", "host=db1,db2 dbname rooms"} {
		data, err := openStore(t.Context(), name)
		if err == nil {
			data.Close()
			t.Errorf("%s is opened", name)
		}
	}
	data, err := openStore(t.Context(), "host=127.0.0.1,127.0.0.2 port=1 dbname=rooms")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	if err := data.Prepare(t.Context()); !errors.Is(err, booking.ErrUnavailable) {
		t.Errorf("without a server: got %v", err)
	}
	if files, err := os.ReadDir("."); err != nil || len(files) > 0 {
		t.Errorf("got the files %v, %v", files, err)
	}
}

const endSessions = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

func execute(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func connect(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(t.Context()) })
	return conn
}
