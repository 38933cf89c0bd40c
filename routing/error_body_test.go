package routing_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests who makes the body of an error response.

// shape makes bodies of errors that say who has made them.
func shape(name string) func(routing.Context, *routing.Problem) (routing.Result, error) {
	return func(c routing.Context, p *routing.Problem) (routing.Result, error) {
		if c.Status() != p.Status {
			return routing.Result{}, fmt.Errorf("status %d of a problem of %d", c.Status(), p.Status)
		}
		return routing.Text(strings.TrimSpace(fmt.Sprintf("%s %s %s", name, p.Title, p.Detail))), nil
	}
}

func failsWith(err error) routing.Action {
	return func(routing.Context) (routing.Result, error) { return routing.Result{}, err }
}

// The page for a status is that of the nearest app that has one; what has a body keeps it.
func TestTableOfPages(t *testing.T) {
	newInner := func() *routing.App {
		inner := routing.New(routing.WithBasePath("/v1"))
		inner.Get("/fails", failsWith(errors.New("broken")))
		inner.Get("/gone", failsWith(&routing.Problem{Status: 410, Title: "Gone", Detail: "for good"}))
		inner.Get("/own", failsWith(&routing.HaltError{Status: 404, Body: routing.Text("own")}))
		inner.Get("/halt", failsWith(&routing.HaltError{Status: 404}))
		inner.Get("/shaped", failsWith(errors.New("broken")), routing.ErrorBody(shape("route")))
		inner.Get("/passes", failsWith(errors.New("broken")), routing.ErrorBody(
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
			outer: func(app *routing.App) { app.OnStatus(pageOf("outer"), 404, 410, 500) },
			want: map[string]string{
				"/in/v1/fails": "500 outer 500 -", "/in/v1/gone": "410 outer 410 -", "/in/v1/none": "404 outer 404 -", "/in/v1/own": "404 own",
				"/in/v1/halt": "404 outer 404 -", "/in/v1/shaped": "500 route Internal Server Error", "/in/v1/passes": "500 outer 500 -",
				"/in/v1/late": "404 outer 404 -", "/in/v2": "404 outer 404 -", "/none": "404 outer 404 -",
			},
		},
		"the not-found action of the outer app": {
			outer: func(app *routing.App) { app.NotFound(pageOf("none")) },
			want: map[string]string{
				"/in/v1/none": "404 none 0 -", "/in/v1/halt": "404", "/in/v2": "404 none 0 -", "/none": "404 none 0 -",
			},
		},
		"pages in the inner app, the action in the outer one": {
			inner: func(app *routing.App) { app.OnStatus(pageOf("inner"), 404) },
			outer: func(app *routing.App) { app.NotFound(pageOf("none")) },
			want:  map[string]string{"/in/v1/none": "404 inner 404 -", "/in/v1/halt": "404 inner 404 -", "/in/v2": "404 none 0 -"},
		},
		"a page in the inner app that passes, the action in the outer one": {
			inner: func(app *routing.App) {
				app.OnStatus(func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }, 404)
			},
			outer: func(app *routing.App) { app.NotFound(pageOf("none")) },
			want:  map[string]string{"/in/v1/none": "404 none 404 -", "/in/v1/halt": "404", "/in/v2": "404 none 0 -"},
		},
		"bodies of errors in the inner app, pages in the outer one": {
			inner: func(app *routing.App) { app.ErrorBody(shape("inner")) },
			outer: func(app *routing.App) { app.OnStatus(pageOf("outer"), 404, 500); app.NotFound(pageOf("none")) },
			want: map[string]string{
				"/in/v1/fails": "500 inner Internal Server Error", "/in/v1/gone": "410 inner Gone for good", "/in/v1/none": "404 inner Not Found",
				"/in/v1/shaped": "500 route Internal Server Error", "/in/v1/passes": "500 inner Internal Server Error",
				"/in/v1/halt": "404 outer 404 -", "/in/v1/late": "404 inner Gone", "/none": "404 none 0 -",
			},
		},
		"bodies of errors at the mount": {
			mount: []routing.RouteOption{routing.ErrorBody(shape("mount"))},
			outer: func(app *routing.App) { app.OnStatus(pageOf("outer"), 404) },
			want:  map[string]string{"/in/v1/none": "404 mount Not Found", "/in/v1/fails": "500 mount Internal Server Error", "/none": "404 outer 404 -"},
		},
		"both in one app": {
			inner: func(app *routing.App) { app.ErrorBody(shape("inner")); app.OnStatus(pageOf("page"), 404) },
			want:  map[string]string{"/in/v1/none": "404 page 404 -", "/in/v1/fails": "500 inner Internal Server Error"},
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

// The page of 500 is also that of responses that cannot be sent. Nothing of them is left.
func TestPageOfResponsesThatCannotBeSent(t *testing.T) {
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
	app.OnStatus(pageOf("page"), 500)
	outer := routing.New(quiet())
	outer.Mount("/in", app)
	server := serve(t, outer)
	for _, path := range []string{"/header", "/status", "/type", "/stream-type", "/stream", "/reason"} {
		got := fetch(t, "GET", server+"/in"+path, "")
		if got.status != 500 || got.body != "page 500 -" || got.header.Get("Cache-Control") != "no-store" || got.header.Get("ETag")+got.header.Get("X-Bad") != "" {
			t.Errorf("%s: got %d %q %v, want the page", path, got.status, got.body, got.header)
		}
	}
	app.OnStatus(func(c routing.Context) (routing.Result, error) {
		c.Header().Set("X-Bad", "a\nb")
		return routing.Stream("text/plain", brokenReader{}), nil
	}, 500)
	for _, path := range []string{"/header", "/stream"} {
		if got := fetch(t, "GET", server+"/in"+path, ""); got.status != 500 || got.body != "Internal Server Error" || got.header.Get("X-Bad") != "" {
			t.Errorf("%s with a broken page: got %d %q %v", path, got.status, got.body, got.header)
		}
	}
}

// A not-found action that passes goes on in the app around, or with the next handler. The after
// filters of each app run once.
func TestNotFoundThatPasses(t *testing.T) {
	var trace []string
	note := func(name string) routing.Filter {
		return func(routing.Context) error { trace = append(trace, name); return nil }
	}
	pass := failsWith(fmt.Errorf("not here: %w", routing.Pass))
	echo := func(name string) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			body, err := io.ReadAll(c.Request().Body)
			return routing.Text(fmt.Sprint(name, " ", c.Params().GetOr("x", "-"), c.Params().GetOr("y", "-"), string(body), c.Status())), err
		}
	}
	innermost, inner, app := routing.New(), routing.New(), routing.New(quiet())
	innermost.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Inside", "yes")
			r.URL.Path = strings.ReplaceAll(r.URL.Path, "rewritten", "deep")
			next.ServeHTTP(w, r)
		})
	})
	innermost.NotFound(pass)
	innermost.Delete("/other", text("other"))
	innermost.MethodNotAllowed(pass)
	innermost.After(note("innermost"))
	inner.Get("/deep/inner/:x", echo("inner"))
	inner.Post("/deep/inner/:x", echo("inner"))
	inner.Get("/deep/other", echo("instead of 405"))
	inner.Get("/fails/:x", failsWith(errors.New("broken")))
	inner.Mount("/deep", innermost)
	inner.Mount("/fails", innermost)
	inner.After(note("inner"))
	app.Get("/:y/deep/outer/:x", echo("outer"), routing.Use(tag("m")))
	app.Mount("/:y", inner)
	app.Before(func(c routing.Context) error { c.SetStatus(201); return nil }, routing.On("/created/*"))
	app.After(note("app"))
	for _, test := range []struct{ request, none, passes string }{
		{"GET /in/deep/inner/1", "200 inner 1in0", ""},
		{"POST /in/deep/inner/1", "200 inner 1insent0", ""},
		{"GET /in/deep/inner/rewritten", "200 inner rewrittenin0", ""},
		{"GET /created/deep/inner/1", "201 inner 1created201", ""},
		{"GET /in/deep/other", "200 instead of 405 -in0", ""},
		{"GET /in/fails/1", "500 Internal Server Error", ""},
		{"GET /in/deep/outer/2", "404", "200 outer 2in0"},
		{"GET /in/deep/none", "404", "404"},
		{"DELETE /in/deep/other", "200 other", ""},
	} {
		method, path, _ := strings.Cut(test.request, " ")
		for action, want := range map[string]string{"none": test.none, "passes": cmp.Or(test.passes, test.none)} {
			inner.NotFound(nil)
			app.NotFound(nil)
			if action == "passes" {
				inner.NotFound(pass)
				app.NotFound(text("nothing"))
			}
			trace = nil
			w := send(app, httptest.NewRequest(method, path, strings.NewReader(map[bool]string{true: "sent"}[method == "POST"])))
			body := strings.TrimSpace(w.Body.String())
			if w.Code == 404 {
				body = ""
			}
			got, ran := strings.TrimSpace(fmt.Sprint(w.Code, " ", body)), strings.Join(trace, " ")
			if got != want || ran != "app inner innermost" || w.Header().Get("X-Inside") == "" {
				t.Errorf("%s, not-found action of the app between: %s: got %s after %s, want %s", test.request, action, got, ran, want)
			}
		}
	}
	alone := routing.New(quiet())
	alone.NotFound(pass)
	if w := get(alone, "/"); w.Code != 500 {
		t.Errorf("alone: got %d %s, want 500", w.Code, w.Body)
	}
	next := alone.Middleware(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "next") }))
	if w := get(next, "/"); w.Code != 200 || w.Body.String() != "next" {
		t.Errorf("next handler: got %d %s", w.Code, w.Body)
	}
}

// If the app around gets such an action while an app inside serves a request, there is nothing to
// go on with.
func TestPassThatIsDefinedMeanwhile(t *testing.T) {
	inner, app := routing.New(quiet()), routing.New(quiet())
	inner.Before(func(routing.Context) error { app.NotFound(failsWith(routing.Pass)); return nil })
	app.Get("/in/:id", text("older"))
	app.Mount("/in", inner)
	if w := get(app, "/in/1"); w.Code != 500 {
		t.Errorf("got %d %s, want 500, as alone", w.Code, w.Body)
	}
}

// An app whose action for what was not found passes leaves nothing to the route that runs then:
// neither parameters of its prefix, also behind middleware, nor statuses of the apps between.
func TestPassOfAppLeavesNothing(t *testing.T) {
	pass := func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }
	wraps := routing.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
	})
	leaf, middle, outer := routing.New(quiet()), routing.New(quiet()), routing.New(quiet())
	middle.After(func(c routing.Context) error {
		c.SetStatus(http.StatusCreated)
		return nil
	})
	middle.NotFound(pass)
	middle.Mount("/in", leaf)
	outer.Handle("GET", "/*", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "x="+r.PathValue("x"))
	}))
	outer.Mount("/:x", middle, wraps)
	for _, path := range []string{"/a/none", "/a/in/none"} {
		w := send(outer, httptest.NewRequest("GET", path, nil))
		if w.Code != http.StatusOK || w.Body.String() != "x=" {
			t.Errorf("%s: got %d %q, want 200 and no x", path, w.Code, w.Body)
		}
	}
}

// The function of a mount has the parameters of the mount's prefix, in every spelling of the path.
func TestErrorBodyOfMountWithParameters(t *testing.T) {
	inner := routing.New(quiet())
	inner.Get("/fails/:id", failsWith(errors.New("broken")))
	app := routing.New(quiet(), routing.WithLooseSlashes(), routing.WithBasePath("/{org}"))
	app.Mount("/:tenant", inner, routing.ErrorBody(func(c routing.Context, p *routing.Problem) (routing.Result, error) {
		return routing.Text(fmt.Sprint(c.Params().GetOr("org", "-"), " ", c.Params().GetOr("tenant", "-"), " ", c.Params().GetOr("id", "-"))), nil
	}))
	for _, path := range []string{"/shop/ann/fails/7", "/shop/ann/none?tenant=evil", "/shop//ann//none"} {
		if w := get(app, path); w.Body.String() != "shop ann -" {
			t.Errorf("%s: got %d %q", path, w.Code, w.Body)
		}
	}
}
