package conformance

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file compares published patterns with the engine of a browser.

// patternParts and repetitions make random patterns, patternTexts are matched with them.
var (
	patternParts = []string{
		"a", "b", "^", "$", ".", `\d`, `\w`, `\s`, `\S`, `\D`, "[a-c]", "[^]]", "[^a]", `[\w-.]`, "(?:ab|cd)", "(x)", "(?P<n>y)", `\pL`, `\PN`,
		`[\pL_-]`, `\x{41}`, `\x41`, "x{,3}", `\b`, `\B`, "(?i:k)", "(?i)s", "ß", "😀", "-", "/", `\/`, `\.`, "]", "}", "{", "[[:alpha:]]", `\Q.*\E`,
		`\A`, `\z`, `\t`, `\a`, "(?s:.)", `[\s\S]`, "|", `\-`, `[a\-z]`, "[+--]", "&", "#", " ", "~", `"`, `[\^x]`, "[x^]", `\p{L}`, `\P{N}`, `[\p{L}_-]`, "(?<n>y)", "[-a]", "[^-]", `[\s.]`, `\@`, `\v`,
	}
	repetitions  = []string{"", "", "", "", "*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?"}
	patternTexts = []string{
		"", "a", "b", "ab", "abc", "A", "k", "K", "\u212a", "s", "ſ", "x", "xx", "x{,3}", "]", "[", "}", "{", "1", "_", "-", ".", "\n", "\r", "\u2028", "\t",
		"\a", " ", "\u00a0", "é", "ß", "ẞ", "日本", "😀", "a\nb", "/", `\`, "^", "$", "cd", "y1", "&", "#", "~", `"`, "٣",
	}
)

// matchAll reads patterns with texts and whether they match, and prints where ECMA 262 differs.
const matchAll = `
for (const [pattern, texts] of JSON.parse(require("fs").readFileSync(0, "utf8"))) {
	const compiled = new RegExp(pattern, "u")
	for (const [text, want] of Object.entries(texts))
		if (compiled.test(text) !== want) console.log(pattern, JSON.stringify(text), want)
}`

// Node.js matches a pattern with the same texts as Go.
func TestRandomPatterns(t *testing.T) {
	wantAll(t, "node")
	t.Logf("-seed %d", *seed)
	random := newRandom()
	var patterns []any
	for range rounds(5000, 50000) {
		var text strings.Builder
		for range 1 + random.IntN(4) {
			text.WriteString(oneOf(random, patternParts) + oneOf(random, repetitions))
		}
		p, err := schema.NewPattern(text.String())
		if err != nil {
			continue // such as two repetitions
		}
		matches := make(map[string]bool)
		// Periods and spaces differ in these, as is documented.
		isLoose := strings.Contains(p.String(), ".") || strings.Contains(strings.ToLower(p.String()), `\s`)
		for _, text := range patternTexts {
			if isLoose && strings.ContainsAny(text, "\r\u2028\u00a0") {
				continue
			}
			matches[text] = p.MatchString(text)
		}
		patterns = append(patterns, []any{p.String(), matches})
	}
	input, err := json.Marshal(patterns)
	if err != nil {
		t.Fatal(err)
	}
	node := command(t, ".", "node", "-e", matchAll)
	node.Stdin = bytes.NewReader(input)
	if out, err := node.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%d patterns", len(patterns))
}
