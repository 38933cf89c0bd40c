package routing_test

import (
	"errors"
	"fmt"

	"example.com/flowercafe/routing"
)

// These examples are about errors that clients see.

// soldOut is a problem of a shop.
var soldOut = &routing.Problem{Status: 409, Code: "sold_out", Title: "The flower is sold out"}

// A problem is an error with a status and a code for programs. Detailf adds this
// occurrence.
func ExampleProblem() {
	app := routing.New(routing.WithProblemDetails())
	app.Post("/orders/:slug", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, soldOut.Detailf("no %s until May", c.Params().GetOr("slug", ""))
	})
	show(app, "POST", "/orders/rose")
	// Output: 409 {"type":"about:blank","title":"The flower is sold out","status":409,"code":"sold_out","detail":"no rose until May"}
}

// A problem is found in a wrapped error, whatever its detail.
func ExampleProblem_Is() {
	err := fmt.Errorf("order: %w", soldOut.Detailf("no rose until May"))
	fmt.Println(errors.Is(err, soldOut))
	// Output: true
}

func ExampleParamError() {
	app := routing.New()
	app.Get("/search", func(c routing.Context) (routing.Result, error) {
		q, err := c.Params().Require("q")
		if errors.Is(err, routing.ErrNoParam) {
			q = "everything"
		}
		return routing.Text("found " + q), nil
	})
	app.OnError(func(_ routing.Context, err error) (routing.Result, error) {
		var missing *routing.ParamError
		if errors.As(err, &missing) {
			return routing.Text("please write " + missing.Key), nil
		}
		return routing.Result{}, err
	})
	app.Get("/find", func(c routing.Context) (routing.Result, error) {
		q, err := c.Params().Require("q")
		return routing.Text("found " + q), err
	})
	show(app, "GET", "/search")
	show(app, "GET", "/find")
	// Output:
	// 200 found everything
	// 400 please write q
}

// All error responses have the same JSON members.
func ExampleApp_ErrorBody() {
	app := routing.New()
	app.ErrorBody(func(_ routing.Context, p *routing.Problem) (routing.Result, error) {
		return routing.JSON(map[string]any{"error": p.Title})
	})
	app.Post("/orders", func(routing.Context) (routing.Result, error) { return routing.Result{}, soldOut })
	show(app, "POST", "/orders")
	show(app, "GET", "/nothing")
	// Output:
	// 409 {"error":"The flower is sold out"}
	// 404 {"error":"Not Found"}
}
