package inspect_test

import (
	"fmt"
	"log"
	"net/http"
	"strings"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/inspect"
)

// The page can be mounted in the app that it shows. Print its URL where only developers see it.
func ExampleNew() {
	app := routing.New()
	app.Get("/hello/:name", func(c routing.Context) (routing.Result, error) {
		return routing.Text("hello " + c.Params().GetOr("name", "")), nil
	})
	page := inspect.New(app)
	app.Mount("/debug/routes", page)
	log.Print("routes at ", page.URL("http://localhost:8080/debug/routes"))

	fmt.Println(ask(app, "").Code)
	_, token, _ := strings.Cut(page.URL(""), "?") // what the developer opens
	fmt.Println(ask(app, "?"+token).Code)         // a redirect with a cookie
	// Output:
	// 403
	// 303
}

// WithAccess replaces the token, here with a login.
func ExampleWithAccess() {
	app := routing.New()
	page := inspect.New(app, inspect.WithAccess(func(r *http.Request) bool {
		name, password, _ := r.BasicAuth()
		return name == "ann" && password == "of the host's choice"
	}))
	fmt.Println(ask(page, "").Code)
	// Output: 403
}

// One page shows the routes of several apps.
func ExampleWithApps() {
	shop, blog := routing.New(), routing.New()
	shop.Get("/cart", func(routing.Context) (routing.Result, error) { return routing.Text("cart"), nil })
	blog.Get("/posts/:id", func(routing.Context) (routing.Result, error) { return routing.Text("post"), nil })
	page := inspect.New(shop, inspect.WithApps(blog), inspect.WithAccess(func(*http.Request) bool { return true }))
	body := ask(page, "").Body.String()
	fmt.Println(strings.Contains(body, "/cart"), strings.Contains(body, "/posts/:id"))
	// Output: true true
}

func ExampleInspector_URL() {
	page := inspect.New(routing.New())
	before, _, _ := strings.Cut(page.URL("http://localhost:8080/debug/routes"), "=")
	fmt.Println(before) // and then the token
	// Output: http://localhost:8080/debug/routes?token
}
