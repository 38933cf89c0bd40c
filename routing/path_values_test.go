package routing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/routing"
)

// A parameter of the pattern has the value from the path or none. It never has a path value that an
// outer mux has set, or an earlier route if middleware serves the request twice.
func TestPathValuesOfRequestServedTwice(t *testing.T) {
	define := func(app *routing.App) {
		show := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprintf(w, "%q ", r.PathValue("page"))
		})
		app.Handle("GET", "/list(/:page)?", show)
		app.Handle("GET", "/part-(:page)?", show)
		app.Route("GET", routing.WholeRegexp(regexp.MustCompile(`/(?P<page>\d+)?x`)), routing.Handler(show))
	}
	app, mounted := routing.New(), routing.New()
	define(app)
	define(mounted)
	app.Mount("/app", mounted)
	noPage := routing.When(func(r *http.Request) bool { return r.PathValue("page") == "" })
	app.Get("/when(/:page)?", text(`"" `), noPage)
	app.Handle("GET", "/use(/:page)?", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%q ", r.PathValue("page"))
	}), routing.Use(identity))
	again := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		app.ServeHTTP(w, r)
		r.URL.Path = r.URL.RawQuery
		app.ServeHTTP(w, r)
	})
	mux := http.NewServeMux()
	mux.Handle("/list/{page}", again)
	mux.Handle("/app/list/{page}", again)
	for _, handler := range []http.Handler{again, mux} {
		for _, first := range []string{"/list/3", "/app/list/3"} {
			for _, second := range []string{"/list", "/part-", "/x", "/app/list", "/when", "/use"} {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, httptest.NewRequest("GET", first+"?"+second, nil))
				if got := w.Body.String(); got != `"3" "" ` {
					t.Errorf("%s and then %s: got %s", first, second, got)
				}
			}
		}
	}
}

// A parameter of a mount's prefix keeps its value if the pattern has an optional parameter with the
// same name and without a value, as in Params.
func TestPathValuesOfPrefixAndOptional(t *testing.T) {
	inner := routing.New()
	inner.Use(routing.RecordRoute) // to begin with, the request has the values of the prefix
	inner.Get("/params(/:shop)?", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("shop", "none")), nil
	})
	show := func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.PathValue("shop")) }
	inner.Handle("GET", "/handler(/:shop)?", http.HandlerFunc(show))
	inner.Get("/action(/:shop)?", func(c routing.Context) (routing.Result, error) {
		return routing.Text(private.RequestWithPathValues(c).PathValue("shop")), nil
	})
	inner.Get("/middleware(/:shop)?", text("next"), routing.Use(func(http.Handler) http.Handler {
		return http.HandlerFunc(show)
	}))
	app := routing.New()
	app.Mount("/:shop", inner)
	for _, path := range []string{"params", "handler", "action", "middleware"} {
		for below, want := range map[string]string{"": "outer", "/inner": "inner"} {
			w := httptest.NewRecorder()
			app.ServeHTTP(w, httptest.NewRequest("GET", "/outer/"+path+below, nil))
			if got := w.Body.String(); got != want {
				t.Errorf("/outer/%s%s: got %q, want %q", path, below, got, want)
			}
		}
	}
}

// The path below a mount is not a path value, neither in its middleware nor in the mounted handler.
func TestPathValuesBelowAMount(t *testing.T) {
	var seen []string
	see := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = append(seen, r.PathValue("splat")) })
	look := routing.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			see(w, r)
			next.ServeHTTP(w, r)
		})
	})
	inner, app := routing.New(), routing.New()
	inner.Handle("GET", "/b/:c", see)
	app.Mount("", see, look)
	app.Mount("/a/:id", inner, look)
	app.Mount("/h/:id", see, look)
	for _, path := range []string{"/a/1/b/c", "/h/1/b/c", "/x/y"} {
		app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
	}
	if got := fmt.Sprintf("%q", seen); got != `["" "" "" "" "" ""]` {
		t.Errorf("got %s, want nothing six times", got)
	}
}

// A ServeMux that is the handler of a route keeps the parameters, with and without middleware.
func TestPathValuesBehindAServeMux(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/users/{user}/files/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.PathValue("id"), " ", r.PathValue("user"))
	})
	app := routing.New()
	app.Handle("GET", "/users/:id/files/plain", mux)
	app.Handle("GET", "/users/:id/files/wrapped", mux, routing.Use(identity))
	for _, path := range []string{"/users/7/files/plain", "/users/7/files/wrapped"} {
		if got := get(app, path).Body.String(); got != "7 7" {
			t.Errorf("%s: got %q, want the values of both patterns", path, got)
		}
	}
}

// A handler reads the path values of its own request, not of the first request of the route.
func TestPathValuesDoNotDependOnFirstRequest(t *testing.T) {
	show := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%q", r.PathValue("a"))
	})
	mux := http.NewServeMux()
	mux.Handle("/{any...}", show)
	handlers := map[string]http.Handler{"show": show, "mux": mux, "in a mux": http.HandlerFunc(mux.ServeHTTP)}
	paths := []string{"/x", "/x/1"}
	for name, handler := range handlers {
		want := make(map[string]string)
		for _, first := range paths {
			app := routing.New()
			optional := routing.WholeRegexp(regexp.MustCompile(`/x(?:/(?P<a>\d))?`))
			app.Route("GET", optional, routing.Handler(handler), routing.Use(func(http.Handler) http.Handler { return handler }))
			get(app, first)
			for _, path := range paths {
				got := get(app, path).Body.String()
				if before, seen := want[path]; seen && before != got {
					t.Errorf("%s: %s after %s has %s, elsewhere %s", name, path, first, got, before)
				}
				want[path] = got
			}
		}
	}
}

// An expression is evaluated once to find the route, and once for all of its values.
func TestPathValuesOfExpressionTakeOneMatch(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	allocations := func(expression, path string) float64 {
		app := routing.New()
		app.Route("GET", routing.WholeRegexp(regexp.MustCompile(expression)), routing.Handler(http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				if r.PathValue("a") != "1" {
					t.Errorf("%s: got a = %q, want 1", expression, r.PathValue("a"))
				}
			})))
		r, w := httptest.NewRequest("GET", path, nil), discardWriter{http.Header{}}
		return testing.AllocsPerRun(100, func() { app.ServeHTTP(w, r) })
	}
	one := allocations(`/(?P<a>.)/.*`, "/1/2/3/4/5")
	repeated := allocations(`/(?P<a>.)/(?P<a>.)/(?P<a>.)/(?P<a>.)/(?P<a>.)`, "/1/2/3/4/5")
	if repeated > one+1 { // for the longer list of offsets
		t.Errorf("five values of a name take %v allocations, one takes %v", repeated, one)
	}
}
