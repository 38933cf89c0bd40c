package apidoc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/routing"
)

// This file has examples of descriptions and of smaller types.

// show prints the part of the description at a path of members.
func show(d *apidoc.Document, path ...string) {
	text := json.RawMessage(d.OpenAPI())
	for _, name := range path {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(text, &members); err != nil {
			fmt.Println(err)
		}
		text = members[name]
	}
	var lines []string // without the indentation
	for line := range strings.Lines(string(text)) {
		lines = append(lines, strings.TrimSpace(line))
	}
	fmt.Println(strings.Join(lines, " "))
}

// The title and the version are required. Servers are for APIs that clients reach elsewhere.
func ExampleInfo() {
	d, err := apidoc.Build(routing.New(), apidoc.Info{
		Title:        "Trees",
		Version:      "1.0",
		Contact:      apidoc.Contact{Name: "The gardeners", Email: "trees@example.com"},
		License:      apidoc.License{Name: "MIT"},
		Servers:      []apidoc.Server{{URL: "https://api.example.com/v1", Description: "In production"}},
		ExternalDocs: apidoc.ExternalDocs{URL: "https://example.com/trees"},
	}, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	show(d, "info")
	show(d, "servers")
	show(d, "externalDocs")
	// Output:
	// { "title": "Trees", "version": "1.0", "contact": { "name": "The gardeners", "email": "trees@example.com" }, "license": { "name": "MIT" } }
	// [ { "url": "https://api.example.com/v1", "description": "In production" } ]
	// { "url": "https://example.com/trees" }
}

// A description is documentation; extensions are for programs, such as gateways.
func ExampleDescription() {
	api := apidoc.NewAPI(routing.New(), info)
	apidoc.Get(api, "/trees/:id", "Read a tree", getTree, noTree,
		apidoc.Description("Trees that were **felled** are not found."),
		apidoc.SeeAlso(apidoc.ExternalDocs{URL: "https://example.com/trees"}),
		apidoc.Extension("x-quota", 10),
		apidoc.ResponseExample(200, Plum{Name: "Oak", Height: 2}))
	d, err := api.Document()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"description", "externalDocs", "x-quota"} {
		show(d, "paths", "/trees/{id}", "get", name)
	}
	show(d, "paths", "/trees/{id}", "get", "responses", "200", "content", "application/json", "example")
	// Output:
	// "Trees that were **felled** are not found."
	// { "url": "https://example.com/trees" }
	// 10
	// { "name": "Oak", "height": 2 }
}

// A later operation hides an earlier one, and Swagger 2.0 lacks some methods.
func ExampleDocument_Warnings() {
	app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/trees/tallest", "Read the tallest tree", func(context.Context, struct{}) (Plum, error) {
		return Plum{}, nil
	}, apidoc.ID("tallest"))
	apidoc.Get(api, "/trees/:id", "Read a tree", getTree, noTree)
	apidoc.Query(api, "/trees", "Search trees", plantTree, apidoc.ID("searchTrees"))
	d, err := api.Document()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, warning := range d.Warnings() {
		fmt.Println(warning)
	}
	// Output:
	// GET /trees/tallest is hidden by GET /trees/:id, which is defined later: it is described, though requests don't reach it
	// QUERY /trees: Swagger 2.0 does not have the method: it is not in swagger.json
}

// Clients log in by OpenID Connect, and send the token.
func ExampleOpenID() {
	login := apidoc.OpenID("login", "https://login.example.com/.well-known/openid-configuration",
		func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
			if c.Token != "Ann's" {
				return nil, apidoc.ErrUnauthorized
			}
			return ctx, nil
		})
	app := routing.New()
	api := apidoc.NewAPI(app, info, login)
	apidoc.Get(api, "/hello", "Say hello", func(context.Context, struct{}) (string, error) { return "hello", nil })
	send(app, "GET", "/hello", "", "Authorization", "Bearer Ann's")
	d, err := api.Document()
	if err != nil {
		fmt.Println(err)
		return
	}
	show(d, "components", "securitySchemes")
	// Output:
	// 200 hello
	// { "login": { "type": "openIdConnect", "openIdConnectUrl": "https://login.example.com/.well-known/openid-configuration" } }
}

// A member that may be missing, null or a value.
func ExampleSome() {
	type change struct {
		Name   apidoc.Optional[string] `json:"name"`
		Height apidoc.Optional[int]    `json:"height"`
		Note   apidoc.Optional[string] `json:"note"`
	}
	app := routing.New()
	apidoc.Get(apidoc.NewAPI(app, info), "/change", "The last change", func(context.Context, struct{}) (change, error) {
		return change{Name: apidoc.Some("Elm"), Height: apidoc.Null[int]()}, nil
	})
	send(app, "GET", "/change", "")
	// Output: 200 {"name":"Elm","height":null}
}

// A large file is read as a stream.
func ExampleFile_Open() {
	type upload struct {
		Photo apidoc.File `form:"photo,required"`
	}
	app := routing.New()
	apidoc.Post(apidoc.NewAPI(app, info), "/photos", "Keep a photo", func(_ context.Context, in upload) (string, error) {
		photo, err := in.Photo.Open()
		if err != nil {
			return "", err
		}
		defer photo.Close()
		size, err := io.Copy(io.Discard, photo)
		return fmt.Sprintf("%s has %d bytes", in.Photo.Name, size), err
	})
	var t printed
	apitest.New(t, app).Post("/photos", apitest.Form{"photo": apitest.File{Name: "oak.txt", Content: []byte("an oak")}}).
		Want(200, "oak.txt has 6 bytes")
	// Output:
}

// A program that makes requests from untrusted input checks which route they reach.
func ExampleDocument_Target() {
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/trees/:id", "Read a tree", getTree, noTree)
	app.Get("/trees/export", routing.Handler(http.NotFoundHandler()))
	d, err := api.Document()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, id := range []string{"7", "export", "7/leaves"} {
		target, err := d.Target("getTree", map[string]string{"id": id}, nil)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(target, d.OtherRoute(httptest.NewRequest("GET", d.BasePath()+target, nil), "getTree"))
	}
	// Output:
	// /trees/7 <nil>
	// /trees/export GET /trees/export
	// routing: URL of GET /trees/:id: value "7/leaves" for "id" must not contain a slash
}
