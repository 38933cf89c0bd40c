// This program uses a client made by ogen. All clients print the same.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/textproto"
	"os"

	"github.com/google/uuid"
	ht "github.com/ogen-go/ogen/http"

	"generated/api"
)

var rose = uuid.MustParse("0190c0de-0000-4000-8000-000000000001")

type secrets struct{}

func (secrets) Basic(context.Context, api.OperationName) (api.Basic, error) {
	return api.Basic{Username: "ann", Password: "correct-horse"}, nil
}
func (secrets) Key(context.Context, api.OperationName) (api.Key, error) {
	return api.Key{APIKey: "correct-horse"}, nil
}
func (secrets) OAuth(context.Context, api.OperationName) (api.OAuth, error) {
	return api.OAuth{Token: "correct-horse"}, nil
}
func (secrets) Session(context.Context, api.OperationName) (api.Session, error) {
	return api.Session{APIKey: "correct-horse"}, nil
}
func (secrets) Token(context.Context, api.OperationName) (api.Token, error) {
	return api.Token{Token: "correct-horse"}, nil
}

func main() {
	client := must(api.NewClient(os.Args[1], secrets{}))
	photo := must(os.ReadFile(os.Args[2]))
	ctx := context.Background()

	item := must(client.GetItem(ctx, api.GetItemParams{ID: rose})).(*api.Item)
	fmt.Println("item", item.Name, item.Price, item.Colour.Value, item.Tags)

	list := must(client.ListItems(ctx, api.ListItemsParams{Limit: api.NewOptInt64(1), Colour: []api.Colour{api.ColourYellow}})).(*api.PageItemHeaders)
	fmt.Println("listed", len(list.Response.Items), "of", list.XTotal.Value)

	export := must(client.ExportItems(ctx, api.ExportItemsParams{})).(*api.ExportItemsOKHeaders)
	fmt.Print("exported ", string(must(io.ReadAll(export.Response))))

	lily := api.ItemInput{Name: "Lily", Code: "LI0001", Price: "3.00", Size: api.NewOptNilSize(api.Size{Height: 45.5})}
	lily.Note.SetToNull()
	created := must(client.CreateItem(ctx, &lily)).(*api.ItemHeaders).Response
	fmt.Println("created", created.Name, created.Price, created.Size.Value.Height, created.Pack.Value)

	lily.Name = "" // ogen's client needs the value
	refused := must(client.CreateItem(ctx, &lily)).(*api.CreateItemUnprocessableEntity)
	fmt.Println("refused", refused.Errors[0].Pointer.Value)

	fmt.Println("photo", bytes.Equal(load(client, rose), photo))

	if _, ok := must(client.PutPhoto(ctx, &api.PutPhotoReqImagePNG{Data: bytes.NewReader(photo)}, api.PutPhotoParams{ID: created.ID})).(*api.PutPhotoNoContent); !ok {
		log.Fatal("the photo is not stored")
	}
	fmt.Println("stored", bytes.Equal(load(client, created.ID), photo))

	file := ht.MultipartFile{Name: "photo.png", File: bytes.NewReader(photo), Header: textproto.MIMEHeader{"Content-Type": {"image/png"}}}
	uploaded := must(client.Upload(ctx, &api.UploadReq{Title: "Roses", Page: []int32{1, 2}, Photo: file})).(*api.Upload)
	fmt.Println("uploaded", uploaded.Title, uploaded.Bytes == int64(len(photo)), uploaded.Names)

	order := must(client.PlaceOrder(ctx, &api.OrderInput{
		Lines:   []api.Line{{Item: rose, Count: 2, With: []api.Line{{Item: rose, Count: 1}}}},
		Payment: api.NewCardPayment(api.Card{Kind: api.CardKindCard, Number: "4000000000000002"}),
		Email:   "ann@example.com",
	})).(*api.Order)
	fmt.Println("ordered", order.Count, order.Status, order.Whole.Value)

	session := must(client.LogIn(ctx, &api.LogInReq{Name: "ann", Password: "correct-horse"})).(*api.LogInOKHeaders)
	fmt.Println("logged in", session.Response.Expires.Year() > 2000)

	must(client.DeleteItem(ctx, api.DeleteItemParams{ID: created.ID}))
	missing := must(client.GetItem(ctx, api.GetItemParams{ID: created.ID})).(*api.GetItemNotFound)
	fmt.Println("deleted", missing.Status)
}

func load(client *api.Client, id uuid.UUID) []byte {
	response := must(client.GetPhoto(context.Background(), api.GetPhotoParams{ID: id}))
	return must(io.ReadAll(response.(*api.GetPhotoOKImagePNGHeaders).Response))
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
