package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres"
	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

// hangGuard is far more than any step takes.
const hangGuard = time.Minute

// open opens a pool whose calls wait for a busy machine, unless an option says otherwise.
func open(t *testing.T, dsn string, options ...postgres.Option) *postgres.Pool {
	t.Helper()
	pool, err := postgres.Open(t.Context(), dsn, append([]postgres.Option{postgres.WithAcquireTimeout(hangGuard)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// fill makes the tables of the coffees.
func fill(t *testing.T, store *coffees.Store) {
	t.Helper()
	err := errors.Join(store.Create(t.Context()),
		store.Load(t.Context(), []coffeedemo.Supplier{{ID: 1, Name: "s"}}, []coffeedemo.Coffee{{Name: "a", SupplierID: 1}}))
	if err != nil {
		t.Fatal(err)
	}
}

func list(ctx context.Context, store *coffees.Store) error {
	return store.List(ctx, func(_, _ string) error { return nil })
}

// until waits until done returns true.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(hangGuard); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited too long: %s", what)
		}
	}
}

// busySessions opens sessions: it calls List while the table is locked.
func busySessions(t *testing.T, s *servertest.Server, dsn string, store *coffees.Store, sessions int) {
	t.Helper()
	other, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	if _, err := other.Exec(t.Context(), `BEGIN; LOCK TABLE coffees`); err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	for range sessions {
		calls.Go(func() {
			if err := list(t.Context(), store); err != nil {
				t.Errorf("list: %v", err)
			}
		})
	}
	until(t, "all sessions are busy", func() bool {
		return s.Value("postgres", `SELECT count(*) FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'`,
			servertest.DatabaseOf(dsn)) == sessions
	})
	other.Close(t.Context())
	calls.Wait()
}

// A server that does not respond, first in the connection string, takes a part of the time only.
func TestDeadServer(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	fill(t, coffees.New(open(t, dsn)))
	dead := servertest.NewNetwork(t, s.Port)
	dead.Stall()
	_, deadPort, _ := strings.Cut(dead.Through(dsn), "port=")
	deadPort, _, _ = strings.Cut(deadPort, " ")
	both := strings.Replace(dsn, "host=127.0.0.1 port=", "host=127.0.0.1,127.0.0.1 port="+deadPort+",", 1)
	store, err := coffees.Open(t.Context(), strings.Replace(both, "connect_timeout=30", "", 1), coffees.WithAcquireTimeout(20*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	app, err := coffeedemo.New(coffeedemo.WithStore(store))
	if err != nil {
		t.Fatalf("the host does not start: %v", err)
	}
	defer app.Close()
	const clients, each = 16, 20
	var served atomic.Int64
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for range each {
				if list(t.Context(), store) == nil {
					served.Add(1)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d of %d calls served", served.Load(), clients*each)
	if served.Load() < clients*(each-1) { // a slow machine may fail the first call of each
		t.Errorf("got %d of %d calls served beside a dead server", served.Load(), clients*each)
	}
}

// A lost session does not cost the others. A server that is silent for a second does.
func TestLostSession(t *testing.T) {
	const sessions = 6
	s := servertest.New(t)
	dsn := s.Database(t)
	fill(t, coffees.New(open(t, dsn)))
	s.Exec("postgres", `CREATE TABLE before (pid int)`)
	servertest.Steady(t, func() error {
		pool := open(t, dsn+" application_name=sessions", postgres.WithPoolSize(sessions))
		defer pool.Close()
		store := coffees.New(pool)
		busySessions(t, s, dsn, store, sessions)
		const mine = `FROM pg_stat_activity WHERE application_name = 'sessions'`
		last := s.Value("postgres", `SELECT pid `+mine+` ORDER BY state_change DESC LIMIT 1`)
		s.Exec("postgres", `TRUNCATE before; INSERT INTO before SELECT pid `+mine)
		s.Exec("postgres", fmt.Sprintf(`SELECT pg_terminate_backend(%d, 10000)`, last))
		for range 2 * sessions {
			if err := list(t.Context(), store); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.Value("postgres", `SELECT count(*) `+mine+` AND pid IN (SELECT pid FROM before)`); got != sessions-1 {
			return fmt.Errorf("%d of the sessions are left, want %d: all but the lost one", got, sessions-1)
		}
		return nil
	})
}

// Two stores share the connections, and each ends alone.
func TestOnePool(t *testing.T) {
	const size = 3
	s := servertest.New(t)
	dsn := s.Database(t)
	if _, err := flowers.Load(t.Context(), dsn, func(yield func(flowercatalog.Flower, error) bool) {
		yield(flowercatalog.Flower{Slug: "rose", Name: "Rose"}, nil)
	}); err != nil {
		t.Fatal(err)
	}
	pool := open(t, dsn+fmt.Sprintf(" application_name=shared pool_max_conns=%d", size), postgres.WithPoolSize(40))
	tables, catalog := coffees.New(pool), flowers.New(pool)
	fill(t, tables)
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			if err := list(t.Context(), tables); err != nil {
				t.Errorf("list: %v", err)
			}
			if _, err := catalog.Find(t.Context(), "rose"); err != nil {
				t.Errorf("find: %v", err)
			}
		})
	}
	all.Wait()
	servertest.Steady(t, func() error {
		if _, err := catalog.Find(t.Context(), "rose"); err != nil {
			return err
		}
		if got := s.Value("postgres", `SELECT count(*) FROM pg_stat_activity WHERE application_name = 'shared'`); got > size {
			return fmt.Errorf("got %d sessions, want at most %d", got, size)
		}
		if got := catalog.Stats(); got.Limit != size || got.Idle == 0 {
			return fmt.Errorf("got %+v, want a limit of %d", got, size)
		}
		return nil
	})
	if err := tables.Close(); err != nil {
		t.Error(err)
	}
	if err := tables.Ping(t.Context()); !errors.Is(err, coffeedemo.ErrClosed) {
		t.Errorf("a closed store: got %v", err)
	}
	if _, err := catalog.Find(t.Context(), "rose"); err != nil {
		t.Errorf("the other store: %v", err)
	}
	pool.Close()
	if _, err := catalog.Find(t.Context(), "rose"); !errors.Is(err, flowercatalog.ErrClosed) {
		t.Errorf("without its pool: got %v, want ErrClosed", err)
	}
}

// usedContext counts the uses of its values.
type usedContext struct {
	context.Context
	uses *atomic.Int64
}

func (c usedContext) Value(key any) any {
	c.uses.Add(1)
	return c.Context.Value(key)
}

// Open does not wait for its first connection, which does not use its context.
func TestOpenDoesNotWait(t *testing.T) {
	s := servertest.New(t)
	silent := servertest.NewNetwork(t, s.Port)
	silent.Stall()
	var uses atomic.Int64
	ctx, cancel := context.WithCancel(usedContext{t.Context(), &uses})
	pool, err := postgres.Open(ctx, silent.Through(s.Database(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	cancel()
	before := uses.Load()
	silent.Resume()
	until(t, "a connection without a call", func() bool { return pool.Stats().Idle == 1 })
	if after := uses.Load(); after != before {
		t.Errorf("the context was used %d times after Open", after-before)
	}
}

// Sessions that nobody uses are left to other programs. The defaults are in TestPoolConfig.
func TestIdleSessionsClose(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	pool := open(t, dsn+" pool_max_conn_idle_time=300ms pool_health_check_period=100ms")
	store := coffees.New(pool)
	fill(t, store)
	busySessions(t, s, dsn, store, 8)
	until(t, "one session is left", func() bool { return pool.Stats().Idle == 1 })
}

// A store that cannot reach its database says why, and finds it when it has started.
func TestUnreachableDatabaseIsExplained(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	silent := servertest.NewNetwork(t, s.Port)
	silent.Stall()
	s.Exec("postgres", `CREATE ROLE reader LOGIN; ALTER ROLE reader SET default_transaction_read_only = on; CREATE ROLE unwanted`)
	var all sync.WaitGroup // they wait most of the time
	for _, test := range []struct{ name, dsn, says string }{
		{"no server", strings.Replace(dsn, fmt.Sprint(s.Port), servertest.NoPort, 1), "connection refused"},
		{"read-only", strings.Replace(dsn, "user=cafe", "user=reader target_session_attrs=read-write", 1), "read only connection"},
		{"silent", silent.Through(dsn), "timeout"},
		{"refused", strings.Replace(dsn, "user=cafe", "user=unwanted", 1), `role "unwanted" is not permitted to log in (SQLSTATE 28000)`},
		{"refused without TLS", strings.NewReplacer("user=cafe", "user=unwanted", "sslmode=disable", "").Replace(dsn), "(SQLSTATE 28000)"},
		{"TLS refused", strings.Replace(dsn, "sslmode=disable", "sslmode=require", 1), "server refused TLS connection"},
		{"unknown and silent", strings.Replace(silent.Through(dsn), "host=127.0.0.1", "host=no-such-host.invalid,127.0.0.1", 1), "timeout"},
	} {
		pool := open(t, test.dsn, postgres.WithAcquireTimeout(6*time.Second), postgres.WithLogger(slog.New(slog.DiscardHandler)))
		all.Go(func() {
			err := coffees.New(pool).Ping(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "does not respond") {
				t.Errorf("%s: got %v, want %q", test.name, err, test.says)
			}
		})
	}
	all.Wait()
	s.Kill()
	pinged := make(chan error, 1)
	store := coffees.New(open(t, dsn, postgres.WithLogger(slog.New(slog.DiscardHandler))))
	go func() { pinged <- store.Ping(t.Context()) }()
	s.Start()
	if err := <-pinged; err != nil {
		t.Errorf("a server that starts: %v", err)
	}
}

// A server without its files, as while it is made anew from the primary, does not make an outage of
// the others an error.
func TestBrokenServer(t *testing.T) {
	broken, s := servertest.New(t), servertest.New(t)
	dsn := s.Database(t)
	if err := os.Remove(filepath.Join(broken.Data, "global", "pg_filenode.map")); err != nil {
		t.Fatal(err)
	}
	both := strings.Replace(dsn, "host=127.0.0.1 port=", fmt.Sprintf("host=127.0.0.1,127.0.0.1 port=%d,", broken.Port), 1)
	s.Exec("postgres", `ALTER ROLE cafe SET default_transaction_read_only = on`)
	both += " target_session_attrs=read-write"
	store := coffees.New(open(t, both, postgres.WithAcquireTimeout(4*time.Second), postgres.WithLogger(slog.New(slog.DiscardHandler))))
	servertest.Steady(t, func() error {
		if err := store.Ping(t.Context()); !errors.Is(err, coffeedemo.ErrBusy) || !strings.Contains(err.Error(), "58P01") {
			return fmt.Errorf("beside a read-only server: got %v, want ErrBusy, with the reason of each", err)
		}
		return nil
	})
	s.Exec("postgres", `BEGIN READ WRITE; ALTER ROLE cafe RESET default_transaction_read_only; COMMIT`)
	until(t, "the server accepts writes", func() bool { return store.Ping(t.Context()) == nil })
}

// lockedBuffer is a log.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// An outage is two lines in the log.
func TestOutageIsLogged(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	var log lockedBuffer
	pool := open(t, dsn, postgres.WithAcquireTimeout(time.Second), postgres.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	store := coffees.New(pool)
	until(t, "the first response", func() bool { return store.Ping(t.Context()) == nil })
	for round := range 2 {
		until(t, "calm", func() bool { return store.Ping(t.Context()) == nil && !pool.Stats().Outage })
		before := strings.Count(log.String(), "\n")
		s.Kill()
		for range 3 {
			if err := store.Ping(t.Context()); !errors.Is(err, coffeedemo.ErrBusy) {
				t.Errorf("got %v, want ErrBusy", err)
			}
		}
		if stats := pool.Stats(); !stats.Outage || stats.Repeats == 0 {
			t.Errorf("in an outage: got %+v", stats)
		}
		s.Start()
		until(t, "the end is logged", func() bool { return store.Ping(t.Context()) == nil && !pool.Stats().Outage })
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")[before:]
		if len(lines) != 2 || !strings.Contains(lines[0], "outage begins") || !strings.Contains(lines[0], "reason=") ||
			!strings.Contains(lines[1], "outage ends") || !strings.Contains(lines[1], "lasted=") || !strings.Contains(lines[1], "failed=") {
			t.Errorf("round %d: the log says\n%s\nwant one line for the begin and one for the end", round, strings.Join(lines, "\n"))
		}
	}
}

// A change that may have been committed is an error of its own, and a line in the log.
func TestOutcomeUnknown(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	n := servertest.NewNetwork(t, s.Port)
	var log lockedBuffer
	pool := open(t, n.Through(dsn), postgres.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	store, beside := coffees.New(pool), coffees.New(open(t, dsn))
	var err error
	end := time.Now().Add(5 * hangGuard)
	for bytes := 100; pool.Stats().Unknown == 0; bytes += 11 { // the response to the commit has more
		if err := beside.Drop(t.Context()); err != nil && !errors.Is(err, coffeedemo.ErrTablesMissing) {
			t.Fatal(err)
		}
		n.After(bytes, servertest.Cut)
		err = store.Create(t.Context())
		if !n.Happened() { // again: the bytes of another session count too, if one is opened meanwhile
			bytes = 100
		}
		if time.Now().After(end) {
			t.Fatal("the call was never cut in its commit")
		}
	}
	if !errors.Is(err, coffeedemo.ErrOutcomeUnknown) || errors.Is(err, coffeedemo.ErrBusy) {
		t.Errorf("got %v, want ErrOutcomeUnknown and not ErrBusy", err)
	}
	if !strings.Contains(log.String(), "unknown whether a change was committed") || !strings.Contains(log.String(), "create tables") {
		t.Errorf("the log says %q, want that a change may have been committed", log.String())
	}

	// At the acquire timeout, a commit still waits for a standby.
	if err := beside.Drop(t.Context()); err != nil && !errors.Is(err, coffeedemo.ErrTablesMissing) {
		t.Fatal(err)
	}
	s.Exec("postgres", `ALTER SYSTEM SET synchronous_standby_names = 'absent'`)
	s.Exec("postgres", `SELECT pg_reload_conf()`)
	waits := open(t, dsn, postgres.WithAcquireTimeout(time.Second))
	until(t, "changes wait for a standby", func() bool { wait, err := waits.WaitsForStandby(t.Context()); return err == nil && wait })
	if err := coffees.New(waits).Create(t.Context()); !errors.Is(err, coffeedemo.ErrOutcomeUnknown) || errors.Is(err, coffeedemo.ErrBusy) {
		t.Errorf("without the standby: got %v, want ErrOutcomeUnknown and not ErrBusy", err)
	}
}

// A lock of another session is no outage, and reads go on.
func TestLockIsNoOutage(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	var log lockedBuffer
	store := coffees.New(open(t, dsn, postgres.WithAcquireTimeout(2*time.Second), postgres.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))))
	fill(t, coffees.New(open(t, dsn)))
	until(t, "the first response", func() bool { return store.Ping(t.Context()) == nil })
	other, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	if _, err := other.Exec(t.Context(), `BEGIN; LOCK TABLE coffees IN SHARE MODE`); err != nil {
		t.Fatal(err)
	}
	servertest.Steady(t, func() error {
		before := log.String()
		for range 4 {
			if err := store.Drop(t.Context()); !errors.Is(err, coffeedemo.ErrBusy) {
				t.Errorf("drop: got %v, want ErrBusy", err)
			}
			if err := list(t.Context(), store); err != nil {
				return fmt.Errorf("list: %w", err)
			}
		}
		if now := log.String(); now != before {
			return fmt.Errorf("the log says %s, want nothing", strings.TrimPrefix(now, before))
		}
		return nil
	})
}

// Behind a pooler, sessions stay while the server becomes a standby: a call waits for the primary.
func TestPrimaryBecomesStandby(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Pooled(s.Database(t), servertest.NewPooler(t, s))
	var log lockedBuffer
	pool := open(t, dsn, postgres.WithAcquireTimeout(10*time.Second), postgres.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	store := coffees.New(pool)
	fill(t, store)
	s.Kill()
	signal := filepath.Join(s.Data, "standby.signal")
	if err := os.WriteFile(signal, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	servertest.Own(t, signal)
	s.Start()
	until(t, "the standby is read", func() bool { return list(t.Context(), store) == nil })
	if err := store.Drop(t.Context()); !errors.Is(err, coffeedemo.ErrBusy) {
		t.Errorf("on a standby: got %v, want ErrBusy", err)
	}
	if !pool.Stats().Outage {
		t.Errorf("on a standby: no outage; the log says %q", log.String())
	}
	s.Exec("postgres", `SELECT pg_promote()`)
	if err := store.Drop(t.Context()); err != nil {
		t.Errorf("on the primary: %v", err)
	}
}

// A server that refuses the role does not end the wait for another one, which may accept it.
func TestOneServerRefuses(t *testing.T) {
	refusing, s := servertest.New(t), servertest.New(t)
	refusing.Exec("postgres", `CREATE ROLE host`)
	s.Exec("postgres", `CREATE ROLE host LOGIN`)
	for name, ports := range map[string]string{
		"the first": fmt.Sprintf("%d,%d", refusing.Port, s.Port),
		"the last":  fmt.Sprintf("%d,%d", s.Port, refusing.Port),
	} {
		s.Kill()
		pool := open(t, "host=127.0.0.1,127.0.0.1 port="+ports+" user=host dbname=postgres", postgres.WithLogger(slog.New(slog.DiscardHandler)))
		pinged := make(chan error, 1)
		go func() { pinged <- coffees.New(pool).Ping(t.Context()) }()
		until(t, "a try", func() bool { return pool.Stats().Repeats > 0 || len(pinged) > 0 })
		none := open(t, "host=127.0.0.1,127.0.0.1 port="+ports+" user=cafe dbname=none", postgres.WithLogger(slog.New(slog.DiscardHandler)))
		ctx, cancel := context.WithTimeout(t.Context(), hangGuard)
		if err := coffees.New(none).Ping(ctx); err == nil || ctx.Err() != nil || !strings.Contains(err.Error(), "(SQLSTATE 3D000)") {
			t.Errorf("%s: without the database, which no server has: got %v, want an error at once", name, err)
		}
		cancel()
		s.Start()
		if err := <-pinged; err != nil {
			t.Errorf("%s: got %v, want to wait for the other server", name, err)
		}
	}
}

// A network that falls silent costs one ping for all idle sessions, and no session that a call has
// abandoned keeps its place in the pool: each call then has time for another server. One ping after
// the other would take 30 seconds, and the driver's end of an abandoned session 15.
func TestSilentNetwork(t *testing.T) {
	const sessions, wait = 30, 10 * time.Second
	for _, busy := range []bool{false, true} {
		first, second := servertest.New(t), servertest.New(t)
		n := servertest.NewNetwork(t, first.Port)
		dsn := first.DSN("postgres")
		_, port, _ := strings.Cut(n.Through(dsn), "port=")
		port, _, _ = strings.Cut(port, " ")
		both := strings.Replace(dsn, "host=127.0.0.1 port=", "host=127.0.0.1,127.0.0.1 port="+port+",", 1)
		both = strings.Replace(both, fmt.Sprintf(",%d ", first.Port), fmt.Sprintf(",%d ", second.Port), 1)
		fill(t, coffees.New(open(t, second.DSN("postgres"))))
		pool := open(t, both, postgres.WithPoolSize(sessions), postgres.WithAcquireTimeout(wait), postgres.WithLogger(slog.New(slog.DiscardHandler)))
		store := coffees.New(pool)
		fill(t, store)
		busySessions(t, first, dsn, store, sessions)
		if busy {
			n.Stall()
			var calls sync.WaitGroup
			for range sessions {
				calls.Go(func() { list(t.Context(), store) })
			}
			calls.Wait()
		} else {
			time.Sleep(1100 * time.Millisecond) // idle sessions are pinged after a second
			n.Stall()
		}
		if err := list(t.Context(), store); err != nil {
			t.Errorf("busy: %v: got %v, want a list of the other server", busy, err)
		}
	}
}
