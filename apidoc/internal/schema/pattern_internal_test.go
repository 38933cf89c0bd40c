package schema

import (
	"fmt"
	"strings"
	"testing"
)

// Patterns are published as they are written, unless only Go reads them.
func TestPatterns(t *testing.T) {
	for text, rest := range map[string]string{
		`^\(?info$`: "", `^(?:red|rose)[0-9a-f_-]{2,}\d+\.\w*?$`: "", `^[^\]\\/ -]+\bx\/y{3}(a|b)?$`: "", `größe`: "", `[\w.-]@[\d]`: "",
		`^.+$`: "", `\s*`: "", `^[\p{L}\p{Nd}_' -]+$`: "", `\P{L}`: "", `(?<year>\d{4})+`: "", `[-a]`: "", `[^-]`: "", `[x^]`: "", `[\-\^]`: "",
		`\\A`: "", `a{2}?`: "", `(?:^|a)*`: "", `\\(?i`: "-", ``: "",
		`a(?i)b`: `?i)b`, `(?i:ß)`: `?i:ß)`, `(?s).`: `?s).`, `(?m)^a`: `?m)^a`, `(?U)a+`: `?U)a+`, `\Aa`: `\Aa`, `a\z`: `\z`, `\Qa.b\E`: `\Qa.b\E`,
		`(?P<a>b)`: `?P<a>b)`, `[[:alpha:]]+`: `[[:alpha:]]+`, `\x{41}`: `\x{41}`, `a\a`: `\a`, `\pL`: `\pL`, `\p{Greek}`: `\p{Greek}`, `a\@b`: `\@b`, `\-`: `\-`,
		`[^]]`: `[^]]`, `[[]a]`: `[[]a]`, `x{,3}`: `{,3}`, `]`: `]`, `a}`: `}`, `[\w-.]`: `[\w-.]`, `^*`: `*`, `[+--]`: `[+--]`, `\123`: `\123`,
		`(`:               "-",
		`(?<n>a)|(?<n>b)`: "two groups with the name n",
	} {
		p, err := NewPattern(text)
		switch {
		case rest == "":
			if err != nil || p.String() != text {
				t.Errorf("%s: got %v and the error %v", text, p, err)
			}
		case err == nil, rest != "-" && !strings.Contains(err.Error(), fmt.Sprintf("do not read %q", rest)) && !strings.Contains(err.Error(), "do not read "+rest):
			t.Errorf("%s: got the error %v, want %s", text, err, rest)
		}
	}
}
