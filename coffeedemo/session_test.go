package coffeedemo_test

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"example.com/flowercafe/coffeedemo"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Statements for the tests' sessions.
const (
	addCoffee = `INSERT INTO COFFEES VALUES ('Test', 49, 1.0, 0, 0)`
	endless   = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n`
)

type work = func(context.Context, *sqlite.Conn) error

// sessions are the two kinds of sessions.
func sessions(db *coffeedemo.SQLite) map[string]func(context.Context, work) error {
	return map[string]func(context.Context, work) error{"Read": db.Read, "Write": db.Write}
}

func TestWriteCommits(t *testing.T) {
	d := openDemo(t, 3, time.Second)
	d.state(t, fullTables)
	err := d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, addCoffee, nil)
	})
	if err != nil {
		t.Errorf("Write: got %v, want no error", err)
	}
	if got, want := d.tables(t), (tables{true, 3, 6}); got != want {
		t.Errorf("got tables %+v, want %+v", got, want)
	}
}

// TestWriteRollsBack: if work fails in any way, it is rolled back, and the caller gets the error.
func TestWriteRollsBack(t *testing.T) {
	failure := errors.New("failure")
	cause := errors.New("has gone")
	for name, test := range map[string]struct {
		work func(cancel func(), conn *sqlite.Conn) error
		want error
	}{
		"an error": {func(_ func(), _ *sqlite.Conn) error { return failure }, failure},
		"an error with a statement under way": {func(_ func(), conn *sqlite.Conn) error {
			conn.Prep(`SELECT * FROM COFFEES`).Step()
			return failure
		}, failure},
		"the context ends, and work doesn't care": {func(cancel func(), conn *sqlite.Conn) error {
			cancel()
			return nil
		}, cause},
		"the context ends in a statement": {func(cancel func(), conn *sqlite.Conn) error {
			time.AfterFunc(10*time.Millisecond, cancel)
			return sqlitex.Execute(conn, endless, nil)
		}, cause},
		"work rolls back by itself": {func(_ func(), conn *sqlite.Conn) error {
			if err := sqlitex.Execute(conn, "ROLLBACK", nil); err != nil {
				return err
			}
			return failure
		}, failure},
	} {
		t.Run(name, func(t *testing.T) {
			d := openDemo(t, 3, time.Second)
			d.state(t, fullTables)
			ctx, cancel := context.WithCancelCause(t.Context())
			var used *sqlite.Conn
			err := d.db.Write(ctx, func(_ context.Context, conn *sqlite.Conn) error {
				used = conn
				if err := sqlitex.Execute(conn, addCoffee, nil); err != nil {
					return err
				}
				return test.work(func() { cancel(cause) }, conn)
			})
			if !errors.Is(err, test.want) {
				t.Errorf("got error %v, want %v", err, test.want)
			}
			if got := d.tables(t); got != fullTables {
				t.Errorf("got tables %+v, want %+v as before", got, fullTables)
			}
			read(t, d, func(conn *sqlite.Conn) {
				if conn != used {
					t.Error("got another connection, want the same one, cleaned")
				}
			})
			d.assertHealthy(t)
		})
	}
}

// TestCommitFails: the error of a COMMIT is one of SQLite.
func TestCommitFails(t *testing.T) {
	d := openDemo(t, 3, time.Second)
	d.state(t, fullTables)
	err := d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
		return sqlitex.ExecuteScript(conn, `PRAGMA defer_foreign_keys = ON; INSERT INTO COFFEES VALUES ('Test', 4, 1.0, 0, 0);`, nil)
	})
	if got := sqlite.ErrCode(err); got != sqlite.ResultConstraintForeignKey {
		t.Errorf("got %v, want a violated constraint", err)
	}
	if got := d.tables(t); got != fullTables {
		t.Errorf("got tables %+v, want %+v as before", got, fullTables)
	}
	d.assertHealthy(t)
}

// TestLateInterrupt: a context that ends together with its session never interrupts the next
// session on the connection.
func TestLateInterrupt(t *testing.T) {
	d := openDemo(t, 1, time.Second)
	d.state(t, fullTables)
	late := 0
	for range 500 {
		ctx, cancel := context.WithCancel(t.Context())
		err := d.db.Read(ctx, func(context.Context, *sqlite.Conn) error {
			cancel()
			return nil
		})
		if err == nil {
			late++
		} else if !errors.Is(err, context.Canceled) {
			t.Errorf("session whose context ends: got %v, want %v or no error", err, context.Canceled)
		}
		if err := d.db.Ping(t.Context()); err != nil {
			t.Fatalf("the session after it: got %v, want no error", err)
		}
	}
	t.Logf("%d of 500 interrupts came after the session", late)
}

// TestListEnds: a list stops at the next row when its context has ended.
func TestListEnds(t *testing.T) {
	d := openDemo(t, 1, time.Second)
	d.state(t, fullTables)
	for k := 1; k < 5; k++ {
		cause := errors.New("has gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		calls := 0
		err := d.db.List(ctx, func(_, _ string) error {
			if calls++; calls == k {
				cancel(cause)
			}
			return nil
		})
		if !errors.Is(err, cause) || calls != k {
			t.Errorf("context ends in row %d: got %v after %d rows, want %v after as many", k, err, calls, cause)
		}
	}
	d.assertHealthy(t)
}

// TestStatementLeftBehind: if work succeeds but leaves an unfinished statement, the connection is
// still clean.
func TestStatementLeftBehind(t *testing.T) {
	for _, kind := range []string{"Read", "Write"} {
		d := openDemo(t, 1, time.Second)
		d.state(t, fullTables)
		err := sessions(d.db)[kind](t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
			conn.Prep(`SELECT * FROM COFFEES`).Step()
			conn.Prep(`SELECT * FROM SUPPLIERS`).Step()
			return nil
		})
		if err != nil {
			t.Errorf("%s: got %v, want no error", kind, err)
		}
		d.assertHealthy(t)
		if w := d.get(t.Context(), dropPath); w.Code != http.StatusOK {
			t.Errorf("%s: then drop: got %d, want 200", kind, w.Code)
		}
	}
}

// TestReadsAreConcurrent: reading sessions run together, a writing session runs alone.
func TestReadsAreConcurrent(t *testing.T) {
	d := openDemo(t, 3, 10*time.Second)
	d.state(t, fullTables)
	inside, leave := make(chan struct{}), make(chan struct{})
	var ended sync.WaitGroup
	for range 3 {
		ended.Go(func() {
			d.db.Read(t.Context(), func(context.Context, *sqlite.Conn) error {
				inside <- struct{}{}
				<-leave
				return nil
			})
		})
	}
	for range 3 {
		<-inside // all three run at once, otherwise this hangs
	}
	wrote := make(chan error, 1)
	go func() {
		wrote <- d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
			if got := d.Stats().InUse; got != 1 {
				t.Errorf("in a writing session: got %d in use, want 1", got)
			}
			return nil
		})
	}()
	select {
	case <-wrote:
		t.Error("a writing session ran beside reading ones")
	case <-time.After(20 * time.Millisecond):
	}
	close(leave)
	if err := <-wrote; err != nil {
		t.Errorf("Write: got %v, want no error", err)
	}
	ended.Wait()
}

// TestNestedSession: a session in a session fails immediately, even if all 50 connections are in
// use. Otherwise all would wait for each other.
func TestNestedSession(t *testing.T) {
	const limit = 50
	d := openDemo(t, limit, time.Minute)
	other := openDemo(t, 1, time.Second)
	began := time.Now()
	var all sync.WaitGroup
	ready := make(chan struct{}, limit)
	goOn := make(chan struct{})
	for range limit {
		all.Go(func() {
			err := d.db.Read(t.Context(), func(ctx context.Context, _ *sqlite.Conn) error {
				ready <- struct{}{}
				<-goOn
				for kind, session := range sessions(d.db) {
					err := session(ctx, func(context.Context, *sqlite.Conn) error { return nil })
					if err == nil || !strings.Contains(err.Error(), "session inside a session") {
						t.Errorf("%s in Read: got %v, want an error that says why", kind, err)
					}
				}
				if err := d.db.List(ctx, func(_, _ string) error { return nil }); err == nil {
					t.Error("List in Read: got no error, want one")
				}
				if err := d.db.Create(ctx); err == nil {
					t.Error("Create in Read: got no error, want one")
				}
				// A session of another database is allowed.
				return other.db.Ping(ctx)
			})
			if err != nil {
				t.Errorf("Read: got %v, want no error", err)
			}
		})
	}
	for range limit {
		<-ready
	}
	close(goOn)
	all.Wait()
	t.Logf("%d sessions in sessions refused in %v", 4*limit, time.Since(began))
	if taken := time.Since(began); taken > hangGuard {
		t.Errorf("took %v, want no waiting", taken)
	}
	d.assertHealthy(t)
}

// values has functions that panic with different values, and runtime.Goexit.
var values = map[string]func(){
	"error":           func() { panic(errors.New("fault")) },
	"string":          func() { panic("fault") },
	"nil":             func() { panic(nil) },
	"custom type":     func() { panic(struct{ fault int }{1}) },
	"ErrAbortHandler": func() { panic(http.ErrAbortHandler) },
	"runtime error":   func() { var none []int; none[len(none)]++ },
	"Goexit":          func() { runtime.Goexit() },
}

// TestPanics makes sessions panic at every step, with every value, and checks that nothing is left.
func TestPanics(t *testing.T) {
	sites := map[string]func(t *testing.T, d *demo, boom func()){
		"before the first statement": func(t *testing.T, d *demo, boom func()) {
			d.db.Write(t.Context(), func(context.Context, *sqlite.Conn) error { boom(); return nil })
		},
		"in a reading session": func(t *testing.T, d *demo, boom func()) {
			d.db.Read(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
				conn.Prep(`SELECT * FROM COFFEES`).Step()
				boom()
				return nil
			})
		},
		"behind an insert": func(t *testing.T, d *demo, boom func()) {
			d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
				sqlitex.Execute(conn, addCoffee, nil)
				boom()
				return nil
			})
		},
		"in a statement's row": func(t *testing.T, d *demo, boom func()) {
			d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
				sqlitex.Execute(conn, addCoffee, nil)
				return sqlitex.Execute(conn, `SELECT * FROM COFFEES`, &sqlitex.ExecOptions{
					ResultFunc: func(*sqlite.Stmt) error { boom(); return nil },
				})
			})
		},
		"in a row of the list": func(t *testing.T, d *demo, boom func()) {
			d.db.List(t.Context(), func(_, _ string) error { boom(); return nil })
		},
		"when the context has ended": func(t *testing.T, d *demo, boom func()) {
			ctx, cancel := context.WithCancel(t.Context())
			d.db.Write(ctx, func(_ context.Context, conn *sqlite.Conn) error {
				sqlitex.Execute(conn, addCoffee, nil)
				cancel()
				boom()
				return nil
			})
		},
		"in a function that SQLite calls": func(t *testing.T, d *demo, boom func()) {
			d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
				conn.CreateFunction("boom", &sqlite.FunctionImpl{
					Scalar: func(sqlite.Context, []sqlite.Value) (sqlite.Value, error) { boom(); return sqlite.Value{}, nil },
				})
				sqlitex.Execute(conn, addCoffee, nil)
				return sqlitex.Execute(conn, `UPDATE COFFEES SET SALES = boom()`, nil)
			})
		},
		"while COMMIT is prepared": func(t *testing.T, d *demo, boom func()) {
			d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
				sqlitex.Execute(conn, addCoffee, nil)
				panicked := false
				return conn.SetAuthorizer(sqlite.AuthorizeFunc(func(a sqlite.Action) sqlite.AuthResult {
					if !panicked {
						panicked = true
						boom()
					}
					return sqlite.AuthResultOK
				}))
			})
		},
	}
	count := 0
	for site, session := range sites {
		for value, boom := range values {
			count++
			t.Run(site+"/"+value, func(t *testing.T) {
				d := openDemo(t, 2, time.Second)
				d.state(t, fullTables)
				ended, went := make(chan struct{}), true
				go func() {
					defer close(ended)
					defer func() { went = recover() != nil || value == "Goexit" }()
					session(t, d, boom)
				}()
				<-ended
				if !went {
					t.Error("the panic was swallowed, want it to go on")
				}
				if got := d.tables(t); got != fullTables {
					t.Errorf("got tables %+v, want %+v as before", got, fullTables)
				}
				d.assertHealthy(t)
				for _, path := range []string{dropPath, createPath, loadPath, coffeesPath} {
					if w := d.get(t.Context(), path); w.Code != http.StatusOK {
						t.Errorf("then GET %s: got %d, want 200", path, w.Code)
					}
				}
			})
		}
	}
	t.Logf("%d panics: %d sites, %d values", count, len(sites), len(values))
}

// A ping does not wait for a writing session, nor behind one that waits for a long reading one. It
// does wait if all connections are in use.
func TestPingBesideSessions(t *testing.T) {
	synctest.Test(t, testPingBesideSessions)
}

func testPingBesideSessions(t *testing.T) {
	const limit = 2
	d := openDemo(t, limit, time.Second)
	end, began := make(chan struct{}), make(chan struct{})
	work := func(context.Context, *sqlite.Conn) error { began <- struct{}{}; <-end; return nil }
	var sessions sync.WaitGroup
	start := func(session func(context.Context, func(context.Context, *sqlite.Conn) error) error) {
		sessions.Go(func() {
			if err := session(t.Context(), work); err != nil {
				t.Error(err)
			}
		})
		<-began
	}
	finish := func() { close(end); sessions.Wait(); end = make(chan struct{}) }

	start(d.db.Write)
	if err := d.Ping(t.Context()); err != nil {
		t.Errorf("beside a writing session: got %v", err)
	}
	cause := errors.New("has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := d.Ping(ctx); !errors.Is(err, cause) {
		t.Errorf("beside a writing session, with a context that has ended: got %v, want %v", err, cause)
	}
	finish()

	start(d.db.Read)
	waiting := make(chan error, 1)
	go func() {
		waiting <- d.db.Write(t.Context(), func(context.Context, *sqlite.Conn) error { return nil })
	}()
	synctest.Wait()
	if got := d.Stats().Waiting; got != 1 {
		t.Fatalf("got %d waiting, want the writing session", got)
	}
	if err := d.Ping(t.Context()); err != nil {
		t.Errorf("behind a writing session that waits: got %v", err)
	}
	finish()
	if err := <-waiting; err != nil {
		t.Errorf("the writing session that waits: got %v", err)
	}

	for range limit {
		start(d.db.Read)
	}
	if err := d.Ping(t.Context()); !errors.Is(err, coffeedemo.ErrBusy) {
		t.Errorf("with all connections in use: got %v, want ErrBusy", err)
	}
	finish()
	d.assertHealthy(t)

	start(d.db.Write)
	down := make(chan error, 1)
	go func() { down <- d.Shutdown(t.Context()) }()
	synctest.Wait()
	if err := d.Ping(t.Context()); !errors.Is(err, coffeedemo.ErrClosed) {
		t.Errorf("while Shutdown waits for a writing session: got %v, want ErrClosed", err)
	}
	finish()
	if err := <-down; err != nil {
		t.Errorf("Shutdown: got %v", err)
	}
}
