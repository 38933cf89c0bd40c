package postings_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog/internal/postings"
)

// contain is the reference: the numbers of the texts that contain part, found the obvious way.
func contain(texts []string, part string) []int {
	var found []int
	for i, text := range texts {
		if strings.Contains(text, part) {
			found = append(found, i)
		}
	}
	return found
}

func fill(t testing.TB, texts []string) *postings.Texts {
	t.Helper()
	l := new(postings.Texts)
	for _, text := range texts {
		if err := l.Append(text); err != nil {
			t.Fatalf("append %q: %v", text, err)
		}
	}
	return l
}

// collect flattens the runs that search yields, and reports those that are empty or out of order.
func collect(t testing.TB, search func(string, func(from, to int) bool), part string) []int {
	t.Helper()
	var found []int
	last := 0
	search(part, func(from, to int) bool {
		if from < last || to <= from {
			t.Errorf("search %q: got the run [%d,%d) after %d, want ascending runs that are not empty", part, from, to, last)
		}
		last = to
		for ; from < to; from++ {
			found = append(found, from)
		}
		return true
	})
	return found
}

// both compares the scan and the index with the reference.
func both(t *testing.T, texts []string, parts ...string) {
	t.Helper()
	l := fill(t, texts)
	x := postings.NewIndex(l)
	for _, part := range parts {
		want := contain(texts, part)
		if got := collect(t, l.Scan, part); !slices.Equal(got, want) {
			t.Errorf("scan of %d texts for %q: got %v, want %v", len(texts), part, got, want)
		}
		if got := collect(t, x.Search, part); !slices.Equal(got, want) {
			t.Errorf("index of %d texts searched for %q: got %v, want %v", len(texts), part, got, want)
		}
	}
}

func TestSearch(t *testing.T) {
	numbered := func(n int, pattern string) []string {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = fmt.Sprintf(pattern, i)
		}
		return texts
	}
	tests := []struct {
		name  string
		texts []string
		parts []string
	}{
		{"no texts at all", nil, []string{"", "a", "ab", "abc", "abcd"}},
		{"empty texts", []string{"", "", ""}, []string{"", "a", "ab"}},
		{"a text as a whole", []string{"rose"}, []string{"rose", "ros", "ose", "roses", "arose"}},
		{"a match never crosses into the next text", []string{"ro", "se"}, []string{"rose", "os", "ros"}},
		{"several matches in one text count once", []string{"aaaaaa", "b", "aabaa"}, []string{"a", "aa", "aaa", "aaaa", "ab"}},
		{"bytes from 0 to 254", []string{"\x00\x01\x02", "\xfe\xfd\xfc\xfb", "\x00"}, []string{"\x00", "\xfe\xfd", "\x00\x01\x02", "\xfe\xfd\xfc\xfb", "\x03"}},
		{"the separator is found nowhere", []string{"a", "b"}, []string{"\xff", "a\xff", "a\xffb", "a\xffb\xff"}},
		{"more than one word of 64 bits", numbered(130, "t%03d"), []string{"t", "0", "9", "t0", "t12", "t129", "t130"}},
		{"exactly one word of 64 bits, all members", numbered(64, "x%02d"), []string{"x", "x6", "x63", "3"}},
		{"runs that end with a word, and that cross into the next", slices.Concat(slices.Repeat([]string{"ab"}, 64), slices.Repeat([]string{"c"}, 64), []string{"ab"}, slices.Repeat([]string{"c"}, 30), slices.Repeat([]string{"abc"}, 100)), []string{"a", "ab", "abc", "b", "c", "bc"}},
		{"exactly one block", numbered(8, "n%d"), []string{"n", "n7", "7", "n8"}},
		{"one more than a block", numbered(9, "n%d"), []string{"n", "n8", "8", "n9"}},
		{"sparse sets with distances of several bytes", slices.Concat([]string{"zebra"}, numbered(20_000, "a%05d"), []string{"zebra", "ebr"}), []string{"z", "ze", "zeb", "zebra", "ebr", "12345", "99999"}},
		{"all grams exist, the text does not", []string{"abcd", "bcde", "cdef"}, []string{"abcde", "abcdef"}},
		{"a text longer than the grams looked up", []string{strings.Repeat("abc", 20) + "d", strings.Repeat("abc", 20) + "e"}, []string{strings.Repeat("abc", 20) + "e", strings.Repeat("abc", 21)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { both(t, test.texts, test.parts...) })
	}
}

// Small alphabets make dense sets, large ones sparse sets; both meet in one list.
func TestSearchOfRandomTexts(t *testing.T) {
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
	for range 60 {
		alphabet := "abcdefghijklmnopqrstuvwxyz0123456789"[:1+random.IntN(36)]
		texts := make([]string, random.IntN(700))
		for i := range texts {
			texts[i] = word(alphabet, 12)
		}
		parts := make([]string, 60)
		for i := range parts {
			parts[i] = word(alphabet, 6)
		}
		both(t, texts, parts...)
	}
}

func TestSearchStopsWhenAsked(t *testing.T) {
	texts := slices.Repeat([]string{"rose", "lily"}, 100)
	l := fill(t, texts)
	x := postings.NewIndex(l)
	for _, part := range []string{"", "r", "ro", "ros", "rose"} {
		for name, search := range map[string]func(string, func(int, int) bool){"scan": l.Scan, "index": x.Search} {
			calls := 0
			search(part, func(int, int) bool { calls++; return calls < 2 })
			want := 2
			if part == "" {
				want = 1 // one run holds all
			}
			if calls != want {
				t.Errorf("%s for %q: got %d calls after asking to stop at 2, want %d", name, part, calls, want)
			}
		}
	}
}

func TestAppendRefusesWhatIsNotUTF8(t *testing.T) {
	var l postings.Texts
	if err := l.Append("ro\xffse"); err == nil {
		t.Error("append of a text with the byte 0xFF: got no error")
	}
	if l.Len() != 0 {
		t.Errorf("after a refused text: got %d texts, want 0", l.Len())
	}
}

func FuzzSearch(f *testing.F) {
	f.Add("rose\nlily\nprimrose", "rose")
	f.Add("a\nb\n\nab", "")
	f.Fuzz(func(t *testing.T, lines, part string) {
		lines = strings.ReplaceAll(lines, "\xff", "")
		both(t, strings.Split(lines, "\n"), part)
	})
}
