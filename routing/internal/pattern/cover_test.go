package pattern

import (
	"math/rand/v2"
	"testing"
)

// If Covers reports true, one pattern matches every path of the other.
func TestCoversOfRandomPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []string{"/", "/a", "/b", "/:x", "/:y", "(/:z)?", "/?", "*", "a", "/*", "(/a|/b)", "(.:f)?", "/:v.:w", ".a"}
	count, length := 150, 7
	if testing.Short() {
		count, length = 80, 6
	}
	var patterns []*Pattern
	for len(patterns) < count {
		text := "/"
		for range r.IntN(3) {
			text += pieces[r.IntN(len(pieces))]
		}
		if p, err := Sinatra(text); err == nil {
			patterns = append(patterns, p)
		}
	}
	paths := words("/", []string{"/", "a", "b", "."}, length)
	matched := make([][]int, len(patterns))
	for i, p := range patterns {
		for n, path := range paths {
			if p.Match(path) {
				matched[i] = append(matched[i], n)
			}
		}
	}
	covered := 0
	for _, p := range patterns {
		for k, q := range patterns {
			missed := -1
			for _, n := range matched[k] {
				if !p.Match(paths[n]) {
					missed = n
					break
				}
			}
			switch includes := p.Covers(q); {
			case includes && missed >= 0:
				t.Errorf("%q is said to cover %q, but does not match %q", p, q, paths[missed])
			case includes:
				covered++
			}
		}
	}
	if covered < 2*count {
		t.Errorf("only %d of %d pairs cover", covered, len(patterns)*len(patterns))
	}
}
