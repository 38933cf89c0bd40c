package routing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"

	"example.com/flowercafe/routing"
)

// Examples of options of apps, routes and filters, and of methods that report definitions.

// The mux and the app both need the prefix.
func ExampleWithBasePath() {
	app := routing.New(routing.WithBasePath("/shop"))
	app.Get("/hello/:name", hello)
	mux := http.NewServeMux()
	mux.Handle("/shop/", app)
	show(mux, "GET", "/shop/hello/Ann")
	// Output: 200 hello Ann
}

// The limit applies to bodies that Params reads, not to those that other handlers read.
func ExampleWithBodyLimit() {
	app := routing.New(routing.WithBodyLimit(1 << 10))
	app.Post("/note", func(c routing.Context) (routing.Result, error) {
		text, err := c.Params().Require("text")
		return routing.Text(text), err
	})
	fmt.Println(send(app, form("/note", "text=short")).Code)
	fmt.Println(send(app, form("/note", "text="+strings.Repeat("long", 1000))).Code)
	// Output:
	// 200
	// 413
}

func ExampleApp_Post() {
	app := routing.New()
	app.Post("/orders", func(c routing.Context) (routing.Result, error) {
		coffee, err := c.Params().Require("coffee")
		return routing.Text("one " + coffee), err
	})
	fmt.Println(send(app, form("/orders", "coffee=mocha")).Body)
	// Output: one mocha
}

// GET routes also serve HEAD requests, which try HEAD routes first.
func ExampleApp_Head() {
	app := routing.New()
	app.Get("/report", text("takes long to make"))
	app.Head("/report", func(c routing.Context) (routing.Result, error) {
		c.Header().Set("X-Ready", "yes")
		return routing.Result{}, nil
	})
	fmt.Println(send(app, httptest.NewRequest("HEAD", "/report", nil)).Header().Get("X-Ready"))
	// Output: yes
}

// A test can check that no route hides another.
func ExampleApp_Shadowed() {
	app := routing.New()
	app.Get("/items/:id", text("an item"))
	app.Get("/items/new", text("the form"))
	fmt.Println(app.Shadowed())
	app.Get("/items/:name", text("by name"))
	for _, s := range app.Shadowed() {
		fmt.Println(s)
	}
	// Output:
	// []
	// GET /items/:id is hidden by GET /items/:name, which is defined later
	// GET /items/new is hidden by GET /items/:name, which is defined later
}

// Explanations contain the name of the condition.
func ExampleCondition_Named() {
	app := routing.New()
	app.Get("/", text("for phones"), routing.When(func(r *http.Request) bool {
		return strings.Contains(r.UserAgent(), "Mobile")
	}).Named("phone"))
	fmt.Println(app.Explain(httptest.NewRequest("GET", "/", nil)))
	// Output:
	// GET "/"
	//   - GET /: the condition "phone" does not hold
}

func ExampleOn() {
	app := routing.New()
	app.Get("/*", text("page"))
	app.Before(func(c routing.Context) error {
		c.Header().Set("X-Section", c.Params().GetOr("section", ""))
		return nil
	}, routing.On("/docs/:section/*"))
	fmt.Println(get(app, "/docs/routes/index").Header().Get("X-Section"))
	// Output: routes
}

func ExampleOnPattern() {
	app := routing.New()
	app.Get("/*", text("page"))
	app.Before(func(routing.Context) error {
		return &routing.HaltError{Status: http.StatusGone}
	}, routing.OnPattern(routing.Regexp(regexp.MustCompile(`^/(19\d\d)/`))))
	fmt.Println(get(app, "/1999/news").Code, get(app, "/2026/news").Code)
	// Output: 410 200
}

// Combine makes one option of several.
func ExampleCombine() {
	secure := func(role string) routing.RouteOption {
		return routing.Combine(
			routing.Meta("role", role),
			routing.When(func(r *http.Request) bool { return r.Header.Get("X-Role") == role }),
		)
	}
	app := routing.New()
	route := app.Get("/till", text("the till"), secure("cashier"))
	r := httptest.NewRequest("GET", "/till", nil)
	r.Header.Set("X-Role", "cashier")
	fmt.Println(route.Meta("role"), send(app, r).Body)
	// Output: cashier the till
}

// A package attaches values to routes with a key of its own type.
func ExampleMeta() {
	type owner struct{}
	app := routing.New()
	app.Get("/coffees", text("all"), routing.Meta(owner{}, "the roastery"))
	for _, entry := range app.Table() {
		fmt.Println(entry.Route, "is of", entry.Route.Meta(owner{}))
	}
	// Output: GET /coffees is of the roastery
}

func ExampleMust() {
	app := routing.New()
	app.Route("GET", routing.Must(routing.Rails("/doc/:id(.:format)")), func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("id", "") + " as " + c.Params().GetOr("format", "html")), nil
	})
	show(app, "GET", "/doc/7.pdf")
	// Output: 200 7 as pdf
}

func ExamplePattern() {
	pattern, err := routing.Sinatra("/files/*.:ext")
	fmt.Println(pattern, pattern.Syntax(), pattern.Names(), err)
	fmt.Println(pattern.Match("/files/a/b.txt"), pattern.Match("/files/b"))
	// Output:
	// /files/*.:ext sinatra [splat ext] <nil>
	// true false
}

// The tokens of a pattern can be written in another syntax, here that of OpenAPI.
func ExamplePattern_Tokens() {
	pattern := routing.Must(routing.Rails("/doc/:id(.:format)"))
	var write func(tokens []routing.Token) string
	write = func(tokens []routing.Token) (path string) {
		for _, t := range tokens {
			switch t.Kind {
			case routing.TokenLiteral:
				path += t.Text
			case routing.TokenParam, routing.TokenWildcard:
				path += "{" + t.Text + "}"
			case routing.TokenOptional:
				path += "[" + write(t.Tokens) + "]"
			}
		}
		return path
	}
	fmt.Println(write(pattern.Tokens()))
	// Output: /doc/{id}[.{format}]
}

func ExamplePattern_Match() {
	p := routing.Must(routing.Sinatra("/flowers/:slug.?:format?"))
	fmt.Println(p.Match("/flowers/rose"), p.Match("/flowers/rose.json"), p.Match("/flowers"), p.Names())
	// Output: true true false [slug format]
}

// A route reads the value that a package has attached.
func ExampleRoute_Meta() {
	type role struct{}
	app := routing.New()
	route := app.Get("/admin", func(routing.Context) (routing.Result, error) { return routing.Text("secret"), nil }, routing.Meta(role{}, "admin"))
	fmt.Println(route, route.Meta(role{}))
	// Output: GET /admin admin
}

// The filters of a group run for its prefix and everything below, whether or not a route matches.
func ExampleGroup_Before() {
	app := routing.New()
	app.Group("/admin", func(g *routing.Group) {
		g.Before(func(routing.Context) error { return &routing.HaltError{Status: 401, Body: routing.Text("log in")} })
		g.Get("/", func(routing.Context) (routing.Result, error) { return routing.Text("dashboard"), nil })
	})
	for _, path := range []string{"/admin", "/admin/none", "/administrators"} {
		fmt.Println(path, get(app, path).Code)
	}
	// Output:
	// /admin 401
	// /admin/none 401
	// /administrators 404
}
