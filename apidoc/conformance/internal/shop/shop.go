// Package shop is a host with hand-written, enforced routes: parameters in all places, bodies, and
// types that refer to each other and to themselves.
package shop

import (
	"encoding/json"
	"net/http"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// Order is the body of requests and responses.
type Order struct {
	Customer string            `json:"customer"`
	Placed   time.Time         `json:"placed"`
	Lines    []Line            `json:"lines"`
	Note     *string           `json:"note"`
	Labels   map[string]string `json:"labels,omitempty"`
	Previous *Order            `json:"previous,omitempty"`
	Replaced *Line             `json:"replaced"`
	Size     [2]int32          `json:"size"`
	Receipt  []byte            `json:"receipt,omitempty"`
	Extra    any               `json:"extra,omitempty"`
}

// Line is one line of an Order.
type Line struct {
	Slug  string  `json:"slug"`
	Count uint16  `json:"count"`
	Price float64 `json:"price"`
	Gift  bool    `json:"gift,omitempty"`
}

// List is a page of values.
type List[T any] struct {
	Items []T `json:"items"`
	Total int `json:"total"`
}

// New returns the host below a base path, with its description at /api-docs. It stores nothing.
func New(base string) (http.Handler, error) {
	app := routing.New(routing.WithBasePath(base))
	app.MethodNotAllowed(nil)
	id := apidoc.Parameter{Name: "id", In: apidoc.InPath, Description: "The order's number", Type: apidoc.TypeOf[int32]()}
	app.Get("/orders/:id", func(c routing.Context) (routing.Result, error) {
		return routing.JSON(sample())
	}, apidoc.Enforce(&apidoc.Operation{
		ID:         "getOrder",
		Summary:    "Show an order",
		Tags:       []string{"Orders"},
		Parameters: []apidoc.Parameter{id},
		Responses:  []apidoc.Response{{Status: 200, Description: "The order", Body: apidoc.TypeOf[Order]()}},
	}))
	app.Get("/orders", func(c routing.Context) (routing.Result, error) {
		return routing.JSON(List[Order]{Items: []Order{sample()}, Total: 1})
	}, apidoc.Enforce(&apidoc.Operation{
		ID:      "listOrders",
		Summary: "List orders",
		Tags:    []string{"Orders"},
		Parameters: []apidoc.Parameter{
			{Name: "line", In: apidoc.InQuery, Description: "Lines to look for", Type: apidoc.TypeOf[[]int32]()},
			{Name: "since", In: apidoc.InQuery, Description: "A time", Type: apidoc.TypeOf[time.Time]()},
			{Name: "open", In: apidoc.InQuery, Required: true, Type: apidoc.TypeOf[bool]()},
			{Name: "below", In: apidoc.InQuery, Type: apidoc.TypeOf[float64]()},
			{Name: "X-Page", In: apidoc.InHeader, Type: apidoc.TypeOf[uint16]()},
		},
		Responses: []apidoc.Response{{Status: 200, Description: "Orders", Body: apidoc.TypeOf[List[Order]]()}},
	}))
	app.Post("/orders", func(c routing.Context) (routing.Result, error) {
		body, err := c.Params().Require("")
		if err != nil {
			return routing.Result{}, err
		}
		// The program can decode every request that the description allows.
		var order Order
		if err := json.Unmarshal([]byte(body), &order); err != nil {
			return routing.Result{}, err
		}
		c.SetStatus(http.StatusCreated)
		return routing.JSON(sample())
	}, apidoc.Enforce(&apidoc.Operation{
		ID:         "placeOrder",
		Summary:    "Place an order",
		Tags:       []string{"Orders"},
		Parameters: []apidoc.Parameter{{Name: "order", In: apidoc.InBody, Required: true, Type: apidoc.TypeOf[Order]()}},
		Responses:  []apidoc.Response{{Status: 201, Description: "Placed", Body: apidoc.TypeOf[Order]()}},
	}))
	app.Put("/orders/:id", func(c routing.Context) (routing.Result, error) {
		return routing.JSON([]Order{sample()})
	}, apidoc.Enforce(&apidoc.Operation{
		ID:          "changeOrder",
		Summary:     "Change an order",
		Description: "Changes the number of a line's flowers.",
		Tags:        []string{"Orders", "Changes"},
		Deprecated:  true,
		Parameters: []apidoc.Parameter{
			id,
			{Name: "count", In: apidoc.InForm, Description: "How many", Required: true, Type: apidoc.TypeOf[uint16]()},
			{Name: "line", In: apidoc.InForm, Type: apidoc.TypeOf[int32]()},
		},
		Responses: []apidoc.Response{{Status: 200, Description: "All orders", Body: apidoc.TypeOf[[]Order]()}},
	}))
	app.Delete("/orders/:id", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(http.StatusNoContent)
		return routing.Result{}, nil
	}, apidoc.Enforce(&apidoc.Operation{
		ID:         "cancelOrder",
		Summary:    "Cancel an order",
		Tags:       []string{"Orders"},
		Parameters: []apidoc.Parameter{id},
		Responses:  []apidoc.Response{{Status: 204, Description: "Cancelled"}},
	}))
	app.Get("/orders/:id/receipt.txt", func(c routing.Context) (routing.Result, error) {
		return routing.Text("a rose"), nil
	}, apidoc.Enforce(&apidoc.Operation{
		ID:         "getReceipt",
		Summary:    "Show a receipt",
		Tags:       []string{"Orders"},
		Parameters: []apidoc.Parameter{id},
		Responses:  []apidoc.Response{{Status: 200, Description: "Lines of text", Body: apidoc.TypeOf[string](), ContentType: "text/plain"}},
	}))

	document, err := apidoc.Build(app, apidoc.Info{Title: "A shop with everything", Version: "1"}, base)
	if err != nil {
		return nil, err
	}
	for path, form := range map[string][]byte{
		"/api-docs/swagger.json":     document.Swagger(),
		"/api-docs/openapi.json":     document.OpenAPI(),
		"/api-docs/openapi-3.0.json": document.OpenAPI30(),
	} {
		app.Get(path, func(c routing.Context) (routing.Result, error) { return routing.Bytes("application/json", form), nil })
	}
	return app, nil
}

func sample() Order {
	note := "by noon"
	return Order{
		Customer: "Ann",
		Placed:   time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC),
		Lines:    []Line{{Slug: "rose", Count: 12, Price: 2.5}},
		Note:     &note,
		Labels:   map[string]string{"room": "3"},
		Replaced: &Line{Slug: "tulip", Count: 12, Price: 1.5},
		Receipt:  []byte("paid"),
		Extra:    []any{1, "x", nil},
	}
}
