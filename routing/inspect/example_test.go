package inspect_test

import (
	"fmt"
	"net/http"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/inspect"
)

// The page can be mounted in the app that it shows.
func ExampleNew() {
	app := routing.New()
	app.Get("/hello/:name", func(c routing.Context) (routing.Result, error) {
		return routing.Text("hello " + c.Params().GetOr("name", "")), nil
	})
	app.Mount("/debug/routes", inspect.New(app))

	w := ask(app, "?method=GET&url=/hello/Ann")
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output: 200 text/html; charset=utf-8
}

// WithAccess replaces the default access check, here with a login.
func ExampleWithAccess() {
	app := routing.New()
	page := inspect.New(app).With(inspect.WithAccess(func(r *http.Request) bool {
		name, password, _ := r.BasicAuth()
		return name == "ann" && password == "of the host's choice"
	}))
	fmt.Println(ask(page, "").Code)
	// Output: 403
}
