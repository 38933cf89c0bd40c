package routing_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// If middleware of an app, or a handler behind an app, leads back to the app without end, the
// response is a 500.
func TestMiddlewareLoop(t *testing.T) {
	var log logBuffer
	logger := routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))
	a, b := routing.New(logger), routing.New(logger)
	a.Use(b.Middleware)
	b.Use(a.Middleware)
	wrapped := routing.New(logger)
	wrapped.Use(func(next http.Handler) http.Handler { return wrapped.Middleware(tag("m")(next)) })
	replaced := routing.New(logger)
	replaced.Use(func(http.Handler) http.Handler { return replaced })
	fallback := routing.New(logger)
	fallback.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(httptest.NewRecorder(), r) // a 404
			r.URL.Path = "/missing"                   // a 404 too
			fallback.ServeHTTP(w, r)
		})
	})
	for name, app := range map[string]*routing.App{"two": a, "wrapped": wrapped, "replaced": replaced, "fallback": fallback} {
		w := get(app, "/")
		if lines := log.take(); w.Code != 500 || !strings.Contains(lines, "leads back to the app") {
			t.Errorf("%s: got %d and the log %.200q, want 500 and why", name, w.Code, lines)
		}
	}
	for name, define := range map[string]func(app *routing.App, back http.Handler) *routing.App{
		"next": func(app *routing.App, back http.Handler) *routing.App {
			return routing.New(logger, routing.WithNext(back))
		},
		"mount":  func(app *routing.App, back http.Handler) *routing.App { app.Mount("/", back); return app },
		"handle": func(app *routing.App, back http.Handler) *routing.App { app.Handle("", "/*", back); return app },
		"handler": func(app *routing.App, back http.Handler) *routing.App {
			app.Get("/*", routing.Handler(back))
			return app
		},
		"used": func(app *routing.App, back http.Handler) *routing.App {
			app.Handle("", "/*", back, routing.Use(tag("m")))
			return app
		},
		"middleware": func(app *routing.App, back http.Handler) *routing.App {
			app.Get("/*", text("not called"), instead(back))
			return app
		},
		"another writer": func(app *routing.App, back http.Handler) *routing.App {
			app.Handle("", "/*", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { back.ServeHTTP(onlyUnwraps{w}, r) }))
			return app
		},
	} {
		mux := http.NewServeMux()
		mux.Handle("/", define(routing.New(logger), mux))
		w := get(mux, "/x")
		if lines := log.take(); w.Code != 500 || strings.Count(lines, "\n") != 1 || !strings.Contains(lines, "leads back to the app") {
			t.Errorf("%s through a ServeMux: got %d and the log %.200q, want 500 and why", name, w.Code, lines)
		}
	}
	long := routing.New(logger, routing.WithFirstMatch())
	for range 300 {
		long.Get("/*", passing(""), routing.Use(tag("m")))
	}
	long.Handle("", "/*", writes)
	if w := get(long, "/"); w.Code != 200 {
		t.Errorf("a handler after routes with middleware that pass: got %d, want 200", w.Code)
	}
	again := routing.New(logger)
	again.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if path, ok := strings.CutPrefix(r.URL.Path, "/again"); ok {
				r.URL.Path = path
				again.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	again.Get("/", text("found"))
	for times, want := range map[int]string{5: "200 found", 100: "200 found", 101: "500 Internal Server Error"} {
		w := get(again, strings.Repeat("/again", times)+"/")
		if got := fmt.Sprint(w.Code, " ", strings.TrimSpace(w.Body.String())); got != want {
			t.Errorf("middleware that begins again %d times: got %s, want %s", times, got, want)
		}
	}
	deep := routing.New(logger)
	deep.Use(tag("m"))
	deep.Get("/*", func(c routing.Context) (routing.Result, error) {
		rest := c.Params().GetOr("splat", "")
		if rest == "" {
			return routing.Text("found"), nil
		}
		r := httptest.NewRequestWithContext(c.Request().Context(), "GET", "/"+rest[1:], nil)
		return routing.Text(send(deep, r).Body.String()), nil
	})
	for depth, want := range map[int]string{100: "found", 101: "Internal Server Error"} {
		if w := get(deep, "/"+strings.Repeat("x", depth)); w.Body.String() != want {
			t.Errorf("an action that calls the app, %d deep: got %d %q, want %q", depth, w.Code, w.Body, want)
		}
	}
}
