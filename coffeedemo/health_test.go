package coffeedemo_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/flowercafe/coffeedemo"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// This file has what the other tests share: an app whose database they can read, and the checks
// that must pass after every test.

// demo is an app and its database.
type demo struct {
	*coffeedemo.App
	db  *coffeedemo.SQLite
	log *logBuffer
}

func openDemo(tb testing.TB, limit int, wait time.Duration, options ...coffeedemo.Option) *demo {
	tb.Helper()
	d := &demo{db: openSQLite(tb, limit, wait), log: new(logBuffer)}
	options = append([]coffeedemo.Option{
		coffeedemo.WithStore(d.db),
		coffeedemo.WithLogger(slog.New(slog.NewTextHandler(d.log, nil))),
	}, options...)
	app, err := coffeedemo.New(options...)
	if err != nil {
		tb.Fatal(err)
	}
	d.App = app
	return d
}

// logBuffer is a log that is safe for concurrent use.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// get serves one GET request.
func (d *demo) get(ctx context.Context, path string) *httptest.ResponseRecorder {
	return serve(d, httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil))
}

func serve(handler http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

const (
	createPath  = "/db/create-tables"
	loadPath    = "/db/load-data"
	dropPath    = "/db/drop-tables"
	coffeesPath = "/coffees"
)

// The bodies of /coffees with the built-in rows and without rows.
const fullList = "  Colombian supplied by Acme, Inc.<br />" +
	"  Colombian_Decaf supplied by Acme, Inc.<br />" +
	"  Espresso supplied by The High Ground<br />" +
	"  French_Roast supplied by Superior Coffee<br />" +
	"  French_Roast_Decaf supplied by Superior Coffee"

// tables is the content of the database.
type tables struct {
	exist              bool
	suppliers, coffees int
}

var (
	noTables    = tables{}
	emptyTables = tables{exist: true}
	fullTables  = tables{exist: true, suppliers: 3, coffees: 5}
)

// state brings the tables of d to the state want.
func (d *demo) state(tb testing.TB, want tables) {
	tb.Helper()
	d.get(context.Background(), dropPath)
	if want.exist {
		d.get(context.Background(), createPath)
	}
	if want.coffees > 0 {
		d.get(context.Background(), loadPath)
	}
	if got := d.tables(tb); got != want {
		tb.Fatalf("got tables %+v, want %+v", got, want)
	}
}

// tables reads the database, outside of the app.
func (d *demo) tables(tb testing.TB) tables {
	tb.Helper()
	var found tables
	err := d.db.Read(context.Background(), func(_ context.Context, conn *sqlite.Conn) error {
		names, err := texts(conn, `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
		if err != nil {
			return err
		}
		switch list := strings.Join(names, " "); list {
		case "":
			return nil
		case "COFFEES SUPPLIERS":
		default:
			tb.Errorf("got tables %q, want both or none", list)
			return nil
		}
		found.exist = true
		for table, n := range map[string]*int{"SUPPLIERS": &found.suppliers, "COFFEES": &found.coffees} {
			if *n, err = sqlitex.ResultInt(conn.Prep("SELECT count(*) FROM " + table)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Errorf("look into the tables: %v", err)
	}
	return found
}

// texts returns the first column of a query.
func texts(conn *sqlite.Conn, query string) (found []string, err error) {
	err = sqlitex.Execute(conn, query, &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		found = append(found, row.ColumnText(0))
		return nil
	}})
	return found, err
}

// assertHealthy checks what holds after every test: the tables are absent, empty or full, the
// database is sound, and all connections can be taken and are clean.
func (d *demo) assertHealthy(tb testing.TB) {
	tb.Helper()
	if got := d.tables(tb); got != noTables && got != emptyTables && got != fullTables {
		tb.Errorf("got tables %+v, want none, empty ones or full ones", got)
	}
	ctx, cancel := context.WithTimeout(context.Background(), hangGuard)
	defer cancel()
	connections, release, err := d.db.TakeAll(ctx)
	if err != nil {
		tb.Errorf("take all connections: got %v, want all of them", err)
		return
	}
	defer release()
	if s := d.Stats(); s.InUse != len(connections) || s.Open != s.InUse || s.Waiting != 0 {
		tb.Errorf("all %d connections taken: got %+v, want as many open and in use", len(connections), s)
	}
	for _, conn := range connections {
		if !conn.AutocommitEnabled() || conn.CheckReset() != "" {
			tb.Errorf("got a connection in a transaction (%t) or in a statement (%q), want it clean", !conn.AutocommitEnabled(), conn.CheckReset())
		}
	}
	for query, want := range map[string]string{"PRAGMA integrity_check": "ok", "PRAGMA foreign_key_check": ""} {
		got, err := texts(connections[0], query)
		if err != nil || strings.Join(got, " ") != want {
			tb.Errorf("%s: got %q, %v, want %q", query, got, err, want)
		}
	}
}

// internals must never reach a client: SQL, error texts, stacks, paths.
var internals = regexp.MustCompile(`(?i)sqlite|select |insert |create table|drop table|constraint|fault|context|goroutine|\.go\b|panic|0x|coffeedemo|interrupt`)

// assertDiscreet checks that an error response reveals no internals.
func assertDiscreet(tb testing.TB, w *httptest.ResponseRecorder) {
	tb.Helper()
	if found := internals.FindString(w.Body.String()); found != "" {
		tb.Errorf("status %d: got %q in the body %q, want nothing of the inside", w.Code, found, w.Body)
	}
	for name, values := range w.Header() {
		if found := internals.FindString(name + ": " + strings.Join(values, ", ")); found != "" {
			tb.Errorf("status %d: got %q in the header %s, want nothing of the inside", w.Code, found, name)
		}
	}
}
