package apidoc_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests the formats of an API that uses most options and types.

func TestFormatsOfTypedOperations(t *testing.T) {
	type image struct {
		ContentType string      `header:"Content-Type"`
		Modified    time.Time   `header:"Last-Modified" doc:"When it was stored"`
		Session     http.Cookie `header:"Set-Cookie"`
		Image       []byte      `body:"image/png,image/gif"`
	}
	type raw struct {
		ByID
		Image io.Reader `body:"image/png"`
	}
	type stored struct {
		Status int  `status:"200,201"`
		Item   Item `body:""`
	}
	app := routing.New(routing.WithBasePath("/shop"))
	api := apidoc.NewAPI(app, apidoc.Info{
		Title: "Items", Version: "2", Description: "All *of* it.",
		Servers:      []apidoc.Server{{URL: "https://a.example/shop", Description: "The shop"}},
		Tags:         []apidoc.Tag{{Name: "Images", Description: "How they look", Docs: apidoc.ExternalDocs{URL: "https://docs.example/images"}}},
		ExternalDocs: apidoc.ExternalDocs{URL: "https://docs.example", Description: "More"},
		Extensions:   map[string]any{"x-audience": "public"},
	})
	apidoc.Webhook[Item](api, "itemSold", "An item was sold")
	items := api.Tag("Items", "What is sold")
	images := apidoc.Tag{Name: "Images"}
	apidoc.Get(api, "/items", "Find items", func(context.Context, Search) ([]Item, error) { return nil, nil }, items,
		apidoc.ID("findItems"), apidoc.Description("Finds *items*."), apidoc.ResponseExample(200, []Item{{Name: "Rose", Tags: []string{}, Labels: map[string]string{}}}))
	apidoc.Post(api, "/items", "Create an item", createItem, items, apidoc.Status(201), conflict, apidoc.Extension("x-cost", 3),
		apidoc.SeeAlso(apidoc.ExternalDocs{URL: "https://docs.example/create"}),
		apidoc.Callback[Item]("sold", "{$request.header.X-Callback}", "The item was sold"),
		apidoc.RequestExample(map[string]any{"name": "Rose", "tags": []string{}, "labels": struct{}{}}))
	apidoc.Put(api, "/items/:id", "Store an item", func(context.Context, struct {
		ByID
		Item Item `body:""`
	}) (stored, error) {
		return stored{}, nil
	}, items, apidoc.ID("storeItem"), apidoc.Deprecated(), apidoc.Response[struct{}](0, "Anything else"))
	apidoc.Get(api, "/items/:id/image", "Show an item", func(context.Context, ByID) (image, error) { return image{}, nil }, images, apidoc.ID("showImage"), notFound)
	apidoc.Put(api, "/items/:id/image", "Store an image", func(context.Context, raw) (struct{}, error) { return struct{}{}, nil }, images, apidoc.ID("storeImage"))
	apidoc.Post(api, "/images", "Upload", takeUpload, images, apidoc.ID("upload"))
	apidoc.Get(api, "/events", "Watch", func(context.Context, struct{}) (iter.Seq[Item], error) { return nil, nil }, items, apidoc.ID("watch"))
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "typed.swagger.json", d.Swagger())
	golden(t, "typed.openapi.json", d.OpenAPI())
	golden(t, "typed.openapi-3.0.json", d.OpenAPI30())
	golden(t, "typed.openapi-3.2.json", d.OpenAPI32())
	for name, form := range map[string][]byte{"swagger": d.Swagger(), "openapi": d.OpenAPI(), "openapi-3.0": d.OpenAPI30(), "openapi-3.2": d.OpenAPI32()} {
		for _, word := range []string{"What is sold", "x-audience", "x-cost", "https://docs.example/create", "How they look"} {
			if !strings.Contains(string(form), word) {
				t.Errorf("%s does not say %q", name, word)
			}
		}
	}
	if strings.Contains(string(d.OpenAPI30()), "itemSold") || !strings.Contains(string(d.OpenAPI()), "itemSold") {
		t.Error("webhooks belong to 3.1 alone")
	}
}

func TestInvalidWebhooksAndCallbacks(t *testing.T) {
	_, api := newTyped()
	for name, define := range map[string]func(){
		"apidoc: webhook sold: ": func() { apidoc.Webhook[chan int](api, "sold", "") },
		"apidoc: callback sold: ": func() {
			apidoc.Get(api, "/", "", whoami, apidoc.Callback[chan int]("sold", "{$request.header.X}", ""))
		},
	} {
		if message := panicOf(define); !strings.Contains(message, name+`type chan int: JSON cannot represent it`) {
			t.Errorf("panic %q, want %q", message, name)
		}
	}
}

// The IDs of webhooks and callbacks differ from the IDs of operations.
func TestIDsOfWebhooksAndCallbacks(t *testing.T) {
	app, api := newTyped()
	for _, path := range []string{"/first", "/second", "/firstSold"} {
		apidoc.Get(api, path, "", whoami, apidoc.ID(path[1:]), apidoc.Callback[Item]("sold", "{$request.header.X}", ""))
	}
	apidoc.Webhook[Item](api, "second", "")
	document, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	form := decode(t, document.OpenAPI())
	var got []string
	for _, path := range []string{"/first", "/second", "/firstSold"} {
		got = append(got, fmt.Sprint(form.at("paths", path, "get", "callbacks", "sold", "{$request.header.X}", "post")["operationId"]))
	}
	got = append(got, fmt.Sprint(form.at("webhooks", "second", "post")["operationId"]))
	if want := []string{"firstSold2", "secondSold", "firstSoldSold", "second2"}; !slices.Equal(got, want) {
		t.Errorf("got the IDs %q, want %q", got, want)
	}
	twice := func() {
		apidoc.Get(apidoc.NewAPI(app, info), "/", "", whoami, apidoc.Callback[Item]("sold", "{$a}", ""), apidoc.Callback[Item]("sold", "{$b}", ""))
	}
	if message := panicOf(twice); !strings.Contains(message, `two callbacks have the name "sold"`) {
		t.Errorf("panic %q", message)
	}
}
