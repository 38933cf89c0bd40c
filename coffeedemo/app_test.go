package coffeedemo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/routing"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// TestRoutes calls every route in every state of the tables. It checks the response, the new state,
// and the route that the response names.
func TestRoutes(t *testing.T) {
	for _, test := range []struct {
		name   string
		before tables
		path   string
		status int
		names  string // in the body
		after  tables
	}{
		{"create without tables", noTables, createPath, 200, loadPath, emptyTables},
		{"load without tables", noTables, loadPath, 409, createPath, noTables},
		{"drop without tables", noTables, dropPath, 409, createPath, noTables},
		{"list without tables", noTables, coffeesPath, 409, createPath, noTables},
		{"create with empty tables", emptyTables, createPath, 409, dropPath, emptyTables},
		{"load with empty tables", emptyTables, loadPath, 200, coffeesPath, fullTables},
		{"drop with empty tables", emptyTables, dropPath, 200, "", noTables},
		{"list with empty tables", emptyTables, coffeesPath, 200, "", emptyTables},
		{"create with full tables", fullTables, createPath, 409, dropPath, fullTables},
		{"load with full tables", fullTables, loadPath, 409, dropPath, fullTables},
		{"drop with full tables", fullTables, dropPath, 200, "", noTables},
		{"list with full tables", fullTables, coffeesPath, 200, "", fullTables},
	} {
		for _, base := range []string{"", "/shop", "/shop/"} {
			t.Run(test.name+" under "+base, func(t *testing.T) {
				prefix := strings.TrimSuffix(base, "/")
				d := openDemo(t, 3, time.Second)
				d.state(t, test.before)
				app, err := coffeedemo.New(coffeedemo.WithStore(d.db), coffeedemo.WithBasePath(base))
				if err != nil {
					t.Fatal(err)
				}
				w := serve(app, httptest.NewRequest("GET", prefix+test.path, nil))
				if w.Code != test.status {
					t.Errorf("got status %d, want %d", w.Code, test.status)
				}
				if test.names != "" && !strings.Contains(w.Body.String(), " "+test.names[1:]+" ") {
					t.Errorf("got body %q, want it to name %s, relative to the base path", w.Body, test.names)
				}
				assertHeaders(t, w, test.path, test.status)
				if got := d.tables(t); got != test.after {
					t.Errorf("got tables %+v, want %+v", got, test.after)
				}
				d.assertHealthy(t)
			})
		}
	}
}

// assertHeaders checks the headers of a response of the app.
func assertHeaders(t *testing.T, w *httptest.ResponseRecorder, path string, status int) {
	t.Helper()
	contentType, cache := "text/plain; charset=utf-8", "no-store"
	if path == coffeesPath {
		cache = ""
		if status == http.StatusOK {
			contentType = "text/html; charset=utf-8"
		}
	}
	for name, want := range map[string]string{"Content-Type": contentType, "Cache-Control": cache, "X-Content-Type-Options": "nosniff"} {
		if got := strings.Join(w.Header()[name], "|"); got != want {
			t.Errorf("header %s: got %q, want %q", name, got, want)
		}
	}
}

func TestList(t *testing.T) {
	d := openDemo(t, 3, time.Second)
	d.state(t, emptyTables)
	if got := d.get(t.Context(), coffeesPath).Body.String(); got != "" {
		t.Errorf("empty tables: got body %q, want none", got)
	}
	d.state(t, fullTables)
	for range 2 { // the second response must not contain the first
		if got := d.get(t.Context(), coffeesPath).Body.String(); got != fullList {
			t.Errorf("got body %q, want %q", got, fullList)
		}
	}
	w := serve(d, httptest.NewRequest("HEAD", coffeesPath, nil))
	if w.Code != 200 || w.Body.Len() > 0 || w.Header().Get("Content-Length") != fmt.Sprint(len(fullList)) {
		t.Errorf("HEAD: got %d, %q, length %s, want 200, no body, length %d", w.Code, w.Body, w.Header().Get("Content-Length"), len(fullList))
	}
}

// TestListsDoNotShareMemory: a further list does not change a response that is being written.
func TestListsDoNotShareMemory(t *testing.T) {
	d := openDemo(t, 2, time.Second)
	d.state(t, fullTables)
	for range 20 {
		d.ServeHTTP(&slowWriter{header: make(http.Header), write: func(body []byte) {
			rename(t, d, "Espresso", "ESPRESSO")
			d.get(t.Context(), coffeesPath)
			rename(t, d, "ESPRESSO", "Espresso")
			if string(body) != fullList {
				t.Errorf("got %q, want %q", body, fullList)
			}
		}}, httptest.NewRequest("GET", coffeesPath, nil))
	}
}

// slowWriter does something before it takes a body.
type slowWriter struct {
	header http.Header
	write  func(body []byte)
}

func (w *slowWriter) Header() http.Header { return w.header }
func (w *slowWriter) WriteHeader(int)     {}
func (w *slowWriter) Write(body []byte) (int, error) {
	w.write(body)
	return len(body), nil
}

func rename(t *testing.T, d *demo, from, to string) {
	t.Helper()
	err := d.db.Write(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, `UPDATE COFFEES SET COF_NAME = ? WHERE COF_NAME = ?`, &sqlitex.ExecOptions{Args: []any{to, from}})
	})
	if err != nil {
		t.Error(err)
	}
}

func TestListEscapes(t *testing.T) {
	d := openDemo(t, 1, time.Second,
		coffeedemo.WithSuppliers(coffeedemo.Supplier{ID: 1, Name: `<script>alert("1")</script>`}),
		coffeedemo.WithCoffees(coffeedemo.Coffee{Name: `a&b'c"d<e>f`, SupplierID: 1}, coffeedemo.Coffee{Name: "ü&", SupplierID: 1}),
	)
	d.get(t.Context(), createPath)
	d.get(t.Context(), loadPath)
	const want = `  a&amp;b&#39;c&#34;d&lt;e&gt;f supplied by &lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;<br />` +
		`  ü&amp; supplied by &lt;script&gt;alert(&#34;1&#34;)&lt;/script&gt;`
	if got := d.get(t.Context(), coffeesPath).Body.String(); got != want {
		t.Errorf("got body %q, want %q", got, want)
	}
}

// TestHead: a HEAD request never changes the tables.
func TestHead(t *testing.T) {
	d := openDemo(t, 1, time.Second)
	for _, state := range []tables{noTables, emptyTables, fullTables} {
		d.state(t, state)
		for _, path := range []string{createPath, loadPath, dropPath} {
			w := serve(d, httptest.NewRequest("HEAD", path, nil))
			if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET" {
				t.Errorf("HEAD %s: got %d, Allow %q, want 405, GET", path, w.Code, w.Header().Get("Allow"))
			}
			if got := w.Header().Get("Cache-Control"); got != "no-store" {
				t.Errorf("HEAD %s: got Cache-Control %q, want no-store", path, got)
			}
			if got := d.tables(t); got != state {
				t.Errorf("HEAD %s: got tables %+v, want %+v as before", path, got, state)
			}
		}
	}
}

// The Allow header does not have HEAD if it is refused.
func TestAllow(t *testing.T) {
	d := openDemo(t, 1, time.Second, coffeedemo.WithMethodNotAllowed())
	for _, test := range []struct{ path, allow string }{
		{createPath, "GET, OPTIONS"}, {loadPath, "GET, OPTIONS"}, {dropPath, "GET, OPTIONS"}, {coffeesPath, "GET, HEAD, OPTIONS"},
	} {
		for method, status := range map[string]int{"POST": 405, "OPTIONS": 204} {
			w := serve(d, httptest.NewRequest(method, test.path, nil))
			if got := w.Header().Get("Allow"); w.Code != status || got != test.allow {
				t.Errorf("%s %s: got %d and Allow %q, want %d and %q", method, test.path, w.Code, got, status, test.allow)
			}
		}
	}
}

func TestUnmatched(t *testing.T) {
	requests := []struct{ method, path string }{
		{"GET", "/"}, {"GET", "/db"}, {"GET", "/db/"}, {"GET", "/db/create-tables/x"}, {"GET", "/coffees/1"},
		{"POST", createPath}, {"PUT", loadPath}, {"DELETE", dropPath}, {"OPTIONS", createPath}, {"POST", coffeesPath}, {"GET", "/COFFEES"},
	}
	d := openDemo(t, 1, time.Second)
	for _, r := range requests {
		w := serve(d, httptest.NewRequest(r.method, r.path, nil))
		if w.Code != 404 || w.Header().Get("Content-Type") != "text/html; charset=utf-8" || w.Body.Len() == 0 || w.Body.Len() > 500 {
			t.Errorf("%s %s: got %d %q, want 404 and a short HTML page", r.method, r.path, w.Code, w.Body)
		}
		if got := w.Header().Get("X-Content-Type-Options"); got != "nosniff" {
			t.Errorf("%s %s: got X-Content-Type-Options %q, want nosniff", r.method, r.path, got)
		}
	}

	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "next %s %s %d", r.Method, r.URL, len(w.Header()))
	})
	d = openDemo(t, 1, time.Second, coffeedemo.WithNext(next), coffeedemo.WithBasePath("/shop"), coffeedemo.WithGuard())
	for _, r := range append(requests, struct{ method, path string }{"GET", "/../coffees"}) {
		for _, path := range []string{r.path, "/shop" + r.path} {
			w := serve(d, httptest.NewRequest(r.method, path+"?q=1", nil))
			if want := "next " + r.method + " " + path + "?q=1 0"; w.Body.String() != want {
				t.Errorf("%s %s with a next handler: got %q, want %q", r.method, path, w.Body, want)
			}
		}
	}
	if got := d.tables(t); got != noTables {
		t.Errorf("got tables %+v, want none", got)
	}
}

// TestHostRoutes: added routes run before the app's own, and may use the same database.
func TestHostRoutes(t *testing.T) {
	d := openDemo(t, 1, time.Second)
	d.Routes().Get("/coffees", func(c routing.Context) (routing.Result, error) {
		if _, plain := c.Params().Get("plain"); !plain {
			return routing.Result{}, routing.Pass
		}
		return routing.Text("plain"), nil
	})
	d.state(t, fullTables)
	for path, want := range map[string]string{"/coffees": fullList, "/coffees?plain": "plain"} {
		if got := d.get(t.Context(), path).Body.String(); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestWithSuppliersAndCoffees(t *testing.T) {
	rows := []coffeedemo.Coffee{{Name: "b", SupplierID: 2}, {Name: "a", SupplierID: 1, Price: math.MaxFloat64}}
	d := openDemo(t, 1, time.Second,
		coffeedemo.WithSuppliers(coffeedemo.Supplier{ID: math.MaxInt32, Name: "z"}, coffeedemo.Supplier{ID: 1, Name: "x"}, coffeedemo.Supplier{ID: 2, Name: "y"}),
		coffeedemo.WithCoffees(rows...),
	)
	rows[0].Name = "changed later"
	d.get(t.Context(), createPath)
	if w := d.get(t.Context(), loadPath); w.Code != 200 {
		t.Errorf("load: got %d, want 200", w.Code)
	}
	if got, want := d.get(t.Context(), coffeesPath).Body.String(), "  a supplied by x<br />  b supplied by y"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNoRows(t *testing.T) {
	d := openDemo(t, 1, time.Second, coffeedemo.WithSuppliers(), coffeedemo.WithCoffees())
	for _, path := range []string{createPath, loadPath, loadPath, coffeesPath} {
		if w := d.get(t.Context(), path); w.Code != 200 {
			t.Errorf("%s: got %d, want 200", path, w.Code)
		}
	}
}

// TestBadOptions: New refuses invalid options. The error has the value and what to write instead.
func TestBadOptions(t *testing.T) {
	store := openSQLite(t, 1, time.Second)
	supplier := func(s coffeedemo.Supplier) coffeedemo.Option { return coffeedemo.WithSuppliers(s) }
	coffee := func(c ...coffeedemo.Coffee) coffeedemo.Option { return coffeedemo.WithCoffees(c...) }
	large := math.MaxInt32
	large++ // is -2147483648 on 32 bits, which is refused too
	for _, test := range []struct {
		name    string
		options []coffeedemo.Option
		says    []string
	}{
		{"base path without a slash", options(coffeedemo.WithBasePath("shop")), []string{`"shop"`, `"/shop"`}},
		{"base path with a query", options(coffeedemo.WithBasePath("/shop?a")), []string{`"/shop?a"`, "must not contain a query"}},
		{"base path of another host", options(coffeedemo.WithBasePath("//evil")), []string{`"/evil"`}},
		{"base path with a dot segment", options(coffeedemo.WithBasePath("/a/../b")), []string{`"/b"`}},
		{"base path with a fragment", options(coffeedemo.WithBasePath("/shop#a")), []string{`"/shop#a"`}},
		{"pool of none", options(coffeedemo.WithPoolSize(0)), []string{"0", "at least 1"}},
		{"pool of fewer", options(coffeedemo.WithPoolSize(-1)), []string{"-1", "at least 1"}},
		{"no wait", options(coffeedemo.WithAcquireTimeout(0)), []string{"0s", "more than 0"}},
		{"nil store", options(coffeedemo.WithStore(nil)), []string{"WithStore(nil)"}},
		{"store and pool size", options(coffeedemo.WithStore(store), coffeedemo.WithPoolSize(2)), []string{"WithPoolSize", "where the store is opened"}},
		{"store and acquire timeout", options(coffeedemo.WithAcquireTimeout(1), coffeedemo.WithStore(store)), []string{"WithAcquireTimeout"}},
		{"supplier without ID", options(supplier(coffeedemo.Supplier{Name: "A"})), []string{`"A"`, "from 1"}},
		{"supplier with a large ID", options(supplier(coffeedemo.Supplier{Name: "A", ID: large})), []string{"2147483648"}},
		{"supplier without name", options(supplier(coffeedemo.Supplier{ID: 5})), []string{"supplier 5", "name"}},
		{"supplier twice", options(coffeedemo.WithSuppliers(coffeedemo.Supplier{ID: 5, Name: "A"}, coffeedemo.Supplier{ID: 5, Name: "B"})), []string{`"B"`, "5"}},
		{"supplier not in UTF-8", options(supplier(coffeedemo.Supplier{ID: 5, Name: "A", City: "\xff"})), []string{`"\xff"`, "UTF-8"}},
		{"supplier with NUL", options(supplier(coffeedemo.Supplier{ID: 5, Name: "A\x00"})), []string{"NUL"}},
		{"coffees of suppliers that are gone", options(coffeedemo.WithSuppliers()), []string{"supplier 101", "WithSuppliers"}},
		{"coffee without name", options(coffee(coffeedemo.Coffee{SupplierID: 49})), []string{"without a name"}},
		{"coffee twice", options(coffee(coffeedemo.Coffee{Name: "A", SupplierID: 49}, coffeedemo.Coffee{Name: "A", SupplierID: 49})), []string{`"A"`, "once"}},
		{"coffee of nobody", options(coffee(coffeedemo.Coffee{Name: "A", SupplierID: 50})), []string{`"A"`, "50"}},
		{"coffee not in UTF-8", options(coffee(coffeedemo.Coffee{Name: "A\xff", SupplierID: 49})), []string{"UTF-8"}},
		{"coffee without a price", options(coffee(coffeedemo.Coffee{Name: "A", SupplierID: 49, Price: math.NaN()})), []string{"NaN", "at least 0"}},
		{"coffee without a limit", options(coffee(coffeedemo.Coffee{Name: "A", SupplierID: 49, Price: math.Inf(1)})), []string{"+Inf"}},
		{"coffee below nothing", options(coffee(coffeedemo.Coffee{Name: "A", SupplierID: 49, Price: -1})), []string{"-1"}},
	} {
		app, err := coffeedemo.New(test.options...)
		if err == nil {
			app.Close()
			t.Errorf("%s: got no error, want one", test.name)
			continue
		}
		for _, want := range append(test.says, "coffeedemo: ") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %q, want %q in it", test.name, err, want)
			}
		}
	}
	if err := store.Ping(t.Context()); err != nil {
		t.Errorf("store that New has refused to take: got %v, want it open", err)
	}
}

func options(list ...coffeedemo.Option) []coffeedemo.Option { return list }

func TestOpenSQLiteRefuses(t *testing.T) {
	if _, err := coffeedemo.OpenSQLite(0, time.Second); err == nil {
		t.Error("limit 0: got no error, want one")
	}
	if _, err := coffeedemo.OpenSQLite(1, -time.Second); err == nil {
		t.Error("wait below 0: got no error, want one")
	}
}

// TestTwoApps: two Apps in one process share no state.
func TestTwoApps(t *testing.T) {
	first, second := openDemo(t, 1, time.Second), openDemo(t, 1, time.Second)
	first.state(t, fullTables)
	if got := second.tables(t); got != noTables {
		t.Errorf("second app: got tables %+v, want none", got)
	}
	first.Close()
	if w := second.get(t.Context(), createPath); w.Code != 200 {
		t.Errorf("second app when the first is closed: got %d, want 200", w.Code)
	}
}

// brokenStore fails in each way that a Store may.
type brokenStore struct {
	coffeedemo.Store
	err error
}

func (s *brokenStore) Create(context.Context) error { return s.err }
func (s *brokenStore) Drop(context.Context) error   { return s.err }
func (s *brokenStore) Load(context.Context, []coffeedemo.Supplier, []coffeedemo.Coffee) error {
	return s.err
}
func (s *brokenStore) List(context.Context, func(_, _ string) error) error { return s.err }

func newLogger(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

// TestErrors is the table of the responses to a Store's errors.
func TestErrors(t *testing.T) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		name   string
		ctx    context.Context
		err    error
		status int
		retry  string
		logged bool
	}{
		{"tables exist", t.Context(), coffeedemo.ErrTablesExist, 409, "", false},
		{"tables missing", t.Context(), coffeedemo.ErrTablesMissing, 409, "", false},
		{"data loaded", t.Context(), coffeedemo.ErrDataLoaded, 409, "", false},
		{"busy", t.Context(), coffeedemo.ErrBusy, 503, "1", false},
		{"closed", t.Context(), coffeedemo.ErrClosed, 503, "1", false},
		{"unknown", t.Context(), coffeedemo.ErrOutcomeUnknown, 503, "", false},
		{"unknown, and closed", t.Context(), errors.Join(coffeedemo.ErrClosed, coffeedemo.ErrOutcomeUnknown), 503, "", false},
		{"client gone", over, context.Canceled, 503, "1", false},
		{"failure", t.Context(), errors.New("SQLITE_FULL: /var/db at 0x12"), 500, "", true},
		{"somebody else's deadline", t.Context(), context.DeadlineExceeded, 500, "", true},
	} {
		d := openDemo(t, 1, time.Second)
		store := &brokenStore{d.db, fmt.Errorf("operation: %w", test.err)}
		app, err := coffeedemo.New(coffeedemo.WithStore(store), coffeedemo.WithLogger(newLogger(d.log)))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{createPath, loadPath, dropPath, coffeesPath} {
			w := serve(app, httptest.NewRequestWithContext(test.ctx, "GET", path, nil))
			if w.Code != test.status {
				t.Errorf("%s, %s: got %d, want %d", test.name, path, w.Code, test.status)
			}
			if got := w.Header().Get("Retry-After"); got != test.retry {
				t.Errorf("%s, %s: got Retry-After %q, want %q", test.name, path, got, test.retry)
			}
			assertHeaders(t, w, path, test.status)
			assertDiscreet(t, w)
		}
		if got := strings.Contains(d.log.String(), "operation: "+test.err.Error()); got != test.logged {
			t.Errorf("%s: got log %q, want the error in it: %t", test.name, d.log, test.logged)
		}
	}
}

// obstructed is a store in which something else has the name of a table.
type obstructed struct{ coffeedemo.Store }

type obstacle struct{ error }

func (obstacle) Obstacle() string { return "a view named coffees" }

func (obstructed) Create(context.Context) error {
	return fmt.Errorf("create: %w", obstacle{errors.New("secret")})
}

// Clients learn what is in the way, and no more.
func TestObstacle(t *testing.T) {
	app, err := coffeedemo.New(coffeedemo.WithStore(obstructed{openSQLite(t, 1, time.Second)}))
	if err != nil {
		t.Fatal(err)
	}
	w := serve(app, httptest.NewRequest("GET", createPath, nil))
	if want := "The database has a view named coffees, which prevents this. Rename or drop it there."; w.Code != 409 || w.Body.String() != want {
		t.Errorf("got %d %q, want 409 %q", w.Code, w.Body, want)
	}
}
