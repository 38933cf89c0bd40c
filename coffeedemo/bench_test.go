package coffeedemo_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/flowercafe/coffeedemo"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// BenchmarkCoffees measures GET /coffees and its lower limit: stepping the prepared join on one
// connection, and rendering its lines.
func BenchmarkCoffees(b *testing.B) {
	db := openLoaded(b, 50)
	app, err := coffeedemo.New(coffeedemo.WithStore(db))
	if err != nil {
		b.Fatal(err)
	}
	b.Run("floor", func(b *testing.B) {
		list := openFloor(b)
		var html []byte
		text := make([]byte, 64)
		b.ReportAllocs()
		for b.Loop() {
			html = html[:0]
			for {
				row, err := list.Step()
				if err != nil {
					b.Fatal(err)
				}
				if !row {
					break
				}
				if len(html) > 0 {
					html = append(html, "<br />"...)
				}
				html = append(html, "  "...)
				html = append(html, text[:list.ColumnBytes(0, text)]...)
				html = append(html, " supplied by "...)
				html = append(html, text[:list.ColumnBytes(1, text)]...)
			}
		}
		if len(html) == 0 {
			b.Fatal("got no rows")
		}
	})
	b.Run("store", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := db.List(context.Background(), func(_, _ string) error { return nil }); err != nil {
				b.Fatal(err)
			}
		}
	})
	request := httptest.NewRequest(http.MethodGet, "/coffees", nil)
	b.Run("route", func(b *testing.B) { benchmarkRoute(b, app, request) })
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.Run("route, cancellable", func(b *testing.B) { benchmarkRoute(b, app, request.WithContext(ctx)) })
}

func benchmarkRoute(b *testing.B, handler http.Handler, r *http.Request) {
	w := &discard{header: make(http.Header)}
	b.ReportAllocs()
	for b.Loop() {
		clear(w.header)
		handler.ServeHTTP(w, r)
	}
}

// discard is a ResponseWriter that discards the body.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

func openLoaded(tb testing.TB, limit int) *coffeedemo.SQLite {
	tb.Helper()
	db, err := coffeedemo.OpenSQLite(limit, 1e9)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	app, err := coffeedemo.New(coffeedemo.WithStore(db))
	if err != nil {
		tb.Fatal(err)
	}
	for _, path := range []string{"/db/create-tables", "/db/load-data", "/coffees"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		tb.Log(w.Code, w.Header(), w.Body.String())
	}
	return db
}

// openFloor returns the prepared join on a connection of its own.
func openFloor(b *testing.B) *sqlite.Stmt {
	conn, err := sqlite.OpenConn("file:/floor?vfs=memdb", sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenURI)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	err = sqlitex.ExecuteScript(conn, `
		CREATE TABLE SUPPLIERS (SUP_ID INTEGER PRIMARY KEY, SUP_NAME TEXT, STREET TEXT, CITY TEXT, STATE TEXT, ZIP TEXT);
		CREATE TABLE COFFEES (COF_NAME TEXT PRIMARY KEY, SUP_ID INTEGER, PRICE DOUBLE, SALES INTEGER, TOTAL INTEGER,
			CONSTRAINT SUP_FK FOREIGN KEY (SUP_ID) REFERENCES SUPPLIERS (SUP_ID));
		INSERT INTO SUPPLIERS VALUES (101, 'Acme, Inc.', '', '', '', ''), (49, 'Superior Coffee', '', '', '', ''), (150, 'The High Ground', '', '', '', '');
		INSERT INTO COFFEES VALUES ('Colombian', 101, 7.99, 0, 0), ('French_Roast', 49, 8.99, 0, 0), ('Espresso', 150, 9.99, 0, 0),
			('Colombian_Decaf', 101, 8.99, 0, 0), ('French_Roast_Decaf', 49, 9.99, 0, 0);`, nil)
	if err != nil {
		b.Fatal(err)
	}
	return conn.Prep(`SELECT c.COF_NAME, s.SUP_NAME FROM COFFEES c JOIN SUPPLIERS s ON s.SUP_ID = c.SUP_ID ORDER BY c.COF_NAME`)
}
