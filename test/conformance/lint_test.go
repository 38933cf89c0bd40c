package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Validators and linters from other languages find no errors in any format of any host: spectral
// with its rules for OpenAPI, redocly with its recommended rules, swagger-parser and
// openapi-spec-validator.
func TestLinters(t *testing.T) {
	wantAll(t, "npm", "python3")
	dir := t.TempDir()
	var files, latest []string // the latest are of 3.2, which not all read
	for _, host := range hosts {
		docs := serve(t, host.start(t)) + strings.ReplaceAll(host.base, " ", "%20") + "/api-docs/"
		for _, form := range append([]string{"swagger.json"}, openAPIForms...) {
			name := strings.ReplaceAll(host.name, " ", "-") + "." + form
			if err := os.WriteFile(filepath.Join(dir, name), fetch(t, docs+form), 0o666); err != nil {
				t.Fatal(err)
			}
			if form == "openapi-3.2.json" {
				latest = append(latest, name)
			} else {
				files = append(files, name)
			}
		}
	}
	t.Run("swagger-parser", func(t *testing.T) {
		lint(t, dir, append([]string{"node", copied(t, dir, "swagger-parser.mjs")}, files...)...)
	})
	t.Run("spectral", func(t *testing.T) {
		lint(t, dir, append([]string{npmTool(t, "spectral"), "lint", "--quiet", "--ruleset", copied(t, dir, "spectral.yaml")}, slices.Concat(files, latest)...)...)
	})
	t.Run("redocly", func(t *testing.T) {
		t.Setenv("REDOCLY_TELEMETRY", "off")
		lint(t, dir, append([]string{npmTool(t, "redocly"), "lint", "--config", copied(t, dir, "redocly.yaml"), "--format", "stylish"}, slices.Concat(files, latest)...)...)
	})
	t.Run("openapi-spec-validator", func(t *testing.T) {
		// Since 0.8 it refuses the type file in responses, which Swagger 2.0 allows.
		program := filepath.Join(venv(t, "testdata/lint/requirements.txt"), "openapi-spec-validator")
		lint(t, dir, append([]string{program}, files...)...)
	})
	t.Run("openapi-spec-validator for 3.2", func(t *testing.T) {
		program := filepath.Join(venv(t, "testdata/lint/requirements-3.2.txt"), "openapi-spec-validator")
		lint(t, dir, append([]string{program}, latest...)...)
	})
}

// copied copies a file of testdata/lint to the directory of the npm modules, and returns its path.
func copied(t *testing.T, dir, name string) string {
	npmTool(t, "")
	to := filepath.Join(filepath.Dir(shared.npmModules), name)
	copyFile(t, filepath.Join("testdata/lint", name), to)
	return to
}

// lint runs a linter on files and expects no errors.
func lint(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := command(t, dir, args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", filepath.Base(args[0]), err, out)
	}
}
