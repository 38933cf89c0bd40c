package flowercafe_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
func TestAPIOptions(t *testing.T) {
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

// What api/renamed.md says to write exists, and what it calls renamed or removed does not. Names of
// other modules are not checked.
func TestAPIRenamed(t *testing.T) {
	list := readFile(t, filepath.Join("api", "flowercafe.txt"))
	packages, names := make(map[string]bool), make(map[string]bool)
	for _, match := range regexp.MustCompile(`(?m)^pkg [\w./]*?(\w+), (?:type (\w+) struct,|func|type|const|var|method \(\*?(\w+)[^)]*\)) (\w+)`).FindAllStringSubmatch(list, -1) {
		packages[match[1]] = true
		names[strings.Join(slices.DeleteFunc(match[1:], func(part string) bool { return part == "" }), ".")] = true
	}
	rows := regexp.MustCompile(`(?m)^\| (.*) \| (.*) \| .* \|$`).FindAllStringSubmatch(readFile(t, filepath.Join("api", "renamed.md")), -1)
	name := regexp.MustCompile("`((\\w+)\\.[\\w.]+)`")
	for _, row := range rows {
		for _, before := range name.FindAllStringSubmatch(row[1], -1) {
			isRow := !strings.HasSuffix(before[1], "Option") // of the first table
			if isRow && names[before[1]] && !strings.Contains(row[2], before[0]) {
				t.Errorf("%s is still there", before[1])
			}
		}
		for _, now := range name.FindAllStringSubmatch(row[2], -1) {
			if packages[now[2]] && !names[now[1]] {
				t.Errorf("%s does not exist", now[1])
			}
		}
	}
	if len(rows) < 20 {
		t.Errorf("got %d rows", len(rows))
	}
}
