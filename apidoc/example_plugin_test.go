package apidoc_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// A plugin overrides an operation. Its ID keeps the name of the method in generated clients.
func ExampleReplaces() {
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/price", "Read the price", answer("7"), apidoc.ID("price"))
	apidoc.Get(api, "/price", "Read the price", answer("6, in May"), apidoc.ID("price"), apidoc.Replaces())
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/price", nil))
	fmt.Println(w.Body)
	_, err := api.Document()
	fmt.Println(err)
	// Output:
	// 6, in May
	// <nil>
}

// An operation checks the input of another operation, and passes.
func ExampleHidden() {
	type order struct {
		Pears int `json:"pears"`
	}
	tooMany := apidoc.NewProblem(http.StatusConflict, "Too many for today")
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Post(api, "/orders", "Order pears", func(_ context.Context, o order) (order, error) { return o, nil }, apidoc.ID("order"))
	apidoc.Post(api, "/orders", "Refuse large orders", func(_ context.Context, o order) (struct{}, error) {
		if o.Pears > 9 {
			return struct{}{}, tooMany
		}
		return struct{}{}, routing.Pass
	}, apidoc.Hidden())
	for _, body := range []string{`{"pears":3}`, `{"pears":30}`} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/orders", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		app.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 200 {"pears":3}
	// 409 {"type":"about:blank","title":"Too many for today","status":409}
}

// A plugin adds a rule to all operations that change something, including existing operations.
func ExampleAPI_Intercept() {
	closed := apidoc.NewProblem(http.StatusServiceUnavailable, "Closed in winter")
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/pears", "List the pears", answer("Williams"))
	apidoc.Post(api, "/pears", "Plant a pear", answer("planted"))
	api.Intercept(func(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		if call.Method != http.MethodGet {
			return nil, closed
		}
		return next(ctx)
	}, closed)
	for _, method := range []string{"GET", "POST"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest(method, "/pears", nil))
		fmt.Println(method, w.Code)
	}
	// Output:
	// GET 200
	// POST 503
}

// A function of a database package begins the transaction, commits it and rolls it back.
func ExampleTransaction() {
	app := routing.New()
	api := apidoc.NewAPI(app, info, apidoc.Transaction(
		func(ctx context.Context, _ *apidoc.Call, run func(context.Context) error) error {
			fmt.Print("BEGIN ")
			if err := run(ctx); err != nil {
				fmt.Print("ROLLBACK ")
				return err
			}
			fmt.Print("COMMIT ")
			return nil
		}))
	apidoc.Post(api, "/plants", "Succeeds", answer("planted"))
	apidoc.Post(api, "/moves", "Redirects", func(context.Context, struct{}) (string, error) { return "", routing.SeeOther("/plants") })
	apidoc.Post(api, "/clashes", "Fails", func(context.Context, struct{}) (string, error) { return "", apidoc.NewProblem(409, "Taken") })
	for _, path := range []string{"/plants", "/moves", "/clashes"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("POST", path, nil))
		fmt.Println(w.Code)
	}
	// Output:
	// BEGIN COMMIT 200
	// BEGIN COMMIT 303
	// BEGIN ROLLBACK 409
}

// A handler in a group with a Security has the Security as an option. Without it, its definition
// panics.
func ExampleSecurity() {
	bearer := apidoc.Bearer("token", func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
		if c.Token != "secret" {
			return nil, apidoc.ErrUnauthorized
		}
		return ctx, nil
	})
	files := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "a file") })
	app := routing.New()
	api := apidoc.NewAPI(app, info, bearer)
	api.Group("/v1", func(g *apidoc.Group) {
		g.RouteGroup().Mount("/files", files, bearer)
		g.RouteGroup().Mount("/logos", files, apidoc.Public())
	})
	for _, path := range []string{"/v1/files/plan.pdf", "/v1/logos/pear.svg"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(path, w.Code)
	}
	// Output:
	// /v1/files/plan.pdf 401
	// /v1/logos/pear.svg 200
}

// Values that did not come in a body are checked by the same tags.
func ExampleChecker() {
	type tree struct {
		Name   string  `json:"name" minLength:"1"`
		Height float64 `json:"height" exclusiveMin:"0"`
	}
	trees := apidoc.NewChecker[tree]()
	fmt.Println(trees.Check(context.Background(), tree{"Oak", 20}))
	err := trees.Check(context.Background(), tree{"", -1})
	if p := (*apidoc.Problem)(nil); errors.As(err, &p) {
		for _, e := range p.Errors {
			fmt.Println(e.Pointer, e.Code, e.Limit)
		}
	}
	// Output:
	// <nil>
	// /name minLength 1
	// /height exclusiveMinimum 0
}
