package flowercatalog_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/flowercafe/flowercatalog"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The formats are the same as the golden files. Read the difference before you rewrite them with
// -update.
func TestForms(t *testing.T) {
	memory, err := flowercatalog.NewMemory()
	if err != nil {
		t.Fatal(err)
	}
	for folder, options := range map[string][]flowercatalog.Option{
		"testdata/":       nil,
		"testdata/pages/": {flowercatalog.WithPages(100)},
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

// The contract fixes the members of spec.json and the texts of the operations.
func TestSpecIsTheContract(t *testing.T) {
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
