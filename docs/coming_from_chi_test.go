package docs_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/flowercafe/apidoc"
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
	app := routing.New(routing.WithFirstMatch(), routing.WithMethodNotAllowed()) // 405 with Allow, as chi has it
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
	app.Get("/files/{+path}", func(c routing.Context) (routing.Result, error) {
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

type sale struct {
	Title string                  `json:"title" minLength:"1"`
	Price float64                 `json:"price" exclusiveMin:"0"`
	Note  apidoc.Optional[string] `json:"note,omitzero"` // absent, null or a text
}

var soldOut = apidoc.NewProblem(http.StatusConflict, "The book is sold out")

func sell(_ context.Context, s sale) (sale, error) {
	if s.Title == "Emma" {
		return sale{}, soldOut
	}
	return s, nil
}

// inTransaction runs an operation, with its decoded input, and commits unless run fails.
func inTransaction(ctx context.Context, call *apidoc.Call, run func(context.Context) error) error {
	err := run(ctx)
	fmt.Println(call.ID, "is committed:", err == nil)
	return err
}

func sales(app *routing.App) {
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Books", Version: "1.0"})
	api.Group("/api", func(g *apidoc.Group) {
		apidoc.Post(g, "/sales", "Sell a book", sell, soldOut, apidoc.Status(http.StatusCreated))
	}, apidoc.Transaction(inTransaction))
}

func Example_chiTyped() {
	app := routing.New()
	sales(app)
	for _, body := range []string{`{"title": "Persuasion", "price": 8}`, `{"title": "Emma", "price": 8}`, `{"title": "", "price": 0}`} {
		r := httptest.NewRequest("POST", "/api/sales", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		fmt.Println(w.Code)
	}
	// Output:
	// sell is committed: true
	// 201
	// sell is committed: false
	// 409
	// 422
}
