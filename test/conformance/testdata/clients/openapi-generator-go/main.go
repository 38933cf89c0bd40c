// This program uses a client made by openapi-generator. All clients print the same.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"generated/nursery"
)

const rose = "0190c0de-0000-4000-8000-000000000001"

func main() {
	config := nursery.NewConfiguration()
	config.Servers = nursery.ServerConfigurations{{URL: os.Args[1]}}
	api := nursery.NewAPIClient(config)
	photo := must(os.ReadFile(os.Args[2]))
	ctx := context.WithValue(context.Background(), nursery.ContextAccessToken, "correct-horse")
	ctx = context.WithValue(ctx, nursery.ContextAPIKeys, map[string]nursery.APIKey{"key": {Key: "correct-horse"}})

	item := get(api.ItemsAPI.GetItem(ctx, rose).Execute())
	fmt.Println("item", item.Name, item.Price, *item.Colour, item.Tags)

	list := get(api.ItemsAPI.ListItems(ctx).Limit(1).Colour([]nursery.Colour{"yellow"}).Execute())
	fmt.Println("listed", len(list.Items), "of", list.Total)

	basic := context.WithValue(context.Background(), nursery.ContextBasicAuth, nursery.BasicAuth{UserName: "ann", Password: "correct-horse"})
	fmt.Print("exported ", string(must(io.ReadAll(get(api.ItemsAPI.ExportItems(basic).Execute())))))

	lily := nursery.NewItemInput("Lily", "LI0001", "3.00", *nursery.NewNullableString(nil))
	lily.Size.Set(nursery.NewSize(45.5))
	created := get(api.ItemsAPI.CreateItem(ctx).ItemInput(*lily).Execute())
	fmt.Println("created", created.Name, created.Price, created.Size.Get().Height, *created.Pack)

	lily.Name = ""
	_, _, err := api.ItemsAPI.CreateItem(ctx).ItemInput(*lily).Execute()
	var refused *nursery.GenericOpenAPIError
	if !errors.As(err, &refused) {
		log.Fatal(err)
	}
	problem := refused.Model().(nursery.Problem)
	fmt.Println("refused", *problem.Errors[0].Pointer)

	fmt.Println("photo", bytes.Equal(must(io.ReadAll(get(api.PhotosAPI.GetPhoto(ctx, rose).Execute()))), photo))

	_, err = api.PhotosAPI.PutPhoto(ctx, created.Id).Body(must(os.Open(os.Args[2]))).Execute()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("stored", bytes.Equal(must(io.ReadAll(get(api.PhotosAPI.GetPhoto(ctx, created.Id).Execute()))), photo))

	uploaded := get(api.PhotosAPI.Upload(ctx).Title("Roses").Page([]int32{1, 2}).Photo(must(os.Open(os.Args[2]))).Execute())
	fmt.Println("uploaded", uploaded.Title, uploaded.Bytes == int64(len(photo)), uploaded.Names)

	line := nursery.NewLine(rose, 2)
	line.With = []nursery.Line{*nursery.NewLine(rose, 1)}
	card := nursery.CardAsPayment(nursery.NewCard("card", "4000000000000002"))
	order := get(api.OrdersAPI.PlaceOrder(ctx).OrderInput(*nursery.NewOrderInput([]nursery.Line{*line}, card, "ann@example.com")).Execute())
	fmt.Println("ordered", order.Count, order.Status, order.GetWhole())

	session := get(api.VisitorsAPI.LogIn(ctx).Name("ann").Password("correct-horse").Execute())
	fmt.Println("logged in", session.Expires.Year() > 2000)

	if _, err := api.ItemsAPI.DeleteItem(ctx, created.Id).Execute(); err != nil {
		log.Fatal(err)
	}
	_, response, err := api.ItemsAPI.GetItem(ctx, created.Id).Execute()
	if err == nil {
		log.Fatal("the item is still there")
	}
	fmt.Println("deleted", response.StatusCode)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// get returns the result of an operation, without the HTTP response.
func get[T, R any](v T, _ R, err error) T {
	if err != nil {
		if e, ok := err.(*nursery.GenericOpenAPIError); ok {
			log.Fatalf("%v: %s", err, e.Body())
		}
		log.Fatal(err)
	}
	return v
}
