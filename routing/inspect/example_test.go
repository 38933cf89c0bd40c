package inspect_test

import (
	"fmt"
	"net/http"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/inspect"
)

// The page belongs where developers look for it, and shows the app that it is mounted in too.
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

// Behind a login of the host's own the page may be for others.
func ExampleWithAccess() {
	app := routing.New()
	page := inspect.New(app).With(inspect.WithAccess(func(r *http.Request) bool {
		name, password, _ := r.BasicAuth()
		return name == "ann" && password == "of the host's choice"
	}))
	fmt.Println(ask(page, "").Code)
	// Output: 403
}
