package routing_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"

	"example.com/flowercafe/routing"
)

// Examples of Context and Params.

// The status and the headers may be changed until the response is rendered.
func ExampleContext() {
	app := routing.New()
	app.Put("/coffees/:name", func(c routing.Context) (routing.Result, error) {
		name, err := c.Params().Require("name")
		if err != nil {
			return routing.Result{}, err
		}
		c.SetStatus(http.StatusCreated)
		c.Header().Set("X-Name", name)
		return routing.Text("roasted"), nil
	})
	w := send(app, httptest.NewRequest("PUT", "/coffees/Espresso", nil))
	fmt.Println(w.Code, w.Header().Get("X-Name"), w.Body)
	// Output: 201 Espresso roasted
}

// A Context that was kept still reads its own request. The response has been sent by then.
func ExampleContext_kept() {
	app := routing.New()
	var kept routing.Context
	app.Get("/:name", func(c routing.Context) (routing.Result, error) {
		kept = c
		return routing.Result{}, nil
	}, routing.When(func(r *http.Request) bool { return r.URL.Path == "/Ann" }))
	get(app, "/Ann")
	get(app, "/Ben")
	fmt.Println(kept.Params().Get("name"))
	// Output: Ann true
}

func ExampleContext_Request() {
	app := routing.New(routing.WithBasePath("/shop"))
	app.Get("/where", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Request().URL.Path + " by " + c.Request().Pattern), nil
	})
	show(app, "GET", "/shop/where")
	// Output: 200 /shop/where by GET /shop/where
}

func ExampleContext_Header() {
	app := routing.New()
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		c.Header().Set("Cache-Control", "max-age=60")
		return routing.Text("hello"), nil
	})
	fmt.Println(get(app, "/").Header().Get("Cache-Control"))
	// Output: max-age=60
}

// An after filter sees the status that the response will have.
func ExampleContext_Status() {
	app := routing.New()
	app.After(func(c routing.Context) error {
		fmt.Println("after:", c.Status())
		return nil
	})
	get(app, "/missing")
	// Output: after: 404
}

func ExampleContext_SetStatus() {
	app := routing.New()
	app.Post("/jobs", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(http.StatusAccepted)
		return routing.Result{}, nil
	})
	fmt.Println(send(app, httptest.NewRequest("POST", "/jobs", nil)).Code)
	// Output: 202
}

func ExampleContext_SetContentType() {
	app := routing.New()
	app.Get("/menu.csv", func(c routing.Context) (routing.Result, error) {
		c.SetContentType("text/csv; charset=utf-8")
		return routing.Text("coffee,price\n"), nil
	})
	fmt.Println(get(app, "/menu.csv").Header().Get("Content-Type"))
	// Output: text/csv; charset=utf-8
}

func ExampleContext_Logger() {
	app := routing.New()
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		c.Logger().Debug("brewing", "path", c.Request().URL.Path)
		return routing.Result{}, nil
	})
	show(app, "GET", "/")
	// Output: 200
}

// If the path has a key, only its values count. Otherwise the query's values come before the
// form's.
func ExampleParams() {
	app := routing.New()
	app.Post("/teas/:kind", func(c routing.Context) (routing.Result, error) {
		p := c.Params()
		return routing.Text(fmt.Sprint(p.Keys(), p.Values("kind"), p.Values("size"))), nil
	})
	show(app, "POST", "/teas/green?kind=black&size=small&size=large")
	// Output: 200 [kind size] [green] [small large]
}

// Form ignores values of the query.
func ExampleParams_Form() {
	app := routing.New()
	app.Post("/login", func(c routing.Context) (routing.Result, error) {
		form, err := c.Params().Form()
		return routing.Text(fmt.Sprintf("form: %q, query: %q", form.Get("user"), c.Params().Query().Get("user"))), err
	})
	show(app, "POST", "/login?user=ann")
	// Output: 200 form: "", query: "ann"
}

func ExampleParams_Get() {
	app := routing.New()
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		value, ok := c.Params().Get("milk")
		return routing.Text(fmt.Sprintf("%q %v", value, ok)), nil
	})
	show(app, "GET", "/?milk=")
	show(app, "GET", "/")
	// Output:
	// 200 "" true
	// 200 "" false
}

func ExampleParams_GetOr() {
	app := routing.New()
	app.Get("/list/?:page?", func(c routing.Context) (routing.Result, error) {
		return routing.Text("page " + c.Params().GetOr("page", "1")), nil
	})
	show(app, "GET", "/list")
	show(app, "GET", "/list/2")
	// Output:
	// 200 page 1
	// 200 page 2
}

// A missing parameter is a 400. An error handler can tell the client which one.
func ExampleParams_Require() {
	app := routing.New()
	app.Get("/search", func(c routing.Context) (routing.Result, error) {
		text, err := c.Params().Require("q")
		return routing.Text(text), err
	})
	app.OnError(func(c routing.Context, err error) (routing.Result, error) {
		var missing *routing.ParamError
		if errors.As(err, &missing) {
			return routing.Result{}, &routing.HaltError{Status: http.StatusBadRequest, Body: routing.Text("say what to look for: ?" + missing.Key + "=…")}
		}
		return routing.Result{}, err
	})
	show(app, "GET", "/search?q=rose")
	show(app, "GET", "/search")
	// Output:
	// 200 rose
	// 400 say what to look for: ?q=…
}

func ExampleParams_Keys() {
	app := routing.New()
	app.Get("/files/*", func(c routing.Context) (routing.Result, error) {
		return routing.Text(fmt.Sprint(c.Params().Keys())), nil
	})
	show(app, "GET", "/files/a/b?sort=name")
	// Output: 200 [sort splat]
}

// Err reports whether all parameters could be read.
func ExampleParams_Err() {
	app := routing.New(routing.WithBodyLimit(16))
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		if err := c.Params().Err(); err != nil {
			return routing.Result{}, err
		}
		return routing.Text("read"), nil
	})
	w := send(app, form("/", "text="+strings.Repeat("x", 100)))
	fmt.Println(w.Code, w.Body)
	// Output: 413 Request Entity Too Large
}

func ExampleRequestError() {
	app := routing.New(routing.WithBodyLimit(10))
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		var refused *routing.RequestError
		if errors.As(c.Params().Err(), &refused) {
			return routing.Result{}, &routing.HaltError{Status: refused.Status, Body: routing.Text("too long")}
		}
		return routing.Text("read"), nil
	})
	w := send(app, form("/", "text="+strings.Repeat("x", 10)))
	fmt.Println(w.Code, w.Body)
	// Output: 413 too long
}

// A result may be reused for all requests.
func ExampleText() {
	app := routing.New()
	page := routing.Text("pong")
	app.Get("/ping", func(routing.Context) (routing.Result, error) { return page, nil })
	show(app, "GET", "/ping")
	// Output: 200 pong
}

// An action may decide first, and then let a handler write the response.
func ExampleHandler_later() {
	app := routing.New()
	app.Get("/menu", func(c routing.Context) (routing.Result, error) {
		menu := strings.NewReader("espresso, mocha")
		return routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.Copy(w, menu)
		}))(c)
	})
	show(app, "GET", "/menu")
	// Output: 200 espresso, mocha
}

// A cookie that browsers would refuse is an error.
func ExampleContext_SetCookie() {
	app := routing.New()
	app.Post("/login", func(c routing.Context) (routing.Result, error) {
		cookie := &http.Cookie{Name: "session", Value: c.Params().GetOr("name", ""), Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode}
		if err := c.SetCookie(cookie); err != nil {
			return routing.Result{}, err
		}
		return routing.Result{}, routing.SeeOther(c.Path("/"))
	})
	for _, name := range []string{"ann", "a;b"} {
		w := send(app, httptest.NewRequest("POST", "/login?name="+url.QueryEscape(name), nil))
		fmt.Println(w.Code, w.Header().Get("Set-Cookie"))
	}
	// Output:
	// 303 session=ann; Path=/; HttpOnly; SameSite=Lax
	// 500
}

// A part of the action runs in a transaction, which is also in the context of the inner request.
func ExampleContext_WithContext() {
	type transaction struct{}
	total := func(c routing.Context) string { return fmt.Sprint(c.Request().Context().Value(transaction{})) }
	app := routing.New()
	app.Get("/total", func(c routing.Context) (routing.Result, error) {
		inner, end := c.WithContext(context.WithValue(c.Request().Context(), transaction{}, "in a transaction"))
		within := total(inner)
		end()
		return routing.Text(within + ", afterwards " + total(c)), nil
	})
	show(app, "GET", "/total")
	// Output: 200 in a transaction, afterwards <nil>
}

// Path puts the base path and the prefix of a mount in front, RootPath the base path alone.
func ExampleContext_Path() {
	admin := routing.New()
	admin.Get("/", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Path("/users") + " " + c.RootPath("/style.css")), nil
	})
	app := routing.New(routing.WithBasePath("/shop"))
	app.Mount("/admin", admin)
	show(app, "GET", "/shop/admin")
	// Output: 200 /shop/admin/users /shop/style.css
}

// Query returns the values of the query, even if the path or the form has the same key.
func ExampleParams_Query() {
	app := routing.New()
	app.Post("/search/:q", func(c routing.Context) (routing.Result, error) {
		q, _ := c.Params().Get("q")
		return routing.Text(q + " " + c.Params().Query().Get("q")), nil
	})
	w := send(app, form("/search/path?q=query", "q=form"))
	fmt.Println(w.Body)
	// Output: path query
}
