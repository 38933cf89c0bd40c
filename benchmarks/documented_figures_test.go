package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// The table in the guide for chi, gin and echo compares this router with others. Each cell is what
// the router did in this test. Scalatra's are from the responses recorded in
// routing/testdata/conformance.

var update = flag.Bool("update", false, "rewrite the table in the guide")

// claims are the rows: a question, how to ask a router, and what Scalatra did when recorded.
var claims = []struct {
	question string
	ask      func(p peer) string
	scalatra string
}{
	{"`/a/:x`, then `/a/b`: which runs for `/a/b`", func(p peer) string { return winner(p, "/a/:x", "/a/b") }, "the later"},
	{"`/a/b`, then `/a/:x`: which runs for `/a/b`", func(p peer) string { return winner(p, "/a/b", "/a/:x") }, "the later"},
	{"`/a/:x`, then `/a/:y`: which runs for `/a/b`", func(p peer) string { return winner(p, "/a/:x", "/a/:y") }, "the later"},
	{"a route can pass to the next one that matches", passed, "yes"},
	{"all 239 routes of GitHub's API, some of which overlap", allOfGitHub, ""},
	{"HEAD on a GET route", head, "200"},
	{"descriptions of the routes", described, ""},
}

// claimants are the columns.
func claimants() []peer {
	compared := []peer{}
	for _, p := range peers() {
		if slices.Contains([]string{"flowercafe", "chi", "gin", "echo"}, p.name) {
			compared = append(compared, p)
		}
	}
	return append(compared, peer{"huma", func(table []route) http.Handler { h, _ := buildHuma(table); return h }})
}

// buildHuma builds operations of huma on net/http's ServeMux.
func buildHuma(table []route) (http.Handler, huma.API) {
	mux := http.NewServeMux()
	api := humago.New(mux, huma.DefaultConfig("routes", "1"))
	type output struct {
		ContentType string `header:"Content-Type"`
		Body        []byte
	}
	for _, rt := range table {
		path := rt.translate(func(name string) string { return "{" + name + "}" }, func(name string) string { return "{" + name + "...}" })
		operation := huma.Operation{OperationID: rt.Method + path, Method: rt.Method, Path: path}
		if rt.echo != "" {
			huma.Register(api, operation, func(_ context.Context, in *struct {
				Name string `path:"name"`
			}) (*output, error) {
				return &output{plainText, []byte(in.Name)}, nil
			})
			continue
		}
		huma.Register(api, operation, func(context.Context, *struct{}) (*output, error) {
			return &output{plainText, []byte(rt.body())}, nil
		})
	}
	return mux, api
}

func winner(p peer, first, second string) string {
	a, b := route{Method: "GET", Path: first}, route{Method: "GET", Path: second}
	h, err := p.tryBuild([]route{a, b})
	if err != nil {
		return "refused"
	}
	got, err := ask(h, newRequest(context.Background(), "GET", "/a/b"))
	switch {
	case err != nil:
		return "a panic"
	case got.body == a.body():
		return "the earlier"
	case got.body == b.body():
		return "the later"
	}
	return fmt.Sprint(got.status)
}

func allOfGitHub(p peer) string {
	table, err := routeTable("github")
	if err != nil {
		return err.Error()
	}
	table = generalFirst(table)
	h, err := p.tryBuild(table)
	if err != nil {
		return "refused"
	}
	if err := check(h, callsFor(context.Background(), table)); err != nil {
		return "responds otherwise"
	}
	return "yes"
}

func head(p peer) string {
	h, err := p.tryBuild([]route{{Method: "GET", Path: "/a"}})
	if err != nil {
		return "refused"
	}
	got, err := ask(h, newRequest(context.Background(), "HEAD", "/a"))
	if err != nil {
		return "a panic"
	}
	return fmt.Sprint(got.status)
}

// described returns the formats of the description. It is empty for routers without one.
func described(p peer) string {
	version := func(document []byte) string {
		var d struct{ Swagger, OpenAPI string }
		if err := json.Unmarshal(document, &d); err != nil {
			return err.Error()
		}
		if d.Swagger != "" {
			return "Swagger " + d.Swagger
		}
		return "OpenAPI " + strings.Join(strings.SplitN(d.OpenAPI, ".", 3)[:2], ".")
	}
	switch p.name {
	case "flowercafe":
		app := routing.New()
		app.Get("/a", nothing, apidoc.Describe(apidoc.NewOperation[struct{}, string]("a", "A")))
		document, err := apidoc.Build(app, apidoc.Info{Title: "routes", Version: "1"}, "")
		if err != nil {
			return err.Error()
		}
		return version(document.Swagger()) + ", " + version(document.OpenAPI30()) + ", " + version(document.OpenAPI()) + ", " + version(document.OpenAPI32())
	case "huma":
		h, _ := buildHuma([]route{{Method: "GET", Path: "/a"}})
		var versions []string
		for _, path := range []string{"/openapi-3.0.json", "/openapi.json"} {
			recorder := httptest.NewRecorder()
			h.ServeHTTP(recorder, newRequest(context.Background(), "GET", path))
			versions = append(versions, version(recorder.Body.Bytes()))
		}
		return strings.Join(versions, ", ")
	}
	return ""
}

// passed returns "yes" if a route can pass a request to the next one that matches.
func passed(p peer) string {
	if p.name != "flowercafe" {
		return ""
	}
	app := routing.New()
	app.Get("/a/:x", func(c routing.Context) (routing.Result, error) { return routing.Text("the next"), nil })
	app.Get("/a/b", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	if got, err := ask(app, newRequest(context.Background(), "GET", "/a/b")); err != nil || got.body != "the next" {
		return "no"
	}
	return "yes"
}

func TestTableOfRouters(t *testing.T) {
	var b strings.Builder
	b.WriteString("| |")
	for _, p := range claimants() {
		b.WriteString(" " + p.name + " |")
	}
	b.WriteString(" Scalatra |\n|---|" + strings.Repeat("---|", len(claimants())+1) + "\n")
	for _, c := range claims {
		b.WriteString("| " + c.question + " |")
		for _, p := range claimants() {
			b.WriteString(" " + c.ask(p) + " |")
		}
		b.WriteString(" " + c.scalatra + " |\n")
	}
	const name, begin, end = "../docs/coming-from-chi-gin-and-echo.md", "<!-- what documented_figures_test.go found -->\n", "<!-- end -->"
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(content), begin)
	table, after, found := strings.Cut(rest, end)
	switch {
	case !found:
		t.Fatalf("%s has no place for the table; it is\n%s", name, b.String())
	case table == b.String():
	case !*update:
		t.Errorf("got this table, which %s has not; go test -update writes it\n%s", name, b.String())
	default:
		if err := os.WriteFile(name, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The README and RESULTS.md have the same figures.
func TestREADMEFigures(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	results, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(string(readme)), " ") // without line breaks
	operations := []string{"loopback_operation_get", "loopback_operation_post", "loopback_operation_list", "loopback_operation_refused"}
	for _, figures := range []struct {
		contestant string
		benchmarks []string
		sentence   string
	}{
		{"flowercafe", []string{"loopback_user"}, "responding with JSON takes %s times the CPU time of a bare `http.Handler`"},
		{"flowercafe", operations, "| typed operation | %s | %s | %s | %s |"},
		{"ogen", operations, "| server generated by ogen | %s | %s | %s | %s |"},
	} {
		var found []any
		for _, benchmark := range figures.benchmarks {
			_, block, _ := strings.Cut(string(results), "\n"+benchmark+":")
			block, _, _ = strings.Cut(block, "```")
			figure := regexp.MustCompile(`(?m)^ +` + figures.contestant + ` +([0-9.]+) `).FindStringSubmatch(block)
			if figure == nil {
				t.Fatalf("RESULTS.md has no %s of %s", benchmark, figures.contestant)
			}
			found = append(found, figure[1])
		}
		if want := fmt.Sprintf(figures.sentence, found...); !strings.Contains(words, want) {
			t.Errorf("the README doesn't say %q", want)
		}
	}
}
