package flowercafe_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/flowercafe/internal/exported"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// The public surface of the core is what the file says. A change of it is a change of a promise:
// `go test . -run TestAPI -update` writes the file, and the diff belongs in the review.
func TestAPI(t *testing.T) {
	got, err := exported.List(".", "./...")
	if err != nil {
		t.Fatal(err)
	}
	compareAPI(t, "flowercafe.txt", got)
}

// All options have one shape, by the rule in CONTRIBUTING.md. The file has each type, and what
// counts for it: a narrower type is for a place where fewer options count.
func TestOptions(t *testing.T) {
	const module = "example.com/flowercafe/"
	got, err := exported.Options(".", []string{
		module + "apidoc", module + "routing/resources", module + "routing/respond", module + "routing.RouteOption", module + "routing.FilterOption",
	}, "./...")
	if err != nil {
		t.Error(err)
	}
	compareAPI(t, "options.txt", got)
}

// compareAPI compares a list with a file, which it writes if asked.
func compareAPI(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("api", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the exported names differ from %s (-file +code):\n%s", file, diff)
	}
}
