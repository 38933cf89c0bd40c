package main

import (
	"context"
	"log"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/routing"
)

type plant struct {
	Name   string   `json:"name"`
	Height float64  `json:"height"`
	Tags   []string `json:"tags"`
}

type plantID struct {
	ID string `path:"id"`
}

// taggedPlant is a plant with its version.
type taggedPlant struct {
	Tag  string `header:"ETag"`
	Body plant  `body:""`
}

var lily = plant{"Lily", 45.5, []string{"new", "tall"}}

// tagged returns an API with a GET that sends an ETag, in apidoc and in huma.
func tagged() [2]http.Handler {
	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Plants", Version: "1.0"})
	apidoc.Get(api, "/plants/:id", "Get a plant", func(context.Context, plantID) (taggedPlant, error) {
		return taggedPlant{`"7"`, lily}, nil
	})
	if _, err := api.Serve(viewer.New()); err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	huma.Get(humago.New(mux, huma.DefaultConfig("Plants", "1.0")), "/plants/{id}", func(context.Context, *plantID) (*taggedPlant, error) {
		return &taggedPlant{`"7"`, lily}, nil
	})
	return [2]http.Handler{app, mux}
}
