package routing_test

import (
	"testing"

	"example.com/flowercafe/internal/fileorder"
)

// order lists the files of the package from top to bottom. A file uses only files below it.
var order = []string{
	"explain.go", "table.go", "mount.go", "serve.go", "response.go", "middleware.go", "dispatch.go", "define.go", "app.go",
	"call.go", "index.go", "route.go", "filter.go", "params.go", "values.go", "context.go", "core.go", "options.go", "errors.go",
	"result.go", "pattern.go",
}

// upward lists the exceptions, with the reasons.
var upward = map[string]string{
	"dispatch.go uses around of middleware.go": "a route's middleware runs in place of its action",
	"middleware.go uses finish of serve.go":    "the next handler of a route's middleware is the rest of the request",
	"middleware.go uses serve of serve.go":     "the next handler of an app's middleware is the app",
}

func TestFilesUseOnlyFilesBelow(t *testing.T) { fileorder.Check(t, order, upward) }
