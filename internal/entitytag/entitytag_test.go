package entitytag_test

import (
	"testing"

	"example.com/flowercafe/internal/entitytag"
)

func TestIsIn(t *testing.T) {
	const weakly, strongly, never = "weakly", "strongly", "never"
	for _, test := range []struct {
		tag   string
		lines []string
		want  string
	}{
		{`"a"`, []string{`"a"`}, strongly},
		{`"a"`, []string{`"b"`}, never},
		{`"a"`, nil, never},
		{`"a"`, []string{``}, never},
		{`"a"`, []string{`a`}, never},
		{`"a"`, []string{"\t*  "}, strongly},
		{`"a"`, []string{`"b", *`}, never},
		{`"a"`, []string{`W/"a"`}, weakly},
		{`W/"a"`, []string{`"a"`}, weakly},
		{`W/"a"`, []string{`W/"a"`}, weakly},
		{`"a"`, []string{`w/"a"`}, never},
		{`"a"`, []string{`W/"a", "a"`}, strongly},
		{`"a"`, []string{` , "b" ,"a"`}, strongly},
		{`"a"`, []string{`"b""a"`}, strongly},
		{`"a"`, []string{`"b`, `"a"`}, never}, // the lines are one list, and its first tag has no end
		{`"a"`, []string{`"b"`, `"a"`}, strongly},
		{`"a"`, []string{`"b" x "a"`}, never},
		{`"a,b"`, []string{`"a,b"`}, strongly},
		{`"a"`, []string{`"a,b"`}, never},
		{`""`, []string{`""`}, strongly},
		{``, []string{`"a"`}, never},
		{``, []string{`*`}, strongly},
	} {
		got := never
		switch weak, strong := entitytag.IsIn(test.lines, test.tag, false), entitytag.IsIn(test.lines, test.tag, true); {
		case weak && strong:
			got = strongly
		case weak:
			got = weakly
		case strong:
			got = "only strongly"
		}
		if got != test.want {
			t.Errorf("%s in %q: got %s, want %s", test.tag, test.lines, got, test.want)
		}
	}
}
