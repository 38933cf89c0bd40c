package flowercafe_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/flowercafe/internal/basepath"
)

func TestBasePathClean(t *testing.T) {
	for _, test := range []struct {
		name, base, want string
		says             string // in the error; empty if base is valid
	}{
		{"none", "", "", ""},
		{"the root", "/", "", ""},
		{"one segment", "/shop", "/shop", ""},
		{"a slash at the end", "/shop/", "/shop", ""},
		{"two segments", "/a/b", "/a/b", ""},
		{"spaces and letters beyond ASCII", "/café au lait", "/café au lait", ""},
		{"a colon", "/a:b", "/a:b", ""},
		{"a percent sign that encodes nothing", "/100%", "/100%", ""},
		{"dots in a name", "/v1.2/...", "/v1.2/...", ""},

		{"a parameter", "/org/:org", "", `it is literal: write outer.Mount("/org/:org", app)`},
		{"a parameter in braces", "/org/{org}/x/", "", `it is literal: write outer.Mount("/org/:org/x", app)`},
		{"a part in braces", "/a{b}c", "", `it is literal: leave "a{b}c" out`},
		{"a wildcard", "/a/*", "", `it is literal, and everything below it is served anyway: leave "*" out`},
		{"a wildcard with a name", "/a/*path", "", `it is literal, and everything below it is served anyway: leave "*path" out`},
		{"a star in a segment", "/a*", "/a*", ""},
		{"a colon alone", "/:", "", `it is literal: leave ":" out`},

		{"no slash in front", "shop", "", `must start with /: write "/shop"`},
		{"no slash in front, and more", "shop//x?y", "", `must start with /: write "/shop/x"`},
		{"an address", "https://cafe.example/shop", "", `must be a path alone: write "/shop"`},
		{"an address without a path", "https://cafe.example", "", `must be a path alone: write "/"`},
		{"another host", "//evil", "", `must not contain empty or dot segments: write "/evil"`},
		{"two slashes", "//", "", `must not contain empty or dot segments: write "/"`},
		{"two slashes at the end", "/shop//", "", `must not contain empty or dot segments: write "/shop"`},
		{"an empty segment", "/a//b", "", `must not contain empty or dot segments: write "/a/b"`},
		{"a dot segment", "/a/./b", "", `must not contain empty or dot segments: write "/a/b"`},
		{"a double dot segment", "/a/../b", "", `must not contain empty or dot segments: write "/b"`},
		{"a double dot at the end", "/a/..", "", `must not contain empty or dot segments: write "/"`},
		{"an encoded character", "/caf%C3%A9", "", `paths are compared decoded: write "/café"`},
		{"an encoded character, no slash in front", "shop%41", "", `must start with /: write "/shopA"`},
		{"an encoded character in an address", "https://cafe.example/%2541", "", `must be a path alone: write "/A"`},
		{"an encoded character and a query", "/%41?x", "", `must not contain a query or fragment: write "/A"`},
		{"an encoded question mark", "/a%3Fx", "", `paths are compared decoded: write "/a"`},
		{"an encoded slash", "/a%2F/b", "", `paths are compared decoded: write "/a/b"`},
		{"encoded twice", "/%2541", "", `paths are compared decoded: write "/A"`},
		{"an encoded character after dot segments", "/100%/../%41", "", `must not contain empty or dot segments: write "/A"`},
		{"a query", "/shop?x=1", "", `must not contain a query or fragment: write "/shop"`},
		{"a fragment", "/shop#x", "", `must not contain a query or fragment: write "/shop"`},
	} {
		got, err := basepath.Clean(test.base)
		switch {
		case test.says == "" && (err != nil || got != test.want):
			t.Errorf("%s: Clean(%q): got %q and error %v, want %q", test.name, test.base, got, err, test.want)
		case test.says != "" && (err == nil || !strings.HasSuffix(err.Error(), test.says)):
			t.Errorf("%s: Clean(%q): got error %v, want one that says %q", test.name, test.base, err, test.says)
		}
	}
}

func TestBasePathCut(t *testing.T) {
	for _, test := range []struct {
		path, base, want string
		inside           bool
	}{
		{"/flowers", "", "/flowers", true},
		{"/", "", "/", true},
		{"", "", "/", true},
		{"*", "", "*", true},
		{"/shop/flowers", "/shop", "/flowers", true},
		{"/shop/", "/shop", "/", true},
		{"/shop", "/shop", "/", true},
		{"/shop//flowers", "/shop", "//flowers", true},
		{"/shopping", "/shop", "", false},
		{"/sho", "/shop", "", false},
		{"/Shop/flowers", "/shop", "", false},
		{"", "/shop", "", false},
	} {
		if got, inside := basepath.Cut(test.path, test.base); got != test.want || inside != test.inside {
			t.Errorf("Cut(%q, %q): got %q, %v, want %q, %v", test.path, test.base, got, inside, test.want, test.inside)
		}
	}
}

var advice = regexp.MustCompile(`write (".*")$`)

// The result of Clean is valid, and so is the path that an error of Prefix says to write.
func FuzzBasePathClean(f *testing.F) {
	for _, base := range []string{"", "/", "/shop/", "//evil", "/a/../b", "shop?x", "https://h//x/", "/a\\b"} {
		f.Add(base)
	}
	f.Fuzz(func(t *testing.T, base string) {
		if _, err := basepath.Prefix(base); err != nil {
			instead, unquoteErr := strconv.Unquote(advice.FindStringSubmatch(err.Error())[1])
			if _, again := basepath.Prefix(instead); unquoteErr != nil || again != nil {
				t.Errorf("Prefix(%q) says %v; of that: %v, %v", base, err, again, unquoteErr)
			}
		}
		clean, err := basepath.Clean(base)
		if err != nil {
			return
		}
		if again, err := basepath.Clean(clean); again != clean || err != nil {
			t.Errorf("Clean(%q) is %q, and of that %q and error %v", base, clean, again, err)
		}
		if strings.Contains(clean+"/", "//") && clean != "" || strings.ContainsAny(clean, "?#") || strings.Contains(clean+"/", "/../") {
			t.Errorf("Clean(%q): got %q", base, clean)
		}
	})
}
