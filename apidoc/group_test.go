package apidoc_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests groups of operations, several APIs of one app, and interceptors.

func TestGroups(t *testing.T) {
	inner := routing.New()
	var ran []string
	mark := func(name string) routing.RouteOption {
		return routing.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ran = append(ran, name)
				next.ServeHTTP(w, r)
			})
		})
	}
	around := func(name string) apidoc.Option {
		return apidoc.Intercept(func(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
			ran = append(ran, name, call.ID+" "+call.Method+" "+call.Pattern+" "+strings.Join(call.Tags, ","))
			return next(ctx)
		})
	}
	api := apidoc.NewAPI(inner, info, apidoc.RouteOptions(mark("api")), around("around api"))
	red := api.Tag("Red", "")
	define := func(g *apidoc.Group) {
		g.RouteGroup().Before(func(routing.Context) error { ran = append(ran, "filter"); return nil })
		apidoc.Get(g, "/", "List", func(context.Context, struct{}) (string, error) { return "list", nil })
		g.Group("/deep/:n", func(g *apidoc.Group) {
			apidoc.Get(g, "/read", "Read", func(_ context.Context, in struct {
				N int `path:"n"`
			}) (int, error) {
				if in.N == 0 {
					return 0, conflict
				}
				return in.N, nil
			}, apidoc.ID("read"), apidoc.RouteOptions(mark("own")), around("around own"))
		}, apidoc.IDPrefix("deep"), conflict, apidoc.RouteOptions(mark("deep")), around("around deep"))
	}
	options := []apidoc.Option{red, notFound, apidoc.RouteOptions(mark("group"), routing.Where("n", "[0-9]"))}
	api.Group("/v1", define, append(options, apidoc.IDPrefix("v1"))...)
	api.Group("/v2/", define, append(options, apidoc.IDPrefix("v2"))...)
	outer := routing.New(routing.WithBasePath("/base"))
	outer.Mount("/in/:user", inner)

	for _, c := range []struct {
		app          *routing.App
		target, want string
		ran          []string
	}{
		{inner, "/v1/deep/7/read", "200 7", []string{"filter", "api", "group", "deep", "own",
			"around api", "v1DeepRead GET /v1/deep/:n/read Red", "around deep", "v1DeepRead GET /v1/deep/:n/read Red",
			"around own", "v1DeepRead GET /v1/deep/:n/read Red"}},
		{outer, "/base/in/ann/v2/deep/0/read", "409", []string{"filter", "api", "group", "deep", "own",
			"around api", "v2DeepRead GET /v2/deep/:n/read Red", "around deep", "v2DeepRead GET /v2/deep/:n/read Red",
			"around own", "v2DeepRead GET /v2/deep/:n/read Red"}},
		{inner, "/v1/deep/77/read", "404", []string{"filter"}},
		{inner, "/v2", "200 list", []string{"filter", "api", "group", "around api", "v2GetV2 GET /v2/? Red"}},
	} {
		ran = nil
		w := call(c.app, "GET", c.target, "", "")
		if got := fmt.Sprint(w.Code, " ", w.Body); !strings.HasPrefix(got, c.want) {
			t.Errorf("GET %s: got %s, want %s", c.target, got, c.want)
		}
		if diff := cmp.Diff(ran, c.ran); diff != "" {
			t.Errorf("GET %s ran, got (-) and want (+):\n%s", c.target, diff)
		}
	}
	for name, text := range map[string][]byte{
		"Swagger 2.0": build(t, outer, "").Swagger(), "3.0": build(t, outer, "").OpenAPI30(), "3.1": build(t, outer, "").OpenAPI(),
	} {
		paths := decode(t, text).at("paths")
		want := []string{"/in/{user}/v1/", "/in/{user}/v1/deep/{n}/read", "/in/{user}/v2/", "/in/{user}/v2/deep/{n}/read"}
		if got := slices.Sorted(maps.Keys(paths)); !slices.Equal(got, want) {
			t.Fatalf("%s: paths are %q, want %q", name, got, want)
		}
		op := paths.at(want[3], "get")
		statuses := slices.Sorted(maps.Keys(op.at("responses")))
		if op["operationId"] != "v2DeepRead" || fmt.Sprint(op["tags"]) != "[Red]" || fmt.Sprint(statuses) != "[200 404 409 422]" {
			t.Errorf("%s: the operation is %v, with the statuses %v", name, op, statuses)
		}
	}
}

func TestInvalidGroups(t *testing.T) {
	ok := func(context.Context, struct{}) (string, error) { return "ok", nil }
	none := func(*apidoc.Group) {}
	for _, c := range []struct {
		name, want string
		f          func(*apidoc.API)
	}{
		{"nil function", `apidoc: group "/v1": pass a function, not nil`, func(a *apidoc.API) { a.Group("/v1", nil) }},
		{"ID", "write IDPrefix", func(a *apidoc.API) { a.Group("/v1", none, apidoc.ID("x")) }},
		{"ID of an API", `NewAPI: ID("x") would name every operation`, func(*apidoc.API) { apidoc.NewAPI(routing.New(), info, apidoc.ID("x")) }},
		{"nil option", "an option is nil", func(a *apidoc.API) { a.Group("/v1", none, nil) }},
		{"prefix", "v1", func(a *apidoc.API) { a.Group("v1", none) }},
		{"no API", "pass one", func(*apidoc.API) { apidoc.Get[struct{}, string]((*apidoc.API)(nil), "/", "", ok) }},
		{"zero group", "pass one", func(*apidoc.API) { apidoc.Get(&apidoc.Group{}, "/", "", ok) }},
		{"no definer", "pass one", func(*apidoc.API) { apidoc.Get(nil, "/", "", ok) }},
		{"bad operation", `GET /v1/x: apidoc: operation getV1X: a GET has no body`, func(a *apidoc.API) {
			a.Group("/v1", func(g *apidoc.Group) {
				apidoc.Get(g, "/x", "", func(context.Context, int) (string, error) { return "", nil })
			})
		}},
		{"nil interceptor", "Intercept: pass a function", func(*apidoc.API) { apidoc.Intercept(nil) }},
	} {
		_, api := newTyped()
		if got := panicOf(func() { c.f(api) }); !strings.Contains(got, c.want) {
			t.Errorf("%s: the panic is %q, want %q", c.name, got, c.want)
		}
	}
	_, api := newTyped()
	for _, prefix := range []string{"/v1", "/v2"} {
		api.Group(prefix, func(g *apidoc.Group) { apidoc.Get(g, "/me", "", whoami) })
	}
	if _, err := api.Document(); err == nil || !strings.Contains(err.Error(), "IDPrefix") {
		t.Errorf("two operations with one ID: got the error %v", err)
	}
}

func TestSeveralAPIs(t *testing.T) {
	ok := func(context.Context, struct{}) (string, error) { return "ok", nil }
	leaf := routing.New()
	apidoc.Get(apidoc.NewAPI(leaf, info), "/leaf", "", ok)
	app, first := newTyped()
	first.Tag("First", "of the first")
	apidoc.Get(first, "/a", "", ok, apidoc.ID("same"))
	second := apidoc.NewAPI(app, apidoc.Info{Title: "Second", Version: "2"})
	second.Tag("Second", "of the second")
	apidoc.Get(second, "/b", "", ok, apidoc.ID("same"))
	apidoc.Get(apidoc.NewAPI(app, apidoc.Info{}), "/shared", "", ok, apidoc.ID("shared"))
	app.Mount("/leaves", leaf)
	app.Get("/hand", nothing, apidoc.Describe(withBody("hand", nil)))
	outer := routing.New()
	outer.Mount("/all", app)
	if _, err := first.Serve(http.NotFoundHandler()); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "/", "docs", "/docs/:n", "/docs/*", "/a//b", "/api-docs", "/api-docs/ui"} {
		if _, err := second.ServeAt(path, nil); err == nil {
			t.Errorf("ServeAt(%q) returned no error", path)
		}
	}
	if _, err := second.ServeAt("/docs", http.HandlerFunc(nil)); err == nil || !strings.Contains(err.Error(), "pass a plain nil") {
		t.Errorf("a nil function as the viewer: got the error %v", err)
	}
	if _, err := second.ServeAt("/second/docs", http.NotFoundHandler()); err != nil {
		t.Fatal(err)
	}
	apidoc.Get(second, "/late", "", ok)
	for _, c := range []struct {
		target, tag string
		want        []string
	}{
		{"/api-docs/", "First", []string{"/a", "/hand", "/leaves/leaf", "/shared"}},
		{"/second/docs/", "Second", []string{"/b", "/hand", "/late", "/leaves/leaf", "/shared"}},
	} {
		for _, file := range []string{"swagger.json", "openapi.json", "openapi-3.0.json", "openapi-3.2.json"} {
			d := decode(t, call(outer, "GET", "/all"+c.target+file, "", "").Body.Bytes())
			if got := slices.Sorted(maps.Keys(d.at("paths"))); !slices.Equal(got, c.want) {
				t.Errorf("%s%s: paths are %q, want %q", c.target, file, got, c.want)
			}
			if tags := d["tags"].([]any); len(tags) != 1 || tags[0].(map[string]any)["name"] != c.tag {
				t.Errorf("%s%s: tags are %v", c.target, file, tags)
			}
		}
		for _, from := range []string{c.target, strings.TrimSuffix(c.target, "/")} {
			w := call(outer, "GET", "/all"+from, "", "")
			if got := w.Header().Get("Location"); w.Code != 302 || !strings.HasSuffix(got, "ui/") {
				t.Errorf("GET %s: got %d to %q", from, w.Code, got)
			}
		}
	}
	if _, err := apidoc.Build(outer, info, ""); err == nil {
		t.Error("Build of two operations with one ID returned no error")
	}
}

func TestInterceptors(t *testing.T) {
	type key struct{}
	quiet := routing.WithLogger(slog.New(slog.DiscardHandler))
	broken := errors.New("broken")
	type next = func(context.Context) (any, error)
	for _, c := range []struct {
		name string
		f    apidoc.Interceptor
		body string
		want string
	}{
		{"passes on", func(ctx context.Context, _ *apidoc.Call, n next) (any, error) { return n(ctx) }, `{"name":"a"}`, `200 {"name":"a"}`},
		{"is not called for invalid input", func(context.Context, *apidoc.Call, next) (any, error) { panic("called") }, `{}`, "422"},
		{"changes the input", func(ctx context.Context, c *apidoc.Call, n next) (any, error) {
			c.Input.(*Plum).Name = "b"
			return n(ctx)
		}, `{"name":"a"}`, `200 {"name":"b"}`},
		{"replaces Call.Input", func(ctx context.Context, c *apidoc.Call, n next) (any, error) {
			c.Input = nil
			return n(ctx)
		}, `{"name":"a"}`, "500"},
		{"changes the context", func(ctx context.Context, _ *apidoc.Call, n next) (any, error) {
			return n(context.WithValue(ctx, key{}, "c"))
		}, `{"name":"a"}`, `200 {"name":"c"}`},
		{"answers itself", func(_ context.Context, c *apidoc.Call, _ next) (any, error) {
			c.Context.Header().Set("X-Cache", "hit")
			return Plum{Name: "cached"}, nil
		}, `{"name":"a"}`, `200 {"name":"cached"}`},
		{"swaps the output", func(ctx context.Context, _ *apidoc.Call, n next) (any, error) {
			out, err := n(ctx)
			item := out.(Plum)
			item.Name += "!"
			return item, err
		}, `{"name":"a"}`, `200 {"name":"a!"}`},
		{"returns another type", func(ctx context.Context, _ *apidoc.Call, n next) (any, error) { return "text", nil }, `{"name":"a"}`, "500"},
		{"returns a pointer", func(ctx context.Context, _ *apidoc.Call, n next) (any, error) { return &Plum{}, nil }, `{"name":"a"}`, "500"},
		{"returns nil", func(context.Context, *apidoc.Call, next) (any, error) { return nil, nil }, `{"name":"a"}`, "500"},
		{"hides an error", func(ctx context.Context, _ *apidoc.Call, n next) (any, error) {
			out, _ := n(ctx)
			return out, nil
		}, `{"name":"fail"}`, "500"},
		{"recovers from an error", func(ctx context.Context, _ *apidoc.Call, n next) (any, error) {
			if _, err := n(ctx); errors.Is(err, broken) {
				return Plum{Name: "ok"}, nil
			}
			return nil, errors.New("no error")
		}, `{"name":"fail"}`, `200 {"name":"ok"}`},
		{"replaces an error", func(ctx context.Context, _ *apidoc.Call, n next) (any, error) {
			_, err := n(ctx)
			return nil, conflict.Detailf("because it is %v", err)
		}, `{"name":"fail"}`, "409"},
		{"sees a panic", func(ctx context.Context, _ *apidoc.Call, n next) (any, error) {
			_, err := n(ctx)
			if p := (*routing.PanicError)(nil); errors.As(err, &p) && p.Value == "lost" && len(p.Stack) > 0 {
				return nil, conflict
			}
			return nil, err
		}, `{"name":"panic"}`, "409"},
		{"panics", func(context.Context, *apidoc.Call, next) (any, error) { panic("lost") }, `{"name":"a"}`, "500"},
		{"runs it twice", func(ctx context.Context, _ *apidoc.Call, n next) (any, error) {
			if _, err := n(ctx); err != nil {
				return nil, err
			}
			return n(ctx)
		}, `{"name":"a"}`, `200 {"name":"a"}`},
		{"passes a nil context", func(ctx context.Context, _ *apidoc.Call, n next) (any, error) { return n(nil) }, `{"name":"a"}`, "500"},
	} {
		app := routing.New(quiet)
		api := apidoc.NewAPI(app, info, apidoc.Intercept(c.f))
		apidoc.Post(api, "/items", "", func(ctx context.Context, in Plum) (Plum, error) {
			if name, ok := ctx.Value(key{}).(string); ok {
				in.Name = name
			}
			switch in.Name {
			case "fail":
				return in, broken
			case "panic":
				panic("lost")
			}
			return in, nil
		}, conflict)
		w := call(app, "POST", "/items", "application/json", c.body)
		if got := fmt.Sprint(w.Code, " ", w.Body); !strings.HasPrefix(got, c.want) {
			t.Errorf("an interceptor that %s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// Outputs without content and of interface types may be nil.
func TestInterceptorsOfEmptyOutputs(t *testing.T) {
	app := routing.New()
	api := apidoc.NewAPI(app, info, apidoc.Intercept(
		func(ctx context.Context, _ *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
			output, err := next(ctx)
			if _, empty := output.(struct{}); empty {
				return nil, err
			}
			return output, err
		}))
	apidoc.Delete(api, "/empty", "", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil })
	apidoc.Get(api, "/any", "", func(context.Context, struct{}) (any, error) { return nil, nil })
	apidoc.Get(api, "/pointer", "", func(context.Context, struct{}) (*Plum, error) { return nil, nil })
	apidoc.Get(api, "/abort", "", func(context.Context, struct{}) (string, error) { panic(http.ErrAbortHandler) })
	for target, want := range map[string]string{"DELETE /empty": "204 ", "GET /any": "200 null", "GET /pointer": "200 null"} {
		method, path, _ := strings.Cut(target, " ")
		if w := call(app, method, path, "", ""); strings.TrimSpace(fmt.Sprint(w.Code, " ", w.Body)) != strings.TrimSpace(want) {
			t.Errorf("%s: got %d %s, want %s", target, w.Code, w.Body, want)
		}
	}
	defer func() {
		if v := recover(); v != http.ErrAbortHandler {
			t.Errorf("an abort became the panic %v", v)
		}
	}()
	call(app, "GET", "/abort", "", "")
}
