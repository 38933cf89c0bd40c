package flowercatalog_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"
	"weak"

	"github.com/google/go-cmp/cmp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/routing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The formats are the same as the golden files. Read the difference before you rewrite them with
// -update.
func TestFormats(t *testing.T) {
	memory, err := flowercatalog.NewMemory()
	if err != nil {
		t.Fatal(err)
	}
	for folder, options := range map[string][]flowercatalog.Option{
		"testdata/":       nil,
		"testdata/pages/": {flowercatalog.WithPageSize(100)},
		"testdata/store/": {flowercatalog.WithStore(memory)},
	} {
		app := newApp(t, append(options, flowercatalog.WithBasePath("/shop"))...)
		for _, form := range []string{"spec", "swagger", "openapi"} {
			w := ask(app, "GET", "/shop/api-docs/"+form+".json")
			if got := w.Header().Get("Content-Type"); w.Code != 200 || got != "application/json; charset=utf-8" {
				t.Errorf("%s: got %d %q", form, w.Code, got)
			}
			file := folder + form + ".json"
			if *update {
				if err := os.WriteFile(file, w.Body.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), w.Body.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		}
	}
}

// The members of spec.json and the texts of its operations are fixed.
func TestSpecMembers(t *testing.T) {
	var spec struct {
		Spec  string
		Paths map[string]map[string]struct {
			OperationID string
			Summary     string
			Tags        []string
			Deprecated  *bool
			Parameters  []struct {
				Name, In, Type, Description string
				Required                    bool
			}
			Responses map[string]struct {
				Description string
				Schema      json.RawMessage
			}
		}
		Definitions map[string]json.RawMessage
	}
	body := ask(newApp(t), "GET", "/api-docs/spec.json").Body.Bytes()
	if err := json.Unmarshal(body, &spec); err != nil {
		t.Fatal(err)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		t.Fatal(err)
	}
	if got := slices.Sorted(maps.Keys(members)); !slices.Equal(got, []string{"definitions", "info", "paths", "securityDefinitions", "spec"}) || spec.Spec != "2.0" {
		t.Errorf("the members are %v, spec %q", got, spec.Spec)
	}
	if got := string(members["securityDefinitions"]); got != "{}" {
		t.Errorf("securityDefinitions is %s, want {}", got)
	}
	if got := slices.Sorted(maps.Keys(spec.Paths)); !slices.Equal(got, []string{"/flowers/", "/flowers/{slug}"}) {
		t.Errorf("the paths are %v", got)
	}
	list, find := spec.Paths["/flowers/"]["get"], spec.Paths["/flowers/{slug}"]["get"]
	if list.OperationID != "getFlowers" || list.Summary != "Show all flowers" || find.OperationID != "findBySlug" || find.Summary != "Find by a flower by its slug" {
		t.Errorf("the operations are %+v and %+v", list, find)
	}
	if p := list.Parameters; len(p) != 1 || p[0].Name != "name" || p[0].In != "query" || p[0].Required || p[0].Type != "string" || p[0].Description == "" {
		t.Errorf("getFlowers has the parameters %+v", p)
	}
	if p := find.Parameters; len(p) != 1 || p[0].Name != "slug" || p[0].In != "path" || !p[0].Required || p[0].Type != "string" {
		t.Errorf("findBySlug has the parameters %+v", p)
	}
	if r := list.Responses; len(r) != 1 || r["200"].Description != "OK" {
		t.Errorf("getFlowers has the responses %+v", r)
	}
	if r := find.Responses; len(r) != 2 || r["200"].Description != "OK" || r["404"].Description != "Slug Not Found" || r["404"].Schema != nil {
		t.Errorf("findBySlug has the responses %+v", r)
	}
	for id, op := range map[string]struct {
		tags       []string
		deprecated *bool
	}{"getFlowers": {list.Tags, list.Deprecated}, "findBySlug": {find.Tags, find.Deprecated}} {
		if !slices.Equal(op.tags, []string{"Flowers"}) || op.deprecated == nil || *op.deprecated {
			t.Errorf("%s has the tags %v, deprecated %v", id, op.tags, op.deprecated)
		}
	}
	var flower struct {
		Type       string
		Required   []string
		Properties map[string]struct{ Type string }
	}
	if err := json.Unmarshal(spec.Definitions["Flower"], &flower); err != nil {
		t.Fatal(err)
	}
	if flower.Type != "object" || !slices.Equal(flower.Required, []string{"slug", "name"}) || len(flower.Properties) != 2 || flower.Properties["slug"].Type != "string" || flower.Properties["name"].Type != "string" {
		t.Errorf("Flower is %+v", flower)
	}
}

// The fixed members are in spec.json whatever the host's Info and operations are.
func TestSpecHasAllMembers(t *testing.T) {
	app := newApp(t, flowercatalog.WithInfo(apidoc.Info{Title: "Corner shop", Version: "2"}))
	app.Routes().Get("/flowers/of/:day", func(routing.Context) (routing.Result, error) { return routing.Text(""), nil }, apidoc.Describe(apidoc.NewOperation[struct {
		Day string `path:"day"`
	}, string]("ofTheDay", "")))
	app.Routes().Get("/flowers/today", func(routing.Context) (routing.Result, error) { return routing.Text(""), nil }, apidoc.Describe(apidoc.NewOperation[struct{}, string]("today", "")))
	body := ask(app, "GET", "/api-docs/spec.json").Body.String()
	for _, want := range []string{
		`"info": {
    "title": "Corner shop",
    "version": "2",
    "description": "",
    "termsOfService": "",
    "contact": {
      "name": ""
    },
    "license": {
      "name": "",
      "url": ""
    }
  }`,
		`"operationId": "ofTheDay",
        "summary": "",
        "tags": [],
        "deprecated": false,
        "parameters": [
          {
            "name": "day",
            "in": "path",
            "description": "",
            "required": true,
            "type": "string"
          }
        ]`,
		`"operationId": "today",
        "summary": "",
        "tags": [],
        "deprecated": false,
        "parameters": [],`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("got %s, want it with %s", body, want)
		}
	}
}

// Extensions are in all formats but spec.json.
func TestExtensionsAreNotInSpec(t *testing.T) {
	info := flowercatalog.DefaultInfo()
	info.Extensions = map[string]any{"x-audience": "public"}
	app := newApp(t, flowercatalog.WithInfo(info))
	for form, want := range map[string]bool{"spec": false, "swagger": true, "openapi": true, "openapi-3.0": true, "openapi-3.2": true} {
		w := ask(app, "GET", "/api-docs/"+form+".json")
		if got := strings.Contains(w.Body.String(), "x-audience"); got != want || w.Code != 200 {
			t.Errorf("%s.json: got %d, extension %v, want %v", form, w.Code, got, want)
		}
	}
}

// A host may change one fact of the default. The placeholders are in spec.json alone.
func TestDefaultInfo(t *testing.T) {
	info := flowercatalog.DefaultInfo()
	info.Servers = []apidoc.Server{{URL: "/outside"}}
	app := newApp(t, flowercatalog.WithInfo(info))
	if got, want := ask(app, "GET", "/api-docs/spec.json").Body.String(), ask(newApp(t), "GET", "/api-docs/spec.json").Body.String(); got != want {
		t.Errorf("spec.json: (-want +got):\n%s", cmp.Diff(want, got))
	}
	for _, form := range []string{"swagger", "openapi", "openapi-3.0", "openapi-3.2"} {
		body := ask(app, "GET", "/api-docs/"+form+".json").Body.String()
		if !strings.Contains(body, "/outside") || !strings.Contains(body, "The Flower Shop") || strings.Contains(body, "flowercafe.example") || strings.Contains(body, "Not chosen") {
			t.Errorf("%s: got %s, want the server and no placeholders", form, body)
		}
	}
}

// The App does not keep the memory of the flowers that New got.
func TestFlowersAreNotKept(t *testing.T) {
	flowers := make([]flowercatalog.Flower, 1000)
	for i := range flowers {
		// Go keeps texts of less than 16 bytes together, as long as one of them is in use.
		flowers[i] = flowercatalog.Flower{Slug: fmt.Sprint("a-flower-with-a-long-slug-", i), Name: "Rose"}
	}
	array, text := weak.Make(&flowers[0]), weak.Make(unsafe.StringData(flowers[999].Slug))
	app := newApp(t, flowercatalog.WithFlowers(flowers...))
	flowers = nil
	if err := app.SetFlowers(three...); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	if array.Value() != nil || text.Value() != nil {
		t.Error("the first flowers are in memory after SetFlowers")
	}
	runtime.KeepAlive(app)
}

// The Content-Type of flowers is JSON even if a filter has set another one.
func TestContentTypeSetByFilter(t *testing.T) {
	app := newApp(t, flowercatalog.WithFlowers(three...), flowercatalog.WithPageSize(10))
	app.Routes().Before(func(c routing.Context) error { c.SetContentType("text/plain"); return nil })
	for target, status := range map[string]int{
		"/flowers": 200, "/flowers?name=r": 200, "/flowers/rose": 200, "/flowers/none": 404, "/flowers?after=none": 400, "/flowers?limit=x": 400,
		"/api-docs/spec.json": 200,
	} {
		if w := ask(app, "GET", target); w.Code != status || w.Header().Get("Content-Type") != "application/json; charset=utf-8" {
			t.Errorf("%s: got %d %s, want %d and JSON", target, w.Code, w.Header().Get("Content-Type"), status)
		}
	}
}
