package flowercatalog_test

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// This file folds by the definition (Unicode Standard, 3.13, D145) and Unicode's own tables,
// without golang.org/x/text.

//go:embed testdata/unicode/characters.txt
var characters string

type tables struct {
	assigned   [][2]rune
	class      map[rune]int
	decomposed map[rune][]rune // in one step
	folded     map[rune][]rune
	composed   map[[2]rune]rune // primary composites
}

// unicodeTables reads testdata/unicode/characters.txt.
var unicodeTables = sync.OnceValue(func() *tables {
	t := &tables{class: map[rune]int{}, decomposed: map[rune][]rune{}, folded: map[rune][]rune{}, composed: map[[2]rune]rune{}}
	excluded := map[rune]bool{}
	for line := range strings.Lines(characters) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		var codes []rune
		for _, field := range fields[1:] {
			code, err := strconv.ParseInt(field, 16, 32)
			if err != nil {
				panic(fmt.Sprintf("%s: %v", line, err))
			}
			codes = append(codes, rune(code))
		}
		switch fields[0] {
		case "assigned":
			t.assigned = append(t.assigned, [2]rune(codes))
		case "class":
			for r := codes[0]; r <= codes[1]; r++ {
				t.class[r], _ = strconv.Atoi(fields[3])
			}
		case "decomposes":
			t.decomposed[codes[0]] = codes[1:]
		case "excluded":
			excluded[codes[0]] = true
		case "folds":
			t.folded[codes[0]] = codes[1:]
		}
	}
	for r, codes := range t.decomposed {
		if len(codes) == 2 && t.class[r] == 0 && t.class[codes[0]] == 0 && !excluded[r] {
			t.composed[[2]rune(codes)] = r
		}
	}
	for r := rune(0xAC00); r <= 0xD7A3; r++ { // Hangul, 3.12
		n := r - 0xAC00
		pair := [2]rune{0x1100 + n/588, 0x1161 + n%588/28}
		if n%28 != 0 {
			pair = [2]rune{r - n%28, 0x11A7 + n%28}
		}
		t.decomposed[r], t.composed[pair] = pair[:], r
	}
	return t
})

// isAssigned reports whether Unicode 15 has all characters of text. Others may get decompositions
// and cases in later versions.
func isAssigned(text string) bool {
	for _, r := range text {
		if !slices.ContainsFunc(unicodeTables().assigned, func(of [2]rune) bool { return of[0] <= r && r <= of[1] }) {
			return false
		}
	}
	return true
}

// reference folds text.
func reference(text string) string {
	t := unicodeTables()
	var folded []rune
	for _, r := range t.nfd([]rune(text)) {
		if to, ok := t.folded[r]; ok {
			folded = append(folded, to...)
		} else {
			folded = append(folded, r)
		}
	}
	return string(t.compose(t.nfd(folded)))
}

// nfd is D118.
func (t *tables) nfd(text []rune) (all []rune) {
	var add func(rune)
	add = func(r rune) {
		if t.decomposed[r] == nil {
			all = append(all, r)
		}
		for _, part := range t.decomposed[r] {
			add(part)
		}
	}
	for _, r := range text {
		add(r)
	}
	for begin := 0; begin < len(all); begin++ {
		end := begin
		for end < len(all) && t.class[all[end]] != 0 {
			end++
		}
		slices.SortStableFunc(all[begin:end], func(a, b rune) int { return t.class[a] - t.class[b] })
		begin = end
	}
	return all
}

// compose is D117.
func (t *tables) compose(text []rune) (all []rune) {
	starter := -1
	for _, r := range text {
		last := len(all) - 1
		if starter >= 0 && (last == starter || t.class[all[last]] != 0 && t.class[all[last]] < t.class[r]) {
			if whole, ok := t.composed[[2]rune{all[starter], r}]; ok {
				all[starter] = whole
				continue
			}
		}
		if t.class[r] == 0 {
			starter = len(all)
		}
		all = append(all, r)
	}
	return all
}
