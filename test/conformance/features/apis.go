package main

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/routing"
)

// This file builds APIs as the documentation of each library does.

// apidocAPI returns a function that builds an API of apidoc with its description.
func apidocAPI(define func(*apidoc.API), options ...apidoc.Option) func() http.Handler {
	return apidocAPIWith(apidoc.Info{Title: "Trees", Version: "1.0"}, define, options...)
}

func apidocAPIWith(info apidoc.Info, define func(*apidoc.API), options ...apidoc.Option) func() http.Handler {
	return func() http.Handler {
		app := routing.New(routing.WithProblemDetails(), routing.WithLogger(quiet))
		api := apidoc.NewAPI(app, info, options...)
		define(api)
		if _, err := api.Serve(viewer.New()); err != nil {
			panic(err)
		}
		return app
	}
}

// humaAPI returns a function that builds an API of huma with its description.
func humaAPI(define func(huma.API)) func() http.Handler {
	return humaAPIWith(func(*huma.Config) {}, define)
}

func humaAPIWith(change func(*huma.Config), define func(huma.API)) func() http.Handler {
	return func() http.Handler {
		mux := http.NewServeMux()
		config := huma.DefaultConfig("Trees", "1.0")
		change(&config)
		define(humago.New(mux, config))
		return mux
	}
}

// echo returns its input.
func echo[T any](_ context.Context, in T) (T, error) { return in, nil }

// body is an input or output of huma.
type body[T any] struct{ Body T }

func humaEcho[T any](_ context.Context, in *body[T]) (*body[T], error) { return in, nil }

// text is an output of huma.
type text struct{ Body string }

func put(path string) huma.Operation {
	return huma.Operation{OperationID: "operation", Method: http.MethodPut, Path: path}
}
