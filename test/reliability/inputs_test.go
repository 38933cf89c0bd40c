package reliability_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inputs reads one of the public lists. If it is missing, the test logs what is skipped.
func inputs(t *testing.T, name string) []byte {
	t.Helper()
	dir := os.Getenv("PUBLIC_INPUTS")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "public-inputs")
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

// inputLines returns lines of some public lists: all of them, or a sample with -short.
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
	return sample(lines)
}

// naughtyStrings returns strings of the big list of naughty strings: all, or a sample with -short.
func naughtyStrings(t *testing.T) []string {
	t.Helper()
	return sample(decoded[[]string](t, "blns.json"))
}

// sample returns all payloads, or every twelfth with -short.
func sample(payloads []string) []string {
	if !testing.Short() {
		return payloads
	}
	var some []string
	for i := 0; i < len(payloads); i += 12 {
		some = append(some, payloads[i])
	}
	return some
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
