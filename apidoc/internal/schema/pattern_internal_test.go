package schema

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
)

func TestPatterns(t *testing.T) {
	for _, c := range []struct{ text, want, bad string }{
		// What both languages read alike stays as it is.
		{text: `^\(?info$`},
		{text: `^(?:red|rose)[0-9a-f_-]{2,}\d+\.\w*?$`},
		{text: `^[^\]\\/ -]+\bx\/y{3}(a|b)?$`},
		{text: `größe`},
		{text: `[\w.-]@[\d]`},

		{`^.+$`, `^[^\n]+$`, ""},
		{`\s`, `[\x09\x0A\x0C\x0D ]`, ""},
		{`^\pL+$`, `^[\p{L}]+$`, ""},
		{`^[\pL\p{Nd}_' -]+$`, `^[\p{L}\p{Nd} '\-_]+$`, ""},
		{`\PL`, `[^\p{L}]`, ""},
		{`\x{41}\x{1F600}`, `A😀`, ""},
		{`[^]]`, `[^\]]`, ""},
		{`[[]a]`, `\[a\]`, ""},
		{`x{,3}`, `x\{,3\}`, ""},
		{`]{}`, `\]\{\}`, ""},
		{`(?i)ok-1`, `[OKK]`, "-"},
		{`(?i:ß)`, `[ßẞ]`, ""},
		{`(?s).`, `[\s\S]`, ""},
		{`\Aa\z`, `^a$`, ""},
		{`\Qa.b\E`, `a\.b`, ""},
		{`(?P<year>\d)+`, `([0-9])+`, ""},
		{`[[:alpha:]]`, `[A-Za-z]`, ""},
		{`[\w-.]`, `[\-.0-9A-Z_a-z]`, ""},
		{`(?U)a+b+?`, `a+?b+`, ""},
		{`(?:^|a)*`, `(?:^|a)*`, ""},
		{`^*`, `(?:^)*`, ""},
		{`a\a`, `a\x07`, ""},
		{`(?m)^a`, "", "other languages do not have the flag m: write (?:^|\\n)"},
		{`[^\x00-\x{10FFFF}]`, "", "no text matches it"},
		{`(`, "", "missing closing )"},
	} {
		p, err := NewPattern(c.text)
		if c.want == "" && c.bad == "" {
			c.want = c.text
		}
		switch {
		case c.bad == "-":
			if err != nil || !strings.HasPrefix(p.String(), "[") {
				t.Errorf("%s: got %v %v", c.text, p, err)
			}
		case c.bad != "":
			if err == nil || !strings.Contains(err.Error(), c.bad) {
				t.Errorf("%s: got %v, want %s", c.text, err, c.bad)
			}
		case err != nil || p.String() != c.want:
			t.Errorf("%s: got %v %v, want %s", c.text, p, err, c.want)
		}
	}
}

// A published pattern is one of Go, and matches the same.
func FuzzPatterns(f *testing.F) {
	for _, seed := range []string{`^\(?info$`, `a|b*`, `(?i)x[a-f]`, `[^]a-]`, `x{2,3}?`, `\pL\PN[\pL-]`, `(?s).(?-s).`, `(?:a*)+|`, `\b(?:^$)*`} {
		f.Add(seed, "information")
	}
	f.Fuzz(func(t *testing.T, text, value string) {
		p, err := NewPattern(text)
		if err != nil {
			return
		}
		written, err := regexp.Compile(p.String())
		if err != nil {
			t.Fatalf("%q is published as %q: %v", text, p, err)
		}
		if p.MatchString(value) != written.MatchString(value) {
			t.Errorf("%q is published as %q, which differs for %q", text, p, value)
		}
		a, _ := syntax.Parse(text, syntax.Perl)
		b, _ := syntax.Parse(p.String(), syntax.Perl)
		if x, y := programOf(a), programOf(b); x != y {
			t.Errorf("%q is published as %q, which is another program:\n%s\n%s", text, p, x, y)
		}
	})
}

// programOf returns the compiled program.
func programOf(re *syntax.Regexp) string {
	program, err := syntax.Compile(re.Simplify())
	if err != nil {
		return err.Error()
	}
	return program.String()
}
