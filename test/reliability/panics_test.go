package reliability_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/routing"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Panics with every kind of value, at every place that runs code of an application, with a real
// server and a real database.

// assertSound checks that all connections are free, none is in a transaction, and the database is
// intact.
func assertSound(t *testing.T, db *coffeedemo.SQLite, connections int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	taken, done, release := make(chan error, connections), make(chan error, connections), make(chan struct{})
	for range connections {
		go func() {
			done <- db.Read(ctx, func(_ context.Context, conn *sqlite.Conn) error {
				taken <- sqlitex.Execute(conn, "PRAGMA integrity_check", &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
					if got := row.ColumnText(0); got != "ok" {
						return errors.New(got)
					}
					return nil
				}})
				<-release
				return nil
			})
		}()
	}
	for range connections {
		select {
		case err := <-taken:
			if err != nil {
				t.Errorf("integrity check: %v", err)
			}
		case <-ctx.Done():
			t.Errorf("got fewer connections, want all %d at once", connections)
		}
	}
	close(release)
	for range connections {
		if err := <-done; err != nil {
			t.Errorf("read: %v", err)
		}
	}
}

type ownValue struct{ n int }

// The other places of the router in which user code panics have a test in its package.
func TestPanicsOverAServer(t *testing.T) {
	var none []int
	values := map[string]func(){
		"error": func() { panic(errors.New("secret")) }, "string": func() { panic("secret") }, "nil": func() { panic(any(nil)) },
		"own type": func() { panic(ownValue{7}) }, "abort": func() { panic(http.ErrAbortHandler) },
		"runtime error": func() { _ = none[len(none)] }, "Goexit": runtime.Goexit,
	}
	const connections = 4
	db, err := coffeedemo.OpenSQLite(connections, hang)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sites := map[string]func(app *routing.App, boom func()){
		"action": func(app *routing.App, boom func()) {
			app.Get("/", func(routing.Context) (routing.Result, error) { boom(); return routing.Result{}, nil })
		},
		"ResultFunc": func(app *routing.App, boom func()) {
			app.Get("/", func(c routing.Context) (routing.Result, error) {
				return routing.Result{}, db.Read(c.Request().Context(), func(_ context.Context, conn *sqlite.Conn) error {
					return sqlitex.Execute(conn, "SELECT 1", &sqlitex.ExecOptions{ResultFunc: func(*sqlite.Stmt) error { boom(); return nil }})
				})
			})
		},
		"commit": func(app *routing.App, boom func()) {
			app.Get("/", func(c routing.Context) (routing.Result, error) {
				return routing.Result{}, db.Write(c.Request().Context(), func(_ context.Context, conn *sqlite.Conn) error {
					if err := sqlitex.Execute(conn, "CREATE TABLE half (x)", nil); err != nil {
						return err
					}
					return conn.SetAuthorizer(sqlite.AuthorizeFunc(func(a sqlite.Action) sqlite.AuthResult {
						if a.Type() == sqlite.OpTransaction {
							conn.SetAuthorizer(nil)
							boom()
						}
						return sqlite.AuthResultOK
					}))
				})
			})
		},
		"renderer": func(app *routing.App, boom func()) {
			app.Get("/", routing.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { boom() })))
		},
	}
	n := 0
	for site, define := range sites {
		for kind, boom := range values {
			n++
			app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
			define(app, boom)
			server := httptest.NewUnstartedServer(app)
			server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
			server.Start()
			client := server.Client()
			client.Timeout = hang
			response, err := client.Get(server.URL)
			if kind == "abort" || kind == "Goexit" {
				if err == nil {
					response.Body.Close()
					t.Errorf("%s, %s: got status %d, want a closed connection", site, kind, response.StatusCode)
				} else if !errors.Is(err, io.EOF) {
					t.Errorf("%s, %s: got %v, want the connection closed at once", site, kind, err)
				}
			} else if err != nil {
				t.Errorf("%s, %s: got %v, want status 500", site, kind, err)
			} else {
				body, _ := io.ReadAll(response.Body)
				response.Body.Close()
				if response.StatusCode != 500 || string(body) != "Internal Server Error" {
					t.Errorf("%s, %s: got %d %q, want a plain 500", site, kind, response.StatusCode, body)
				}
			}
			server.Close()
		}
	}
	t.Logf("%d panics", n)
	assertSound(t, db, connections)
	err = db.Read(context.Background(), func(_ context.Context, conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, "SELECT 1 FROM half", nil)
	})
	if err == nil || !strings.Contains(err.Error(), "no such table") {
		t.Errorf("the table of a write that panicked: got %v, want no such table", err)
	}
}
