package routing_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/flowercafe/routing"
)

// This file tests that the same routes respond alike alone, inside middleware that changes nothing,
// and mounted.

// identity is middleware that changes nothing.
func identity(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}

// definer is an app or a group.
type definer interface {
	Get(string, routing.Action, ...routing.RouteOption) *routing.Route
	Post(string, routing.Action, ...routing.RouteOption) *routing.Route
	Put(string, routing.Action, ...routing.RouteOption) *routing.Route
	Handle(string, string, http.Handler, ...routing.RouteOption) *routing.Route
}

// guard refuses the parameter role=admin. It cannot read a parameter beyond the limit.
func guard(events *[]string) routing.Filter {
	return func(c routing.Context) error {
		*events = append(*events, "before")
		if c.Params().GetOr("role", "") == "admin" {
			return &routing.HaltError{Status: http.StatusForbidden, Header: http.Header{"X-Halt": {"a"}}, Body: routing.Text("no")}
		}
		return nil
	}
}

// defineRoutes defines routes that append their names to events.
func defineRoutes(d definer, events *[]string, options ...routing.RouteOption) {
	note := func(name string, result routing.Result, err error) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			*events = append(*events, name)
			return result, err
		}
	}
	d.Get("/a/:id", func(c routing.Context) (routing.Result, error) {
		*events = append(*events, "show")
		c.SetStatus(http.StatusAccepted)
		return routing.Text(c.Params().GetOr("id", "") + c.Params().GetOr("q", "")), nil
	}, options...)
	d.Get("/a/pass", note("pass", routing.Result{}, routing.Pass), options...)
	d.Get("/error", note("error", routing.Result{}, errors.New("broken")), options...)
	d.Get("/problem", note("problem", routing.Result{}, &routing.Problem{Status: 409, Detail: "why"}), options...)
	d.Get("/panic", func(routing.Context) (routing.Result, error) { panic("broken") }, options...)
	d.Get("/require", func(c routing.Context) (routing.Result, error) {
		_, err := c.Params().Require("need")
		return routing.Result{}, err
	}, options...)
	d.Post("/write", note("write", routing.Text("written"), nil), options...)
	d.Post("/echo", func(c routing.Context) (routing.Result, error) {
		text := c.Params().GetOr("text", "none")
		body, err := io.ReadAll(c.Request().Body)
		return routing.Text(fmt.Sprintf("%s %d", text, len(body))), err
	}, options...)
	d.Put("/write", note("put", routing.Result{}, nil), options...)
	d.Get("/format", note("html", routing.HTML("html"), nil), append(options, routing.Provides("html"))...)
	d.Get("/format", note("json", routing.Bytes("application/json", []byte("{}")), nil), append(options, routing.Provides("json"))...)
	d.Handle("GET", "/handler/:id", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.PathValue("id"))
	}), options...)
}

// deployments serve the same routes alone, in middleware, in a group or mounted.
var deployments = map[string]func(app *routing.App, events *[]string) http.Handler{
	"plain": func(app *routing.App, events *[]string) http.Handler { defineRoutes(app, events); return app },
	"Use of the app": func(app *routing.App, events *[]string) http.Handler {
		app.Use(identity)
		defineRoutes(app, events)
		return app
	},
	"Use of routes": func(app *routing.App, events *[]string) http.Handler {
		defineRoutes(app, events, routing.Use(identity))
		return app
	},
	"Use of routes, twice": func(app *routing.App, events *[]string) http.Handler {
		defineRoutes(app, events, routing.Use(identity, identity))
		return app
	},
	"a condition": func(app *routing.App, events *[]string) http.Handler {
		defineRoutes(app, events, routing.When(func(*http.Request) bool { return true }))
		return app
	},
	"a group": func(app *routing.App, events *[]string) http.Handler {
		app.Group("", func(g *routing.Group) { defineRoutes(g, events) })
		return app
	},
	"Use of a group": func(app *routing.App, events *[]string) http.Handler {
		app.Group("", func(g *routing.Group) { defineRoutes(g, events) }, routing.Use(identity))
		return app
	},
	"mounted, Use of the mount": func(app *routing.App, events *[]string) http.Handler {
		defineRoutes(app, events)
		outer := routing.New(quiet())
		outer.Mount("", app, routing.Use(identity))
		return outer
	},
	"mounted": func(app *routing.App, events *[]string) http.Handler {
		defineRoutes(app, events)
		outer := routing.New(quiet())
		outer.Mount("", app)
		return outer
	},
	"Middleware": func(app *routing.App, events *[]string) http.Handler {
		defineRoutes(app, events)
		return app.Middleware(nil)
	},
	"Middleware in front of an app": func(app *routing.App, events *[]string) http.Handler {
		defineRoutes(app, events)
		return app.Middleware(routing.New(quiet()))
	},
	"RecordRoute": func(app *routing.App, events *[]string) http.Handler {
		defineRoutes(app, events)
		return routing.RecordRoute(app)
	},
}

func TestMountsAndMiddlewareDoNotChangeResponses(t *testing.T) {
	type response struct {
		Code   int
		Header http.Header
		Body   string
		Events []string
	}
	respond := func(way, method, target, contentType, body string, chunked bool) response {
		var events []string
		app := routing.New(quiet(), routing.WithBodyLimit(64), routing.WithMethodOverride())
		app.Before(guard(&events))
		app.After(func(c routing.Context) error {
			events = append(events, "after")
			c.Header().Set("X-After", "1")
			return nil
		})
		handler := deployments[way](app, &events)
		var reader io.Reader
		if body != "" {
			reader = strings.NewReader(body)
		}
		if chunked {
			reader = io.MultiReader(reader) // whose length is not known
		}
		r := httptest.NewRequest(method, target, reader)
		if contentType != "" {
			r.Header.Set("Content-Type", contentType)
		}
		w := send(handler, r)
		return response{w.Code, w.Header(), w.Body.String(), events}
	}
	const form, json = "application/x-www-form-urlencoded", "application/json"
	pad := "&pad=" + strings.Repeat("x", 100)
	for _, c := range []struct {
		method, target, contentType, body string
		code                              int
		events                            string
	}{
		{"GET", "/a/7?q=1", "", "", 202, "[before show after]"},
		{"HEAD", "/a/7", "", "", 202, "[before show after]"},
		{"GET", "/a/pass", "", "", 202, "[before pass show after]"},
		{"GET", "/a/7?role=admin", "", "", 403, "[before after]"},
		{"GET", "/error", "", "", 500, "[before error after]"},
		{"GET", "/problem", "", "", 409, "[before problem after]"},
		{"GET", "/panic", "", "", 500, "[before after]"},
		{"GET", "/require", "", "", 400, "[before after]"},
		{"GET", "/none", "", "", 404, "[before after]"},
		{"POST", "/none", form, "role=admin" + pad, 413, "[before after]"},
		{"POST", "/write", form, "role=user", 200, "[before write after]"},
		{"POST", "/write", form, "role=admin", 403, "[before after]"},
		{"POST", "/write", form, "role=admin" + pad, 413, "[before after]"},
		{"POST", "/write", form, "_method=put&role=user", 200, "[before put after]"},
		{"POST", "/write", json, `{}`, 200, "[before write after]"},
		{"POST", "/echo", form, "text=a", 200, "[before after]"},
		{"POST", "/echo", form, "text=a" + pad, 413, "[before after]"},
		{"POST", "/echo", json, "[" + pad + "]", 200, "[before after]"},
		{"GET", "/format", "", "", 200, "[before json after]"},
		{"GET", "/handler/7", "", "", 200, "[before after]"},
	} {
		for _, chunked := range []bool{false, true}[:1+min(1, len(c.body))] {
			name := fmt.Sprintf("%s %s %.30s chunked=%v", c.method, c.target, c.body, chunked)
			want := respond("plain", c.method, c.target, c.contentType, c.body, chunked)
			if want.Code != c.code || fmt.Sprint(want.Events) != c.events {
				t.Errorf("%s: got %d and %v, want %d and %s", name, want.Code, want.Events, c.code, c.events)
			}
			for way := range deployments {
				got := respond(way, c.method, c.target, c.contentType, c.body, chunked)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: plain and %s differ (-plain +%s):\n%s", name, way, way, diff)
				}
			}
		}
	}
}

// If a filter could not read a parameter that decides about access, no action runs, also in mounted
// apps.
func TestUnreadableParameterStopsTheRequest(t *testing.T) {
	for name, define := range map[string]func(app *routing.App, action routing.Action){
		"no option": func(app *routing.App, action routing.Action) { app.Post("/", action) },
		"Use":       func(app *routing.App, action routing.Action) { app.Post("/", action, routing.Use(identity)) },
		"a route that passes": func(app *routing.App, action routing.Action) {
			app.Post("/", action, routing.Use(identity))
			app.Post("/", func(c routing.Context) (routing.Result, error) {
				c.Params().Get("role")
				return routing.Result{}, routing.Pass
			}, routing.Use(identity))
		},
		"a handler": func(app *routing.App, action routing.Action) {
			app.Mount("/", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { action(routing.Context{}) }))
		},
		"a mount": func(app *routing.App, action routing.Action) {
			inner := routing.New()
			inner.Post("/", action)
			app.Mount("/", inner, routing.Use(identity))
		},
	} {
		ran := false
		app := routing.New(quiet(), routing.WithBodyLimit(64))
		if name != "a route that passes" {
			app.Before(guard(new([]string)))
		}
		define(app, func(routing.Context) (routing.Result, error) {
			ran = true
			return routing.Text("done"), nil
		})
		if w := send(app, form("/", "role=admin&pad="+strings.Repeat("x", 100))); w.Code != http.StatusRequestEntityTooLarge || ran {
			t.Errorf("%s: got %d, and the action ran: %v; want 413 before it", name, w.Code, ran)
		}
	}
}

// After a filter has read the raw body, a form that middleware parses is not treated as empty.
func TestRawBodyBeforeFormValue(t *testing.T) {
	parse := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.FormValue("k")
			next.ServeHTTP(w, r)
		})
	}
	for _, read := range []int64{1, 1000} {
		for _, chunked := range []bool{false, true} {
			app := routing.New(quiet())
			app.Before(func(c routing.Context) error {
				_, err := io.Copy(io.Discard, io.LimitReader(c.Request().Body, read))
				return err
			})
			app.Post("/", func(c routing.Context) (routing.Result, error) {
				return routing.Text(c.Params().GetOr("k", "absent")), nil
			}, routing.Use(parse))
			var body io.Reader = strings.NewReader("k=1")
			if chunked {
				body = io.MultiReader(body)
			}
			r, err := http.NewRequest("POST", serve(t, app), body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			text, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if response.StatusCode < 400 && read > 1 {
				t.Errorf("%d bytes read, chunked %v: got %d %s, want an error", read, chunked, response.StatusCode, text)
			}
		}
	}
}

// Passing through 4,000 routes with middleware takes linear time.
func TestManyRoutesWithMiddlewareThatPass(t *testing.T) {
	serveMany := func(n int) (asked int) {
		app := routing.New(quiet())
		app.Get("/x", text("last"))
		for range n {
			app.Get("/x", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }, routing.Use(identity))
		}
		r := httptest.NewRequest("GET", "/x", nil)
		ctx := &counting{Context: r.Context()}
		if w := send(app, r.WithContext(ctx)); w.Body.String() != "last" {
			t.Fatalf("got %d %s", w.Code, w.Body)
		}
		return ctx.count
	}
	few := serveMany(10)
	many := serveMany(1000)
	if many != few {
		t.Errorf("the context outside is asked %d times for 10 routes, and %d times for 1,000", few, many)
	}
}

// counting counts how often values are looked up.
type counting struct {
	context.Context
	count int
}

func (c *counting) Value(key any) any {
	c.count++
	return c.Context.Value(key)
}
