package postings_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog/internal/postings"
)

// naive returns the numbers of the texts that contain part.
func naive(texts []string, part string) []int {
	var found []int
	for i, text := range texts {
		if strings.Contains(text, part) {
			found = append(found, i)
		}
	}
	return found
}

// found collects what a search yields.
func found(search func(string, func(int, int) bool), part string) []int {
	var all []int
	search(part, func(from, to int) bool {
		for i := from; i < to; i++ {
			all = append(all, i)
		}
		return true
	})
	return all
}

func fill(t testing.TB, texts []string) *postings.Texts {
	t.Helper()
	var list postings.Texts
	for _, text := range texts {
		if err := list.Append(text); err != nil {
			t.Fatal(err)
		}
	}
	return &list
}

func check(t *testing.T, texts []string, parts []string) {
	t.Helper()
	list := fill(t, texts)
	index := postings.NewIndex(list)
	for _, part := range parts {
		want := naive(texts, part)
		if got := found(list.Scan, part); !slices.Equal(got, want) {
			t.Errorf("scan of %q for %q found %v, want %v", texts, part, got, want)
		}
		if got := found(index.Search, part); !slices.Equal(got, want) {
			t.Errorf("search in %q for %q found %v, want %v", texts, part, got, want)
		}
	}
}

func TestSearch(t *testing.T) {
	texts := []string{"rose", "", "tulip", "primrose", "rosemary", "ose", "o", "süß", "rose"}
	check(t, texts, []string{"", "r", "o", "ro", "ose", "rose", "rosemary", "rosemaryx", "ü", "ß", "xyz", "er", "se", "tulip", "rt"})
	check(t, nil, []string{"", "a", "abc", "abcd"})
}

func TestSearchAgainstContains(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func(most int) string {
		b := make([]byte, random.IntN(most+1))
		for i := range b {
			b[i] = "aab cde"[random.IntN(7)]
		}
		return string(b)
	}
	for range 60 {
		texts := make([]string, random.IntN(400))
		for i := range texts {
			texts[i] = word(12)
		}
		var parts []string
		for range 60 {
			parts = append(parts, word(6))
		}
		check(t, texts, parts)
	}
}

func TestSearchEndsWhenToldTo(t *testing.T) {
	texts := make([]string, 1000)
	for i := range texts {
		texts[i] = fmt.Sprint("flower ", i%7)
	}
	index := postings.NewIndex(fill(t, texts))
	for _, part := range []string{"", "f", "fl", "flo", "flower 3"} {
		calls := 0
		index.Search(part, func(int, int) bool { calls++; return false })
		if calls != 1 {
			t.Errorf("search for %q called %d times after false, want 1", part, calls)
		}
	}
}

func TestAppendRefusesWhatIsNotUTF8(t *testing.T) {
	var list postings.Texts
	if err := list.Append("a\xffb"); err == nil || list.Len() != 0 {
		t.Errorf("a text with the byte 0xFF was added: %d texts, error %v", list.Len(), err)
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("rose\ntulip\nprimrose", "ro")
	f.Fuzz(func(t *testing.T, lines, part string) {
		if strings.Contains(lines+part, "\xff") {
			t.Skip()
		}
		check(t, strings.Split(lines, "\n"), []string{part})
	})
}
