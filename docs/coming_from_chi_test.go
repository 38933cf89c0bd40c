package docs_test

import (
	"net/http"

	"example.com/flowercafe/routing"
)

// marked is middleware as it is for chi and net/http.
func marked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Shop", "books")
		next.ServeHTTP(w, r)
	})
}

func stock(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("Stock"))
}

// service is the app of the guide "Coming from chi, gin and echo".
func service() http.Handler {
	app := routing.New(routing.WithFirstMatch(), routing.WithLogger(quiet))
	app.MethodNotAllowed(nil) // 405 with Allow, as chi has it
	app.Use(marked)

	app.Get("/", func(routing.Context) (routing.Result, error) { return routing.Text("Welcome"), nil })
	app.Get("/books/new", func(routing.Context) (routing.Result, error) { return routing.Text("A form"), nil })
	app.Get("/books/:id", func(c routing.Context) (routing.Result, error) {
		id, err := c.Params().Require("id")
		if err != nil {
			return routing.Result{}, err
		}
		return routing.Text("Book " + id), nil
	}, routing.Where("id", "[0-9]+"))
	app.Get("/files/*path", func(c routing.Context) (routing.Result, error) {
		return routing.Text("File " + c.Params().GetOr("path", "")), nil
	})
	app.Group("/admin", func(g *routing.Group) {
		g.Before(func(c routing.Context) error {
			if c.Request().Header.Get("X-User") == "" {
				return routing.SeeOther(c.Path("/login"))
			}
			return nil
		})
		g.Get("/", func(routing.Context) (routing.Result, error) { return routing.Text("Dashboard"), nil })
		g.Handle("GET", "/stock", http.HandlerFunc(stock)) // a handler of net/http stays as it is
	})
	app.Get("/broken", func(routing.Context) (routing.Result, error) { panic("no paper") }) // a 500, logged
	return app
}

func Example_chi() {
	shop := service()
	for _, target := range []string{"/", "/books/new", "/books/7", "/books/x", "/files/a/b.txt", "/admin", "/admin/stock", "/broken"} {
		show(shop, "GET", target)
	}
	show(shop, "GET", "/admin/stock", "X-User", "ann")
	show(shop, "DELETE", "/books/7")
	// Output:
	// GET / 200 Welcome
	// GET /books/new 200 A form
	// GET /books/7 200 Book 7
	// GET /books/x 404
	// GET /files/a/b.txt 200 File a/b.txt
	// GET /admin 303 /login
	// GET /admin/stock 303 /login
	// GET /broken 500 Internal Server Error
	// GET /admin/stock 200 Stock
	// DELETE /books/7 405
}
