package routing_test

import (
	"testing"

	"example.com/flowercafe/internal/fileorder"
)

// order lists the files of the package from top to bottom. A file uses only files below it, or in
// its row.
var order = []string{
	"explain.go table.go",
	"serve.go handlers.go middleware.go", // one request
	"override.go", "pages.go", "call.go", "reason.go",
	"mount.go", "define.go", "url.go",
	"index.go", "app.go",
	"ran.go",
	"provides.go", "where.go", "route.go", "filter.go",
	"nested.go", "params.go", "values.go", "context.go",
	"mountpoint.go",
	"options.go", "problem.go", "errors.go", "result.go", "pattern.go",
}

// upward lists the exceptions, with the reasons.
var upward = map[string]string{
	"mountpoint.go uses App of app.go":     "a mount point leads to its app",
	"mountpoint.go uses Route of route.go": "the mount point of a mounted app has a route of the outer app",
	"route.go uses App of app.go":          "a route belongs to an app",
}

func TestFilesUseOnlyFilesBelow(t *testing.T) { fileorder.Check(t, order, upward) }
