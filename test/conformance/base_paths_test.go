package conformance

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-chi/chi/v5"

	"example.com/flowercafe/apidoc/conformance/internal/depot"
	"example.com/flowercafe/apidoc/conformance/internal/stock"
	"example.com/flowercafe/routing"
)

// This file runs generated clients against a service at several base paths.

// deployments are handlers that serve the depot below a path.
var deployments = []struct {
	name, path string
	removed    string // the prefix that the handler removes from paths
	around     func(*routing.App) http.Handler
}{
	{"at the root", "", "", func(app *routing.App) http.Handler { return app }},
	{"below two mounts", "/company/depot", "", func(app *routing.App) http.Handler {
		middle, outer := routing.New(), routing.New()
		outer.Mount("/company", middle)
		middle.Mount("/depot", app)
		return outer
	}},
	{"behind chi", "/shop", "/shop", func(app *routing.App) http.Handler {
		r := chi.NewRouter()
		r.Mount("/shop", http.StripPrefix("/shop", app))
		return r
	}},
}

// newDepot returns a deployment of the depot.
func newDepot(deployment int) func(*testing.T) http.Handler {
	return func(t *testing.T) http.Handler {
		t.Helper()
		app, err := depot.New(deployments[deployment].removed)
		if err != nil {
			t.Fatal(err)
		}
		return deployments[deployment].around(app)
	}
}

const depotTranscript = `works ok
denied 401 Bearer
listed 2 and 1
created Spring by writer
refused /name
forbidden 403 Bearer error="insufficient_scope", scope="write"
stored Spring true by writer
lacking 403
removed 204
missing No such part
company acme 3
`

// Clients that are generated from the description of a deployment call this deployment.
func TestClientsBelowPrefixes(t *testing.T) {
	for i, deployment := range deployments {
		for _, c := range []struct {
			name string
			all  bool // whether it needs all tools
			form string
			make func(t *testing.T, dir, one, two string) []string
		}{
			{"oapi-codegen", false, "openapi-3.0.json", func(t *testing.T, dir, one, two string) []string {
				for name, form := range map[string]string{"one": one, "two": two} {
					if err := os.Mkdir(filepath.Join(dir, name), 0o777); err != nil {
						t.Fatal(err)
					}
					run(t, dir, goTool(t, "oapi-codegen"), "-generate", "types,client", "-package", name, "-o", name+"/api.go", form)
				}
				return goProgram(t, dir)
			}},
			{"openapi-typescript", true, "openapi.json", func(t *testing.T, dir, one, two string) []string {
				run(t, dir, npmTool(t, "openapi-typescript"), one, "-o", "one.d.ts")
				run(t, dir, npmTool(t, "openapi-typescript"), two, "-o", "two.d.ts")
				return bundled(t, dir)
			}},
		} {
			t.Run(c.name+" "+deployment.name, func(t *testing.T) {
				if c.all {
					wantAll(t, "npm")
				}
				origin := serve(t, newDepot(i)(t))
				one, two := origin+deployment.path+"/v1", origin+deployment.path+"/v2/acme"
				dir := newModule(t)
				if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata/depot", c.name))); err != nil {
					t.Fatal(err)
				}
				drawing := filepath.Join(t.TempDir(), "drawing.png")
				if err := os.WriteFile(drawing, stock.PNG, 0o666); err != nil {
					t.Fatal(err)
				}
				program := c.make(t, dir, form(t, one, c.form), form(t, two, c.form))
				if named := origin + serverOf(t, fetch(t, one+"/api-docs/"+c.form)); named != one {
					t.Errorf("the description of version 1 names %s, which is at %s", named, one)
				}
				if named := origin + serverOf(t, fetch(t, two+"/api-docs/"+c.form)); named != two && deployment.removed == "" {
					t.Errorf("the description of version 2 names %s, which is at %s", named, two)
				}
				if got := run(t, dir, program[0], append(program[1:], one, two, drawing)...); got != depotTranscript {
					t.Errorf("the program prints\n%s\nwant\n%s", got, depotTranscript)
				}
				if page := fetch(t, one+"/api-docs/ui/"); len(page) == 0 {
					t.Error("the viewer's page is empty")
				}
			})
		}
	}
}

// serverOf returns the address of the only server that a description names.
func serverOf(t *testing.T, description []byte) string {
	t.Helper()
	var d struct{ Servers []struct{ URL string } }
	if err := json.Unmarshal(description, &d); err != nil || len(d.Servers) != 1 {
		t.Fatalf("the servers are %v: %v", d.Servers, err)
	}
	return d.Servers[0].URL
}
