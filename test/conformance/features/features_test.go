package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.com/flowercafe/internal/testenv"
)

// fastAPIForTest starts FastAPI with CONFORMANCE=all, which fetches packages.
func fastAPIForTest(t *testing.T) fastAPI {
	t.Helper()
	if os.Getenv("CONFORMANCE") != "all" {
		return fastAPI{}
	}
	dir := t.TempDir()
	python := filepath.Join(dir, "bin", "python")
	for _, args := range [][]string{
		{"python3", "-m", "venv", dir},
		{python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"},
	} {
		if err := testenv.Install(t.Context(), ".", args[0], args[1:]...); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir("..")
	fast, err := startFastAPI(python)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(fast.stop)
	return fast
}

// Each probe that succeeds in huma or FastAPI succeeds in apidoc, except for features that apidoc
// omits on purpose.
func TestNoGaps(t *testing.T) {
	fast := fastAPIForTest(t)
	seen := make(map[string]bool)
	for _, s := range subjects {
		for _, f := range s.features {
			if seen[f.key] {
				t.Errorf("two features have the key %s", f.key)
			}
			seen[f.key] = true
			if f.isOmitted {
				continue
			}
			t.Run(f.key, func(t *testing.T) {
				if r := fast.row(&f); len(r.gaps()) > 0 {
					t.Errorf("%s: trials %d work in another library but not in apidoc: %s", f.name, r.gaps(), r.own)
				}
			})
		}
	}
	if len(seen) < 45 {
		t.Errorf("got %d features, want at least 45", len(seen))
	}
}

// RESULTS.md has the program's current results for apidoc.
func TestResults(t *testing.T) {
	written, err := os.ReadFile("RESULTS.md")
	if err != nil {
		t.Fatal(err)
	}
	firstCells := func(table []byte) string {
		var rows []string
		for _, m := range regexp.MustCompile(`(?m)^\| [^|]* \| [^|]* \|`).FindAll(table, -1) {
			rows = append(rows, string(m))
		}
		return strings.Join(rows, "\n")
	}
	var now bytes.Buffer
	if err := run("", "", &now, io.Discard); err != nil {
		t.Fatal(err)
	}
	if got, want := firstCells(written), firstCells(now.Bytes()); got != want {
		t.Errorf("RESULTS.md is old: run the program again; it has\n%s\nand now it is\n%s", got, want)
	}
}
