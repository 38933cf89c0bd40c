package match_test

// This file compares the index with a list of regular expressions that is searched from the end.

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing/internal/match"
	"example.com/flowercafe/routing/internal/pattern"
)

func TestRank(t *testing.T) {
	for _, test := range []struct {
		method, requested string
		want              int
	}{
		{"GET", "GET", 1}, {"GET", "HEAD", 1}, {"HEAD", "HEAD", 2}, {"HEAD", "GET", 0}, {"POST", "GET", 0},
		{"POST", "HEAD", 0}, {"", "GET", 1}, {"", "HEAD", 1}, {"", "PURGE", 1}, {"get", "GET", 0}, {"", "", 1},
	} {
		if got := match.Rank(test.method, test.requested); got != test.want {
			t.Errorf("routes of %q for a request with %q: got rank %d, want %d", test.method, test.requested, got, test.want)
		}
	}
}

// definition is an entry of a table: a method, a pattern, and an expression that matches the same
// paths.
type definition struct {
	method     string
	pattern    *pattern.Pattern
	expression *regexp.Regexp
}

// expressionOf writes a pattern as a regular expression, token by token.
func expressionOf(p *pattern.Pattern) *regexp.Regexp {
	switch p.Syntax() {
	case "":
		return regexp.MustCompile("")
	case "regexp":
		return regexp.MustCompile(p.String())
	}
	var write func(tokens []pattern.Token) string
	write = func(tokens []pattern.Token) (text string) {
		for _, t := range tokens {
			switch {
			case t.Kind == pattern.Literal:
				text += regexp.QuoteMeta(t.Text)
			case t.Kind == pattern.Optional:
				text += "(?:" + write(t.Choices[0]) + ")?"
			case t.Kind == pattern.Choice:
				var choices []string
				for _, tokens := range t.Choices {
					choices = append(choices, write(tokens))
				}
				text += "(?:" + strings.Join(choices, "|") + ")"
			case t.Kind == pattern.Param && p.Syntax() == "rails":
				text += "[^/.]+"
			case t.Kind == pattern.Param:
				text += "[^/]+"
			case p.Syntax() == "rails":
				text += ".+"
			default:
				text += ".*"
			}
		}
		return text
	}
	text := write(p.Tokens())
	if p.Syntax() == "rails" && p.Match("/") {
		text += "|/" // which Rails decides from the whole pattern
	}
	return regexp.MustCompile(`(?s)\A(?:` + text + `)\z`)
}

// table returns a random table with many overlapping patterns, which consist of few different
// segments.
func table(r *rand.Rand) []definition {
	of := func(list ...string) string { return list[r.IntN(len(list))] }
	segments := []string{"/a", "/b", "/a-long-segment", "/a-long-segmenu", "/1234567", "/12345678", "/c", "/d", "/e", "/é", "/", "//"}
	var table []definition
	for range 1 + r.IntN(40) {
		d := definition{method: of("GET", "GET", "GET", "HEAD", "POST", "PURGE", "")}
		var text string
		for range 1 + r.IntN(4) {
			text += of(append(segments, "/:x", "/:y")...)
		}
		var err error
		switch r.IntN(8) {
		case 0:
			d.pattern, err = pattern.Rails(strings.ReplaceAll(text, "/b", "(/:z)") + of("", "/*rest", "(.:format)"))
		case 1:
			d.pattern = pattern.Regexp(regexp.MustCompile(of("^", "", "^/a") + strings.ReplaceAll(text, ":x", "[a-z]+") + of("$", "", "(/b)?$")))
		case 2:
			d.pattern = nil
		case 3:
			text := of("/a", "/a/b", "(/:z)?", "(/a|/b)?")
			p, _ := pattern.Sinatra(text)
			prefix, _ := p.Prefix(nil, pattern.Rules{})
			d.pattern, err = (*pattern.Pattern)(nil).Define(prefix, pattern.Rules{})
		default:
			d.pattern, err = pattern.Sinatra(text + of("", "", "", "/*", "*", "/?", ".:f", "/*/b"))
		}
		if err != nil {
			panic(err)
		}
		d.expression = expressionOf(d.pattern)
		table = append(table, d)
	}
	return table
}

func path(r *rand.Rand) string {
	segments := []string{"/a", "/b", "/a-long-segment", "/a-long-segmenu", "/1234567", "/12345678", "/c", "/x.y", "/é", "/", "/q"}
	var path string
	for range 1 + r.IntN(4) {
		path += segments[r.IntN(len(segments))]
	}
	return path
}

func indexOf(table []definition) *match.Index[int] {
	return match.New(match.Routes{
		Count:   len(table),
		Method:  func(i int) string { return table[i].method },
		Pattern: func(i int) *pattern.Pattern { return table[i].pattern },
	}, func(v *int, i int, _ *pattern.Variant) { *v = i })
}

// listed searches the table from the end.
func listed(table []definition, method, path string) (found []int) {
	for rank := 2; rank > 0; rank-- {
		for i, d := range slices.Backward(table) {
			if match.Rank(d.method, method) == rank && d.expression.MatchString(path) {
				found = append(found, i)
			}
		}
	}
	return found
}

// compare compares the index of a table with the list, for one request.
func compare(t *testing.T, table []definition, ix *match.Index[int], method, path string) {
	want := listed(table, method, path)
	var after *match.Leaf[int]
	for n := range len(want) + 1 {
		leaves := ix.All(nil, method, path, after)
		all := make([]int, len(leaves))
		for i, l := range leaves {
			all[i] = l.Value
		}
		if !slices.Equal(all, want[n:]) {
			t.Fatalf("%s %q after %d routes: all are %v, want %v; the patterns are %q", method, path, n, all, want[n:], patternsOf(ix, all))
		}
		if len(leaves) > 0 {
			after = leaves[0]
		}
	}
	switch first := ix.First(method, path); {
	case len(want) == 0 && first != nil:
		t.Fatalf("%s %q: the first is %d, want none", method, path, first.Value)
	case len(want) > 0 && (first == nil || first.Value != want[0]):
		t.Fatalf("%s %q: the first is %v, want %d", method, path, first, want[0])
	}
	allowed := []string{}
	if len(want) == 0 {
		for _, other := range []string{"GET", "HEAD", "POST", "PURGE"} {
			known := slices.ContainsFunc(table, func(d definition) bool { return match.Rank(d.method, other) > 0 && d.method != "" })
			if known && len(listed(table, other, path)) > 0 {
				allowed = append(allowed, other)
			}
		}
	}
	if got := ix.Allowed(method, path); !slices.Equal(got, allowed) && (len(got) > 0 || len(allowed) > 0) {
		t.Fatalf("%s %q: allowed are %q, want %q", method, path, got, allowed)
	}
}

// hidden returns the definitions that the index reports as hidden, after a comparison with all
// pairs.
func hidden(t *testing.T, table []definition, ix *match.Index[int]) map[int]int {
	canHide := func(i int) bool { return i%5 > 0 }
	want := make(map[int]int)
	for i, d := range table {
		for by := i + 1; by < len(table); by++ {
			if canHide(by) && match.Rank(table[by].method, d.method) == match.Rank(d.method, d.method) && table[by].pattern.Covers(d.pattern) {
				want[i] = by
			}
		}
	}
	if got := maps.Collect(ix.Hidden(canHide)); !maps.Equal(got, want) {
		t.Fatalf("hidden are %v, want %v", got, want)
	}
	return want
}

// neverFirst checks that hidden definitions are never tried first on path.
func neverFirst(t *testing.T, table []definition, hidden map[int]int, path string) {
	for i, by := range hidden {
		d := table[i]
		if by <= i || by%5 == 0 || d.expression.MatchString(path) && !table[by].expression.MatchString(path) {
			t.Fatalf("%s %q is reported as hidden by %s %q, but not on %q", d.method, d.pattern, table[by].method, table[by].pattern, path)
		}
		for _, method := range []string{"GET", "HEAD", "POST", "PURGE", "OTHER"} {
			own, other := match.Rank(d.method, method), match.Rank(table[by].method, method)
			if own > other {
				t.Fatalf("%s %q is reported as hidden by %s %q, but not for %s", d.method, d.pattern, table[by].method, table[by].pattern, method)
			}
		}
	}
}

func describe(table []definition) string {
	var b strings.Builder
	for i, d := range table {
		fmt.Fprintf(&b, "%d %s %s %q\n", i, d.method, d.pattern.Syntax(), d.pattern)
	}
	return b.String()
}

func TestRandomTables(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	tables := 100
	if os.Getenv("FLOWERCAFE_LONG") == "1" {
		tables = 2000
	}
	for range tables {
		table := table(r)
		ix := indexOf(table)
		t.Run("", func(t *testing.T) {
			hidden := hidden(t, table, ix)
			for range 40 {
				path := path(r)
				compare(t, table, ix, []string{"GET", "HEAD", "POST", "PURGE", "OTHER"}[r.IntN(5)], path)
				neverFirst(t, table, hidden, path)
			}
			if t.Failed() {
				t.Logf("seed %d, table:\n%s", seed, describe(table))
			}
		})
		if t.Failed() {
			return
		}
	}
}

func FuzzIndex(f *testing.F) {
	for _, path := range []string{"/", "/a", "/a/b", "/a-long-segment/c", "/1234567/12345678", "//", "/x.y", "*", "", "/\xff/é"} {
		f.Add(uint64(1), "GET", path)
		f.Add(uint64(2), "HEAD", path)
	}
	f.Fuzz(func(t *testing.T, seed uint64, method, path string) {
		if len(path) > 300 || method == "" {
			t.Skip()
		}
		table := table(rand.New(rand.NewPCG(seed, 1)))
		ix := indexOf(table)
		compare(t, table, ix, method, path)
		neverFirst(t, table, hidden(t, table, ix), path)
	})
}

// A node may have many tails. A search finds them by the literal text of the path.
func TestManyTails(t *testing.T) {
	var table []definition
	for i := range 1000 {
		text := fmt.Sprintf("/x%d*", i)
		if i%2 == 0 {
			text = fmt.Sprintf(`^/x%d(\d|y)`, i)
		}
		p, err := pattern.Sinatra(text)
		if i%2 == 0 {
			p = pattern.Regexp(regexp.MustCompile(text))
		}
		if err != nil {
			t.Fatal(err)
		}
		table = append(table, definition{"GET", p, expressionOf(p)})
	}
	ix := indexOf(table)
	for _, path := range []string{"/x1", "/x12", "/x123", "/x999", "/x998y", "/x", "/", "/y1"} {
		compare(t, table, ix, "GET", path)
	}
}

func patternsOf(ix *match.Index[int], all []int) (texts []string) {
	for _, i := range all {
		texts = append(texts, ix.Pattern(i).String())
	}
	return texts
}
