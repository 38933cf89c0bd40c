package routing_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/routing"
)

// This file tests which function makes the body of an error response.

// errorBodyNamed returns an ErrorBody function whose bodies begin with name.
func errorBodyNamed(name string) func(routing.Context, *routing.Problem) (routing.Result, error) {
	return func(c routing.Context, p *routing.Problem) (routing.Result, error) {
		if c.Status() != p.Status {
			return routing.Result{}, fmt.Errorf("status %d of a problem of %d", c.Status(), p.Status)
		}
		return routing.Text(strings.TrimSpace(fmt.Sprintf("%s %s %s", name, p.Title, p.Detail))), nil
	}
}

// ofRoute is the function for the error bodies of one route.
func ofRoute(f func(routing.Context, *routing.Problem) (routing.Result, error)) routing.RouteOption {
	return routing.Meta(private.ErrorBody{}, f)
}

func failsWith(err error) routing.Action {
	return func(routing.Context) (routing.Result, error) { return routing.Result{}, err }
}

// The nearest app with an ErrorBody function makes the body. A response that has a body keeps it.
func TestErrorBodyOfNearestApp(t *testing.T) {
	newInner := func() *routing.App {
		inner := routing.New(routing.WithBasePath("/v1"))
		inner.Get("/fails", failsWith(errors.New("broken")))
		inner.Get("/gone", failsWith(&routing.Problem{Status: 410, Title: "Gone", Detail: "for good"}))
		inner.Get("/own", failsWith(&routing.HaltError{Status: 404, Body: routing.Text("own")}))
		inner.Get("/halt", failsWith(&routing.HaltError{Status: 404}))
		inner.Get("/shaped", failsWith(errors.New("broken")), ofRoute(errorBodyNamed("route")))
		inner.Get("/passes", failsWith(errors.New("broken")), ofRoute(
			func(routing.Context, *routing.Problem) (routing.Result, error) {
				return routing.Text("dropped"), routing.Pass
			}))
		inner.Get("/late", failsWith(&routing.Problem{Status: 410, Title: "Gone"}))
		inner.After(func(c routing.Context) error { c.SetStatus(404); return nil }, routing.On("/late"))
		return inner
	}
	for name, test := range map[string]struct {
		inner, outer func(*routing.App)
		mount        []routing.RouteOption
		want         map[string]string
	}{
		"pages of the outer app": {
			outer: func(app *routing.App) { app.ErrorBody(onStatus(pageOf("outer"), 404, 410, 500)) },
			want: map[string]string{
				"/in/v1/fails": "500 outer 500 -", "/in/v1/gone": "410 outer 410 -", "/in/v1/none": "404 outer 404 -", "/in/v1/own": "404 own",
				"/in/v1/halt": "404 outer 404 -", "/in/v1/shaped": "500 route Internal Server Error", "/in/v1/passes": "500 outer 500 -",
				"/in/v1/late": "404 outer 404 -", "/in/v2": "404 outer 404 -", "/none": "404 outer 404 -",
			},
		},
		"the not-found action of the outer app": {
			outer: func(app *routing.App) { app.NotFound(pageOf("none")) },
			want: map[string]string{
				"/in/v1/none": "404 none 404 -", "/in/v1/halt": "404", "/in/v2": "404 none 404 -", "/none": "404 none 404 -",
			},
		},
		"pages in the inner app, the action in the outer one": {
			inner: func(app *routing.App) { app.ErrorBody(onStatus(pageOf("inner"), 404)) },
			outer: func(app *routing.App) { app.NotFound(pageOf("none")) },
			want:  map[string]string{"/in/v1/none": "404 inner 404 -", "/in/v1/halt": "404 inner 404 -", "/in/v2": "404 none 404 -"},
		},
		"a page in the inner app that passes, the action in the outer one": {
			inner: func(app *routing.App) {
				app.ErrorBody(onStatus(failsWith(routing.Pass), 404))
			},
			outer: func(app *routing.App) { app.NotFound(pageOf("none")) },
			want:  map[string]string{"/in/v1/none": "404 none 404 -", "/in/v1/halt": "404", "/in/v2": "404 none 404 -"},
		},
		"bodies of errors in the inner app, pages in the outer one": {
			inner: func(app *routing.App) { app.ErrorBody(errorBodyNamed("inner")) },
			outer: func(app *routing.App) {
				app.ErrorBody(onStatus(pageOf("outer"), 404, 500))
				app.NotFound(pageOf("none"))
			},
			want: map[string]string{
				"/in/v1/fails": "500 inner Internal Server Error", "/in/v1/gone": "410 inner Gone for good", "/in/v1/none": "404 inner Not Found",
				"/in/v1/shaped": "500 route Internal Server Error", "/in/v1/passes": "500 inner Internal Server Error",
				"/in/v1/halt": "404 inner Not Found", "/in/v1/late": "404 inner Gone", "/none": "404 none 404 -",
			},
		},
		"the not-found action comes before the function": {
			inner: func(app *routing.App) { app.ErrorBody(errorBodyNamed("inner")); app.NotFound(pageOf("none")) },
			want:  map[string]string{"/in/v1/none": "404 none 404 -", "/in/v1/halt": "404 inner Not Found", "/in/v1/fails": "500 inner Internal Server Error"},
		},
		"a status alone": {
			inner: func(app *routing.App) {
				app.ErrorBody(errorBodyNamed("inner"))
				status := func(c routing.Context) (routing.Result, error) { c.SetStatus(409); return routing.Result{}, nil }
				app.Get("/status", status)
				app.Get("/status-shaped", status, ofRoute(errorBodyNamed("route")))
				app.Get("/halt-shaped", failsWith(&routing.HaltError{Status: 403}), ofRoute(errorBodyNamed("route")))
				app.Get("/gone-late", failsWith(&routing.Problem{Status: 410, Title: "Gone"}))
				app.After(func(routing.Context) error { return &routing.HaltError{Status: 403} }, routing.On("/gone-late"))
			},
			want: map[string]string{
				"/in/v1/status": "409 inner Conflict", "/in/v1/status-shaped": "409 route Conflict",
				"/in/v1/halt-shaped": "403 route Forbidden", "/in/v1/gone-late": "403 inner Forbidden",
			},
		},
		"an OnError function without a body": {
			inner: func(app *routing.App) {
				app.ErrorBody(errorBodyNamed("inner"))
				app.OnError(func(routing.Context, error) (routing.Result, error) { return routing.Result{}, nil })
			},
			want: map[string]string{"/in/v1/gone": "410 inner Gone", "/in/v1/fails": "500 inner Internal Server Error"},
		},
		"a not-found action without a body is the last one": {
			inner: func(app *routing.App) {
				app.NotFound(func(routing.Context) (routing.Result, error) { return routing.Result{}, nil })
			},
			outer: func(app *routing.App) { app.NotFound(pageOf("none")) },
			want:  map[string]string{"/in/v1/none": "404", "/none": "404 none 404 -"},
		},
		"a status alone, without a function": {
			inner: func(app *routing.App) {
				app.Get("/status", func(c routing.Context) (routing.Result, error) { c.SetStatus(409); return routing.Result{}, nil })
			},
			want: map[string]string{"/in/v1/status": "409", "/in/v1/halt": "404"},
		},
		"bodies of errors that fail": {
			inner: func(app *routing.App) {
				app.ErrorBody(func(routing.Context, *routing.Problem) (routing.Result, error) { panic("in a body") })
			},
			want: map[string]string{"/in/v1/none": "500 Internal Server Error", "/in/v1/gone": "500 Internal Server Error"},
		},
	} {
		inner, outer := newInner(), routing.New(quiet())
		if test.inner != nil {
			test.inner(inner)
		}
		if test.outer != nil {
			test.outer(outer)
		}
		outer.Mount("/in", inner, test.mount...)
		for path, want := range test.want {
			if w := get(outer, path); strings.TrimSpace(fmt.Sprint(w.Code, " ", w.Body)) != want {
				t.Errorf("%s, %s: got %d %s, want %s", name, path, w.Code, w.Body, want)
			}
		}
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

// ErrorBody makes the body of the 500 for a response that cannot be sent, without the headers of
// that response.
func TestErrorBodyOfResponsesThatCannotBeSent(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/header", func(c routing.Context) (routing.Result, error) {
		c.Header().Set("X-Bad", "a\nb")
		return routing.Text("text"), nil
	})
	app.Get("/status", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(99)
		return routing.Text("text"), nil
	})
	app.Get("/type", func(routing.Context) (routing.Result, error) { return routing.Bytes("a\nb", []byte("x")), nil })
	app.Get("/stream-type", func(routing.Context) (routing.Result, error) {
		return routing.Stream("a\nb", strings.NewReader("x")), nil
	})
	app.Get("/stream", func(routing.Context) (routing.Result, error) {
		return routing.Stream("text/plain", brokenReader{}), nil
	})
	app.Get("/reason", failsWith(&routing.HaltError{Status: 403, Reason: "a\nb"}))
	app.Before(func(c routing.Context) error {
		c.Header().Set("Cache-Control", "public, max-age=60")
		c.Header().Set("ETag", `"a"`)
		return nil
	})
	app.ErrorBody(onStatus(pageOf("page"), 500))
	outer := routing.New(quiet())
	outer.Mount("/in", app)
	server := serve(t, outer)
	for _, path := range []string{"/header", "/status", "/type", "/stream-type", "/stream", "/reason"} {
		got := fetch(t, "GET", server+"/in"+path, "")
		if got.status != 500 || got.body != "page 500 -" || got.header.Get("Cache-Control") != "no-store" || got.header.Get("ETag")+got.header.Get("X-Bad") != "" {
			t.Errorf("%s: got %d %q %v, want the page", path, got.status, got.body, got.header)
		}
	}
	app.ErrorBody(onStatus(func(c routing.Context) (routing.Result, error) {
		c.Header().Set("X-Bad", "a\nb")
		return routing.Stream("text/plain", brokenReader{}), nil
	}, 500))
	for _, path := range []string{"/header", "/stream"} {
		if got := fetch(t, "GET", server+"/in"+path, ""); got.status != 500 || got.body != "Internal Server Error" || got.header.Get("X-Bad") != "" {
			t.Errorf("%s with a broken page: got %d %q %v", path, got.status, got.body, got.header)
		}
	}
}

// panickingMember panics when it is encoded.
type panickingMember struct{ with error }

func (m panickingMember) MarshalJSON() ([]byte, error) { panic(m.with) }

// If a problem cannot be encoded because a member panics, the response is a 500, also if the panic
// has a problem that cannot be encoded either.
func TestProblemsWhoseMembersPanic(t *testing.T) {
	bad := &routing.Problem{Status: 400, Members: make(map[string]any)}
	bad.Members["x"] = panickingMember{bad}
	for _, problem := range []*routing.Problem{bad, {Status: 400, Members: map[string]any{"x": panickingMember{&routing.Problem{Status: 410}}}}} {
		app := routing.New(quiet())
		app.Get("/action", func(routing.Context) (routing.Result, error) { return routing.Result{}, problem })
		app.Get("/panics", func(routing.Context) (routing.Result, error) { panic(problem) })
		app.After(func(routing.Context) error { return problem }, routing.On("/after"))
		app.ErrorBody(func(_ routing.Context, p *routing.Problem) (routing.Result, error) {
			if p.Status == 404 {
				return routing.Result{}, problem
			}
			return routing.Result{}, routing.Pass
		})
		for _, path := range []string{"/action", "/panics", "/after", "/none"} {
			if w := get(app, path); w.Code != 500 || w.Body.String() != "Internal Server Error" {
				t.Errorf("GET %s: got %d %s, want 500", path, w.Code, w.Body)
			}
		}
	}
}

// If a mounted app has no route for a path, older routes and mounts of the outer app do not run.
func TestMountRespondsToItsWholePrefix(t *testing.T) {
	inner, older, app := routing.New(quiet()), routing.New(), routing.New()
	older.Get("/here", text("older mount"))
	inner.Get("/passes", failsWith(routing.Pass))
	app.Get("/in/here", text("older route"))
	app.Get("/in/passes", text("older route"))
	app.Mount("/in", older)
	app.Mount("/in", inner)
	for name, page := range map[string]routing.Action{"none": nil, "passes": failsWith(fmt.Errorf("not here: %w", routing.Pass))} {
		inner.NotFound(page)
		for _, path := range []string{"/in/here", "/in/passes", "/in/none"} {
			if w := get(app, path); w.Code != 404 {
				t.Errorf("%s, not-found action %s: got %d %s, want 404", path, name, w.Code, w.Body)
			}
		}
	}
}

// A NotFound or ErrorBody function that passes runs once, and its status, headers and result are
// dropped.
func TestErrorBodiesThatPass(t *testing.T) {
	ran := 0
	pass := func(c routing.Context) (routing.Result, error) {
		ran++
		c.SetStatus(201)
		c.Header().Set("X-Left", "yes")
		return routing.Text("lost"), fmt.Errorf("not here: %w", routing.Pass)
	}
	own := func(name string) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			return routing.Text(fmt.Sprint(name, " ", c.Status())), nil
		}
	}
	next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "next") })
	for name, test := range map[string]struct {
		define func(inner, outer *routing.App)
		next   http.Handler
		want   string
		ran    int
	}{
		"the default":      {func(inner, _ *routing.App) { inner.NotFound(pass) }, nil, "404 ", 1},
		"two, the default": {func(inner, outer *routing.App) { inner.NotFound(pass); outer.NotFound(pass) }, nil, "404 ", 2},
		"the outer action": {func(inner, outer *routing.App) { inner.NotFound(pass); outer.NotFound(own("outer")) }, nil, "404 outer 404", 1},
		"a page by status": {func(inner, _ *routing.App) { inner.NotFound(pass); inner.ErrorBody(onStatus(own("page"), 404)) }, nil, "404 page 404", 1},
		"an outer page":    {func(inner, outer *routing.App) { inner.NotFound(pass); outer.ErrorBody(onStatus(own("page"), 404)) }, nil, "404 page 404", 1},
		"page, then action": {func(inner, outer *routing.App) {
			inner.NotFound(pass)
			inner.ErrorBody(onStatus(pass, 404))
			outer.NotFound(own("outer"))
		}, nil, "404 outer 404", 2},
		"the next handler": {func(inner, _ *routing.App) { inner.NotFound(pass) }, next, "200 next", 1},
	} {
		inner, outer := routing.New(quiet(), routing.WithNext(test.next)), routing.New(quiet())
		test.define(inner, outer)
		outer.Mount("/in", inner)
		ran = 0
		w := get(outer, "/in/none")
		got := fmt.Sprint(w.Code, " ", w.Body)
		if strings.Contains(got, "<html") {
			got = fmt.Sprint(w.Code, " ")
		}
		if got != test.want || ran != test.ran || w.Header().Get("X-Left") != "" {
			t.Errorf("%s: got %q with %v after %d actions, want %q", name, got, w.Header(), ran, test.want)
		}
	}
}

// A NotFound action begins without the headers of filters, and leaves the body to ErrorBody with a
// zero Result. Both are also true of an outer app's, after an ErrorBody function that passes.
func TestNotFoundWithoutBody(t *testing.T) {
	for _, mounted := range []bool{false, true} {
		app := routing.New()
		app.Before(func(c routing.Context) error {
			for _, name := range []string{"ETag", "Location", "Cache-Control"} {
				c.Header().Set(name, "of-the-filter")
			}
			return nil
		})
		app.NotFound(func(c routing.Context) (routing.Result, error) {
			c.Header().Set("X-Seen", fmt.Sprint(c.Header()["Etag"], c.Header()["Location"], c.Header()["Cache-Control"]))
			c.SetStatus(410)
			return routing.Result{}, nil
		})
		app.ErrorBody(errorBodyNamed("outer"))
		if mounted {
			inner := routing.New()
			inner.ErrorBody(func(routing.Context, *routing.Problem) (routing.Result, error) { return routing.Result{}, routing.Pass })
			app.Mount("/in", inner)
		}
		w := get(app, "/in/none")
		if got := w.Header().Get("X-Seen"); got != "[] [] [no-store]" {
			t.Errorf("mounted %t: the action sees %s", mounted, got)
		}
		if got := fmt.Sprint(w.Code, " ", w.Body); got != "410 outer Gone" {
			t.Errorf("mounted %t: got %q", mounted, got)
		}
	}
}
