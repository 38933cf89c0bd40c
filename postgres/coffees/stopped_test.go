package coffees_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/internal/servertest"
)

// This file stops a host with SIGSTOP while it holds locks, and kills sessions on the server.

// TestStoppedHost stops one host in the middle of a transaction. The other host keeps working.
func TestStoppedHost(t *testing.T) {
	t.Parallel()                  // it mostly waits
	const wait = 10 * time.Second // the locks are free after half of it
	s := servertest.New(t)
	dsn := s.Database(t)
	stopped, process := startProcess(t, dsn+" application_name=stopped", "-wait", wait.String())
	other, _ := startProcess(t, dsn+" application_name=other", "-wait", wait.String())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	round := []string{"/db/create-tables", "/db/load-data", "/db/drop-tables"}
	var load sync.WaitGroup
	load.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			request, _ := http.NewRequestWithContext(ctx, http.MethodGet, stopped+round[i%len(round)], nil)
			if response, err := http.DefaultClient.Do(request); err == nil {
				response.Body.Close()
			}
		}
	})
	stopInTransaction(t, s, process)
	defer process.Signal(syscall.SIGCONT)

	var mu sync.Mutex
	counts := make(map[string]int)
	longest := make(map[string]time.Duration)
	note := func(kind string, right bool, path string, a response, spent time.Duration, limit time.Duration) {
		mu.Lock()
		defer mu.Unlock()
		counts[kind+" "+http.StatusText(a.status)]++
		longest[kind] = max(longest[kind], spent)
		if !right || spent > limit {
			t.Errorf("%s: got %d %q after %v", path, a.status, a.body, spent)
		}
	}
	var clients sync.WaitGroup
	begin := time.Now()
	for i := range 60 {
		clients.Go(func() {
			path, asked := round[i%len(round)], time.Now()
			a := get(other + path)
			right := a.status == http.StatusOK || a.status == http.StatusConflict || a.status == http.StatusServiceUnavailable
			note("write", right, path, a, time.Since(asked), wait+grace)
		})
	}
	for range 8 {
		clients.Go(func() {
			for time.Since(begin) < wait+time.Second {
				asked := time.Now()
				a := get(other + "/coffees")
				note("read", a.status == http.StatusOK || a.status == http.StatusConflict, "/coffees", a, time.Since(asked), wait)
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	clients.Wait()
	t.Logf("60 writers and 8 readers beside a stopped host: %v, longest %v", counts, longest)
	if counts["write OK"] == 0 {
		t.Error("no write succeeded")
	}
	process.Signal(syscall.SIGCONT)
	cancel()
	load.Wait()
	if a := get(stopped + "/coffees"); a.status != http.StatusOK && a.status != http.StatusConflict {
		t.Errorf("the host that goes on: got %d %q", a.status, a.body)
	}
}

// stopInTransaction stops the process when it holds a lock that others wait for.
func stopInTransaction(t *testing.T, s *servertest.Server, process *os.Process) {
	t.Helper()
	for end := time.Now().Add(hangGuard); time.Now().Before(end); time.Sleep(time.Millisecond) {
		process.Signal(syscall.SIGSTOP)
		time.Sleep(2 * time.Millisecond) // for the server to finish the statement
		if s.Value("postgres", `SELECT count(*) FROM pg_stat_activity a JOIN pg_locks l USING (pid)
			WHERE application_name = 'stopped' AND state = 'idle in transaction' AND granted
			AND (mode = 'AccessExclusiveLock' OR locktype = 'advisory')`) > 0 {
			return
		}
		process.Signal(syscall.SIGCONT)
	}
	t.Fatal("the host was never stopped in a transaction")
}

// TestKilledSessions kills, as kill -9 does, the session of a call at 60 moments. The server then
// ends all sessions and recovers.
func TestKilledSessions(t *testing.T) {
	const wait = hangGuard // far more than the server takes to recover
	const moments = 12     // of each call
	s := servertest.New(t)
	dsn := s.Database(t)
	store := open(t, dsn+" application_name=killed", coffees.WithPoolSize(1), coffees.WithAcquireTimeout(wait))
	defer store.Close()
	beside := open(t, dsn, coffees.WithAcquireTimeout(wait))
	defer beside.Close()
	whole, unknown, longest := 0, 0, time.Duration(0)
	for moment := range moments {
		for _, call := range calls {
			pid := 0
			for pid == 0 { // again, if the server ends this session because of the last one
				if err := store.Ping(t.Context()); err != nil {
					t.Fatal(err)
				}
				pid = s.Value("postgres", `SELECT coalesce(max(pid), 0) FROM pg_stat_activity WHERE application_name = 'killed'`)
			}
			var killer sync.WaitGroup
			killer.Go(func() {
				time.Sleep(time.Duration(moment) * 3 * time.Millisecond / time.Duration(moments))
				syscall.Kill(pid, syscall.SIGKILL)
			})
			begin := time.Now()
			err := call.do(t.Context(), store)
			spent := time.Since(begin)
			killer.Wait()
			longest = max(longest, spent)
			if spent > wait+grace {
				t.Errorf("%s, moment %d: got a response after %v", call.name, moment, spent)
			}
			if err == nil {
				whole++
			} else if unknown++; !errors.Is(err, coffeedemo.ErrOutcomeUnknown) {
				t.Errorf("%s, moment %d: got %v, want success or ErrOutcomeUnknown", call.name, moment, err)
			}
			// Another connection sees the state that the call reported. If the call does not know
			// the outcome, it is repeated.
			if state := stateOf(t, beside); err == nil && state != after[call.name] {
				t.Errorf("%s, moment %d: succeeded, and then the tables were %q", call.name, moment, state)
			} else if err != nil && state != after[call.name] {
				if err := call.do(t.Context(), beside); err != nil {
					t.Fatalf("%s, moment %d: again: %v", call.name, moment, err)
				}
			}
		}
	}
	t.Logf("%d sessions killed: %d calls succeeded, %d did not know; longest %v; 0 wrong, 0 late",
		moments*len(calls), whole, unknown, longest.Round(time.Millisecond))
}

// after is the state of the tables after each of calls.
var after = map[string]string{"create": "empty", "load": "abc", "list": "abc", "ping": "abc", "drop": "absent"}

// stateOf lists until the server responds.
func stateOf(t *testing.T, store *coffees.Store) string {
	t.Helper()
	for end := time.Now().Add(hangGuard); time.Now().Before(end); {
		got, err := names(t.Context(), store)
		switch {
		case err == nil && got == "":
			return "empty"
		case err == nil:
			return got
		case errors.Is(err, coffeedemo.ErrTablesMissing):
			return "absent"
		case !errors.Is(err, coffeedemo.ErrBusy):
			t.Fatal(err)
		}
	}
	t.Fatal("the server does not come back")
	return ""
}
