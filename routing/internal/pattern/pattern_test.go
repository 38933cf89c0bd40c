package pattern

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// must parses a pattern. syntax is "s" for Sinatra, "r" for Rails, "x" for a regular expression,
// "m" for a mount, and "" for the nil Pattern.
func must(t testing.TB, syntax, text string) *Pattern {
	t.Helper()
	var p *Pattern
	var err error
	switch syntax {
	case "s":
		p, err = Sinatra(text)
	case "r":
		p, err = Rails(text)
	case "x":
		p = Regexp(regexp.MustCompile(text))
	case "m":
		p, err = everythingBelow(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func everythingBelow(text string) (*Pattern, error) {
	p, err := Sinatra(text)
	if err != nil {
		return nil, err
	}
	prefix, err := p.Prefix(nil, Rules{})
	if err != nil {
		return nil, err
	}
	return AnyPath.Define(prefix, Rules{})
}

// describe writes tokens as a test expects them: 'text' :param *wildcard (optional).
func describe(tokens []Token) string {
	var parts []string
	for _, t := range tokens {
		switch t.Kind {
		case Literal:
			parts = append(parts, "'"+t.Text+"'")
		case Param:
			parts = append(parts, ":"+t.Text)
		case Wildcard:
			parts = append(parts, "*"+t.Text)
		case Optional:
			parts = append(parts, "("+describe(t.Choices[0])+")")
		case Choice:
			var choices []string
			for _, tokens := range t.Choices {
				choices = append(choices, describe(tokens))
			}
			parts = append(parts, "["+strings.Join(choices, " | ")+"]")
		}
	}
	return strings.Join(parts, " ")
}

// outline writes a variant: its segments, the rest, and how it ends.
func outline(s *Variant) string {
	suffix := ""
	if s.suffix != nil {
		suffix = " ." + s.suffix.Text
	}
	if path, ok := s.Static(); ok {
		return path + suffix
	}
	var b strings.Builder
	segments, rest, _ := s.Segments()
	for _, g := range segments {
		switch {
		case g.Class != nil:
			b.WriteString("/{" + g.Class.text + "}")
		case g.Param:
			b.WriteString("/{}")
		default:
			b.WriteString("/" + g.Text)
		}
	}
	if rest != "" {
		b.WriteString("+" + rest)
	}
	switch s.end {
	case open:
		b.WriteString(" open")
	case byExpression:
		b.WriteString(" expression")
	}
	return b.String() + suffix
}

func TestTokensAndVariants(t *testing.T) {
	for _, test := range []struct {
		syntax, text, tokens string
		variants             []string
	}{
		{"s", "/", "'/'", []string{"/"}},
		{"s", "", "", []string{""}},
		{"s", "a", "'a'", []string{"a"}},
		{"s", "/hello/:name", "'/hello/' :name", []string{"/hello/{}"}},
		{"s", "/a/:b/c/:d/e", "'/a/' :b '/c/' :d '/e'", []string{"/a/{}/c/{}/e"}},
		{"s", "/a//:b/", "'/a//' :b '/'", []string{"/a//{}/"}},
		{"s", "/files/*", "'/files/' *splat", []string{"/files+/ open"}},
		{"s", "/files*", "'/files' *splat", []string{"+/files open"}},
		{"s", "*", "*splat", []string{" open"}},
		{"s", "a*", "'a' *splat", []string{"+a open"}},
		{"s", "/:a/x/y*", "'/' :a '/x/y' *splat", []string{"/{}/x+/y open"}},
		{"s", "/:", "'/:'", []string{"/:"}},
		{"s", "/a:?", "'/a' (':')", []string{"/a:", "/a"}},
		{"s", "/(a)", "'/(a)'", []string{"/(a)"}},
		{"s", "/colou?r", "'/colo' ('u') 'r'", []string{"/colour", "/color"}},
		{"s", "/ü?", "'/' ('ü')", []string{"/ü", "/"}},
		{"s", "/list/?:page?", "'/list' ('/') (:page)", []string{"+/list expression"}},
		{"s", "/list/:page?", "'/list/' (:page)", []string{"/list/{}", "/list/"}},
		{"s", "/:a.:b", "'/' :a '.' :b", []string{"+/ expression"}},
		{"s", "/x/:a/:b.c", "'/x/' :a '/' :b '.c'", []string{"/x/{}+/ expression"}},
		{"s", "/x/*/y", "'/x/' *splat '/y'", []string{"/x+/ expression"}},
		{"s", ":a", ":a", []string{" expression"}},
		{"s", "x/:a", "'x/' :a", []string{"+x/ expression"}},
		{"s", "/a/?/?", "'/a' ('/') ('/')", []string{"/a//", "/a/", "/a"}},                   // two are equal
		{"s", "/a?b?c?d?e?", "'/' ('a') ('b') ('c') ('d') ('e')", []string{"+/ expression"}}, // 32 readings
		{"r", "/doc/:id(.:format)", "'/doc/' :id ('.' :format)", []string{"/doc/{[^\\./]+} .format", "/doc/{[^\\./]+}"}},
		{"r", "/arch(/:y(/:m))", "'/arch' ('/' :y ('/' :m))", []string{"/arch/{[^\\./]+}/{[^\\./]+}", "/arch/{[^\\./]+}", "/arch"}},
		{"r", "/tree/*path", "'/tree/' *path", []string{"/tree+/ open"}},
		{"r", `/a\(b\)/:c`, "'/a(b)/' :c", []string{"/a(b)/{[^\\./]+}"}},
		{"r", `/\:a/*`, "'/:a/*'", []string{"/:a/*"}},
		{"r", "/:1", "'/:1'", []string{"/:1"}},
		{"r", "(/a)", "'/' ('a')", []string{"/a", "/"}},
		{"r", "(/a-b)(/:m)", "'/' ('a-b') ('/' :m)", []string{"/a-b/{[^\\./]+}", "/a-b", "//{[^\\./]+}", "/"}},
		{"r", "(/a)(/b)", "('/a') ('/b')", []string{"/a/b", "/a", "/b", ""}},
		{"r", "/s/:id/(:title)", "'/s/' :id ('/' :title)", []string{"/s/{[^\\./]+}/{[^\\./]+}", "/s/{[^\\./]+}"}},
		{"r", "(projects/:id)/search", "('/projects/' :id) '/search'", []string{"/projects/{[^\\./]+}/search", "/search"}},
		{"r", "/(:a)/b/((c)d)", "('/' :a) '/b' (('/c') 'd')", []string{"/{[^\\./]+}/b/cd", "/{[^\\./]+}/bd", "/{[^\\./]+}/b", "/b/cd", "/bd", "/b"}},
		{"r", "/*path(.:format)", "'/' *path ('.' :format)", []string{"+/ open", "+/ open .format"}}, // the wildcard takes all
		{"s", "/(about|team)", "'/' ['about' | 'team']", []string{"/about", "/team"}},
		{"s", "/a(/b)?", "'/a' ('/b')", []string{"/a/b", "/a"}},
		{"s", "/a|/b/:c", "['/a' | '/b/' :c]", []string{"/a", "/b/{}"}},
		{"s", "/{a}/{+b}", "'/' :a '/' *b", []string{"/{}+/ open"}},
		{"s", "/*p/x", "'/' *splat 'p/x'", []string{"+/ expression"}},
		{"s", "/{+p}/x", "'/' *p '/x'", []string{"+/ expression"}},
		{"s", "/x(/:a)/b", "'/x/' :a '/b'", []string{"/x/{}/b"}},
		{"s", "/x((a))", "'/x((a))'", []string{"/x((a))"}},
		{"s", "/:id(.:format)?", "'/' :id ('.' :format)", []string{"/{} .format", "/{}"}},
		{"s", "/:id.?:format?/x", "'/' :id ('.' :format) '/x'", []string{"+/ expression"}},
		{"r", "/x()", "'/x' ()", []string{"/x"}},
		{"m", "", "'/' *", []string{"+/ open"}},
		{"m", "/a/:b", "'/a/' :b ('/' *)", []string{"/a/{}+/ open", "/a/{}"}},
		{"x", `^/year/(\d+)$`, "", []string{"/year+/ expression"}},
		{"x", `^/a/b$`, "", []string{"/a+/b expression"}},
		{"x", `/a`, "", []string{" expression"}},
	} {
		p := must(t, test.syntax, test.text)
		if got := describe(p.Tokens()); got != test.tokens {
			t.Errorf("tokens of %q: got %s, want %s", test.text, got, test.tokens)
		}
		var variants []string
		for _, s := range p.Variants() {
			variants = append(variants, outline(s))
		}
		if !slices.Equal(variants, test.variants) {
			t.Errorf("variants of %q: got %q, want %q", test.text, variants, test.variants)
		}
	}
}

func TestBadPatterns(t *testing.T) {
	for _, test := range []struct {
		read       func(string) (*Pattern, error)
		text, want string
	}{
		{Sinatra, "?x", `sinatra pattern "?x", offset 0: a question mark must follow`},
		{Sinatra, "/a??", `sinatra pattern "/a??", offset 3: a question mark must not follow`},
		{Sinatra, "/a\xff", `offset 2: not valid UTF-8`},
		{Sinatra, "/\uFFFD\xe2\x82", `offset 4: not valid UTF-8`},
		{Rails, "/a(b", `rails pattern "/a(b", offset 2: an opening parenthesis`},
		{Rails, "/a(b(c)", `offset 2: an opening parenthesis`},
		{Rails, "/a)b", `offset 2: a closing parenthesis`},
		{Rails, `/a\`, `offset 2: a backslash at the end`},
		{Rails, "/" + strings.Repeat("(a", 2000) + strings.Repeat(")", 2000), `nested too deeply`},
	} {
		if p, err := test.read(test.text); err == nil || !strings.Contains(err.Error(), test.want) || p != nil {
			t.Errorf("%.20q: got error %v, want %s", test.text, err, test.want)
		}
	}
}

func TestCaptures(t *testing.T) {
	for _, test := range []struct {
		syntax, text, path string
		want               string // "no" for no match
	}{
		{"s", "/hello/:name", "/hello/Ann", "name=Ann"},
		{"s", "/hello/:name", "/hello/", "no"},
		{"s", "/hello/:name", "/hello/a/b", "no"},
		{"s", "/a/:b/c/:d/e", "/a/1/c/a-long-value/e", "b=1 d=a-long-value"},
		{"s", "/a/:b/c/:d/e", "/a/1/c/2/ee", "no"},
		{"s", "/:a/:a", "/1/2", "a=1 a=2"},
		{"s", "/:a/*", "/x/y/z", "a=x splat=y/z"},
		{"s", "/:a/*", "/x/", "a=x splat="},
		{"s", "/:a/*", "/x", "no"},
		{"s", "*", "anything", "splat=anything"},
		{"s", "/list/:page?", "/list/", ""},
		{"s", "/list/:page?", "/list/2", "page=2"},
		{"s", "/list/?:page?", "/list2", "page=2"},
		{"s", "/:a.:b", "/x.y.z", "a=x.y b=z"},
		{"s", "/*/x/*", "/a/x/x/b", "splat=a splat=x/b"},
		{"s", "/:id(.:format)?/x", "/7.json/x", "id=7 format=json"},
		{"s", "/:id(.:format)?/?", "/7.json", "id=7.json"},
		{"r", "/:id(.:format)", "/7.json", "id=7 format=json"},
		{"r", "/:id(.:format)", "/7", "id=7"},
		{"r", "/:id", "/7.json", "no"},
		{"r", "/tree/*path", "/tree/", "no"},
		{"r", "/tree/*path", "/tree/a/b", "path=a/b"},
		{"r", `/a\(b\)/:c`, "/a(b)/x", "c=x"},
		{"m", "/a", "/a", ""},
		{"m", "/a", "/a/b/c", ""},
		{"m", "/a/:b", "/a/b/c", "b=b"},
		{"m", "/a", "/ab", "no"},
		{"x", `^/(a)?(?P<n>b)$`, "/b", "captures= captures=b n=b"},
		{"x", `\d+`, "/x/42", ""},
		{"", "", "/x", ""},
	} {
		p := must(t, test.syntax, test.text)
		got := "no"
		if p.Match(test.path) {
			got = captures(p, test.path)
		}
		if got != test.want {
			t.Errorf("%q on %q: got %s, want %s", test.text, test.path, got, test.want)
		}
	}
}

// captures writes all captures, and checks that First returns the same.
func captures(p *Pattern, path string) string {
	var s *Variant
	if p != nil {
		s = p.Find(path)
	}
	var pairs []string
	values := map[string][]string{}
	for key, value := range s.All(path) {
		pairs = append(pairs, key+"="+value)
		values[key] = append(values[key], value)
	}
	for key, list := range values {
		if first, ok := s.First(path, key); !ok || first != list[0] {
			return fmt.Sprintf("%s is %q %v in place of %q", key, first, ok, list[0])
		}
	}
	if value, ok := s.First(path, "none"); ok {
		return "there is a value that nobody gave: " + value
	}
	return strings.Join(pairs, " ")
}

func TestNames(t *testing.T) {
	for _, test := range []struct{ syntax, text, want string }{
		{"s", "/:a/:b?/*", "a b splat"}, {"r", "/:a(/:b/*c)", "a b c"}, {"x", "(?P<n>a)(b)", "captures n captures"},
		{"m", "/x", ""}, {"s", "/x", ""}, {"", "", ""},
	} {
		if got := strings.Join(must(t, test.syntax, test.text).Names(), " "); got != test.want {
			t.Errorf("%q: got %s, want %s", test.text, got, test.want)
		}
	}
}

func TestLiteralPrefix(t *testing.T) {
	for _, test := range []struct{ expression, want string }{
		{`^/year/(\d+)$`, "/year/"}, {`\A/a`, "/a"}, {`^(/api)/v(1|2)`, "/api/v"}, {`^(?P<n>/a(/b))c`, "/a/bc"},
		{`^/ab+c`, "/ab"}, {`^/(ab)+c`, "/ab"}, {`^/ab*`, "/a"}, {`^/ab?`, "/a"}, {`^/(a|b)`, "/"}, {`/a`, ""}, {`(?m)^/a`, ""},
		{`(?i)^/A`, "/"}, {`(^/a)b`, "/ab"}, {`^/a|^/b`, ""}, {`^`, ""}, {`^/` + "\uFFFD", "/"}, {`^/a$`, "/a"}, {`^(?:/a)/b`, "/a/b"},
	} {
		if got := literalPrefix(test.expression); got != test.want {
			t.Errorf("%s: got %q, want %q", test.expression, got, test.want)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, test := range []struct {
		syntax, text string
		by, pattern  string
		want         bool
	}{
		{"s", "/a", "s", "/a", true}, {"s", "/a", "s", "/:x", true}, {"s", "/:x", "s", "/a", false},
		{"s", "/a/:x", "s", "/a/*", true}, {"s", "/a/*", "s", "/a/:x", false}, {"s", "/a", "s", "/a/*", false},
		{"s", "/a/", "s", "/a/*", true}, {"s", "/a/b", "s", "/a*", true}, {"s", "/ab", "s", "/a*", true},
		{"s", "/a/?", "s", "/a", false}, {"s", "/a/?", "s", "/a*", true}, {"s", "/a", "s", "/a/?", true},
		{"s", "/:x", "r", "/:x", false}, {"r", "/:x", "s", "/:x", true}, {"r", "/a", "r", "/:x", true},
		{"s", "/a.b", "r", "/:x", false}, {"s", "/a/", "r", "/a/*rest", false}, {"s", "/a/b", "r", "/a/*rest", true},
		{"s", "/a//", "r", "/a/*rest", true}, {"s", "/:x/b*", "s", "/:y/b*", true}, {"s", "/:x/b*", "s", "/:y/bc*", false},
		{"s", "/a/b", "s", "*", true}, {"", "", "s", "*", true}, {"s", "*", "", "", true}, {"s", "x", "s", "y", false},
		{"s", "/:a.:b", "s", "/:x", false}, {"x", "^/a$", "x", "^/a$", true}, {"x", "^/a$", "", "", true},
		{"x", "^/api/x", "s", "/api/*", true}, {"x", "^/apix", "s", "/api/*", false}, {"x", `\bx`, "s", "*", true},
		{"s", "/:a.:b", "s", "/:c.:d", true}, {"s", "/a/:b.:c", "s", "/a/*", true}, {"s", "/*/a", "s", "/*/a", true},
		{"x", "/a", "x", "^/a$", false}, {"x", `^/a\b`, "x", `^/a\b`, true}, {"s", "/(a|b)/c", "s", "/:x/c", true}, {"s", "/:x/c", "s", "/(a|b)/c", false},
		{"s", "/:x", "s", `/\:*`, false}, {"s", "/a/:x", "r", "/a/*rest", true}, {"s", "/a/*", "r", "/a/*rest", false},
		{"s", "/", "s", "/:x", false}, {"r", "/a/*x", "r", "/*y", true}, {"r", "/a/*x", "s", "/a/*", true},
	} {
		hidden, by := must(t, test.syntax, test.text), must(t, test.by, test.pattern)
		if got := by.Covers(hidden); got != test.want {
			t.Errorf("%q covers %q: got %v, want %v", by, hidden, got, test.want)
		}
	}
}

// Covers compares the classes of parameters, also of wildcards and beside literal text.
func TestCoversClasses(t *testing.T) {
	where := func(text, expression string) *Pattern {
		t.Helper()
		p := must(t, "s", text)
		if expression == "" {
			return p
		}
		class, err := NewClass(expression)
		if err == nil {
			p, err = p.Define(nil, Rules{Where: map[string]*Class{"x": class}})
		}
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, test := range []struct {
		text, class string
		by, byClass string
		want        bool
	}{
		{"/:x", "[0-9]+", "/:x", "[0-9a-f]+", false}, {"/:x", "[0-9a-f]+", "/:x", "[0-9]+", false},
		{"/12", "", "/:x", "[0-9]+", true}, {"/1b", "", "/:x", "[0-9]+", false},
		{"/a/b", "", "/{+x}", "[a-z/]+", false}, {"/a/1", "", "/{+x}", "[a-z/]+", false},
		{"/{+x}", "[a-z/]+", "/:y", "", false}, {"/{+x}", "[a-z/]*", "/{+x}", "[a-z/]+", false}, {"/{+x}", "[a-z/]+", "/{+y}", "", true},
		{"/{+x}.:f", "[a-z/]+", "/{+x}", "[a-z/]+", false}, {"/{+x}.:f", "[a-z/]+", "/{+x}.:f", "[a-z/]+", true},
	} {
		hidden, by := where(test.text, test.class), where(test.by, test.byClass)
		if got := by.Covers(hidden); got != test.want {
			t.Errorf("%q (%s) covers %q (%s): got %v, want %v", by, test.byClass, hidden, test.class, got, test.want)
		}
	}
}

// A pattern of many alternatives is defined in linear time. Comparing each with all others took
// minutes.
func TestManyAlternatives(t *testing.T) {
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "|/a%d", i)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		for _, text := range []string{text.String()[1:], "/x(" + text.String()[1:] + ")", "(/x/:a" + text.String() + ")?"} {
			p := must(t, "s", text)
			if !strings.HasPrefix(text, "/x") && !p.Match("/a19999") || p.Match("/a20000") {
				t.Error("the last alternative does not match, or another text does")
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("not defined after 20 seconds")
	}
}
