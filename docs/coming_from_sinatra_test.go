package docs_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

var books = map[string]string{"1": "Emma", "2": "Ulysses"}

// bookshop is the app of the guide "Coming from Sinatra".
func bookshop() http.Handler {
	app := routing.New(routing.WithFirstMatch())
	app.Before(respond.Multipart(32 << 20))

	app.Before(func(c routing.Context) error {
		if c.Request().Header.Get("X-User") == "" {
			return &routing.HaltError{Status: 401, Body: routing.HTML("Log in.")}
		}
		return nil
	}, routing.On("/admin/*"))
	app.After(func(c routing.Context) error {
		c.Header().Set("X-Shop", "books")
		return nil
	})

	app.Get("/", say("Welcome"))
	app.Get("/books/new", say("A form"))
	app.Get("/books/:id.?:format?", func(c routing.Context) (routing.Result, error) {
		title, ok := books[c.Params().GetOr("id", "")]
		if !ok {
			return routing.Result{}, routing.Pass
		}
		if c.Params().GetOr("format", "") == "json" {
			return routing.JSON(map[string]string{"title": title})
		}
		return routing.Text(title), nil
	})
	app.Get("/books/:author", func(c routing.Context) (routing.Result, error) {
		return routing.HTML("By " + c.Params().GetOr("author", "")), nil
	})
	app.Get("/files/*.*", func(c routing.Context) (routing.Result, error) {
		splat := c.Params().Values("splat")
		return routing.HTML(splat[0] + " is " + splat[1]), nil
	})
	app.Route("GET", routing.WholeRegexp(regexp.MustCompile(`/year/(\d{4})`)), func(c routing.Context) (routing.Result, error) {
		return routing.HTML("Books of " + c.Params().GetOr("captures", "")), nil
	})
	app.Post("/books", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(http.StatusCreated)
		return routing.HTML("Added " + c.Params().GetOr("title", "")), nil
	})
	app.Get("/old/:id", respond.RedirectAction(http.StatusMovedPermanently, "/books/:id"))
	app.Get("/search", say("No robots"), routing.When(func(r *http.Request) bool {
		return strings.Contains(r.UserAgent(), "Robot")
	}))
	app.Get("/search", func(c routing.Context) (routing.Result, error) {
		words := c.Params().Values("q") // of several, Rack has the last
		return routing.HTML("Found " + words[len(words)-1]), nil
	})
	app.Get("/admin/stock", say("Stock"))
	app.Get("/private", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, &routing.HaltError{Status: http.StatusForbidden}
	})
	app.Get("/broken", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, errors.New("no paper") // logged, and never sent to the client
	})

	app.ErrorBody(func(_ routing.Context, p *routing.Problem) (routing.Result, error) {
		switch p.Status {
		case http.StatusNotFound:
			return routing.HTML("No such page"), nil
		case http.StatusForbidden:
			return routing.HTML("Not for you"), nil
		case http.StatusInternalServerError:
			return routing.HTML("Sorry"), nil
		}
		return routing.Result{}, routing.Pass // the default
	})
	return app
}

// say returns an action that responds with a page.
func say(page string) routing.Action {
	return func(routing.Context) (routing.Result, error) { return routing.HTML(page), nil }
}

// The same responses as those of Sinatra 3.0.5.
func Example_sinatra() {
	shop := bookshop()
	for _, target := range []string{
		"/", "/books/1", "/books/1.json", "/books/new", "/books/Austen", "/books/1/", "/files/a/b.tar.gz", "/year/1990", "/year/19901",
		"/old/1", "/search?q=a&q=b", "/admin/stock", "/admin", "/private", "/broken",
	} {
		show(shop, "GET", target)
	}
	// Output:
	// GET / 200 Welcome
	// GET /books/1 200 Emma
	// GET /books/1.json 200 {"title":"Emma"}
	// GET /books/new 200 A form
	// GET /books/Austen 200 By Austen
	// GET /books/1/ 404 No such page
	// GET /files/a/b.tar.gz 200 a/b is tar.gz
	// GET /year/1990 200 Books of 1990
	// GET /year/19901 404 No such page
	// GET /old/1 301 /books/1
	// GET /search?q=a&q=b 200 Found b
	// GET /admin/stock 401 Log in.
	// GET /admin 404 No such page
	// GET /private 403 Not for you
	// GET /broken 500 Sorry
}

// show prints the status of a response, and its location or body.
func show(handler http.Handler, method, target string, headers ...string) {
	r := httptest.NewRequest(method, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	said := w.Header().Get("Location") + w.Body.String()
	if strings.HasPrefix(said, "<!DOCTYPE") { // a default page
		said = ""
	}
	fmt.Println(strings.TrimSpace(fmt.Sprint(method, " ", target, " ", w.Code, " ", said)))
}
