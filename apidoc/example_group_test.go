package apidoc_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// Two versions of an API have the same operations. Only the second one needs a token.
func ExampleAPI_Group() {
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	trees := func(g *apidoc.Group) {
		apidoc.Get(g, "/trees/:id", "Read a tree", getTree, noTree)
		apidoc.Post(g, "/trees", "Plant a tree", plantTree, apidoc.Status(201))
	}
	token := apidoc.Bearer("token", func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
		if c.Token != "secret" {
			return nil, apidoc.ErrUnauthorized
		}
		return ctx, nil
	})
	api.Group("/v1", trees, apidoc.IDPrefix("v1"), apidoc.Deprecated())
	api.Group("/v2", trees, apidoc.IDPrefix("v2"), token)

	send(app, "GET", "/v1/trees/1", "")
	send(app, "GET", "/v2/trees/1", "")
	send(app, "GET", "/v2/trees/1", "", "Authorization", "Bearer secret")
	document, err := api.Document()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(string(document.OpenAPI()), `"operationId": "v2GetTree"`))
	// Output:
	// 200 {"name":"Oak"}
	// 401 {"type":"about:blank","title":"Unauthorized","status":401,"code":"unauthorized"}
	// 200 {"name":"Oak"}
	// true
}

// An app has an API for everyone and one for its owners, each with its own description.
func ExampleAPI_ServeAt() {
	app := routing.New()
	public := apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1"})
	apidoc.Get(public, "/trees/:id", "Read a tree", getTree, noTree)
	admin := apidoc.NewAPI(app, apidoc.Info{Title: "Trees, for gardeners", Version: "1"})
	apidoc.Post(admin, "/admin/trees", "Plant a tree", plantTree, apidoc.Status(201))
	if _, err := public.Serve(nil); err != nil {
		fmt.Println(err)
	}
	if _, err := admin.ServeAt("/admin/docs", nil); err != nil {
		fmt.Println(err)
	}
	for _, path := range []string{"/api-docs/openapi.json", "/admin/docs/openapi.json"} {
		text := call(app, "GET", path, "", "").Body.String()
		fmt.Println(strings.Contains(text, "getTree"), strings.Contains(text, "plantTree"))
	}
	// Output:
	// true false
	// false true
}

// transaction stands for a sql.Tx.
type transaction struct{ changes []string }

var inTransaction = routing.NewKey[*transaction]()

// Each operation that changes something runs in a transaction. It is committed, also after a
// redirect, and rolled back after an error or a panic.
func ExampleIntercept() {
	var committed []string
	transactions := func(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		if call.Method == "GET" || call.Method == "QUERY" {
			return next(ctx)
		}
		tx := &transaction{}
		output, err := next(inTransaction.With(ctx, tx))
		var panicked *routing.PanicError
		switch {
		case errors.As(err, &panicked):
			fmt.Println(call.ID, "panicked: rolled back")
		case routing.IsFailure(err): // a redirect is not a failure
			fmt.Println(call.ID, "failed: rolled back")
		default:
			committed = append(committed, tx.changes...)
			fmt.Println(call.ID, "committed", committed)
		}
		return output, err
	}
	plant := func(ctx context.Context, tree Plum) (Plum, error) {
		tx, _ := inTransaction.From(ctx)
		tx.changes = append(tx.changes, tree.Name)
		switch tree.Name {
		case "Yew":
			return Plum{}, errPoison
		case "Elm":
			return tree, routing.SeeOther("/trees")
		case "Ivy":
			panic("not a tree")
		}
		return tree, nil
	}
	app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
	api := apidoc.NewAPI(app, info, apidoc.Intercept(transactions))
	apidoc.Post(api, "/trees", "Plant a tree", plant, errPoison, apidoc.ID("plant"))
	for _, name := range []string{"Oak", "Elm", "Yew", "Ivy"} {
		fmt.Println(call(app, "POST", "/trees", "application/json", `{"name":"`+name+`"}`).Code)
	}
	// Output:
	// plant committed [Oak]
	// 200
	// plant committed [Oak Elm]
	// 303
	// plant failed: rolled back
	// 409
	// plant panicked: rolled back
	// 500
}

var errPoison = apidoc.NewProblem(409, "Yews are poisonous")

// All errors of the API have the same body, which is described.
func ExampleErrorBody() {
	type Failure struct {
		Status int                 `json:"status"`
		Fields []apidoc.InputError `json:"fields,omitempty"`
	}
	app := routing.New()
	api := apidoc.NewAPI(app, info, apidoc.ErrorBody(func(_ routing.Context, p *apidoc.Problem) Failure {
		return Failure{p.Status, p.Errors}
	}))
	apidoc.Get(api, "/trees/:id", "Read a tree", getTree, noTree)
	apidoc.Post(api, "/trees", "Plant a tree", plantTree)
	send(app, "GET", "/trees/7", "")
	send(app, "POST", "/trees", `{"name":""}`)
	// Output:
	// 404 {"status":404}
	// 422 {"status":422,"fields":[{"in":"body","pointer":"/name","detail":"must have at least 1 character","code":"minLength","limit":1}]}
}
