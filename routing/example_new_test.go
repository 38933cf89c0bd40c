package routing_test

import (
	"fmt"
	"net/http/httptest"

	"example.com/flowercafe/routing"
)

// requireLogin redirects clients without a session.
func requireLogin(c routing.Context) error {
	if _, err := c.Request().Cookie("session"); err != nil {
		return routing.SeeOther(c.Path("/login"))
	}
	return nil
}

func dashboard(routing.Context) (routing.Result, error) { return routing.Text("the dashboard"), nil }

// The README has these lines.
func ExampleNew() {
	app := routing.New(routing.WithProblemDetails()) // errors, 404 and 405 as RFC 9457 problem details
	app.Get("/hello/:name", func(c routing.Context) (routing.Result, error) {
		name, err := c.Params().Require("name")
		if err != nil {
			return routing.Result{}, err // a 400, unless OnError changes it
		}
		return routing.Text("hello " + name), nil
	})
	app.Group("/admin", func(g *routing.Group) {
		g.Before(requireLogin) // func(routing.Context) error: returns routing.SeeOther(c.Path("/login")) to stop the request
		g.Get("/", dashboard)  // for /admin and /admin/
	})

	for _, path := range []string{"/hello/Ann", "/admin", "/none"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(w.Code, w.Header().Get("Location")+w.Body.String())
	}
	// Output:
	// 200 hello Ann
	// 303 /login
	// 404 {"type":"about:blank","title":"Not Found","status":404,"code":"not_found"}
}
