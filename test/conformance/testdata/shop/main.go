// This program uses a client that was generated from the shop's swagger.json: bodies, forms, lists,
// times, and a problem.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/go-openapi/runtime"
	httptransport "github.com/go-openapi/runtime/client"

	"generated/client"
	"generated/client/orders"
)

func main() {
	transport := httptransport.New(os.Args[1], client.DefaultBasePath, nil)
	transport.Consumers["application/problem+json"] = runtime.JSONConsumer() // go-swagger's clients do not decode problems
	api := client.New(transport, nil)

	shown, err := api.Orders.GetOrder(orders.NewGetOrderParams().WithID(7))
	if err != nil {
		log.Fatal(err)
	}
	order := shown.Payload
	fmt.Println("order of", *order.Customer, "placed", *order.Placed, "with", *order.Lines[0].Count, *order.Lines[0].Slug)

	placed, err := api.Orders.PlaceOrder(orders.NewPlaceOrderParams().WithBody(order))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("placed for", *placed.Payload.Customer)

	changed, err := api.Orders.ChangeOrder(orders.NewChangeOrderParams().WithID(7).WithCount(3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("changed", len(changed.Payload))

	list, err := api.Orders.ListOrders(orders.NewListOrdersParams().WithOpen(true).WithLine([]int32{1, 2}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listed", *list.Payload.Total)

	order.Customer = nil
	_, err = api.Orders.PlaceOrder(orders.NewPlaceOrderParams().WithBody(order))
	var refused *orders.PlaceOrderUnprocessableEntity
	if !errors.As(err, &refused) {
		log.Fatalf("an order without a customer gives %v", err)
	}
	fmt.Println("refused:", refused.Payload.Detail)
}
