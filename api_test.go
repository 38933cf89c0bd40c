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
	file := filepath.Join("api", "flowercafe.txt")
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
