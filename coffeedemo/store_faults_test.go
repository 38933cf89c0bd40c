package coffeedemo_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"example.com/flowercafe/coffeedemo"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// This file makes each step fail, as SQLite's own tests do (sqlite.org/testing.html, 3): the first
// step of an operation fails, then the second, and so on until the operation ends without the
// fault. Each time, first only that step fails, then that step and all later ones.

// fault makes steps of the next operation on a connection fail. Steps are counted from 1.
type fault struct {
	name   string
	states []tables // that it is tried in; nil is all
	status int      // what the client reads

	// inject makes the connection call fails before each step; if it returns true, the step fails.
	// cancel ends the request.
	inject func(conn *sqlite.Conn, fails func() bool, cancel func()) error
}

var faults = []fault{
	{
		// While a statement is prepared, SQLite calls the authorizer for each of its actions.
		// Setting an authorizer makes SQLite prepare all statements again, also BEGIN, COMMIT and
		// ROLLBACK.
		name: "statement", status: http.StatusInternalServerError,
		inject: func(conn *sqlite.Conn, fails func() bool, _ func()) error {
			return conn.SetAuthorizer(sqlite.AuthorizeFunc(func(sqlite.Action) sqlite.AuthResult {
				if fails() {
					return sqlite.AuthResultDeny
				}
				return sqlite.AuthResultOK
			}))
		},
	},
	{
		name: "interrupt", status: http.StatusServiceUnavailable,
		inject: func(conn *sqlite.Conn, fails func() bool, cancel func()) error {
			return conn.SetAuthorizer(sqlite.AuthorizeFunc(func(sqlite.Action) sqlite.AuthResult {
				if fails() {
					cancel()
					time.Sleep(time.Millisecond) // until the interrupt has come
				}
				return sqlite.AuthResultOK
			}))
		},
	},
	{
		name: "insert", states: []tables{emptyTables}, status: http.StatusInternalServerError,
		inject: func(conn *sqlite.Conn, fails func() bool, _ func()) error {
			return injectInserts(conn, "RAISE(ABORT, 'fault')", fails)
		},
	},
	{
		name: "interrupt in an insert", states: []tables{emptyTables}, status: http.StatusServiceUnavailable,
		inject: func(conn *sqlite.Conn, fails func() bool, cancel func()) error {
			return injectInserts(conn, "1", func() bool {
				if fails() {
					cancel()
					time.Sleep(time.Millisecond)
				}
				return false
			})
		},
	},
}

// injectInserts calls fails before each insert, with triggers that only this connection has.
func injectInserts(conn *sqlite.Conn, then string, fails func() bool) error {
	err := conn.CreateFunction("fails", &sqlite.FunctionImpl{
		Scalar: func(sqlite.Context, []sqlite.Value) (sqlite.Value, error) {
			if fails() {
				return sqlite.IntegerValue(1), nil
			}
			return sqlite.IntegerValue(0), nil
		},
	})
	if err != nil {
		return err
	}
	for _, table := range []string{"SUPPLIERS", "COFFEES"} {
		trigger := fmt.Sprintf("CREATE TEMP TRIGGER before_%s BEFORE INSERT ON main.%s BEGIN SELECT %s WHERE fails(); END", table, table, then)
		if err := sqlitex.ExecuteTransient(conn, trigger, nil); err != nil {
			return err
		}
	}
	return nil
}

// operations are the routes, each with the state in which it succeeds.
var operations = []struct {
	path          string
	before, after tables
}{
	{createPath, noTables, emptyTables},
	{loadPath, emptyTables, fullTables},
	{coffeesPath, fullTables, fullTables},
	{coffeesPath, noTables, noTables},
	{dropPath, fullTables, noTables},
}

func TestFaults(t *testing.T) {
	t.Parallel()
	var points atomic.Int64
	t.Cleanup(func() { t.Logf("%d fault points in all", points.Load()) })
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for _, op := range operations {
				if f.states != nil && f.states[0] != op.before {
					continue
				}
				for _, once := range []bool{true, false} {
					n := 0
					for failAt(t, f, op.path, op.before, op.after, int64(n+1), once) {
						n++
					}
					if n == 0 {
						t.Errorf("GET %s: no step of it could fail", op.path)
					}
					t.Logf("GET %s with %+v, %s: %d fault points", op.path, op.before, mode(once), n)
					points.Add(int64(n))
				}
			}
		})
	}
}

func mode(once bool) string {
	if once {
		return "fail once"
	}
	return "fail from then on"
}

// failAt runs an operation whose k-th step fails, and checks that it leaves nothing. It reports
// whether there was a k-th step.
func failAt(t *testing.T, f fault, path string, before, after tables, k int64, once bool) (failed bool) {
	t.Helper()
	d := openDemo(t, 3, time.Second)
	defer d.Close()
	d.state(t, before)

	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var steps, hits atomic.Int64
	var armed atomic.Bool
	inject(t, d, f, func() bool {
		if !armed.Load() {
			return false
		}
		step := steps.Add(1)
		if step != k && (once || step < k) {
			return false
		}
		hits.Add(1)
		return true
	}, cancel)

	armed.Store(true)
	w := d.get(ctx, path)
	armed.Store(false)

	name := fmt.Sprintf("GET %s, step %d, %s", path, k, mode(once))
	expected := http.StatusOK
	if path == coffeesPath && !before.exist {
		expected = http.StatusConflict
	}
	switch {
	case w.Code == expected:
		// A fault after the COMMIT has no effect.
		if got := d.tables(t); got != after {
			t.Errorf("%s: got %d and tables %+v, want %+v", name, w.Code, got, after)
		}
	case hits.Load() == 0:
		t.Errorf("%s: got %d without a fault, want %d", name, w.Code, expected)
	default:
		if w.Code != f.status {
			t.Errorf("%s: got %d, want %d; the log says %s", name, w.Code, f.status, d.log)
		}
		if got := d.tables(t); got != before {
			t.Errorf("%s: got tables %+v, want %+v as before", name, got, before)
		}
		assertDiscreet(t, w)
		if w := d.get(context.Background(), path); w.Code != expected {
			t.Errorf("%s, then again: got %d, want %d", name, w.Code, expected)
		}
		if got := d.tables(t); got != after {
			t.Errorf("%s, then again: got tables %+v, want %+v", name, got, after)
		}
	}
	d.assertHealthy(t)
	return hits.Load() > 0
}

// inject injects a fault into the connection that the next operation will take.
func inject(t *testing.T, d *demo, f fault, fails func() bool, cancel func()) {
	t.Helper()
	connections, release, err := d.db.TakeAll(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	// The connection that was released last is taken first.
	if err := f.inject(connections[len(connections)-1], fails, cancel); err != nil {
		t.Fatal(err)
	}
}

// TestDatabaseFull limits the database to each size that it has during the operations.
func TestDatabaseFull(t *testing.T) {
	var rows []coffeedemo.Coffee
	for i := range 600 {
		rows = append(rows, coffeedemo.Coffee{Name: fmt.Sprintf("a coffee with a long name, number %04d", i), SupplierID: 49})
	}
	points := 0
	for _, once := range []bool{true, false} {
		for pages := 1; ; pages++ {
			d := openDemo(t, 3, time.Second, coffeedemo.WithCoffees(rows...))
			setPages(t, d, pages)
			refused := 0
			for _, path := range []string{createPath, loadPath, coffeesPath, dropPath} {
				w := d.get(t.Context(), path)
				if w.Code == http.StatusInternalServerError {
					assertDiscreet(t, w)
					refused++
					if once {
						setPages(t, d, 1<<20)
						w = d.get(t.Context(), path)
					}
				}
				if once && w.Code != http.StatusOK {
					t.Errorf("%d pages, then more: GET %s: got %d, want 200", pages, path, w.Code)
				}
				if got := d.tables(t); got != noTables && got != emptyTables && got != (tables{true, 3, len(rows)}) {
					t.Errorf("%d pages: GET %s: got tables %+v, want none, empty ones or full ones", pages, path, got)
				}
			}
			if !once {
				d.get(t.Context(), dropPath)
			}
			d.assertHealthy(t)
			d.Close()
			if refused == 0 {
				break
			}
			points += refused
		}
	}
	t.Logf("%d times full", points)
	if points < 20 {
		t.Errorf("got %d faults, want at least 20", points)
	}
}

// setPages sets the maximum size of the database, for every connection.
func setPages(t *testing.T, d *demo, pages int) {
	t.Helper()
	connections, release, err := d.db.TakeAll(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for _, conn := range connections {
		if _, err := texts(conn, fmt.Sprintf("PRAGMA max_page_count = %d", pages)); err != nil {
			t.Fatal(err)
		}
	}
}
