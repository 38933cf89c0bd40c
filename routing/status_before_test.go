package routing_test

import (
	"fmt"
	"io"
	"net/http"
	"testing"

	"example.com/flowercafe/routing"
)

// writes is a handler that sets no status.
var writes = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a") })

// instead returns middleware that responds with handler.
func instead(handler http.Handler) routing.RouteOption {
	return routing.Use(func(http.Handler) http.Handler { return handler })
}

// The status that a before filter sets is the status of each response that sets no other: of an
// action, a handler, an app behind it, or a route's middleware.
func TestStatusOfABeforeFilter(t *testing.T) {
	setStatus := func(c routing.Context) error { c.SetStatus(202); return nil }
	silent := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	inner := routing.New(quiet())
	inner.Get("/text", text("a"))
	inner.Get("/empty", empty)
	inner.Get("/own", func(c routing.Context) (routing.Result, error) { c.SetStatus(201); return routing.Text("a"), nil })
	inner.Handle("GET", "/handler", writes)
	inner.Get("/middleware", text("not called"), instead(writes))
	inner.Get("/silent", text("not called"), instead(silent))
	inner.Get("/refuses", text("not called"), instead(http.NotFoundHandler()))
	inner.Get("/calls", text("a"), routing.Use(tag("m")))
	want := map[string]int{
		"/text": 202, "/empty": 202, "/own": 201, "/handler": 202, "/middleware": 202, "/silent": 202, "/refuses": 404, "/calls": 202, "/missing": 404,
	}
	check := func(name string, app *routing.App) {
		t.Helper()
		app.Before(setStatus)
		for path, want := range want {
			if w := get(app, path); w.Code != want {
				t.Errorf("%s: GET %s: got %d %q, want %d", name, path, w.Code, w.Body, want)
			}
		}
	}
	for name, define := range map[string]func(outer *routing.App){
		"Mount":           func(outer *routing.App) { outer.Mount("", inner) },
		"Handle":          func(outer *routing.App) { outer.Handle("", "/*", inner) },
		"Handler":         func(outer *routing.App) { outer.Get("/*", routing.Handler(inner)) },
		"Mount in front":  func(outer *routing.App) { outer.Mount("", inner.Middleware(http.NotFoundHandler())) },
		"Handle in front": func(outer *routing.App) { outer.Handle("", "/*", inner.Middleware(http.NotFoundHandler())) },
		"Handle behind":   func(outer *routing.App) { outer.Handle("", "/*", routing.New().Middleware(inner)) },
		"Mount behind":    func(outer *routing.App) { outer.Mount("", routing.New(routing.WithNext(inner))) },
		"Mount outside": func(outer *routing.App) {
			outer.Mount("", routing.New(routing.WithBasePath("/b"), routing.WithNext(inner)))
		},
	} {
		outer := routing.New(quiet())
		define(outer)
		check(name, outer)
	}
	check("its own filter", inner)
}

// After filters see and set the status also if middleware has responded itself without a byte.
func TestStatusInAfterFiltersOfMiddleware(t *testing.T) {
	app := routing.New(quiet())
	app.Before(func(c routing.Context) error { c.SetStatus(202); return nil }, routing.On("/filtered"))
	var seen int
	app.After(func(c routing.Context) error {
		seen = c.Status()
		if c.Request().URL.Query().Has("set") {
			c.SetStatus(203)
		}
		return nil
	})
	for _, path := range []string{"/filtered", "/plain"} {
		app.Get(path, text("not called"), instead(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})))
	}
	for target, want := range map[string]string{"/filtered": "202 202", "/plain": "0 200", "/filtered?set": "202 203", "/plain?set": "0 203"} {
		w := get(app, target)
		if got := fmt.Sprint(seen, " ", w.Code); got != want {
			t.Errorf("GET %s: seen and sent: got %s, want %s", target, got, want)
		}
	}
	outer := routing.New(quiet())
	outer.Before(func(c routing.Context) error { c.SetStatus(201); return nil })
	outer.Mount("", app)
	for target, want := range map[string]string{"/filtered": "202 202", "/plain": "201 201", "/plain?set": "201 203"} {
		w := get(outer, target)
		if got := fmt.Sprint(seen, " ", w.Code); got != want {
			t.Errorf("mounted: GET %s: seen and sent: got %s, want %s", target, got, want)
		}
	}
}

// If all routes pass, the next handler begins without the status, also inside the middleware of a
// route.
func TestStatusBeforeTheNextHandler(t *testing.T) {
	nextApp, used := routing.New(quiet()), routing.New(quiet())
	nextApp.Get("/*", text("not called"), instead(writes))
	used.Use(func(http.Handler) http.Handler { return writes })
	for name, next := range map[string]http.Handler{"handler": writes, "app": nextApp, "app with middleware": used} {
		app := routing.New(quiet(), routing.WithNext(next))
		app.Before(func(c routing.Context) error { c.SetStatus(202); return nil })
		app.Get("/passes", passing(""))
		app.Get("/middleware", passing(""), routing.Use(tag("m")))
		for _, path := range []string{"/missing", "/passes", "/middleware"} {
			if w := get(app, path); w.Code != 200 {
				t.Errorf("%s: GET %s: got %d, want 200", name, path, w.Code)
			}
		}
	}
}
