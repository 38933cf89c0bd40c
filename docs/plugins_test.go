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

var (
	errBot    = apidoc.NewProblem(http.StatusForbidden, "No robots")
	errClosed = apidoc.NewProblem(http.StatusServiceUnavailable, "Closed")
)

type loan struct {
	Title string `json:"title" minLength:"1"`
}

func lendBook(_ context.Context, in loan) (loan, error) { return in, nil }

func allBooks(context.Context, struct{}) ([]string, error) { return []string{"Emma"}, nil }

func newBooks(context.Context, struct{}) ([]string, error) {
	return []string{"Emma", "Sanditon"}, nil
}

var librarian = apidoc.Bearer("librarian", func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
	if c.Token != "jane" {
		return nil, apidoc.ErrUnauthorized
	}
	return ctx, nil
})

// newLibrary returns an app with operations, and its API.
func newLibrary() (*routing.App, *apidoc.API) {
	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Library", Version: "1"})
	loans := api.Tag("Loans", "What is lent")
	apidoc.Get(api, "/books", "List the books", allBooks)
	apidoc.Post(api, "/loans", "Lend a book", lendBook, loans, librarian)
	return app, api
}

// holidays is a plugin.
func holidays(app *routing.App, api *apidoc.API) {
	// In front of an operation, before its security and checks.
	app.Post("/loans", func(c routing.Context) (routing.Result, error) {
		if strings.Contains(c.Request().UserAgent(), "bot") {
			return routing.Result{}, errBot
		}
		return routing.Result{}, routing.Pass
	})

	// Behind security and checks, for all operations with a tag. The description has the 503.
	api.Intercept(func(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		if len(call.Tags) > 0 && call.Tags[0] == "Loans" {
			return nil, errClosed
		}
		return next(ctx)
	}, errClosed)

	// In place of an operation. Clients keep the method of its ID.
	apidoc.Get(api, "/books", "List the books", newBooks, apidoc.Replaces(), apidoc.ID("allBooks"))
}

// A plugin in front of an API.
func Example_plugin() {
	app, api := newLibrary()
	holidays(app, api)
	for _, c := range [][]string{
		{"GET", "/books", "", "", ""},
		{"POST", "/loans", "a bot", "", ""},
		{"POST", "/loans", "curl", "", ""},
		{"POST", "/loans", "curl", "Bearer jane", `{"title":""}`},
		{"POST", "/loans", "curl", "Bearer jane", `{"title":"Emma"}`},
	} {
		r := httptest.NewRequest(c[0], c[1], strings.NewReader(c[4]))
		r.Header.Set("User-Agent", c[2])
		r.Header.Set("Authorization", c[3])
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		fmt.Println(c[0], c[1], w.Code)
	}
	d, err := api.Document()
	fmt.Println(strings.Count(string(d.OpenAPI()), `"operationId"`), "operations,", err)
	// Output:
	// GET /books 200
	// POST /loans 403
	// POST /loans 401
	// POST /loans 422
	// POST /loans 503
	// 2 operations, <nil>
}

type tenant struct{ Name, Token string }

var tenants = map[string]tenant{"ann": {"Ann's trees", "a"}, "ben": {"Ben's trees", "b"}}

var tenantOf = routing.NewKey[tenant]()

var noTenant = apidoc.NewProblem(http.StatusNotFound, "No such tenant")

// findTenant is a filter of the app of a tenant.
func findTenant(c routing.Context) error {
	id, _ := c.Params().Path("tenant")
	t, found := tenants[id]
	if !found {
		return noTenant
	}
	tenantOf.Set(c, t)
	return nil
}

var ofTenant = apidoc.Bearer("token", func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
	if t, _ := tenantOf.From(ctx); c.Token != t.Token {
		return nil, apidoc.ErrUnauthorized
	}
	return ctx, nil
})

func tenantName(ctx context.Context, _ struct{}) (string, error) {
	t, _ := tenantOf.From(ctx)
	return t.Name, nil
}

// nursery returns the app of all tenants.
func nursery() (*routing.App, error) {
	inner := routing.New()
	inner.Before(findTenant)
	api := apidoc.NewAPI(inner, apidoc.Info{
		Title: "Trees", Version: "1", Servers: []apidoc.Server{{URL: ".."}}, // relative to api-docs/openapi.json
	}, ofTenant, noTenant)
	apidoc.Get(api, "/name", "Read the name", tenantName, apidoc.ID("readName"))
	if _, err := api.Serve(nil); err != nil {
		return nil, err
	}
	app := routing.New(routing.WithProblemDetails()) // the filter's 404 looks like an error of an operation
	app.Mount("/t/:tenant", api)
	return app, nil
}

// Tenants: one app for all of them, with a filter that finds the tenant.
func Example_tenants() {
	app, err := nursery()
	if err != nil {
		panic(err)
	}
	show(app, "GET", "/t/ann/name", "Authorization", "Bearer a")
	show(app, "GET", "/t/ben/name", "Authorization", "Bearer b")
	for _, c := range [][2]string{{"/t/ben/name", "Bearer a"}, {"/t/cleo/name", "Bearer a"}, {"/t/ben/api-docs/openapi.json", ""}} {
		r := httptest.NewRequest("GET", c[0], nil)
		r.Header.Set("Authorization", c[1])
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		fmt.Println("GET", c[0], w.Code, w.Header().Get("Content-Type"))
	}
	// Output:
	// GET /t/ann/name 200 Ann's trees
	// GET /t/ben/name 200 Ben's trees
	// GET /t/ben/name 401 application/problem+json
	// GET /t/cleo/name 404 application/problem+json
	// GET /t/ben/api-docs/openapi.json 200 application/json; charset=utf-8
}

// Behind a proxy that removes a prefix.
func Example_proxyPrefix() {
	app := routing.New(routing.WithProxyPrefix("/shop"))
	app.Get("/old", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.Redirect(c.Path("/books"))
	})
	show(app, "GET", "/old")
	// Output:
	// GET /old 302 /shop/books
}
