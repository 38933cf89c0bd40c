package flowers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

// This file loads flowers into servers that take long, and beside roles that must not stop a load.

// TestLoadTakesLong: a load may take longer than the acquire timeout if the server works on it. If
// the caller's context ends, the server stops too.
func TestLoadTakesLong(t *testing.T) {
	t.Parallel() // it mostly waits
	const wait = 2 * time.Second
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(3)...)
	s.Exec(servertest.DatabaseOf(dsn), `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(5); RETURN NULL; END';
		CREATE TRIGGER slow AFTER INSERT ON flowers FOR EACH STATEMENT EXECUTE FUNCTION slow()`)
	pooler := servertest.NewPooler(t, s)
	for name, dsn := range map[string]string{"direct": dsn, "pooled": s.Pooled(dsn, pooler)} {
		servertest.Steady(t, func() error {
			begin := time.Now()
			_, err := flowers.Load(t.Context(), dsn, sequence(many(4)...), flowers.WithAcquireTimeout(wait))
			if spent := time.Since(begin); err == nil && spent < 2*wait {
				t.Fatalf("%s: the load took %v: the test tests nothing", name, spent)
			}
			return err
		})
	}
	s.Exec(servertest.DatabaseOf(dsn), `CREATE OR REPLACE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(3600); RETURN NULL; END'`)
	await := func(what string, sleeping int) {
		t.Helper()
		const query = `SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`
		for end := time.Now().Add(hangGuard); s.Value("postgres", query) != sleeping; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal(what)
			}
		}
	}
	for name, dsn := range map[string]string{"direct": dsn, "pooled": s.Pooled(dsn, pooler)} {
		ctx, cancel := context.WithCancelCause(t.Context())
		loaded := make(chan error)
		go func() {
			_, err := flowers.Load(ctx, dsn, sequence(many(5)...))
			loaded <- err
		}()
		await(name+": the load does not reach the trigger", 1)
		cancel(errors.New("the reason of the caller"))
		if err := <-loaded; err == nil || !strings.HasSuffix(err.Error(), ": the reason of the caller") {
			t.Errorf("%s: got %v, want the reason of the caller", name, err)
		}
		await(name+": the server goes on with a load that was canceled", 0)
	}
}

// TestLoadNoticesSilentPeer: a load ends if its connection has fallen silent, also while the server
// responds to others.
func TestLoadNoticesSilentPeer(t *testing.T) {
	t.Parallel() // it mostly waits
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(3)...)
	silent := servertest.NewNetwork(t, s.Port)
	_, port, _ := strings.Cut(silent.Through(dsn), "port=")
	port, _, _ = strings.Cut(port, " ")
	both := strings.Replace(dsn, "host=127.0.0.1 port=", "host=127.0.0.1,127.0.0.1 port="+port+",", 1)
	both = strings.Replace(both, "connect_timeout=30", "", 1)
	servertest.Steady(t, func() error {
		count := 0
		_, err := flowers.Load(t.Context(), both, func(yield func(flowercatalog.Flower, error) bool) {
			for _, f := range many(10) {
				if count++; count == 5 {
					silent.Stall() // new sessions use the other address
				}
				if !yield(f, nil) {
					return
				}
			}
		}, flowers.WithAcquireTimeout(2*time.Second))
		silent.Resume()
		if err == nil || !strings.Contains(err.Error(), "does not respond") {
			return fmt.Errorf("got %v, want that the database does not respond", err)
		}
		return nil
	})
}

// TestLoadBeginsAgain: the session of a load that waits for another one is ended, as in a failover.
func TestLoadBeginsAgain(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(3)...)
	other, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close(context.Background())
	if _, err := other.Exec(t.Context(), `BEGIN; LOCK TABLE flower_revision`); err != nil {
		t.Fatal(err)
	}
	loaded := make(chan error)
	go func() {
		_, err := flowers.Load(t.Context(), dsn+" application_name=waiting", sequence(many(4)...))
		loaded <- err
	}()
	const end = `SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE application_name = 'waiting' AND wait_event_type = 'Lock'`
	for limit := time.Now().Add(hangGuard); s.Value("postgres", end) == 0; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("the load does not wait for the lock")
		}
	}
	other.Close(t.Context())
	if err := <-loaded; err != nil {
		t.Errorf("got %v, want a load in another session", err)
	}
}

// TestReaderCannotStopLoads: a role that may only read the flowers takes each lock that it can get.
func TestReaderCannotStopLoads(t *testing.T) {
	t.Parallel() // it mostly waits
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(3)...)
	s.Exec(servertest.DatabaseOf(dsn), `CREATE ROLE reader LOGIN; GRANT SELECT ON flowers, flower_revision TO reader`)
	reader, err := pgx.Connect(t.Context(), strings.Replace(dsn, "user=cafe", "user=reader", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close(context.Background())
	if _, err := reader.Exec(t.Context(), `BEGIN; LOCK TABLE flowers, flower_revision IN ACCESS SHARE MODE; SELECT * FROM flowers, flower_revision`); err != nil {
		t.Fatal(err)
	}
	servertest.Steady(t, func() error {
		_, err := flowers.Load(t.Context(), dsn, func(yield func(flowercatalog.Flower, error) bool) {
			if s.Value("postgres", `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'`) != 0 {
				t.Error("the load holds an advisory lock, which every role can take")
			}
			sequence(many(4)...)(yield)
		}, flowers.WithAcquireTimeout(5*time.Second))
		return err
	})
	for _, mode := range []string{"ROW SHARE", "ROW EXCLUSIVE", "SHARE UPDATE EXCLUSIVE", "SHARE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE"} {
		reader.Exec(t.Context(), `ROLLBACK; BEGIN`)
		if _, err := reader.Exec(t.Context(), `LOCK TABLE flower_revision IN `+mode+` MODE`); err == nil {
			t.Errorf("a reader can lock the revision in mode %s", mode)
		}
	}
}

// TestOtherVersion: tables of another version of the schema are named with both versions.
func TestOtherVersion(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(3)...)
	s.Exec(servertest.DatabaseOf(dsn), `ALTER TABLE flowers RENAME CONSTRAINT flowercafe_2 TO flowercafe_3`)
	_, err := flowers.Load(t.Context(), dsn, sequence(many(3)...))
	for what, err := range map[string]error{"load": err, "ping": open(t, dsn).Ping(t.Context())} {
		if err == nil || !strings.Contains(err.Error(), "flowercafe_2") || !strings.Contains(err.Error(), "flowercafe_3") {
			t.Errorf("%s: got %v, want both versions", what, err)
		}
	}
}

// TestHiddenRows: a policy that hides rows from a reader is an error, not an empty catalog with the
// ETag of the full one.
func TestHiddenRows(t *testing.T) {
	s := servertest.New(t)
	dsn := s.Database(t)
	load(t, dsn, many(3)...)
	s.Exec(servertest.DatabaseOf(dsn), `CREATE ROLE shy LOGIN; GRANT SELECT ON flowers, flower_revision TO shy; ALTER TABLE flowers ENABLE ROW LEVEL SECURITY`)
	store := open(t, strings.Replace(dsn, "user=cafe", "user=shy", 1))
	if err := store.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "row-level security") {
		t.Errorf("ping: got %v, want why", err)
	}
	if _, err := store.Find(t.Context(), many(1)[0].Slug); err == nil || !strings.Contains(err.Error(), "row-level security") {
		t.Errorf("find: got %v, want why", err)
	}
}
