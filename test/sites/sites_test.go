package sites

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// site is an application: its routes, and requests with recorded responses.
type site struct {
	Source, Commit, Licence, AnsweredBy string

	Apps     []app
	Requests []recorded
}

// app is a table of routes below a prefix, in order of definition.
type app struct {
	Prefix string
	Routes []struct {
		Methods         []string // none for every method
		Pattern, Regexp string   // one of both
		Where, Defaults map[string]string
	}
}

// recorded is a request, and the index of the route that ran in Rails or Sinatra, or -1.
type recorded struct {
	method, path string
	app, route   int
	params       map[string]any
}

func (a *recorded) UnmarshalJSON(text []byte) error {
	return json.Unmarshal(text, &[]any{&a.method, &a.path, &a.app, &a.route, &a.params})
}

func readSite(t *testing.T, name string) *site {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	s := new(site)
	if err := json.Unmarshal(text, s); err != nil {
		t.Fatal(err)
	}
	return s
}

// Expressions of Lobsters with a look-ahead, which package regexp lacks. They match names with
// dots, except .json and .rss at the end, which are the format.
const (
	domain = `([^/]+?)(?=\.json|\.rss|$|/)`
	origin = `(.+)(?=\.json|\.rss|$|/)`
)

// definition is a pattern and its constraints.
type definition struct {
	pattern string
	where   []routing.RouteOption
}

// port returns the definitions for a pattern of Rails and its constraints.
func port(pattern string, where map[string]string) []definition {
	expressions := maps.Clone(where)
	for name, expression := range where {
		switch expression {
		case domain:
			expressions[name] = `[^/]+?`
			if strings.HasSuffix(pattern, ":"+name+"(.:format)") {
				expressions["format"] = "json|rss"
			}
		case origin, `.*`: // a parameter with slashes becomes a wildcard, which matches dots too
			delete(expressions, name)
			pattern = strings.Replace(pattern, ":"+name, "*"+name, 1)
			pattern = strings.Replace(pattern, "*"+name+"(.:format)", "*"+name, 1)
		}
	}
	if strings.Contains(pattern, ":object_type") { // Redmine's constraint is an object that checks the parameters
		expressions = map[string]string{"object_type": "issues|versions|news|messages|wiki_pages|projects|documents|journals"}
	}
	patterns := []string{pattern}
	if begin, found := strings.CutSuffix(pattern, "(/*path)(.:format)"); found && where["path"] != "" {
		patterns = []string{begin + "/*path", begin + "(.:format)"} // a path that is present matches dots too
	}
	var definitions []definition
	for _, pattern := range patterns {
		d := definition{pattern: pattern}
		for _, name := range slices.Sorted(maps.Keys(expressions)) {
			if strings.Contains(pattern, ":"+name) {
				d.where = append(d.where, routing.Where(name, expressions[name]))
			}
		}
		definitions = append(definitions, d)
	}
	return definitions
}

// handler defines the routes of a site in order.
func (s *site) handler() http.Handler {
	ignored := []routing.Option{routing.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))}
	isRails := strings.HasPrefix(s.AnsweredBy, "Rails")
	if isRails {
		ignored = append(ignored, routing.WithSyntax(routing.Rails), routing.WithFormatSuffix(), routing.WithLooseSlashes())
	}
	root := routing.New(ignored...)
	apps := slices.Clone(s.Apps)
	slices.SortFunc(apps, func(a, b app) int { return len(a.Prefix) - len(b.Prefix) }) // the last mount comes first
	for _, a := range apps {
		options := []routing.Option{routing.WithFirstMatch(), routing.WithLogger(slog.New(slog.NewTextHandler(io.Discard, nil)))}
		if isRails {
			options = append(options, routing.WithSyntax(routing.Rails), routing.WithFormatSuffix(), routing.WithLooseSlashes())
		}
		inner := routing.New(options...)
		for i, r := range a.Routes {
			action := func(c routing.Context) (routing.Result, error) {
				c.Header().Set("Route", strconv.Itoa(i)) // a HEAD request has no body
				return routing.JSON(valuesOf(c))
			}
			if len(r.Methods) == 0 && !strings.Contains(r.Pattern, "(") { // mounted
				inner.Mount(r.Pattern, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Route", strconv.Itoa(i))
				}))
				continue
			}
			definitions := port(r.Pattern, r.Where)
			methods := r.Methods
			if len(methods) == 0 {
				methods = []string{""}
			}
			for _, method := range methods {
				for _, d := range definitions {
					text, hasFormat := strings.CutSuffix(d.pattern, "(.:format)")
					switch {
					case r.Regexp != "":
						inner.Route(method, routing.WholeRegexp(regexp.MustCompile(r.Regexp)), action)
					case hasFormat && method == "GET":
						inner.Get(text, action, d.where...) // WithFormatSuffix adds the format again
					case isRails:
						inner.Route(method, routing.Must(routing.Rails(d.pattern)), action, d.where...)
					default:
						inner.Route(method, routing.Must(routing.Sinatra(d.pattern)), action)
					}
				}
			}
		}
		root.Mount(a.Prefix, inner)
	}
	return root
}

// valuesOf returns the parameters of a request.
func valuesOf(c routing.Context) map[string][]string {
	values := make(map[string][]string)
	for _, key := range c.Params().Keys() {
		values[key] = c.Params().Values(key)
	}
	return values
}

// difference returns how a response differs from the recorded one, or the empty text.
func (s *site) difference(a recorded, w *httptest.ResponseRecorder) string {
	route := -1
	if text := w.Header().Get("Route"); text != "" {
		route, _ = strconv.Atoi(text)
	}
	if route != a.route {
		return fmt.Sprintf("route %d in place of %d", route, a.route)
	}
	got := make(map[string][]string)
	if route < 0 || w.Body.Len() == 0 {
		return ""
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		return err.Error()
	}
	if a.route < 0 {
		return ""
	}
	defaults := s.Apps[a.app].Routes[a.route].Defaults
	for key, value := range a.params {
		if _, captured := got[key]; !captured && (value == nil || defaults[key] == value) {
			continue // an optional parameter that is absent, or a default of the route
		}
		want := []string{}
		list, isList := value.([]any)
		if isList {
			for _, v := range list {
				if v == nil { // a group that did not match
					v = ""
				}
				want = append(want, fmt.Sprint(v))
			}
		} else {
			want = append(want, fmt.Sprint(value))
		}
		if own := got[key]; !isList && len(own) > 1 { // if a name occurs twice in a pattern, Rails returns the last value
			got[key] = own[len(own)-1:]
		}
		if !slices.Equal(got[key], want) {
			return fmt.Sprintf("parameter %s is %q in place of %q", key, got[key], want)
		}
	}
	for key, values := range got {
		if _, ok := a.params[key]; !ok {
			return fmt.Sprintf("parameter %s is %q and was absent", key, values)
		}
	}
	return ""
}

// knownDifference returns why a different result is intended, or the empty text.
func knownDifference(a recorded) string {
	switch path := strings.ToLower(a.path); {
	case strings.Contains(path, "%2f"):
		return "%2F in a path is a slash for every pattern, so that re-encoding does not bypass filters"
	case strings.Contains(path, "%2e"):
		return "%2E in a path is a dot for every pattern, for the same reason: it ends a parameter and begins a format"
	}
	return ""
}

// tableCell returns the cell of the table in README.md.
func tableCell(alike, sent int) string {
	thousands := func(n int) string {
		if n < 1000 {
			return strconv.Itoa(n)
		}
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	}
	return "| " + thousands(alike) + " of " + thousands(sent) + " |"
}

func TestSites(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"lobsters", "redmine", "diaspora", "huginn", "gollum", "smart-proxy"} {
		t.Run(name, func(t *testing.T) {
			s := readSite(t, name)
			handler := s.handler()
			sent, alike := make(map[string]int), make(map[string]int) // by reason
			for _, a := range s.Requests {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, httptest.NewRequest(a.method, "http://site"+a.path, nil))
				reason := knownDifference(a)
				sent[reason]++
				switch difference := s.difference(a, w); {
				case difference == "":
					alike[reason]++
				case reason == "":
					t.Errorf("%s %s: %s", a.method, a.path, difference)
				}
			}
			for _, reason := range slices.Sorted(maps.Keys(sent)) {
				t.Logf("%d of %d requests alike %s", alike[reason], sent[reason], reason)
				if said := tableCell(alike[reason], sent[reason]); !strings.Contains(string(readme), said) {
					t.Errorf("README.md does not say %q", said)
				}
			}
		})
	}
}
