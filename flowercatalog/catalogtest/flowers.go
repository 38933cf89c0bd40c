package catalogtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"example.com/flowercafe/flowercatalog"
)

// This file holds the flowers of the tests.

// special are flowers with slugs and names that are special in SQL, LIKE, JSON, COPY, URLs and
// collations.
var special = named(
	"Rose", "rose", "ROSE", "roses", "R%se", "r_se", `r\se`, `r\%se`, "100 %", "__", `\`, `\\`, `\N`, `\.`, "'", "''", `"`, "; DROP TABLE flowers; --",
	"$1 ? :a @b", "{a,b}", "[a-z]*", "(a|b)", "^a$", "a.b", "<b>&amp;</b>", "tab\there", "line\nbreak", "return\r\n", "\u2028", "\x7f", "NULL", "", " ", " a ",
	"Gül", "Gu\u0308l", "STRASSE", "Straße", "ΟΔΟΣ", "οδός", "İ", "ı", "ﬁnch", "Ꭰ", "\uab70", "K", "桜", "🌹", "e\u0301", "É", "ą̂", "각", "か\u3099", "a\u200db",
	"Æ", "z", "Z", "10", "9", "-", "‑", strings.Repeat("very long ", 400), strings.Repeat("ü", 3000),
)

// named returns flowers with these names, and with slugs that resemble the names.
func named(names ...string) []flowercatalog.Flower {
	flowers := make([]flowercatalog.Flower, len(names))
	taken := make(map[string]bool)
	for i, name := range names {
		slug := strings.ReplaceAll(name, "/", "-")
		if slug == "" || len(slug) > 2000 || taken[slug] {
			slug = fmt.Sprint("flower-", i)
		}
		taken[slug] = true
		flowers[i] = flowercatalog.Flower{Slug: slug, Name: name}
	}
	return flowers
}

var words = strings.Fields("Rose rosé ROSES Tulpe Lilie Lily Gül Güller Straße STRASSE Ärger Œillet Василёк Ανεμώνη 桜 菊 100% a_b c\\d No. 7 77 & <x> ' \"")

// random returns flowers with names of a few words each. The result is always the same.
func random(n int) []flowercatalog.Flower {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	flowers := make([]flowercatalog.Flower, n)
	for i := range flowers {
		var name []string
		for range 1 + rng.IntN(4) {
			name = append(name, words[rng.IntN(len(words))])
		}
		flowers[i] = flowercatalog.Flower{Slug: fmt.Sprintf("%s-%d", strings.ToLower(words[rng.IntN(12)]), i), Name: strings.Join(name, " ")}
	}
	return flowers
}

// part returns a text to search for, usually a part of a flower's name. It is not empty.
func part(rng *rand.Rand, flowers []flowercatalog.Flower) string {
	name := []rune(flowers[rng.IntN(len(flowers))].Name)
	if len(name) == 0 || rng.IntN(10) == 0 {
		return words[rng.IntN(len(words))]
	}
	from := rng.IntN(len(name))
	return string(name[from : from+1+rng.IntN(min(6, len(name)-from))])
}

func newRandom() (seed uint64, rng *rand.Rand) {
	seed = rand.Uint64()
	return seed, rand.New(rand.NewPCG(seed, 0))
}

// rounds returns the number of rounds of a random test: fewer with -short.
func rounds(n int) int {
	if testing.Short() {
		return n / 5
	}
	return n
}
