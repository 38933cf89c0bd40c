package pattern

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestShortPatterns compares all short patterns with regular expressions that are made from their
// text, on all short paths.
func TestShortPatterns(t *testing.T) {
	length := 5
	if testing.Short() {
		length = 4
	}
	paths := words("/", []string{"a", "/"}, 5)
	for _, syntax := range []struct {
		read       func(string) (*Pattern, error)
		pieces     []string
		expression func(text string) string
	}{
		{Sinatra, []string{"/", "a", "(", ")", "?", "|", "*", ":x"}, func(text string) string {
			return strings.NewReplacer("(", "(?:", "*", "(?:.*)").Replace(name.ReplaceAllString(text, "([^/]+)"))
		}},
		{Rails, []string{"/", "a", "(", ")", "*p", ":x", "(/"}, func(text string) string {
			text = name.ReplaceAllString(wildcard.ReplaceAllString(normalizePath(text), ".+"), "[^/.]+")
			return strings.NewReplacer("(", "(?:", ")", ")?").Replace(text)
		}},
	} {
		compared := 0
		for _, text := range words("", syntax.pieces, length) {
			p, err := syntax.read(Tidy(text)) // Action Pack tidies it too
			if err != nil || p.reachable() != nil || p.syntax == rails && text[0] != '/' && text[0] != '(' || strings.Contains(strings.ReplaceAll(text, "*p", ""), "*") && p.syntax == rails {
				continue
			}
			if p.syntax == sinatra && literalGroup.MatchString(text) {
				continue // is literal, as in Scalatra
			}
			want := regexp.MustCompile("^(?:" + syntax.expression(Tidy(text)) + ")$")
			compared++
			for _, path := range paths {
				if got := p.Match(path); got != want.MatchString(path) {
					t.Fatalf("%q on %q: got %t, want %s", text, path, got, want)
				}
			}
		}
		if t.Logf("%d patterns", compared); compared < 100 {
			t.Errorf("only %d patterns", compared)
		}
	}
}

var (
	name         = regexp.MustCompile(`:[a-z]+`)
	wildcard     = regexp.MustCompile(`\*[a-z]+`)
	literalGroup = regexp.MustCompile(`\([^():*?|]*\)(?:[^?]|$)`)
)

// normalizePath is Mapper.normalize_path of Action Pack 8.
func normalizePath(path string) string {
	path = "/" + path
	path = regexp.MustCompile(`/+`).ReplaceAllString(path, "/")
	if path != "/" {
		path = strings.TrimSuffix(path, "/")
	}
	path = regexp.MustCompile(`/(\(+)/?`).ReplaceAllString(path, "${1}/")
	if regexp.MustCompile(`^(\(+[^)]+\))(\(+/:[^)]+\))*$`).MatchString(path) {
		path = regexp.MustCompile(`^(\(+)/`).ReplaceAllString(path, "/${1}")
	}
	return path
}

// words returns the texts of up to n pieces that begin with a text.
func words(begin string, pieces []string, n int) []string {
	all := []string{begin}
	for last := all; n > 0; n-- {
		var next []string
		for _, word := range last {
			for _, piece := range pieces {
				next = append(next, word+piece)
			}
		}
		all, last = slices.Concat(all, next), next
	}
	return all
}
