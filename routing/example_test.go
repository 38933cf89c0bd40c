package routing_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"

	"example.com/flowercafe/routing"
)

// show prints the response of h to a request.
func show(h http.Handler, method, target string) {
	w := send(h, httptest.NewRequest(method, target, nil))
	fmt.Println(strings.TrimSpace(fmt.Sprint(w.Code, " ", w.Body)))
}

// hello greets the name in the path.
func hello(c routing.Context) (routing.Result, error) {
	name, err := c.Params().Require("name")
	if err != nil {
		return routing.Result{}, err
	}
	return routing.Text("hello " + name), nil
}

func Example() {
	app := routing.New()
	app.Get("/hello/:name", hello)
	show(app, "GET", "/hello/Ann%20Lee")
	// Output: 200 hello Ann Lee
}

// Of the routes that match, the one defined last runs.
func ExampleApp_Get() {
	app := routing.New()
	app.Get("/items/new", text("the form"))
	app.Get("/items/:id", text("an item"))
	show(app, "GET", "/items/new")
	// Output: 200 an item
}

// A common mistake: a catch-all defined last takes all requests. Define it first, or let it pass.
func ExampleApp_Get_mistake() {
	app := routing.New()
	app.Get("/hello/:name", hello)
	app.Get("/*", text("the site's pages"))
	show(app, "GET", "/hello/Ann")
	for _, shadow := range app.Shadowed() {
		fmt.Println(shadow)
	}
	// Output:
	// 200 the site's pages
	// GET /hello/:name is hidden by GET /*, which is defined later
}

// Pass runs the next route that matches.
func ExamplePass() {
	app := routing.New()
	app.Get("/report", text("the public report"))
	app.Get("/report", func(c routing.Context) (routing.Result, error) {
		if c.Request().Header.Get("X-Role") != "staff" {
			return routing.Result{}, routing.Pass
		}
		return routing.Text("the whole report"), nil
	})
	show(app, "GET", "/report")
	// Output: 200 the public report
}

// Authentication is a before filter. Filters and routes match the same path.
func ExampleApp_Before() {
	app := routing.New()
	app.Before(func(c routing.Context) error {
		if _, _, ok := c.Request().BasicAuth(); ok {
			return nil
		}
		return &routing.HaltError{Status: 401, Header: http.Header{"WWW-Authenticate": {`Basic realm="admin"`}}, Body: routing.Text("log in")}
	}, routing.On("/admin"), routing.On("/admin/*"))
	app.Get("/admin/:page", text("secret"))
	show(app, "GET", "/admin/users")
	show(app, "GET", "/admin%2Fusers")
	// Output:
	// 401 log in
	// 401 log in
}

func ExampleApp_After() {
	app := routing.New()
	app.Get("/", text("ok"))
	app.After(func(c routing.Context) error {
		c.Header().Set("X-Served-By", "cafe")
		return nil
	})
	fmt.Println(get(app, "/").Header().Get("X-Served-By"))
	// Output: cafe
}

func ExampleApp_NotFound() {
	app := routing.New()
	app.NotFound(func(c routing.Context) (routing.Result, error) { return routing.Text("nothing here"), nil })
	show(app, "GET", "/any")
	// Output: 404 nothing here
}

func ExampleApp_OnError() {
	app := routing.New()
	app.Get("/hello/:id", hello) // has no name
	app.OnError(func(c routing.Context, err error) (routing.Result, error) {
		if errors.Is(err, routing.ErrNoParam) {
			c.SetStatus(http.StatusBadRequest)
		}
		return routing.Text("sorry"), nil
	})
	show(app, "GET", "/hello/1")
	// Output: 400 sorry
}

func ExamplePanicError() {
	app := routing.New()
	app.Get("/", func(routing.Context) (routing.Result, error) { panic("out of beans") })
	app.OnError(func(c routing.Context, err error) (routing.Result, error) {
		var panicked *routing.PanicError
		return routing.Text(fmt.Sprint(errors.As(err, &panicked), " ", err)), nil
	})
	show(app, "GET", "/")
	// Output: 500 true out of beans
}

func ExampleHaltError() {
	app := routing.New()
	app.Get("/", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, fmt.Errorf("in a helper: %w", &routing.HaltError{Status: 409, Body: routing.Text("not now")})
	})
	show(app, "GET", "/")
	fmt.Println(&routing.HaltError{Status: 403, Reason: "Members Only"})
	// Output:
	// 409 not now
	// routing: halt 403 Members Only
}

func ExampleRedirect() {
	app := routing.New()
	app.Get("/old", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Redirect("/new") })
	w := get(app, "/old")
	fmt.Println(w.Code, w.Header().Get("Location"))
	// Output: 302 /new
}

// After a login, the client requests the page to which the user wanted to go, with GET.
func ExampleLocalURL() {
	app := routing.New()
	app.Post("/login", func(c routing.Context) (routing.Result, error) {
		back := c.Params().GetOr("back", "/")
		return routing.Result{}, routing.SeeOther(routing.LocalURL(back, "/"))
	})
	for _, back := range []string{"/cart", "//evil.example"} {
		w := send(app, form("/login", "name=ann&back="+back))
		fmt.Println(w.Code, w.Header().Get("Location"))
	}
	// Output:
	// 303 /cart
	// 303 /
}

func ExampleRails() {
	app := routing.New()
	app.Route("GET", routing.Must(routing.Rails("/doc/:id(.:format)")), func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("id", "") + " as " + c.Params().GetOr("format", "html")), nil
	})
	show(app, "GET", "/doc/7")
	show(app, "GET", "/doc/7.pdf")
	// Output:
	// 200 7 as html
	// 200 7 as pdf
}

func ExampleSinatra() {
	pattern, err := routing.Sinatra("/list/?:page?")
	fmt.Println(pattern.Match("/list"), pattern.Match("/list/3"), pattern.Names(), err)
	_, err = routing.Sinatra("/a??")
	fmt.Println(err)
	// Output:
	// true true [page] <nil>
	// routing: sinatra pattern "/a??", offset 3: a question mark must not follow another one: write a single one
}

func ExampleRegexp() {
	app := routing.New()
	app.Route("GET", routing.Regexp(regexp.MustCompile(`^/(?P<year>\d{4})/(\d\d)$`)), func(c routing.Context) (routing.Result, error) {
		return routing.Text(fmt.Sprint(c.Params().Values("captures"), " ", c.Params().GetOr("year", ""))), nil
	})
	show(app, "GET", "/2026/11")
	// Output: 200 [2026 11] 2026
}

func ExampleWhen() {
	beta := routing.When(func(r *http.Request) bool { return r.Header.Get("X-Beta") == "1" })
	app := routing.New()
	app.Get("/", text("stable"))
	app.Get("/", text("beta"), beta)
	app.Before(func(c routing.Context) error { c.Header().Set("X-Watched", "1"); return nil }, beta)
	show(app, "GET", "/")
	// Output: 200 stable
}

// A route of conditions alone has the zero Pattern.
func ExampleApp_Route() {
	app := routing.New()
	app.Route("GET", routing.Pattern{}, text("a robot"), routing.When(func(r *http.Request) bool {
		return strings.Contains(r.UserAgent(), "bot")
	}).Named("robots"))
	fmt.Println(app.Explain(httptest.NewRequest("GET", "/any", nil)))
	// Output:
	// GET "/any"
	//   - GET /*: the condition "robots" does not hold
}

// Handlers of net/http see the parameters as path values.
func ExampleApp_Handle() {
	app := routing.New()
	app.Handle("GET", "/files/*", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Pattern+" "+r.PathValue("splat"))
	}))
	show(app, "GET", "/files/a/b.txt")
	// Output: 200 GET /files/* a/b.txt
}

func ExampleApp_Mount() {
	api := routing.New()
	api.Get("/users/:id", func(c routing.Context) (routing.Result, error) {
		return routing.Text("user " + c.Params().GetOr("id", "")), nil
	})
	app := routing.New()
	app.Mount("/api", api)
	show(app, "GET", "/api/users/7")
	// Output: 200 user 7
}

// Requests that no route matches go to the next handler.
func ExampleApp_Middleware() {
	app := routing.New()
	app.Get("/mine", text("mine"))
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "the host's "+r.URL.Path) })
	h := app.Middleware(next)
	show(h, "GET", "/mine")
	show(h, "GET", "/other")
	// Output:
	// 200 mine
	// 200 the host's /other
}

// Apps in layers: a plugin overrides some routes of the core, which serves all other requests.
func ExampleApp_Middleware_layers() {
	core, plugin := routing.New(), routing.New()
	core.Get("/houses/:name", text("the house"))
	core.Get("/about", text("about us"))
	plugin.Get("/houses/pier", text("the pier"))
	app := plugin.Middleware(core)
	show(app, "GET", "/houses/pier")
	show(app, "GET", "/houses/mill")
	show(app, "GET", "/about")
	// Output:
	// 200 the pier
	// 200 the house
	// 200 about us
}

func ExampleApp_Use() {
	app := routing.New()
	app.Use(func(next http.Handler) http.Handler { return http.MaxBytesHandler(next, 1<<10) })
	app.Get("/", text("ok"))
	show(app, "GET", "/")
	// Output: 200 ok
}

// Middleware may wrap one route. It sees the response that is sent.
func ExampleUse() {
	app := routing.New()
	app.Get("/slow", text("done"), routing.Use(func(next http.Handler) http.Handler {
		return http.TimeoutHandler(next, 1<<40, "too late")
	}))
	show(app, "GET", "/slow")
	// Output: 200 done
}

func ExampleWrap() {
	shout := routing.Wrap(func(action routing.Action) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			c.Header().Set("X-Loud", "yes")
			return action(c)
		}
	})
	app := routing.New()
	app.Get("/hello/:name", hello, routing.Combine(shout, routing.Meta("loud", true)))
	fmt.Println(get(app, "/hello/Ann").Header().Get("X-Loud"), app.Table()[0].Route.Meta("loud"))
	// Output: yes true
}

func ExampleCheck() {
	app := routing.New()
	defer func() { fmt.Println(recover()) }()
	app.Get("/:a", text(""), routing.Check(func(r *routing.Route) error {
		return fmt.Errorf("has the parameters %v", r.Pattern().Names())
	}))
	// Output: routing: route GET /:a: has the parameters [a]
}

func ExampleWithMethodOverride() {
	app := routing.New(routing.WithMethodOverride())
	app.Put("/item/:id", text("changed"))
	w := send(app, form("/item/7", "_method=put&name=tea"))
	fmt.Println(w.Code, w.Body)
	// Output: 200 changed
}

func ExampleWithSyntax() {
	app := routing.New(routing.WithSyntax(routing.Rails))
	app.Get("/page(/:number)", text("ok"))
	show(app, "GET", "/page")
	// Output: 200 ok
}

func ExampleWithNext() {
	app := routing.New(routing.WithNext(http.NotFoundHandler()))
	show(app, "GET", "/")
	// Output: 404 404 page not found
}

func ExampleApp_Explain() {
	app := routing.New()
	app.Get("/hello/:name", hello)
	app.Post("/hello/:name", hello)
	fmt.Println(app.Explain(httptest.NewRequest("GET", "/hello/Ann", nil)))
	// Output:
	// GET "/hello/Ann"
	//   - POST /hello/:name: the request's method is GET
	//   + GET /hello/:name: the path matches
}

func ExampleApp_Table() {
	app := routing.New()
	app.Before(func(routing.Context) error { return nil }, routing.On("/admin/*"))
	app.Get("/hello/:name", hello)
	fmt.Print(app.Table())
	// Output:
	// before  *    /admin/*
	// route   GET  /hello/:name
}

func ExampleRoute_URL() {
	app := routing.New(routing.WithBasePath("/shop"))
	route := app.Get("/hello/:name", hello)
	fmt.Println(route.URL("name", "Ann Lee"))
	fmt.Println(route.URL())
	fmt.Println(route.URL("name", "x/y"))
	fmt.Println(route.URL("name", ""))
	// Output:
	// /shop/hello/Ann%20Lee <nil>
	//  routing: URL of GET /shop/hello/:name: no value for "name"
	//  routing: URL of GET /shop/hello/:name: value "x/y" for "name" must not contain a slash
	//  routing: URL of GET /shop/hello/:name: value "" for "name" must not be empty
}

func ExampleParams_Values() {
	app := routing.New()
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		return routing.Text(fmt.Sprintf("%q %q", c.Params().Values("tag"), c.Params().Values("none"))), nil
	})
	show(app, "GET", "/?tag=tea&tag=black+tea")
	// Output: 200 ["tea" "black tea"] []
}

func ExampleJSON() {
	app := routing.New()
	app.Get("/", func(routing.Context) (routing.Result, error) { return routing.JSON(map[string]int{"cups": 2}) })
	show(app, "GET", "/")
	// Output: 200 {"cups":2}
}

func ExampleStream() {
	app := routing.New()
	app.Get("/", func(routing.Context) (routing.Result, error) {
		return routing.Stream("text/plain", strings.NewReader("line by line")), nil
	})
	show(app, "GET", "/")
	// Output: 200 line by line
}

func ExampleHTML() {
	app := routing.New()
	app.Get("/", func(c routing.Context) (routing.Result, error) { return routing.HTML("<p>hello"), nil })
	app.Get("/constant", func(routing.Context) (routing.Result, error) { return routing.HTML("<p>hello"), nil })
	show(app, "GET", "/")
	// Output: 200 <p>hello
}

func ExampleBytes() {
	app := routing.New()
	app.Get("/", func(c routing.Context) (routing.Result, error) { return routing.Bytes("image/png", []byte("…")), nil })
	fmt.Println(get(app, "/").Header().Get("Content-Type"))
	// Output: image/png
}

func ExampleHandler() {
	app := routing.New()
	app.Get("/files/*", routing.Handler(http.NotFoundHandler()))
	show(app, "GET", "/files/x")
	// Output: 404 404 page not found
}

// Errors are logged to the given logger.
func ExampleWithLogger() {
	var log strings.Builder
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		c.Logger().Info("brewing")
		return routing.Result{}, errors.New("no water")
	})
	show(app, "GET", "/")
	fmt.Println(strings.Contains(log.String(), `error="no water"`), strings.Contains(log.String(), "brewing"))
	// Output:
	// 500 Internal Server Error
	// true true
}
