package docs_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/resources"
	"example.com/flowercafe/routing/respond"
)

// This file has the rows of the tables "What differs" that the apps of the guides do not show.

// tellParams returns an action that tells what it gets.
func tellParams(keys ...string) routing.Action {
	return func(c routing.Context) (routing.Result, error) {
		var all []string
		for _, key := range keys {
			value, ok := c.Params().Get(key)
			all = append(all, fmt.Sprintf("%s=%q %v", key, value, ok))
		}
		return routing.Text(strings.Join(all, ", ")), nil
	}
}

func Example_differsFromSinatra() {
	app := routing.New(routing.WithFirstMatch())
	app.Delete("/books/:id", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.Redirect("/books") // SeeOther, or the client sends DELETE /books
	})
	app.Delete("/authors/:id", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.SeeOther("/authors")
	})
	app.Get("/search", tellParams("k"))
	app.Get("/find", func(c routing.Context) (routing.Result, error) {
		q := c.Params().GetOr("q", "")
		return routing.Text(fmt.Sprintf("%q %q", q, c.Params().Values("q[]"))), nil
	})
	app.Get("/my page", say("a space"))
	app.Get("/page", say("page"), routing.Provides("html", "json"))
	app.Get("/invoice", func(c routing.Context) (routing.Result, error) {
		respond.Attachment(c, "invoice.csv")
		return routing.Bytes("text/csv; charset=utf-8", []byte("1;2")), nil
	})
	app.After(func(c routing.Context) error {
		fmt.Println(c.Header())
		return nil
	}, routing.On("/page"))
	app.After(func(c routing.Context) error {
		fmt.Println(c.Header())
		return nil
	}, routing.On("/invoice"))
	app.Get("/broken", func(routing.Context) (routing.Result, error) { return routing.Result{}, errors.New("no paper") })
	app.After(func(c routing.Context) error {
		fmt.Println("after filter:", c.Status())
		c.SetStatus(http.StatusAccepted)
		return nil
	}, routing.On("/broken"))
	app.ErrorBody(func(_ routing.Context, p *routing.Problem) (routing.Result, error) {
		if p.Status != http.StatusInternalServerError {
			return routing.Result{}, routing.Pass
		}
		return routing.HTML("Sorry"), nil
	})
	show(app, "DELETE", "/books/1")
	show(app, "DELETE", "/authors/1")
	show(app, "GET", "/search?k")
	show(app, "GET", "/search?k=")
	show(app, "GET", "/search")
	show(app, "GET", "/find?q=a&q=b")
	show(app, "GET", "/find?q[]=a&q[]=b")
	show(app, "GET", "/my%20page")
	show(app, "GET", "/my+page")
	show(app, "GET", "/page")
	show(app, "GET", "/invoice")
	show(app, "GET", "/broken")
	show(app, "GET", "//search")
	show(app, "GET", "/a/../search")
	// Output:
	// DELETE /books/1 302 /books
	// DELETE /authors/1 303 /authors
	// GET /search?k 200 k="" true
	// GET /search?k= 200 k="" true
	// GET /search 200 k="" false
	// GET /find?q=a&q=b 200 "a" []
	// GET /find?q[]=a&q[]=b 200 "" ["a" "b"]
	// GET /my%20page 200 a space
	// GET /my+page 404
	// map[Content-Type:[text/html; charset=utf-8] Vary:[Accept]]
	// GET /page 200 page
	// map[Content-Disposition:[attachment; filename=invoice.csv]]
	// GET /invoice 200 1;2
	// after filter: 500
	// GET /broken 500 Sorry
	// GET //search 404
	// GET /a/../search 404
}

func Example_differsFromFastAPI() {
	type book struct {
		Tags []string `json:"tags,omitempty"`
		Year int      `json:"year,omitempty"`
	}
	type owner struct {
		Name string `path:"name"`
	}
	type query struct {
		New   bool    `query:"new" json:"new"`
		Limit int     `query:"limit" json:"limit" default:"10"`
		Price float64 `query:"price" json:"price"`
	}
	shop := func(options ...routing.Option) http.Handler {
		app := routing.New(options...)
		api := apidoc.NewAPI(app, apidoc.Info{Title: "Books", Version: "1.0"})
		apidoc.Get(api, "/owners/me", "Read yourself", func(context.Context, struct{}) (string, error) { return "me", nil })
		apidoc.Get(api, "/owners/{name}", "Read an owner", func(_ context.Context, o owner) (string, error) { return "owner " + o.Name, nil })
		apidoc.Get(api, "/books", "List books", func(_ context.Context, q query) (query, error) { return q, nil })
		apidoc.Post(api, "/books", "Add a book", func(_ context.Context, b book) (book, error) { return b, nil })
		return app
	}
	show(shop(), "GET", "/owners/me")
	first := shop(routing.WithFirstMatch())
	show(first, "GET", "/owners/me")
	show(first, "GET", "/owners/ann")
	send := func(method, target, contentType, body string) {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		first.ServeHTTP(w, r)
		fmt.Printf("%s %s %q %s: %d\n", method, target, contentType, body, w.Code)
	}
	show(first, "GET", "/books?limit=1&limit=2")
	send("GET", "/books?limit=+1", "", "")
	send("GET", "/books?limit=%2B1", "", "")
	send("GET", "/books?limit=5.0", "", "")
	send("GET", "/books?price=nan", "", "")
	send("GET", "/books?new=1", "", "")
	send("POST", "/books", "application/json", `{"year":1817.0}`)
	send("POST", "/books", "application/json", `{"year":null}`)
	send("GET", "/books?new=true", "", "")
	send("GET", "/books?new=yes", "", "")
	send("GET", "/books?new=on", "", "")
	show(first, "GET", "/books?new")
	send("POST", "/books", "", `{"tags":[]}`)
	send("POST", "/books", "application/json", `{"tags":[]}`)
	send("POST", "/books", "application/json", `{"tags":null}`)
	// Output:
	// GET /owners/me 200 owner me
	// GET /owners/me 200 me
	// GET /owners/ann 200 owner ann
	// GET /books?limit=1&limit=2 200 {"new":false,"limit":1,"price":0}
	// GET /books?limit=+1 "" : 422
	// GET /books?limit=%2B1 "" : 422
	// GET /books?limit=5.0 "" : 200
	// GET /books?price=nan "" : 422
	// GET /books?new=1 "" : 422
	// POST /books "application/json" {"year":1817.0}: 200
	// POST /books "application/json" {"year":null}: 422
	// GET /books?new=true "" : 200
	// GET /books?new=yes "" : 422
	// GET /books?new=on "" : 200
	// GET /books?new 200 {"new":true,"limit":10,"price":0}
	// POST /books "" {"tags":[]}: 415
	// POST /books "application/json" {"tags":[]}: 200
	// POST /books "application/json" {"tags":null}: 422
}

func Example_differsFromChiGinAndEcho() {
	app := routing.New(routing.WithFirstMatch(), routing.WithMethodNotAllowed())
	app.Get("/books/{id}", tellParams("id"))
	app.Get("/files/{+path}", tellParams("path"))
	app.Get("/img/{name}.{ext}", tellParams("name", "ext"))
	app.Get("/small/{name}.{ext}", tellParams("name", "ext"), routing.Where("name", "[^./]+"), routing.Where("ext", "[^/]+"))
	app.Handle("", "/any", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(r.Method)) }))
	app.Get("/panic", func(routing.Context) (routing.Result, error) { panic("no paper") })
	app.ErrorBody(func(c routing.Context, p *routing.Problem) (routing.Result, error) {
		if p.Status != http.StatusMethodNotAllowed {
			return routing.Result{}, routing.Pass
		}
		return routing.Text("not so, but " + c.Header().Get("Allow")), nil
	})
	app.Post("/login", func(c routing.Context) (routing.Result, error) {
		form, err := c.Params().Form()
		return routing.Text(fmt.Sprintf("form %q, all %q", form.Get("user"), c.Params().GetOr("user", ""))), err
	})
	for _, target := range []string{"/books/a%20b", "/books/a%2Fb", "/files/x/y", "/files/x%2Fy", "/files//x", "/files/", "/img/a.b.png", "/img/.png", "/small/a.b.png", "/panic"} {
		show(app, "GET", target)
	}
	show(app, "PURGE", "/any")
	show(app, "DELETE", "/panic")
	show(app, "POST", "/login?user=ann")
	// Output:
	// GET /books/a%20b 200 id="a b" true
	// GET /books/a%2Fb 404
	// GET /files/x/y 200 path="x/y" true
	// GET /files/x%2Fy 200 path="x/y" true
	// GET /files//x 200 path="/x" true
	// GET /files/ 200 path="" true
	// GET /img/a.b.png 200 name="a.b" true, ext="png" true
	// GET /img/.png 404
	// GET /small/a.b.png 200 name="a" true, ext="b.png" true
	// GET /panic 500 Internal Server Error
	// PURGE /any 200 PURGE
	// DELETE /panic 405 not so, but GET, HEAD, OPTIONS
	// POST /login?user=ann 200 form "", all "ann"
}

func Example_differsFromRails() {
	app := routing.New(routing.WithSyntax(routing.Rails), routing.WithFirstMatch(), routing.WithFormatSuffix(), routing.WithLooseSlashes())
	engine := routing.New()
	engine.Get("/jobs", say("jobs"))
	routes := resources.Draw(app, func(r *resources.Scope) {
		r.Resources("articles", "article", crud("posts"), resources.Path("blog"), resources.Only("index", "show"))
		r.Get("posts/:id", tellParams("id", "format"))
		r.Get("names/:id", tellParams("id"), resources.NoFormat(), resources.Where("id", "[^/]+"))
		r.Get("feed", tellParams("format"), resources.Where("format", "rss"))
		r.Get("find", tellParams("q", "page"))
		r.Post("find", tellParams("q", ""))
		r.Get("list", tellParams("format"), resources.Where("format", "html|json"))
		r.Get("status", say("of the API"), resources.Route(routing.When(func(r *http.Request) bool {
			return strings.HasPrefix(r.Host, "api.")
		})))
		r.Get("old/:id", func(c routing.Context) (routing.Result, error) {
			c.SetStatus(http.StatusMovedPermanently)
			c.Header().Set("Location", c.Path("/posts/"+strings.ToLower(c.Params().GetOr("id", ""))))
			return routing.Result{}, nil
		})
	})
	app.Before(func(c routing.Context) error {
		fmt.Println("before filter")
		return nil
	}, routing.When(func(r *http.Request) bool { return r.URL.Path == "/none" || r.URL.Path == "/old/A" }))
	app.Mount("/", engine) // last: routes after it never run
	app.Get("/late", say("after the engine"))
	for _, target := range []string{"/posts/a.b", "/posts/a%2Eb", "/names/a%2Eb", "/feed", "/feed.rss", "/feed.json", "/status", "http://api.example.com/status", "/old/A", "/blog/7", "/jobs", "/late", "/none", "/find?q", "/find?page[]=2", "/list.json", "/list.xml"} {
		show(app, "GET", target)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/find", strings.NewReader(`{"q":"a"}`))
	r.Header.Set("Content-Type", "application/json")
	app.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header(), w.Body)
	fmt.Println(routes.Names())
	// Output:
	// GET /posts/a.b 200 id="a" true, format="b" true
	// GET /posts/a%2Eb 200 id="a" true, format="b" true
	// GET /names/a%2Eb 200 id="a.b" true
	// GET /feed 200 format="" false
	// GET /feed.rss 200 format="rss" true
	// GET /feed.json 404
	// GET /status 404
	// GET http://api.example.com/status 200 of the API
	// before filter
	// GET /old/A 301 /posts/a
	// GET /blog/7 200 posts#show id=7
	// GET /jobs 200 jobs
	// GET /late 404
	// before filter
	// GET /none 404
	// GET /find?q 200 q="" true, page="" false
	// GET /find?page[]=2 200 q="" false, page="" false
	// GET /list.json 200 format="json" true
	// GET /list.xml 404
	// 200 map[Content-Type:[text/plain; charset=utf-8]] q="" false, ="{\"q\":\"a\"}" true
	// [article articles feed find list status]
}

func Example_differsFromHuma() {
	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Notes", Version: "1.0"})
	apidoc.Get(api, "/notes/last", "Read the last note", func(context.Context, struct{}) (string, error) { return "the last note", nil })
	show(app, "GET", "/notes/last")
	type byID struct {
		ID string `path:"id"`
	}
	apidoc.Get(api, "/notes/:id", "Read a note", func(_ context.Context, in byID) (string, error) { return "note " + in.ID, nil })
	show(app, "GET", "/notes/last")
	// Output:
	// GET /notes/last 200 the last note
	// GET /notes/last 200 note last
}
