package routing_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"example.com/flowercafe/routing"
)

// A panic of an app's middleware or next handler is a 500, or closes the connection if a part of
// the response was sent.
func TestPanicsOfAppMiddlewareAndNextHandlers(t *testing.T) {
	early := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("early") })
	late := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "a part")
		http.NewResponseController(w).Flush()
		panic("late")
	})
	aborts := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	instead := func(h http.Handler) func(http.Handler) http.Handler {
		return func(http.Handler) http.Handler { return h }
	}
	for handlerName, handler := range map[string]http.Handler{"early": early, "late": late, "aborts": aborts} {
		used, usedInside, outer := routing.New(quiet()), routing.New(quiet()), routing.New(quiet())
		used.Use(instead(handler))
		usedInside.Use(instead(handler))
		outer.Mount("/x", usedInside)
		for name, app := range map[string]http.Handler{
			"Use": used, "Use of a mounted app": outer, "WithNext": routing.New(quiet(), routing.WithNext(handler)), "Middleware": routing.New(quiet()).Middleware(handler),
			"outside of the base path": routing.New(quiet(), routing.WithBasePath("/base")).Middleware(handler),
		} {
			server := httptest.NewServer(app)
			response, err := http.Get(server.URL + "/x/y")
			var body []byte
			if err == nil {
				body, err = io.ReadAll(response.Body)
				response.Body.Close()
			}
			switch handlerName {
			case "early":
				if err != nil || response.StatusCode != 500 {
					t.Errorf("%s, early: got %v, %v, want a 500", name, response, err)
				}
			case "late":
				if !errors.Is(err, io.ErrUnexpectedEOF) || string(body) != "a part" {
					t.Errorf("%s, late: got %q, %v, want a part and an error", name, body, err)
				}
			default:
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s, aborts: got %v, want no response", name, err)
				}
			}
			server.Close()
		}
	}
}

// A middleware that panics after its next handler does not hide the route from logs outside.
func TestRouteOfMiddlewareThatPanics(t *testing.T) {
	user := routing.NewKey[string]()
	app := routing.New(quiet())
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(httptest.NewRecorder(), r)
			panic("after the action")
		})
	})
	app.Get("/a", func(c routing.Context) (routing.Result, error) {
		user.Set(c, "Ada")
		return routing.Text("ok"), nil
	})
	r := httptest.NewRequest("GET", "/a", nil)
	w := send(app, r)
	if name, _ := user.From(r.Context()); w.Code != 500 || r.Pattern != "GET /a" || name != "Ada" {
		t.Errorf("got %d, pattern %q, user %q", w.Code, r.Pattern, name)
	}
}

// The 500 of a handler or of an app's middleware that panics is sent as is, without ErrorBody.
func TestErrorBodyAfterPanics(t *testing.T) {
	panics := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("no roses") })
	around := func(http.Handler) http.Handler { return panics }
	app, inner := routing.New(quiet()), routing.New(quiet())
	app.ErrorBody(func(routing.Context, *routing.Problem) (routing.Result, error) { return routing.Text("sorry"), nil })
	inner.Use(around)
	app.Mount("/app", inner)
	app.Mount("/mount", panics)
	app.Handle("GET", "/handler", panics)
	app.Get("/action", func(routing.Context) (routing.Result, error) { panic("no roses") })
	app.Get("/route", text("a rose"), routing.Use(around))
	for path, want := range map[string]string{
		"/app": "Internal Server Error", "/mount": "Internal Server Error", "/handler": "Internal Server Error", "/action": "sorry", "/route": "sorry",
	} {
		if w := get(app, path); w.Code != 500 || w.Body.String() != want {
			t.Errorf("%s: got %d %q, want a 500 with %q", path, w.Code, w.Body, want)
		}
	}
}

// An error response that a handler or middleware sends has no other body, even if it has none.
func TestErrorBodyIsNotForHandlers(t *testing.T) {
	refuse := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) })
	around := func(http.Handler) http.Handler { return refuse }
	app, inner := routing.New(), routing.New()
	app.ErrorBody(func(routing.Context, *routing.Problem) (routing.Result, error) { return routing.Text("sorry"), nil })
	inner.Use(around)
	app.Mount("/app", inner)
	app.Mount("/mount", refuse)
	app.Handle("GET", "/handler", refuse)
	app.Get("/route", text("a rose"), routing.Use(around))
	for _, path := range []string{"/app", "/mount", "/handler", "/route"} {
		if w := get(app, path); w.Code != 403 || w.Body.Len() > 0 {
			t.Errorf("%s: got %d %q, want a 403 without a body", path, w.Code, w.Body)
		}
	}
}
