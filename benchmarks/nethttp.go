package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/labstack/echo/v4"
	"github.com/uptrace/bunrouter"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file measures handlers and middleware of net/http: an http.Handler, and middleware of the
// form func(http.Handler) http.Handler. All contestants of a row use the same ones, except for
// routers with another form of middleware, which use what their documentation shows.

// A nethttpRow is a request for /users/7. All its contestants send the same response.
type nethttpRow struct {
	name, about string
	loopback    bool // measured over loopback too
	contestants []entrant
}

type entrant struct {
	name  string
	build func() http.Handler
}

func nethttpRows() []nethttpRow {
	return []nethttpRow{
		{"handle", "an http.Handler", true, []entrant{
			{"flowercafe", func() http.Handler {
				app := routing.New()
				app.Handle(http.MethodGet, "/users/:id", alice)
				return app
			}},
			{"servemux", func() http.Handler { return muxWith(muxPattern, alice) }},
			{"chi", func() http.Handler { return chiWith(nil, nil) }},
			{"echo", func() http.Handler {
				e := echo.New()
				e.GET("/users/:id", echo.WrapHandler(alice))
				return e
			}},
		}},
		{"mounted_handler", "an http.Handler, mounted below a prefix", true, []entrant{
			{"flowercafe", func() http.Handler {
				app := routing.New()
				app.Mount("/users", alice)
				return app
			}},
			{"servemux", func() http.Handler { return muxWith("/users/", alice) }},
			{"chi", func() http.Handler {
				r := chi.NewRouter()
				r.Mount("/users", alice)
				return r
			}},
			{"echo", func() http.Handler {
				e := echo.New()
				e.Any("/users/*", echo.WrapHandler(alice))
				return e
			}},
		}},
		{"middleware", "a route with one middleware", true, append(withMiddleware(passThrough),
			entrant{"echo", func() http.Handler { return echoWith(nil, echoAround) }},
			entrant{"bunrouter", func() http.Handler {
				r := bunrouter.New()
				r.NewGroup("", bunrouter.WithMiddleware(func(next bunrouter.HandlerFunc) bunrouter.HandlerFunc {
					return func(w http.ResponseWriter, r bunrouter.Request) error { return next(w, r) }
				})).GET("/users/:id", bunrouter.HTTPHandlerFunc(alice))
				return r
			}},
		)},
		{"three_middlewares", "a route with three middlewares, of which one sets a context value", true, append(withMiddleware(passThrough, withContextValue, passThrough),
			entrant{"echo", func() http.Handler { return echoWith(nil, echoAround, echoValued, echoAround) }},
		)},
		{"app_middleware", "the same three around the whole app", true, []entrant{
			{"flowercafe", func() http.Handler {
				app := routing.New()
				app.Use(passThrough, withContextValue, passThrough)
				app.Get("/users/:id", text("Alice"))
				return app
			}},
			{"servemux", func() http.Handler { return passThrough(withContextValue(passThrough(muxWith(muxPattern, alice)))) }},
			{"chi", func() http.Handler { return chiWith([]middleware{passThrough, withContextValue, passThrough}, nil) }},
			{"echo", func() http.Handler {
				return echoWith([]echo.MiddlewareFunc{echoAround, echoValued, echoAround})
			}},
		}},
		{"files", "a file of 4 kB", false, []entrant{
			{"flowercafe", func() http.Handler {
				app := routing.New()
				app.Get("/users/*", respond.Files(os.DirFS("testdata/files")))
				return app
			}},
			{"servemux", func() http.Handler {
				return muxWith("GET /users/", http.StripPrefix("/users", http.FileServerFS(os.DirFS("testdata/files"))))
			}},
		}},
		{"typed_middleware", "a typed operation below one middleware", false, typedWith(passThrough)},
		{"typed_three_middlewares", "a typed operation below three middlewares, of which one sets a context value", false, typedWith(passThrough, withContextValue, passThrough)},
		{"typed_group", "a typed operation in a group with the same three", false, []entrant{
			{"flowercafe", func() http.Handler {
				app := routing.New()
				api := apidoc.NewAPI(app, apidoc.Info{Title: "Users", Version: "1"})
				api.Group("/users", func(g *apidoc.Group) {
					apidoc.Get(g, "/:id", "Read a user", findUser)
				}, apidoc.RouteOptions(routing.Use(passThrough, withContextValue, passThrough)))
				return app
			}},
			{"huma on chi", func() http.Handler {
				r := chi.NewRouter()
				r.Route("/users", func(r chi.Router) {
					r.Use(passThrough, withContextValue, passThrough)
					registerUser(humachi.New(r, humaConfig()), "/{id}")
				})
				return r
			}},
		}},
	}
}

type middleware = func(http.Handler) http.Handler

// alice is a typical handler.
var alice http.HandlerFunc = response{http.StatusOK, plainText, "Alice"}.handler()

// passThrough is middleware that only calls its next handler.
func passThrough(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r) })
}

type valueKey struct{}

// withContextValue is middleware that sets a context value.
func withContextValue(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), valueKey{}, "value")))
	})
}

func echoAround(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error { return next(c) }
}

func echoValued(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Set("key", "value")
		return next(c)
	}
}

func chiWith(whole, route []middleware) http.Handler {
	r := chi.NewRouter()
	r.Use(whole...)
	r.With(route...).Method(http.MethodGet, "/users/{id}", alice)
	return r
}

func echoWith(whole []echo.MiddlewareFunc, route ...echo.MiddlewareFunc) http.Handler {
	e := echo.New()
	e.Use(whole...)
	e.GET("/users/:id", func(c echo.Context) error { return c.String(http.StatusOK, "Alice") }, route...)
	return e
}

// withMiddleware returns routers with a route that has the middleware.
func withMiddleware(list ...middleware) []entrant {
	return []entrant{
		{"flowercafe", func() http.Handler {
			app := routing.New()
			app.Get("/users/:id", text("Alice"), routing.Use(list...))
			return app
		}},
		{"servemux", func() http.Handler {
			var h http.Handler = alice
			for _, m := range list {
				h = m(h)
			}
			return muxWith(muxPattern, h)
		}},
		{"chi", func() http.Handler { return chiWith(nil, list) }},
	}
}

type userInput struct {
	ID string `path:"id"`
}

func findUser(_ context.Context, in userInput) (user, error) { return user{in.ID, "Alice"}, nil }

type humaOutput struct{ Body user }

func registerUser(api huma.API, path string) {
	huma.Get(api, path, func(_ context.Context, in *userInput) (*humaOutput, error) {
		return &humaOutput{user{in.ID, "Alice"}}, nil
	})
}

// humaConfig is huma's default, without the link to the schema in each response.
func humaConfig() huma.Config {
	config := huma.DefaultConfig("Users", "1")
	config.CreateHooks = nil
	return config
}

// typedWith returns a typed operation below middleware of its route.
func typedWith(list ...middleware) []entrant {
	return []entrant{
		{"flowercafe", func() http.Handler {
			app := routing.New()
			apidoc.Get(apidoc.NewAPI(app, apidoc.Info{Title: "Users", Version: "1"}), "/users/:id", "Read a user", findUser, apidoc.RouteOptions(routing.Use(list...)))
			return app
		}},
		{"huma on chi", func() http.Handler {
			r := chi.NewRouter()
			registerUser(humachi.New(r.With(list...), humaConfig()), "/users/{id}")
			return r
		}},
	}
}

func nethttpEntries() []entry {
	var entries []entry
	for _, row := range nethttpRows() {
		entries = append(entries, entry{name: "host_" + row.name, build: row.build})
	}
	for _, row := range nethttpRows() {
		if row.loopback {
			entries = append(entries, entry{name: "loopback_" + row.name, build: overLoopback(userPath+"?"+row.name, 64, row.about, "chi", "echo")})
		}
	}
	return entries
}

func (row nethttpRow) build(ctx context.Context) (*benchmark, error) {
	b := &benchmark{about: row.about, reference: "flowercafe", fresh: true}
	var first response
	for _, e := range row.contestants {
		h := e.build()
		want, err := ask(h, newRequest(ctx, http.MethodGet, userPath))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
		if len(b.entrants) == 0 {
			first = want
		}
		same := first
		if want.body == first.body+"\n" {
			same.body = want.body // huma's JSON ends with a line break
		}
		b.enter(e.name, h, []call{{newRequest(ctx, http.MethodGet, userPath), same}})
	}
	return b, nil
}

// nethttpService returns the handler of a contestant of a row.
func nethttpService(name, row string) (http.Handler, error) {
	for _, r := range nethttpRows() {
		for _, e := range r.contestants {
			if r.name == row && e.name == name {
				return e.build(), nil
			}
		}
	}
	return nil, fmt.Errorf("%s has no contestant %s", row, name)
}
