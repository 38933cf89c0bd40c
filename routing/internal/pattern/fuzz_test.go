package pattern

import (
	"slices"
	"strings"
	"testing"
)

// This file compares the variants of a pattern with a regular expression of its tokens, and the
// variants of two patterns with each other. Package routing compares the parser with two simple
// ones.

func FuzzVariants(f *testing.F) {
	for _, pattern := range []string{"/", "/:a", "/*", "*", "/a?", "/:a?/b", "/:a/x/:b", "/*/x/*", "/ab/?", "/:a/*", "/ü?", "a*b*", "//:a//", "(/:a)(/:b)", `/\:a/:b(.:c)`, "/*a(/b)"} {
		for _, path := range []string{"/", "/a", "/a/b", "/a.b.c", "/a\nb/", "/ü", "/\xff/x/", "//", "/x/x/x", "/:a/b", ""} {
			f.Add(pattern, "/:y", path)
		}
	}
	f.Fuzz(func(t *testing.T, text, other, path string) {
		if len(text) > 60 || len(other) > 60 {
			t.Skip()
		}
		for _, read := range []func(string) (*Pattern, error){Sinatra, Rails} {
			p, err := read(text)
			if err != nil {
				continue
			}
			compare(t, p, path)
			if prefix, err := p.Prefix(nil, Rules{}); err == nil && prefix != nil {
				everything, err := (*Pattern)(nil).Define(prefix, Rules{})
				if err == nil { // else the prefix has a parameter splat
					compare(t, everything, path)
				}
			}
			for _, read := range []func(string) (*Pattern, error){Sinatra, Rails} {
				by, err := read(other)
				if err == nil && by.Covers(p) && p.Match(path) && !by.Match(path) {
					t.Errorf("%q is said to cover %q, but does not match %q", by, p, path)
				}
			}
		}
	})
}

func compare(t *testing.T, p *Pattern, path string) {
	e, err := newExpression(p.Tokens())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Match(path), e.match(path); got != want {
		t.Fatalf("%q on %q: match is %v, want %v", p, path, got, want)
	}
	if !p.Match(path) {
		return
	}
	var want []string
	e.each(path, func(key, value string) bool {
		want = append(want, key+"="+value)
		return true
	})
	if got := captures(p, path); got != strings.Join(want, " ") {
		t.Fatalf("%q on %q: got %s, want %s", p, path, got, want)
	}
	if !slices.Equal(p.Names(), e.keys()) {
		t.Errorf("%q: names are %q, want %q", p, p.Names(), e.keys())
	}
	// A trie finds the paths that start with the segments and match the rest.
	s := p.Find(path)
	if _, static := s.Static(); static {
		return
	}
	path, _ = s.cutSuffix(path)
	i := 0
	segments, rest, continues := s.Segments()
	for _, g := range segments {
		if i == len(path) || path[i] != '/' {
			t.Fatalf("%q on %q: no slash at %d", p, path, i)
		}
		end := segmentEnd(path, i+1)
		if text := path[i+1 : end]; !g.Param && text != g.Text || g.Param && (text == "" || !g.Class.Match(text)) {
			t.Fatalf("%q on %q: %q is no segment %v", p, path, text, g)
		}
		i = end
	}
	if end := i + len(rest); !strings.HasPrefix(path[i:], rest) || continues && !s.Follows(path, end) || !continues && end < len(path) {
		t.Fatalf("%q on %q: does not go on at %d", p, path, i)
	}
}
