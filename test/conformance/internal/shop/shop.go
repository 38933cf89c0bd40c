// Package shop is a host of typed operations: parameters in all locations, bodies, and types that
// refer to each other and to themselves.
package shop

import (
	"context"
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

// byID is the input of operations on one order.
type byID struct {
	ID int32 `path:"id" doc:"The order's number"`
}

// wanted selects orders.
type wanted struct {
	Line  []int32   `query:"line" doc:"Lines to look for"`
	Since time.Time `query:"since" doc:"A time"`
	Open  bool      `query:"open,required"`
	Below float64   `query:"below"`
	Page  uint16    `header:"X-Page"`
}

// change is a form.
type change struct {
	byID
	Count uint16 `form:"count,required" doc:"How many"`
	Line  int32  `form:"line"`
}

// search is the body of a QUERY, with more customers than a URL has room for.
type search struct {
	Customers []string `json:"customers" maxLength:"1000"`
	Below     *float64 `json:"below,omitempty"`
}

func getOrder(context.Context, byID) (Order, error)       { return sample(), nil }
func placeOrder(context.Context, Order) (Order, error)    { return sample(), nil }
func cancelOrder(context.Context, byID) (struct{}, error) { return struct{}{}, nil }
func getReceipt(context.Context, byID) (string, error)    { return "a rose", nil }

func changeOrder(context.Context, change) ([]Order, error) { return []Order{sample()}, nil }

func listOrders(context.Context, wanted) (List[Order], error) {
	return List[Order]{Items: []Order{sample()}, Total: 1}, nil
}

func findOrders(context.Context, search) ([]Order, error) { return []Order{sample()}, nil }

// New returns the host below a base path, with its description at /api-docs. It stores nothing.
func New(base string) (http.Handler, error) {
	app := routing.New(routing.WithMethodNotAllowed(), routing.WithBasePath(base))
	api := apidoc.NewAPI(app, apidoc.Info{Title: "A shop with everything", Version: "1", Tags: []apidoc.Tag{
		{Name: "Orders", Summary: "All orders", Kind: "nav"},
		{Name: "Changes", Summary: "Changes of orders", Parent: "Orders", Kind: "nav"},
	}})
	login := apidoc.OAuth2("login", apidoc.CheckedElsewhere,
		apidoc.OAuthFlow{Kind: "deviceAuthorization", DeviceAuthorizationURL: "https://id.example/device", TokenURL: "https://id.example/token"},
		apidoc.OAuthFlow{Kind: "clientCredentials", TokenURL: "https://id.example/token"})
	orders, changes := apidoc.Tag{Name: "Orders"}, apidoc.Tag{Name: "Changes"}
	apidoc.Get(api, "/orders/:id", "Show an order", getOrder, orders)
	apidoc.Get(api, "/orders", "List orders", listOrders, orders)
	apidoc.Query(api, "/orders", "Find orders", findOrders, orders, login)
	apidoc.Post(api, "/orders", "Place an order", placeOrder, orders, apidoc.Status(http.StatusCreated))
	apidoc.Put(api, "/orders/:id", "Change an order", changeOrder, orders, changes, apidoc.Deprecated(),
		apidoc.Description("Changes the number of a line's flowers."))
	apidoc.Delete(api, "/orders/:id", "Cancel an order", cancelOrder, orders)
	apidoc.Get(api, "/orders/:id/receipt.txt", "Show a receipt", getReceipt, orders)
	_, err := api.Serve(nil)
	return app, err
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
