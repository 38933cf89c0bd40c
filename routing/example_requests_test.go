package routing_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/flowercafe/routing"
)

// Examples of values from filters, links, methods, uploads and names for logs.

// A filter sets the user, which actions and handlers read.
func ExampleKey() {
	type user struct{ Name string }
	var current = routing.NewKey[user]() // usually a variable of the package

	app := routing.New()
	requireLogin := func(c routing.Context) error {
		name := c.Request().Header.Get("X-User") // from a session, for example
		if name == "" {
			return routing.SeeOther(c.Path("/login"))
		}
		current.Set(c, user{name})
		return nil
	}
	app.Before(requireLogin, routing.On("/admin/*"))
	app.Get("/admin/hello", func(c routing.Context) (routing.Result, error) {
		u, _ := current.Get(c)
		return routing.Text("hello " + u.Name), nil
	})
	app.Handle("GET", "/admin/handler", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u, _ := current.From(r.Context())
		fmt.Fprint(w, "handler for ", u.Name)
	}))
	for _, path := range []string{"/admin/hello", "/admin/handler"} {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("X-User", "Ann")
		fmt.Println(send(app, r).Body)
	}
	w := get(app, "/admin/hello")
	fmt.Println(w.Code, w.Header().Get("Location"))
	// Output:
	// hello Ann
	// handler for Ann
	// 303 /login
}

// Links have the prefix of the request.
func ExampleContext_URL() {
	flowers := routing.New()
	flower := flowers.Get("/:slug", text("a flower"))
	flowers.Get("/", func(c routing.Context) (routing.Result, error) {
		rose, err := c.URL(flower, "slug", "rose")
		return routing.Text(rose + " and " + c.Path("/about")), err
	})
	app := routing.New(routing.WithBasePath("/shop"))
	app.Mount("/flowers", flowers)
	show(app, "GET", "/shop/flowers/")
	// Output: 200 /shop/flowers/rose and /shop/flowers/about
}

// After a POST the client requests the location with GET. Path adds the prefix of the app.
// Middleware of the form func(http.Handler) http.Handler sets values with With.
func ExampleKey_With() {
	var tenant = routing.NewKey[string]()

	app := routing.New()
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			name, _, _ := strings.Cut(r.Host, ".")
			next.ServeHTTP(w, r.WithContext(tenant.With(r.Context(), name)))
		})
	})
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		name, _ := tenant.Get(c)
		return routing.Text("the shop of " + name), nil
	})
	fmt.Println(send(app, httptest.NewRequest("GET", "http://ann.example/", nil)).Body)
	// Output: the shop of ann
}

func ExampleSeeOther() {
	app := routing.New(routing.WithBasePath("/shop"))
	app.Post("/orders", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.SeeOther(c.Path("/orders/7"))
	})
	w := send(app, httptest.NewRequest("POST", "/shop/orders", nil))
	fmt.Println(w.Code, w.Header().Get("Location"))
	// Output: 303 /shop/orders/7
}

func ExampleApp_Query() {
	app := routing.New()
	app.Query("/teas", func(c routing.Context) (routing.Result, error) {
		return routing.Text(fmt.Sprint("teas of ", c.Params().Values("kind"))), nil
	})
	r := form("/teas", "kind=green&kind=black")
	r.Method = "QUERY"
	fmt.Println(send(app, r).Body)
	// Output: teas of [green black]
}

// Clients learn what a QUERY may ask with, from the response to OPTIONS.
func ExampleAcceptQuery() {
	app := routing.New(routing.WithMethodNotAllowed())
	app.Query("/teas", text("teas"), routing.AcceptQuery("application/json", "application/jsonpath"))
	h := send(app, httptest.NewRequest("OPTIONS", "/teas", nil)).Header()
	fmt.Println(h.Get("Allow"))
	fmt.Println(h.Get("Accept-Query"))
	// Output:
	// OPTIONS, QUERY
	// application/json, application/jsonpath
}

func ExampleWithMethodNotAllowed() {
	app := routing.New(routing.WithMethodNotAllowed())
	app.Get("/x", text("x"))
	app.ErrorBody(func(c routing.Context, _ *routing.Problem) (routing.Result, error) {
		return routing.Text("try " + c.Header().Get("Allow")), nil
	})
	show(app, "POST", "/x")
	w := send(app, httptest.NewRequest("OPTIONS", "/x", nil))
	fmt.Println(w.Code, w.Header().Get("Allow"))
	// Output:
	// 405 try GET, HEAD, OPTIONS
	// 204 GET, HEAD, OPTIONS
}

func ExampleBodyLimit() {
	app := routing.New()
	app.Post("/note", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("text", "")), nil
	}, routing.BodyLimit(20))
	fmt.Println(send(app, form("/note", "text=short")).Code)
	fmt.Println(send(app, form("/note", "text="+strings.Repeat("long", 10))).Code)
	// Output:
	// 200
	// 413
}

// An error has the status that its StatusCode method returns.
func ExampleStatusOf() {
	app := routing.New(quiet())
	app.Get("/flowers/:slug", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, fmt.Errorf("find flower: %w", &codedError{http.StatusGone})
	})
	app.OnError(func(c routing.Context, err error) (routing.Result, error) {
		return routing.Text(fmt.Sprintf("sorry: %s", http.StatusText(routing.StatusOf(c.Request(), err)))), nil
	})
	show(app, "GET", "/flowers/rose")
	// Output: 410 sorry: Gone
}

// The outer access log has the route's name, even though inner middleware copies the request.
func ExampleRecordRoute() {
	app := routing.New()
	app.Get("/orders/:id", text("order"))
	session := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r.WithContext(r.Context())) })
	}
	accessLog := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			_, name := routing.RouteFromContext(r.Context())
			fmt.Println(r.URL.Path, "by", name)
		})
	}
	get(routing.RecordRoute(accessLog(session(app))), "/orders/7")
	// Output: /orders/7 by GET /orders/:id
}

// A handler that serves the requests of a batch keeps its own name in an access log.
func ExampleWithoutRecord() {
	app := routing.New()
	app.Get("/orders/:id", text("order"))
	app.Post("/batch", routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		part, _ := http.NewRequestWithContext(routing.WithoutRecord(r.Context()), "GET", "/orders/7", nil)
		app.ServeHTTP(w, part)
	})))
	r := httptest.NewRequest("POST", "/batch", nil)
	routing.RecordRoute(app).ServeHTTP(httptest.NewRecorder(), r)
	fmt.Println(r.Pattern)
	// Output: POST /batch
}

// Middleware outside the app reads what a definition says of its route.
func ExampleRouteFromContext() {
	type owner struct{}
	app := routing.New()
	app.Get("/orders/:id", text("order"), routing.Meta(owner{}, "the sales team"))
	alert := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			if route, _ := routing.RouteFromContext(r.Context()); route != nil {
				fmt.Println("call", route.Meta(owner{}))
			}
		})
	}
	get(routing.RecordRoute(alert(app)), "/orders/7")
	// Output: call the sales team
}

// The routes of a mounted app also have the parameters of the prefix.
func ExampleApp_Mount_parameters() {
	orders := routing.New()
	orders.Get("/:id", func(c routing.Context) (routing.Result, error) {
		return routing.Text("order " + c.Params().GetOr("id", "") + " of " + c.Params().GetOr("user", "")), nil
	})
	app := routing.New()
	app.Mount("/users/:user/orders", orders)
	show(app, "GET", "/users/ann/orders/7")
	// Output: 200 order 7 of ann
}
