// This program uses a client made by oapi-codegen. All clients print the same.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"

	"github.com/google/uuid"

	"generated/api"
)

var rose = uuid.MustParse("0190c0de-0000-4000-8000-000000000001")

func main() {
	client := must(api.NewClientWithResponses(os.Args[1], api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer correct-horse")
		r.Header.Set("X-Key", "correct-horse")
		return nil
	})))
	photo := must(os.ReadFile(os.Args[2]))
	ctx := context.Background()

	item := must(client.GetItemWithResponse(ctx, rose)).JSON200
	fmt.Println("item", item.Name, item.Price, *item.Colour, *item.Tags)

	limit := int64(1)
	list := must(client.ListItemsWithResponse(ctx, &api.ListItemsParams{Limit: &limit, Colour: &[]api.Colour{"yellow"}})).JSON200
	fmt.Println("listed", len(list.Items), "of", list.Total)

	basic := func(_ context.Context, r *http.Request) error {
		r.SetBasicAuth("ann", "correct-horse")
		return nil
	}
	fmt.Print("exported ", string(must(client.ExportItemsWithResponse(ctx, nil, basic)).Body))

	lily := api.ItemInput{Name: "Lily", Code: "LI0001", Price: "3.00", Size: &api.Size{Height: 45.5}}
	created := must(client.CreateItemWithResponse(ctx, lily)).JSON201
	fmt.Println("created", created.Name, created.Price, created.Size.Height, *created.Pack)

	lily.Name = ""
	refused := must(client.CreateItemWithResponse(ctx, lily)).ApplicationproblemJSON422
	fmt.Println("refused", *(*refused.Errors)[0].Pointer)

	fmt.Println("photo", bytes.Equal(must(client.GetPhotoWithResponse(ctx, rose)).Body, photo))

	if r := must(client.PutPhotoWithBodyWithResponse(ctx, created.Id, nil, "image/png", bytes.NewReader(photo))); r.StatusCode() != 204 {
		log.Fatal(r.Status())
	}
	fmt.Println("stored", bytes.Equal(must(client.GetPhotoWithResponse(ctx, created.Id)).Body, photo))

	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	form.WriteField("title", "Roses")
	form.WriteField("page", "1")
	form.WriteField("page", "2")
	part := must(form.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="photo"; filename="photo.png"`}, "Content-Type": {"image/png"},
	}))
	part.Write(photo)
	form.Close()
	uploaded := must(client.UploadWithBodyWithResponse(ctx, form.FormDataContentType(), &body)).JSON201
	fmt.Println("uploaded", uploaded.Title, uploaded.Bytes == int64(len(photo)), uploaded.Names)

	order := api.OrderInput{Lines: []api.Line{{Item: rose, Count: 2, With: &[]api.Line{{Item: rose, Count: 1}}}}, Email: "ann@example.com"}
	if err := order.Payment.FromCard(api.Card{Kind: "card", Number: "4000000000000002"}); err != nil {
		log.Fatal(err)
	}
	placed := must(client.PlaceOrderWithResponse(ctx, order)).JSON201
	fmt.Println("ordered", placed.Count, placed.Status, *placed.Whole)

	session := must(client.LogInWithFormdataBodyWithResponse(ctx, api.LogInFormdataRequestBody{Name: "ann", Password: "correct-horse"})).JSON200
	fmt.Println("logged in", session.Expires.Year() > 2000)

	must(client.DeleteItemWithResponse(ctx, created.Id))
	fmt.Println("deleted", must(client.GetItemWithResponse(ctx, created.Id)).StatusCode())
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
