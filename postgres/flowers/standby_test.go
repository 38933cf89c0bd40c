package flowers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/postgres/internal/servertest"
)

// TestStandby: a host reads from a standby when the primary has gone, and while nothing accepts
// writes. A standby that lags behind goes back to an earlier revision: no response is then a 304
// for flowers that the host does not have.
func TestStandby(t *testing.T) {
	primary := servertest.New(t)
	dsn := primary.Database(t)
	standby := primary.Standby(t, "standby")
	database := servertest.DatabaseOf(dsn)
	load(t, dsn, many(10)...)
	for end := time.Now().Add(hangGuard); standby.Value(database, `SELECT count(*) FROM pg_class WHERE relname = 'flowers'`) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the standby does not follow")
		}
	}
	standby.Exec("postgres", `SELECT pg_wal_replay_pause()`)
	for standby.Value("postgres", `SELECT CASE pg_get_wal_replay_pause_state() WHEN 'paused' THEN 1 ELSE 0 END`) == 0 {
		time.Sleep(10 * time.Millisecond)
	}
	changed := many(9)
	changed[3].Name = "Renamed No. 0000003"
	load(t, dsn, changed...)

	both := strings.Replace(strings.Replace(dsn, "host=127.0.0.1", "host=127.0.0.1,127.0.0.1", 1),
		fmt.Sprintf("port=%d", primary.Port), fmt.Sprintf("port=%d,%d", primary.Port, standby.Port), 1)
	paths := []string{"/flowers/", "/flowers/flower-0000003", "/flowers/?name=NO.%20000"}
	read := func(host, path, tag string) (status int, newTag, body string) {
		status, header, text, err := get(host+path, tag)
		if err != nil {
			t.Fatal(err)
		}
		return status, header.Get("ETag"), string(text)
	}
	type answer struct{ tag, body string }
	now, before := make(map[string]answer), make(map[string]answer)
	var host string
	servertest.Steady(t, func() error { // a server that is silent for two seconds is passed over
		host = serve(t, both, hangGuard)
		preferring := serve(t, both+" target_session_attrs=prefer-standby", hangGuard)
		for _, path := range paths {
			_, tag, body := read(host, path, "")
			now[path] = answer{tag, body}
			_, tag, body = read(preferring, path, "")
			if before[path] = (answer{tag, body}); before[path].tag == now[path].tag || before[path].body == now[path].body {
				return fmt.Errorf("%s: the host that prefers standbys has the flowers of the primary", path)
			}
			if status, tag, body := read(preferring, path, now[path].tag); status != http.StatusOK || tag != before[path].tag || body != before[path].body {
				return fmt.Errorf("%s: the tag of later flowers: got %d %s, want 200 and the earlier flowers", path, status, tag)
			}
		}
		return nil
	})
	primary.Kill()
	for _, path := range paths {
		if status, tag, body := read(host, path, now[path].tag); status != http.StatusOK || tag != before[path].tag || body != before[path].body {
			t.Errorf("%s: after the primary's end, with the tag of its flowers: got %d %s, want 200 and the standby's flowers", path, status, tag)
		}
		if status, _, _ := read(host, path, before[path].tag); status != http.StatusNotModified {
			t.Errorf("%s: with the tag of the standby's flowers: got %d, want 304", path, status)
		}
	}
	if _, err := flowers.Load(t.Context(), fmt.Sprintf("%s target_session_attrs=any", both), sequence(many(3)...), flowers.WithAcquireTimeout(100*time.Millisecond)); err == nil {
		t.Error("flowers were loaded into a standby")
	}
}

// A standby that has replayed no transaction since it started has at least the lag of that time: 0
// would hide that its primary is gone.
func TestLagOfRestartedStandby(t *testing.T) {
	primary := servertest.New(t)
	dsn := primary.Database(t)
	load(t, dsn, many(3)...)
	standby := primary.Standby(t, "standby")
	store, err := flowers.Open(t.Context(), standby.DSN(servertest.DatabaseOf(dsn)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	lag := func() (lag time.Duration) {
		servertest.Steady(t, func() error {
			age, err := store.Age(t.Context())
			lag = age.Lag
			return err
		})
		return lag
	}
	for end := time.Now().Add(hangGuard); lag() != 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the standby of an idle primary has a lag")
		}
	}
	// With a restart point at the end of the log, the standby has nothing to replay when it starts.
	primary.Exec("postgres", `CHECKPOINT`)
	for end := time.Now().Add(hangGuard); standby.Value("postgres", `SELECT CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 1 ELSE 0 END`) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the standby does not follow")
		}
	}
	standby.Exec("postgres", `CHECKPOINT`)
	primary.Kill()
	standby.Kill()
	standby.Start()
	if n := standby.Value("postgres", `SELECT count(pg_last_xact_replay_timestamp())`); n != 0 {
		t.Fatal("the standby has replayed a transaction")
	}
	if got := lag(); got <= 0 || got > hangGuard {
		t.Errorf("the restarted standby: got a lag of %v, want the time since its start", got)
	}
}
