package pattern

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// This file walks over all short patterns and paths.

// TestTidyForms shows for all patterns up to a length that with loose slashes they match the tidy
// forms of the paths that they match without, and no other path. FLOWERCAFE_LONG=1 makes it longer.
func TestTidyForms(t *testing.T) {
	length := 5
	switch {
	case testing.Short():
		length = 4
	case os.Getenv("FLOWERCAFE_LONG") == "1":
		length = 6
	}
	for _, syntax := range []struct {
		read   func(string) (*Pattern, error)
		pieces []string
	}{
		{Sinatra, []string{"/", "a", "(", ")", "?", "|", "*", ":x"}},
		{Rails, []string{"/", "a", "(", ")", "*p", ":x", "(/"}},
	} {
		paths := words("/", []string{"a", "/"}, 7)
		patterns, refused := 0, 0
		for _, text := range words("", syntax.pieces, length) {
			p, err := syntax.read(text)
			if err != nil || p.Reachable() != nil || p.syntax == rails && strings.Contains(strings.ReplaceAll(text, "/*p", ""), "*") {
				continue
			}
			loose, err := p.Define(nil, Rules{Loose: true})
			if err != nil {
				refused++
				continue
			}
			patterns++
			wanted := make(map[string]string)
			undecided := make(map[string]bool) // may match in another reading: "(/*p)(//)" has two of "//"
			for _, path := range paths {
				switch {
				case !p.Match(path):
				case hasEmptyWildcard(p, path):
					undecided[Tidy(path)] = true
				default:
					wanted[Tidy(path)] = path
					if got, want := valuesOf(loose, path), valuesOf(p, path); Tidy(path) == path && !slices.Equal(got, want) {
						t.Errorf("%q on %q: with loose slashes the values are %q, without %q", text, path, got, want)
					}
				}
			}
			for _, path := range paths {
				if Tidy(path) != path {
					continue
				}
				sent, want := wanted[path]
				// A longer path may have been needed.
				if got := loose.Match(path); got != want && (want || len(path) <= 3 && !undecided[path]) {
					t.Errorf("%q on %q: with loose slashes it matches: %t, without they match %q: %t", text, path, got, sent, want)
				}
			}
			if t.Failed() {
				return
			}
		}
		t.Logf("%d patterns, %d refused", patterns, refused)
		if patterns < 100 {
			t.Errorf("only %d patterns", patterns)
		}
	}
}

// TestTidyExpressions shows for all expressions up to a length that with loose slashes they match
// the tidy forms of what they match without, or are refused because they cannot.
func TestTidyExpressions(t *testing.T) {
	length := 5
	if testing.Short() {
		length = 4
	}
	paths := words("/", []string{"a", "/"}, 8)
	accepted, refused, needlessly := 0, 0, 0
	for _, text := range words("", []string{"/", "a", "?", "+", "(", ")", "|", "{2}"}, length) {
		if _, err := regexp.Compile("/" + text); err != nil {
			continue
		}
		re := regexp.MustCompile("^(?:/" + text + ")$")
		loose, err := Regexp(re).Define(nil, Rules{Loose: true})
		isLost := func(path string) bool {
			tidy := Tidy(path)
			return re.MatchString(path) && !re.MatchString(tidy) && !re.MatchString(tidy+"/")
		}
		switch at := slices.IndexFunc(paths, isLost); {
		case err != nil && at < 0 && !re.MatchString("//"): // the root is matched otherwise
			needlessly++
			t.Logf("%s is refused, but no path is lost", re)
		case err != nil:
			refused++
		case at >= 0:
			t.Errorf("%s loses the path %s", re, paths[at])
		default:
			accepted++
		}
		for _, path := range paths {
			if err == nil && Tidy(path) == path && loose.Match(path) != (re.MatchString(path) || re.MatchString(path+"/")) {
				t.Errorf("%s on %s: got %t", re, path, loose.Match(path))
			}
		}
	}
	t.Logf("%d accepted, %d refused, %d needlessly", accepted, refused, needlessly)
	if accepted < 100 || refused < 100 || 20*needlessly > refused {
		t.Error("too few expressions, or too many refused")
	}
}

// valuesOf returns the names and values in a path.
func valuesOf(p *Pattern, path string) (values []string) {
	for name, value := range p.Find(path).All(path) {
		values = append(values, name, value)
	}
	return values
}

// hasEmptyWildcard reports whether a wildcard of Rails takes only slashes: that is no value of it
// if slashes do not count.
func hasEmptyWildcard(p *Pattern, path string) bool {
	for _, value := range p.Find(path).All(path) {
		if p.syntax == rails && strings.Trim(value, "/") == "" {
			return true
		}
	}
	return false
}

// Values with formats are those without the option too.
func TestLooseValues(t *testing.T) {
	every, err := NewClass("[^/]+")
	if err != nil {
		t.Fatal(err)
	}
	for text, path := range map[string]string{
		"/users/:name(.:format)": "/users/ann.lee",
		"/*p(.:f)":               "/a/a.b.c",
		"/:a/(:b)(.:f)":          "/a.b/c.d",
	} {
		for _, rules := range []Rules{{}, {Where: map[string]*Class{"name": every}}, {Lazy: true}} {
			p := must(t, "r", text)
			if rules.Where != nil && !slices.Contains(p.Names(), "name") {
				continue
			}
			sent, err := p.Define(nil, rules)
			if err != nil {
				t.Fatal(err)
			}
			rules.Loose = true
			loose, err := p.Define(nil, rules)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := valuesOf(loose, path), valuesOf(sent, path); sent.Match(path) && !slices.Equal(got, want) {
				t.Errorf("%s on %s: got %q, want %q", text, path, got, want)
			}
		}
	}
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

// Patterns that lost paths with loose slashes.
func TestLooseSlashes(t *testing.T) {
	for text, paths := range map[string]string{
		"(/de|/fr)?/admin":  "/de/admin /admin",
		"/(draft-)?posts":   "/draft-posts /posts",
		"/(admin/)?users":   "/admin/users /users",
		"/admin(/users/)?":  "/admin/users /admin",
		"/admin/|/private/": "/admin /private",
		"/admin//(users)?":  "/admin/users /admin",
		"/files/*":          "/files /files/a/b",
		"/a/*/b":            "/a/b /a/x/y/b",
		"/":                 "/",
		"/?":                "/",
		"//":                "/",
		"/:a//:b/":          "/1/2",
		"/x/(:y/)?(:z/)?":   "/x /x/1 /x/1/2",
	} {
		p := must(t, "s", text)
		loose, err := p.Define(nil, Rules{Loose: true})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for path := range strings.SplitSeq(paths, " ") {
			if !loose.Match(path) {
				t.Errorf("%s does not match %s", text, path)
			}
		}
		for _, path := range []string{"/y", "/adminusers", "/draft-", "/de"} {
			if loose.Match(path) {
				t.Errorf("%s matches %s", text, path)
			}
		}
	}
	for _, text := range []string{strings.Repeat("(/a)?(b/)?", 12), strings.Repeat("/*", 30), "(/a)?(/b)?(/c)?(/d)?(/e)?(/f)?(/g)?/*/*/*/x"} {
		if _, err := must(t, "s", text).Define(nil, Rules{Loose: true}); err == nil || !strings.Contains(err.Error(), "define several routes") {
			t.Errorf("too many parts in %s: got error %v", text, err)
		}
	}
}
