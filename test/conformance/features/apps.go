package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/danielgtaylor/huma/v2/humatest"
	"github.com/rs/cors"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/routing"
)

// This file has the features around operations: groups, middleware, several APIs, tests.

func readTree(context.Context, nothing) (open, error)         { return open{"oak"}, nil }
func humaTree(context.Context, *nothing) (*body[open], error) { return &body[open]{open{"oak"}}, nil }
func named(key, value string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(key, value)
			next.ServeHTTP(w, r)
		})
	}
}

// ledger records what a transaction did.
type ledger struct{ text atomic.Value }

func (l *ledger) note(s string)  { l.text.Store(s) }
func (l *ledger) String() string { return fmt.Sprint(l.text.Load()) }

type Failing struct {
	Fail bool `query:"fail"`
}

var apps = []feature{
	{
		key: "groups", name: "Groups with a prefix, tags, security and middleware",
		apidoc: apidocAPI(func(api *apidoc.API) {
			tag := api.Tag("Garden", "What grows")
			api.Group("/garden", func(g *apidoc.Group) { apidoc.Get(g, "/tree", "Read", readTree) },
				tag, key, apidoc.RouteOptions(routing.Use(named("X-Group", "garden"))))
			apidoc.Get(api, "/tree", "Read", readTree, apidoc.ID("other"))
		}),
		huma: humaAPIWith(secured, func(api huma.API) {
			g := huma.NewGroup(api, "/garden")
			g.UseSimpleModifier(func(o *huma.Operation) {
				o.Tags, o.Security = []string{"Garden"}, []map[string][]string{{"key": {}}}
			})
			g.UseMiddleware(humaSecurity(api), func(c huma.Context, next func(huma.Context)) {
				c.SetHeader("X-Group", "garden")
				next(c)
			})
			huma.Get(g, "/tree", humaTree)
			huma.Get(api, "/tree", humaTree)
		}),
		probes: []probe{
			responds("GET /garden/tree\nX-Key: ann", 200, "oak", "X-Group: garden"),
			responds("GET /garden/tree", 401),
			responds("GET /tree", 200),
			describes("paths /garden/tree get tags", "Garden"),
			describes("paths /garden/tree get security", "key"),
		},
	},
	{
		key: "versions", name: "Versions: /v1 and /v2 of the same operations",
		apidoc: apidocAPI(func(api *apidoc.API) {
			trees := func(g *apidoc.Group) { apidoc.Get(g, "/tree", "Read", readTree) }
			api.Group("/v1", trees, apidoc.IDPrefix("v1"), apidoc.Deprecated())
			api.Group("/v2", trees, apidoc.IDPrefix("v2"))
		}),
		huma: humaAPI(func(api huma.API) {
			v1, v2 := huma.NewGroup(api, "/v1"), huma.NewGroup(api, "/v2")
			v1.UseSimpleModifier(func(o *huma.Operation) { o.Deprecated, o.OperationID = true, "v1-"+o.OperationID })
			v2.UseSimpleModifier(func(o *huma.Operation) { o.OperationID = "v2-" + o.OperationID })
			for _, g := range []*huma.Group{v1, v2} {
				huma.Get(g, "/tree", humaTree)
			}
		}),
		probes: []probe{
			responds("GET /v1/tree", 200, "oak"),
			responds("GET /v2/tree", 200, "oak"),
			describes("paths /v1/tree get deprecated", "true"),
			describes("paths /v2/tree get operationId", "v2"),
		},
	},
	{
		key: "several", name: "Several APIs in one app, each with its description",
		apidoc: func() http.Handler {
			app := routing.New(routing.WithLogger(quiet))
			public := apidoc.NewAPI(app, apidoc.Info{Title: "Public", Version: "1.0"})
			admin := apidoc.NewAPI(app, apidoc.Info{Title: "Admin", Version: "1.0"})
			apidoc.Get(public, "/tree", "Read", readTree)
			apidoc.Delete(admin, "/admin/tree", "Delete", func(context.Context, nothing) (nothing, error) { return nothing{}, nil })
			_, err := public.Serve(nil)
			_, err2 := admin.ServeAt("/admin/api-docs", nil)
			if err = errors.Join(err, err2); err != nil {
				panic(err)
			}
			mux := http.NewServeMux()
			mux.Handle("/", app)
			mux.Handle("/second.json", rewritten(app, "/admin/api-docs/openapi.json"))
			return mux
		},
		huma: func() http.Handler {
			mux := http.NewServeMux()
			huma.Get(humago.New(mux, huma.DefaultConfig("Public", "1.0")), "/tree", humaTree)
			config := huma.DefaultConfig("Admin", "1.0")
			config.OpenAPIPath, config.DocsPath, config.SchemasPath = "/admin/openapi", "", ""
			huma.Delete(humago.New(mux, config), "/admin/tree", func(context.Context, *nothing) (*nothing, error) { return nil, nil })
			mux.Handle("/second.json", rewritten(mux, "/admin/openapi.json"))
			return mux
		},
		probes: []probe{
			responds("GET /tree", 200),
			responds("DELETE /admin/tree", 204),
			describes("info title", "Public"),
			responds("GET /second.json", 200, "Admin"),
			lacks("GET /second.json", `"get"`),
		},
	},
	{
		key: "middleware", name: "Middleware of net/http (ASGI in Python) around all, and around one operation",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/tree", "Read", readTree, apidoc.RouteOptions(routing.Use(named("X-One", "1"))))
			apidoc.Get(api, "/other", "Read", readTree, apidoc.ID("other"))
		}, apidoc.RouteOptions(routing.Use(named("X-All", "1")))),
		huma: humaAPI(func(api huma.API) {
			set := func(name string) func(huma.Context, func(huma.Context)) {
				return func(c huma.Context, next func(huma.Context)) {
					c.SetHeader(name, "1")
					next(c)
				}
			}
			api.UseMiddleware(set("X-All"))
			huma.Register(api, huma.Operation{Method: "GET", Path: "/tree", OperationID: "tree", Middlewares: huma.Middlewares{set("X-One")}}, humaTree)
			huma.Get(api, "/other", humaTree)
		}),
		probes: []probe{
			responds("GET /tree", 200, "X-All: 1", "X-One: 1"),
			responds("GET /other", 200, "X-All: 1"),
			func(s service) string {
				if a, err := s.send("GET /other"); err != nil || a.header.Get("X-One") != "" {
					return "`GET /other`: the middleware of another operation ran"
				}
				return ""
			},
		},
	},
	{
		key: "values", name: "Interceptors that see and change the decoded input, and see the output",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Put(api, "/tree", "Put", echo[open], apidoc.Intercept(
				func(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
					in := call.Input.(*open)
					in.Name = strings.ToUpper(in.Name)
					out, err := next(ctx)
					if err == nil {
						call.Context.Header().Set("X-Seen", out.(open).Name)
					}
					return out, err
				}))
		}),
		huma: humaAPIWith(func(c *huma.Config) {
			c.Transformers = append(c.Transformers, func(c huma.Context, _ string, v any) (any, error) {
				if out, ok := v.(open); ok { // the output alone
					c.SetHeader("X-Seen", out.Name)
				}
				return v, nil
			})
		}, func(api huma.API) { huma.Register(api, put("/tree"), humaEcho[open]) }),
		probes: []probe{
			responds(tree(`{"name":"oak"}`), 200, "X-Seen: O"),
			responds(tree(`{"name":"oak"}`), 200, "OAK"),
		},
	},
	{
		key: "transactions", name: "Transactions around operations: committed after success, rolled back after an error",
		apidoc: apidocAPI(func(api *apidoc.API) {
			done := &ledger{}
			transact := func(ctx context.Context, _ *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
				out, err := next(ctx)
				if err != nil {
					done.note("rolled back")
				} else {
					done.note("committed")
				}
				return out, err
			}
			apidoc.Post(api, "/tree", "Add", func(_ context.Context, in Failing) (nothing, error) {
				if in.Fail {
					return nothing{}, errors.New("full")
				}
				return nothing{}, nil
			}, apidoc.Intercept(transact))
			apidoc.Get(api, "/done", "Done", func(context.Context, nothing) (string, error) { return done.String(), nil })
		}),
		huma: humaAPI(func(api huma.API) {
			done := &ledger{}
			transact := func(c huma.Context, next func(huma.Context)) {
				next(c)
				if c.Status() >= 400 {
					done.note("rolled back")
				} else {
					done.note("committed")
				}
			}
			huma.Register(api, huma.Operation{Method: "POST", Path: "/tree", OperationID: "add", Middlewares: huma.Middlewares{transact}},
				func(_ context.Context, in *Failing) (*nothing, error) {
					if in.Fail {
						return nil, errors.New("full")
					}
					return nil, nil
				})
			huma.Get(api, "/done", func(context.Context, *nothing) (*text, error) { return &text{done.String()}, nil })
		}),
		probes: []probe{
			sequence(responds("POST /tree", 204), responds("GET /done", 200, "committed")),
			sequence(responds("POST /tree?fail=true", 500), responds("GET /done", 200, "rolled back")),
		},
	},
	{
		key: "cors", name: "CORS",
		apidoc: func() http.Handler {
			app := routing.New(routing.WithLogger(quiet))
			apidoc.Put(apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0"}), "/tree", "Put", echo[open])
			return allowed.Handler(app)
		},
		huma: func() http.Handler {
			return allowed.Handler(humaAPI(func(api huma.API) { huma.Register(api, put("/tree"), humaEcho[open]) })())
		},
		probes: []probe{
			responds("OPTIONS /tree\nOrigin: https://shop.example\nAccess-Control-Request-Method: PUT", anySuccess, "Access-Control-Allow-Origin: https://shop.example"),
			responds("PUT /tree\nOrigin: https://shop.example\n\n"+`{"name":"oak"}`, 200, "Access-Control-Allow-Origin: https://shop.example"),
		},
	},
	{
		key: "mounted", document: "/shop/openapi.json", name: "Mounted below a prefix: the description names it",
		apidoc: func() http.Handler {
			inner := apidocAPI(func(api *apidoc.API) { apidoc.Get(api, "/tree", "Read", readTree) })().(*routing.App)
			outer := routing.New(routing.WithLogger(quiet))
			outer.Mount("/shop", inner)
			mux := http.NewServeMux()
			mux.Handle("/shop/", outer)
			mux.Handle("/api-docs/", rewritten(outer, "/shop/api-docs/openapi.json"))
			return mux
		},
		huma: func() http.Handler {
			mux := http.NewServeMux()
			config := huma.DefaultConfig("Trees", "1.0")
			config.Servers = []*huma.Server{{URL: "/shop"}}
			huma.Get(humago.NewWithPrefix(mux, "/shop", config), "/tree", humaTree)
			mux.Handle("/openapi.json", rewritten(mux, "/shop/openapi.json"))
			return mux
		},
		probes: []probe{
			responds("GET /shop/tree", 200, "oak"),
			describes("servers 0 url", "/shop"),
			describes("paths /tree get responses", "200"),
		},
	},
	{
		key: "timeout", name: "A time limit for an operation, and its context ends with the request",
		apidoc: apidocAPI(func(api *apidoc.API) {
			gone := &ledger{}
			apidoc.Get(api, "/slow", "Slow", func(ctx context.Context, _ nothing) (nothing, error) {
				<-ctx.Done()
				gone.note("gone")
				return nothing{}, ctx.Err()
			})
			apidoc.Get(api, "/gone", "Gone", func(context.Context, nothing) (string, error) { return gone.String(), nil })
		}),
		huma: humaAPI(func(api huma.API) {
			gone := &ledger{}
			huma.Get(api, "/slow", func(ctx context.Context, _ *nothing) (*nothing, error) {
				<-ctx.Done()
				gone.note("gone")
				return nil, ctx.Err()
			})
			huma.Get(api, "/gone", func(context.Context, *nothing) (*text, error) { return &text{gone.String()}, nil })
		}),
		probes: []probe{func(s service) string {
			begin := time.Now()
			// A client may go before the server has its request, so that the next one waits for
			// longer.
			for wait := 100 * time.Millisecond; time.Since(begin) < patience; wait *= 2 {
				if status := s.abandon("GET /slow", wait); status != 0 {
					return fmt.Sprintf("`GET /slow`: %d", status)
				}
				for left := time.Now(); time.Since(left) < wait; time.Sleep(10 * time.Millisecond) {
					if a, err := s.send("GET /gone"); err == nil && strings.Contains(a.body, "gone") {
						return ""
					}
				}
			}
			return "`GET /slow`: the operation goes on after the client has gone"
		}},
	},
	{
		key: "background", name: "Work after the response",
		apidoc: apidocAPI(func(api *apidoc.API) {
			done := &ledger{}
			apidoc.Post(api, "/tree", "Add", func(ctx context.Context, _ nothing) (nothing, error) {
				go func() { done.note("written") }()
				return nothing{}, nil
			}, apidoc.Status(202))
			apidoc.Get(api, "/done", "Done", func(context.Context, nothing) (string, error) { return done.String(), nil })
		}),
		huma: humaAPI(func(api huma.API) {
			done := &ledger{}
			huma.Register(api, huma.Operation{Method: "POST", Path: "/tree", OperationID: "add", DefaultStatus: 202},
				func(context.Context, *nothing) (*nothing, error) {
					go func() { done.note("written") }()
					return nil, nil
				})
			huma.Get(api, "/done", func(context.Context, *nothing) (*text, error) { return &text{done.String()}, nil })
		}),
		probes: []probe{responds("POST /tree", 202), func(s service) (seen string) {
			for begin := time.Now(); time.Since(begin) < patience; time.Sleep(10 * time.Millisecond) {
				if seen = responds("GET /done", 200, "written")(s); seen == "" {
					break
				}
			}
			return seen
		}},
	},
	{
		key: "hidden", name: "Routes that are not described, beside operations",
		apidoc: func() http.Handler {
			app := apidocAPI(func(api *apidoc.API) { apidoc.Get(api, "/tree", "Read", readTree) })().(*routing.App)
			app.Get("/hidden", func(routing.Context) (routing.Result, error) { return routing.Text("oak"), nil })
			return app
		},
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/tree", humaTree)
			huma.Register(api, huma.Operation{Method: "GET", Path: "/hidden", OperationID: "hidden", Hidden: true}, humaTree)
		}),
		probes: []probe{
			responds("GET /hidden", 200, "oak"),
			describes("paths", `"/tree"`),
			func(s service) string {
				if seen := describes("paths", `"/hidden"`)(s); seen == "" {
					return "the hidden route is described"
				}
				return ""
			},
		},
	},
	{
		key: "pages", name: "Forms of pages: shown again with all mistakes and what was typed",
		apidoc: func() http.Handler {
			app := routing.New(routing.WithLogger(quiet))
			reader := apidoc.NewFormReader[struct {
				Name string `form:"name,required" minLength:"2"`
				Age  int    `form:"age" min:"1"`
			}]()
			app.Post("/sign-up", func(c routing.Context) (routing.Result, error) {
				form, err := reader.Read(c)
				if err != nil {
					return routing.Result{}, err
				}
				c.SetStatus(http.StatusUnprocessableEntity)
				return routing.HTML(fmt.Sprintf("<input value=%q>name %s; age %s", form.Text("age"), form.Error("name"), form.Error("age"))), nil
			})
			return app
		},
		probes: []probe{
			responds("POST /sign-up\nContent-Type: application/x-www-form-urlencoded\n\nname=&age=old", 422, "<input", "old", "name", "age", "Content-Type: text/html"),
		},
	},
	{
		key: "methods", name: "Other methods: OPTIONS and TRACE",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Route(api, "OPTIONS", routing.Must(routing.Sinatra("/tree")), "Options", readTree)
			apidoc.Route(api, "TRACE", routing.Must(routing.Sinatra("/tree")), "Trace", readTree, apidoc.ID("trace"))
		}),
		huma: humaAPI(func(api huma.API) {
			for _, method := range []string{"OPTIONS", "TRACE"} {
				huma.Register(api, huma.Operation{Method: method, Path: "/tree", OperationID: method}, humaTree)
			}
		}),
		probes: []probe{
			responds("OPTIONS /tree", 200, "oak"),
			responds("TRACE /tree", 200, "oak"),
			describes("paths /tree", `"options"`),
			describes("paths /tree", `"trace"`),
		},
	},
	{
		key: "tests", name: "Tests: a request in a line, and each response checked against the description",
		apidoc: func() http.Handler {
			app := routing.New(routing.WithLogger(quiet))
			api := apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0"})
			apidoc.Put(api, "/tree", "Put", echo[open])
			apidoc.Get(api, "/wrong", "Wrong", func(context.Context, nothing) (nothing, error) {
				return nothing{}, &routing.HaltError{Status: http.StatusNotFound}
			})
			app.Get("/try", func(routing.Context) (routing.Result, error) {
				t := &tester{}
				c := apitest.New(t, app)
				c.Put("/tree", open{"oak"}).Want(200, open{"oak"})
				first := t.failures
				c.Get("/wrong")
				return routing.Text(fmt.Sprint("failures: ", first, ", of a wrong response: ", t.failures)), nil
			})
			return app
		},
		huma: func() http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				t := &tester{}
				_, api := humatest.New(t)
				huma.Register(api, put("/tree"), humaEcho[open])
				huma.Get(api, "/wrong", func(context.Context, *nothing) (*nothing, error) { return nil, huma.Error404NotFound("not described") })
				if r := api.Put("/tree", open{"oak"}); r.Code != 200 || !strings.Contains(r.Body.String(), "oak") {
					t.failures++
				}
				first := t.failures
				api.Get("/wrong")
				fmt.Fprint(w, "failures: ", first, ", of a wrong response: ", t.failures)
			})
		},
		probes: []probe{
			responds("GET /try", 200, "failures: 0"),
			responds("GET /try", 200, "of a wrong response: 1"),
		},
	},
}

// sequence is a probe of several steps.
func sequence(steps ...probe) probe {
	return func(s service) string {
		for _, step := range steps {
			if seen := step(s); seen != "" {
				return seen
			}
		}
		return ""
	}
}

var allowed = cors.New(cors.Options{AllowedOrigins: []string{"https://shop.example"}, AllowedMethods: []string{"PUT"}})

// rewritten sends all requests to another path.
func rewritten(h http.Handler, path string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		r.URL.Path = path
		h.ServeHTTP(w, r)
	})
}

// tester is a huma test and an apitest.T that counts failures.
type tester struct {
	failures int
	log      bytes.Buffer
}

func (t *tester) Helper()                        {}
func (t *tester) Log(args ...any)                { fmt.Fprintln(&t.log, args...) }
func (t *tester) Logf(format string, a ...any)   { fmt.Fprintf(&t.log, format, a...) }
func (t *tester) Errorf(string, ...any)          { t.failures++ }
func (t *tester) Fatalf(format string, a ...any) { t.failures++ }
