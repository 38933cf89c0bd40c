package reliability_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inputs reads one of the public lists; without it the test goes on to say what was not run.
func inputs(t *testing.T, name string) []byte {
	t.Helper()
	dir := os.Getenv("PUBLIC_INPUTS")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "public-inputs")
	}
	content, err := os.ReadFile(filepath.Join(dir, name))
	if os.IsNotExist(err) {
		t.Skipf("not run: %s is not in %s (set PUBLIC_INPUTS)", name, dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// inputLines returns the lines of some public lists.
func inputLines(t *testing.T, names ...string) []string {
	t.Helper()
	var lines []string
	for _, name := range names {
		for line := range strings.Lines(string(inputs(t, name))) {
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// naughtyStrings returns the big list of naughty strings.
func naughtyStrings(t *testing.T) []string {
	t.Helper()
	return decoded[[]string](t, "blns.json")
}

func decoded[T any](t *testing.T, name string) (v T) {
	t.Helper()
	if err := json.Unmarshal(inputs(t, name), &v); err != nil {
		t.Fatalf("read %s: %v", name, err)
	}
	return v
}

var traversals = []string{"directory_traversal.txt", "traversals-8-deep-exotic-encoding.txt"}

var redirects = []string{"Open-Redirect-payloads.txt", "openredirects.txt", "open_redirect_wordlist.txt"}
