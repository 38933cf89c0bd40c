package docs_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// articles is the app of the guide "Coming from Scalatra".
func articles() http.Handler {
	app := routing.New(routing.WithMethodOverride())

	app.Before(func(c routing.Context) error {
		c.SetContentType("text/html; charset=utf-8")
		return nil
	})
	app.Get("/articles/*", func(c routing.Context) (routing.Result, error) {
		return routing.HTML("No article " + c.Params().GetOr("splat", "")), nil
	})
	app.Get("/articles/:id", func(c routing.Context) (routing.Result, error) {
		id, err := c.Params().Require("id")
		if err != nil {
			return routing.Result{}, err
		}
		if id == "old" {
			return routing.Result{}, routing.Pass // the route above runs
		}
		return routing.HTML("Article " + id), nil
	})
	app.Get("/articles/:id", func(routing.Context) (routing.Result, error) {
		return routing.HTML("Beta"), nil
	}, routing.When(func(r *http.Request) bool { return r.Header.Get("X-Beta") != "" }))
	app.Get("/private", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, &routing.HaltError{Status: http.StatusForbidden, Body: routing.HTML("no")}
	})
	app.Delete("/articles/:id", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.Redirect(c.Path("/articles/all"))
	})
	app.NotFound(func(routing.Context) (routing.Result, error) { return routing.HTML("Nothing here"), nil })
	return app
}

// Routes are tried from the last to the first, as in Scalatra.
func Example_scalatra() {
	app := articles()
	show(app, "GET", "/articles/7")
	show(app, "GET", "/articles/7", "X-Beta", "1")
	show(app, "GET", "/articles/old")
	show(app, "GET", "/articles/a/b")
	show(app, "GET", "/private")
	show(app, "POST", "/articles/7", "X-HTTP-Method-Override", "DELETE")
	show(app, "GET", "/none")
	// Output:
	// GET /articles/7 200 Article 7
	// GET /articles/7 200 Beta
	// GET /articles/old 200 No article old
	// GET /articles/a/b 200 No article a/b
	// GET /private 403 no
	// POST /articles/7 302 /articles/all
	// GET /none 404 Nothing here
}

// The guide has the number of the recorded requests.
func TestRecordedRequests(t *testing.T) {
	files, err := filepath.Glob("../routing/testdata/conformance/*.json")
	if err != nil {
		t.Fatal(err)
	}
	recorded := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []struct {
			Source   string
			Requests []any
		}
		if err := json.Unmarshal(text, &cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range cases {
			if c.Source == "recorded" {
				recorded += len(c.Requests)
			}
		}
	}
	guide, err := os.ReadFile("coming-from-scalatra.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%d requests with responses recorded", recorded); !strings.Contains(string(guide), want) {
		t.Errorf("the guide doesn't say %q", want)
	}
}
