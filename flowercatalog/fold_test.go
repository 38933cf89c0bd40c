package flowercatalog_test

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog"
)

// compareFolds compares the folds of a text.
func compareFolds(t *testing.T, text string) {
	t.Helper()
	if got, want := flowercatalog.Fold(text), reference(text); got != want {
		t.Errorf("%+q: got %+q, want %+q", text, got, want)
	}
}

// combining returns the characters that compose with a preceding character.
func combining() (all []rune) {
	for pair := range unicodeTables().composed {
		all = append(all, pair[1])
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func TestFoldOfEachCharacter(t *testing.T) {
	t.Parallel()
	characters := 0
	for _, of := range unicodeTables().assigned {
		if testing.Short() && of[1]-of[0] > 4000 {
			of[1] = of[0] + 100 // ideographs, syllables and private use
		}
		for r := of[0]; r <= of[1]; r++ {
			if 0xD800 <= r && r <= 0xDFFF {
				continue // surrogates are no characters of UTF-8
			}
			characters++
			compareFolds(t, string(r))
		}
	}
	t.Logf("%d characters", characters)
}

// Each character is combined with each accent and each other character that may combine with the
// one before. It takes one of 229 pairs, with FLOWERCAFE_LONG=1 all.
func TestFoldOfEachPair(t *testing.T) {
	t.Parallel()
	pairs, step := 0, 229
	if os.Getenv("FLOWERCAFE_LONG") == "1" {
		step = 1
	}
	for _, second := range combining() {
		var text strings.Builder
		for _, of := range unicodeTables().assigned {
			if of[1]-of[0] > 4000 {
				of[1] = of[0] + 100 // ideographs, syllables and private use
			}
			for r := of[0] + rune(pairs%step); r <= of[1]; r += rune(step) {
				text.WriteString(string([]rune{r, second, '\n'}))
				pairs++
			}
		}
		if flowercatalog.Fold(text.String()) == reference(text.String()) {
			continue
		}
		for pair := range strings.Lines(text.String()) {
			compareFolds(t, pair)
		}
	}
	t.Logf("%d pairs", pairs)
}

func TestFoldDiffersFromText(t *testing.T) {
	marks := strings.Repeat("\u0301", 40)
	for _, test := range []struct{ name, a, b string }{
		{"more than 30 combining marks", "o" + marks + "\u0323", "o\u0323" + marks},
		{"the accent of a composed letter among them", "ọ" + marks, "O" + marks + "\u0323"},
		{"more than 30 within a name", "x O" + marks + "\u0323x", "X o\u0323" + marks + "X"},
	} {
		if flowercatalog.Fold(test.a) != flowercatalog.Fold(test.b) {
			t.Errorf("%s: got %+q and %+q, want the same", test.name, flowercatalog.Fold(test.a), flowercatalog.Fold(test.b))
		}
		compareFolds(t, test.a)
		compareFolds(t, test.b)
	}
	for _, text := range []string{"\U00010430\u0306", "\U00010408\u0306", "\u05d2\u0307", "o" + marks + "\u034f\u0323"} {
		compareFolds(t, text)
	}
}

func TestFoldAtRandom(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var letters []rune
	for r := range unicodeTables().decomposed {
		letters = append(letters, r)
	}
	for r := range unicodeTables().class {
		letters = append(letters, r)
	}
	slices.Sort(letters)
	letters = append(letters, []rune(strings.Repeat("aAoOßſK\u0345\u0399\u1100\u1161\u11a8\U00010400\U00011099", 50))...)
	rounds := 20_000
	if testing.Short() {
		rounds = 2000
	}
	for range rounds {
		var text []rune
		for range random.IntN(8) {
			text = append(text, letters[random.IntN(len(letters))])
		}
		if random.IntN(10) == 0 {
			for range 25 + random.IntN(20) {
				text = append(text, []rune{0x301, 0x323, 0x345, 0x5b0, 0x334}[random.IntN(5)])
			}
		}
		compareFolds(t, string(text))
	}
}

func FuzzFold(f *testing.F) {
	f.Add("Straße")
	f.Add("e\u0301\u0345각\u11a8か\u3099")
	f.Add("o" + strings.Repeat("\u0301", 40) + "\u0323")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\ufffd")
		if isAssigned(text) {
			compareFolds(t, text)
		}
	})
}
