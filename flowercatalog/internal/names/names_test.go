package names

import (
	"fmt"
	"index/suffixarray"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog/internal/fold"
)

// searches are the index, the scan, and Search, which chooses between them.
var searches = []struct {
	name   string
	search func(n *Index, part string, first int, yield func(int) bool)
}{
	{"scan", func(n *Index, part string, first int, yield func(int) bool) { n.scan([]byte(part), first, yield) }},
	{"index", func(n *Index, part string, first int, yield func(int) bool) {
		n.merge(n.index.Lookup([]byte(part), -1), first, yield)
	}},
	{"search", (*Index).Search},
}

func at(list []string) func(int) string { return func(i int) string { return list[i] } }

// compare compares the searches with an obviously correct one, starting at several names.
func compare(t *testing.T, list []string, parts ...string) {
	t.Helper()
	n, err := New(len(list), at(list))
	if err != nil {
		t.Fatal(err)
	}
	index := suffixarray.New(n.text)
	var folded []string
	for _, name := range list {
		folded = append(folded, fold.Text(name))
	}
	for _, part := range parts {
		if part == "" {
			continue // is no search
		}
		for _, first := range []int{0, 1, len(list) / 2, len(list)} {
			if first > len(list) {
				continue
			}
			var want []int
			for i := first; i < len(list); i++ {
				if strings.Contains(folded[i], part) {
					want = append(want, i)
				}
			}
			for _, way := range searches {
				var got []int
				names := *n
				if way.name == "index" {
					names.index = index
				}
				way.search(&names, part, first, func(i int) bool { got = append(got, i); return true })
				if !slices.Equal(got, want) {
					t.Errorf("%s of %d names for %q from %d on: got %v, want %v", way.name, len(list), part, first, got, want)
				}
			}
		}
	}
}

func TestNames(t *testing.T) {
	numbered := func(n int, pattern string) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(pattern, i)
		}
		return list
	}
	for _, test := range []struct {
		name  string
		list  []string
		parts []string
	}{
		{"no names", nil, []string{"a", "ab"}},
		{"empty names", []string{"", "", ""}, []string{"a", "ab"}},
		{"a name as a whole", []string{"rose"}, []string{"rose", "ros", "ose", "roses", "arose"}},
		{"nothing is found across two names", []string{"ro", "se"}, []string{"rose", "os", "ros"}},
		{"several hits in one name count once", []string{"aaaaaa", "b", "aabaa"}, []string{"a", "aa", "aaa", "aaaa", "ab"}},
		{"rare and frequent texts among many names", numbered(1000, "flower %03d"), []string{"f", "flower", "r 1", "777", "99", "0"}},
		{"a hit far behind the one before", slices.Concat([]string{"zebra"}, numbered(20_000, "a%05d"), []string{"zebra", "ebr"}), []string{"z", "zebra", "ebr", "12345"}},
		{"empty names around", []string{"", "a", "", "", "a", ""}, []string{"a"}},
	} {
		t.Run(test.name, func(t *testing.T) { compare(t, test.list, test.parts...) })
	}
}

func TestNamesAtRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	word := func(alphabet string, longest int) string {
		b := make([]byte, random.IntN(longest+1))
		for i := range b {
			b[i] = alphabet[min(random.IntN(len(alphabet)), random.IntN(len(alphabet)))]
		}
		return string(b)
	}
	tables := 40
	if testing.Short() {
		tables = 10
	}
	for range tables {
		alphabet := "abcdefghijklmnopqrstuvwxyz0123456789"[:1+random.IntN(36)]
		list := make([]string, random.IntN(900))
		for i := range list {
			list[i] = word(alphabet, 12)
		}
		parts := make([]string, 40)
		for i := range parts {
			parts[i] = word(alphabet, 6)
		}
		compare(t, list, parts...)
	}
}

func TestNamesStopWhenAsked(t *testing.T) {
	n, err := New(200, at(slices.Repeat([]string{"rose", "lily"}, 100)))
	if err != nil {
		t.Fatal(err)
	}
	n.index = suffixarray.New(n.text)
	for _, way := range searches {
		calls := 0
		way.search(n, "ros", 0, func(int) bool { calls++; return calls < 2 })
		if calls != 2 {
			t.Errorf("%s: got %d calls after asking to stop at 2, want 2", way.name, calls)
		}
	}
}

func FuzzNames(f *testing.F) {
	f.Add("rose\nlily\nprimrose", "rose")
	f.Add("Straße\n\nGu\u0308l", "ss")
	f.Fuzz(func(t *testing.T, lines, part string) {
		lines = strings.ReplaceAll(strings.ToValidUTF8(lines, "?"), "\x00", "?")
		compare(t, strings.Split(lines, "\n"), fold.Text(strings.ReplaceAll(part, "\x00", "?")))
	})
}
