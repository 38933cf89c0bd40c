package routing_test

// A request for the result of Route.URL must match the same route and have exactly the given
// parameters. This file tests that with fuzzing.

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

func TestURLOfOptionalSlashes(t *testing.T) {
	sinatra := func(p string) routing.Pattern { return routing.Must(routing.Sinatra(p)) }
	rails := func(p string) routing.Pattern { return routing.Must(routing.Rails(p)) }
	for _, test := range []struct {
		base    string
		pattern routing.Pattern
		pairs   []string
		want    string // empty for an error
	}{
		{"", sinatra("/?"), nil, "/"},
		{"/list", sinatra("/?"), nil, "/list"},
		{"/list", sinatra("/?:page?"), []string{"page", "2"}, "/list/2"},
		{"", sinatra("/?:page?"), []string{"page", "2"}, "/2"},
		{"", sinatra("/?:page?"), nil, "/"},
		{"", rails("(/a)"), nil, "/"},
		{"/b", rails("(/a)"), nil, "/b/"},
		{"", rails("(/a)(/:b)"), []string{"b", "x"}, ""}, // is //x in Rails
		{"", rails("((/)a)/:b"), []string{"b", "x"}, "/x"},
		{"", sinatra("/a/*?"), nil, ""}, // the wildcard would be there, and empty
		{"", sinatra("/a/*?"), []string{"splat", ""}, "/a/"},
		{"", sinatra("/:a?/:b"), []string{"a", "", "b", "x"}, ""},
		{"", sinatra("/:a-:b"), []string{"a", "1", "b", "2-3"}, ""},
		{"", sinatra("/*"), []string{"splat", "/host"}, ""},
		{"", sinatra("/*"), []string{"splat", "a/../b"}, ""},
		{"/b", sinatra("/*"), []string{"splat", "/x"}, "/b//x"},
	} {
		address, err := routing.New(routing.WithBasePath(test.base)).Route("GET", test.pattern, text("")).URL(test.pairs...)
		if address != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%q below %q with %q: got %q, %v, want %q", test.pattern, test.base, test.pairs, address, err, test.want)
		}
	}
}

// mayBegin reports whether paths of the pattern may start with a slash. Otherwise the route panics.
func mayBegin(tokens []routing.Token) bool {
	switch {
	case len(tokens) == 0 || tokens[0].Kind == routing.TokenParam:
		return false
	case tokens[0].Kind == routing.TokenLiteral:
		return tokens[0].Text[0] == '/'
	}
	if tokens[0].Kind == routing.TokenOptional && !mayBegin(append(slices.Clone(tokens[0].Tokens), tokens[1:]...)) {
		return false
	}
	for _, choice := range tokens[0].Choices {
		if !mayBegin(choice) {
			return false
		}
	}
	return true
}

func FuzzURL(f *testing.F) {
	for _, pattern := range []string{"/", "/?", "/:a", "/?:a?", "/:a?/:b?", "/*", "/*/:a/*", "/:a.:b", "/list/?:a?", "(/:a)(/:b)", "/:a(.:b(/*splat))", `/x\(:a`, "(/)(:a)", "*", "/ü/:a", "/(x|:a)(-:b)?", "/:a(.:b)?", "/:a|/x/:b", "/{a}/{+splat}", "/a/(:b)"} {
		for _, value := range []string{"x", "", "a/b", "a.b", "..", "ä ?#%", "%2f", "\xff", "/", "a\nb"} {
			f.Add(pattern, "", value, value, value, uint8(7))
			f.Add(pattern, "/base path", value, "1", "2", uint8(7))
		}
	}
	f.Fuzz(func(t *testing.T, text, base, a, b, splat string, given uint8) {
		if len(text)+len(base)+len(a)+len(b)+len(splat) > 200 || base != "" && base != "/base path" {
			t.Skip()
		}
		var pairs []string
		want := map[string][]string{}
		for i, pair := range [][2]string{{"a", a}, {"b", b}, {"splat", splat}, {"splat", a}} {
			if given>>i&1 != 0 {
				pairs = append(pairs, pair[0], pair[1])
				want[pair[0]] = append(want[pair[0]], pair[1])
			}
		}
		for _, read := range []func(string) (routing.Pattern, error){routing.Sinatra, routing.Rails} {
			pattern, err := read(text)
			if err != nil || !mayBegin(pattern.Tokens()) {
				continue
			}
			ran := false
			app := routing.New(routing.WithBasePath(base))
			route := app.Route("GET", pattern, func(c routing.Context) (routing.Result, error) {
				ran = true
				keys := c.Params().Keys()
				if len(keys) != len(want) {
					t.Errorf("%q with %q: keys are %q", text, pairs, keys)
				}
				for key, values := range want {
					if got := c.Params().Values(key); !slices.Equal(got, values) {
						t.Errorf("%q with %q: values of %q are %q", text, pairs, key, got)
					}
				}
				return routing.Text(""), nil
			})
			address, err := route.URL(pairs...)
			if err != nil {
				continue
			}
			// The client sends the URL, and the server parses it.
			sent, err := http.NewRequest("GET", "http://host"+address, nil)
			if err != nil || !strings.HasPrefix(address, "/") {
				t.Fatalf("%q with %q: %q is no address: %v", text, pairs, address, err)
			}
			app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", sent.URL.RequestURI(), nil))
			if !ran {
				t.Errorf("%q with %q: the route does not run for %q", text, pairs, address)
			}
		}
	})
}
