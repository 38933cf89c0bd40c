package routing_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests with random groups that the filters of a group and of its outer groups run before
// each route of the group, with the same parameters of the prefix. Invalid definitions are skipped.

func TestRandomGroupsKeepTheirFilters(t *testing.T) {
	tables := runs(300, 2000)
	if given, err := strconv.Atoi(os.Getenv("RANDOM_GROUPS")); err == nil {
		tables = given
	}
	ran := 0
	for seed := range uint64(tables) {
		g := groups{t: t, seed: seed, r: rand.New(rand.NewPCG(seed, 1)), ran: &ran}
		g.parts, g.other = []string{"/a", "/b", "/:x", "/*", "(/:z)?", "/:x.json", "/", "(/b)?", "/(a|b)", "/{+w}/a", "(.:format)?", "/?", "/a?", "/{+p}", "/:x?"}, routing.Rails
		if g.r.IntN(2) == 0 {
			g.parts, g.other = []string{"/a", "/b", "/:x", "/*w", "(/:z)", "/:x.json", "/", "(/b)", "(.:format)", "/*v/a", "(.json)", "/:x/", "(:x)"}, routing.Sinatra
			g.isRails = true
		}
		g.formats, g.slashes = g.isRails && g.r.IntN(2) == 0, []routing.Option{nil, routing.WithLooseSlashes(), routing.WithOptionalSlash()}[g.r.IntN(3)]
		app, outer := routing.New(g.options(true)...), routing.New(g.options(false)...)
		for range 2 {
			g.group(app, nil, nil, 0)
		}
		g.try(func() { outer.Mount(g.one("/a", "/:m", "/:m/a"), app) })
		for range 45 {
			path := "/"
			for range g.r.IntN(9) {
				path += g.one("a", "b", "/", "/", "/", ".", "é", "1", "json", "a.json", "\n", "A")
			}
			for _, entered := range []*routing.App{app, outer} {
				r := httptest.NewRequest("GET", "/", nil)
				r.URL.Path = path
				send(entered, r)
			}
		}
	}
	if ran < 10*tables {
		t.Errorf("only %d routes ran", ran)
	}
}

// groups makes random groups.
type groups struct {
	t        *testing.T
	seed     uint64
	r        *rand.Rand
	parts    []string // of patterns
	isRails  bool
	formats  bool                                  // WithFormatSuffix
	slashes  routing.Option                        // for slashes that the apps ignore; may be nil
	other    func(string) (routing.Pattern, error) // the other syntax
	count    int
	prefixes []string
	ran      *int
}

func (g *groups) one(texts ...string) string { return texts[g.r.IntN(len(texts))] }

// options returns the options of an app. Only the outermost app must have those that widen what
// patterns match.
func (g *groups) options(isMounted bool) []routing.Option {
	options := []routing.Option{quiet()}
	if g.isRails {
		options = append(options, routing.WithSyntax(routing.Rails))
	}
	has := func(is bool) bool { return is && (!isMounted || g.r.IntN(2) == 0) }
	if has(g.formats) {
		options = append(options, routing.WithFormatSuffix())
	}
	if has(g.slashes != nil) {
		options = append(options, g.slashes)
	}
	for _, o := range []routing.Option{routing.WithFirstMatch(), routing.WithBasePath("/a")} {
		if g.r.IntN(2) == 0 {
			options = append(options, o)
		}
	}
	return options
}

func (g *groups) pattern(most int) (text string) {
	for range 1 + g.r.IntN(most) {
		text += g.one(g.parts...)
	}
	return text
}

// prefix returns the prefix of a group or a mount.
func (g *groups) prefix() (text string) {
	for range g.r.IntN(3) {
		text += g.one("/a", "/b", "/:x", "/:z", "/", "/1", "/a.json")
	}
	return text
}

func (g *groups) where() []routing.RouteOption {
	if g.r.IntN(3) > 0 {
		return nil
	}
	return []routing.RouteOption{routing.Where(g.one("x", "z", "w", "format"), g.one("[a-z]+", "[^/]+", "[ab.]+", "(?s:.+)"))}
}

// try calls define, and ignores the panic of an invalid definition.
func (*groups) try(define func()) {
	defer func() { recover() }()
	define()
}

// group defines a group with a filter that marks the response, and routes that check the marks of
// all their groups.
func (g *groups) group(in interface {
	Group(string, func(*routing.Group), ...routing.RouteOption)
}, names []string, around []string, depth int) {
	if depth > 3 {
		return
	}
	prefix := g.prefix()
	read := routing.Sinatra
	if g.isRails {
		read = routing.Rails
	}
	g.prefixes = append(g.prefixes, prefix)
	p, err := read(prefix)
	if err != nil {
		return
	}
	define := func(own *routing.Group) { g.define(own, append(slices.Clip(names), p.Names()...), around, depth) }
	options := g.where()
	if g.r.IntN(4) == 0 { // for filters too, also in Combine
		options = append(options, routing.Combine(routing.When(func(r *http.Request) bool { return len(r.PathValue("x")) < 2 })))
	}
	g.try(func() { in.Group(prefix, define, options...) })
}

func (g *groups) expression() routing.Pattern {
	return routing.WholeRegexp(regexp.MustCompile(g.one(`/a.*`, `/(?P<x>\w+)`, `/(?s:.*)`, `(?i)/A`, `(/[ab])?`, `/(a|b)/.*`)))
}

func (g *groups) define(own *routing.Group, names, around []string, depth int) {
	g.count++
	mark := fmt.Sprint(g.count)
	marks := append(slices.Clip(around), mark)
	own.Before(func(c routing.Context) error {
		c.Header().Add("X-Mark", mark)
		for _, name := range names {
			value, ok := c.Params().Path(name)
			c.Header().Set("X-"+name+"-"+mark, fmt.Sprintf("%q %t", value, ok))
		}
		return nil
	})
	check := func(header http.Header, r *http.Request, path func(string) (string, bool)) {
		*g.ran++
		for _, name := range names {
			value, ok := path(name)
			if got, want := fmt.Sprintf("%q %t", value, ok), header.Get("X-"+name+"-"+mark); got != want && !g.t.Failed() {
				g.t.Errorf("seed %d: %q runs %s of group %s with %s = %s, but its filter with %s (%q)", g.seed, r.URL.Path, r.Pattern, mark, name, got, want, g.prefixes)
			}
		}
		for _, mark := range marks {
			if !slices.Contains(header["X-Mark"], mark) && !g.t.Failed() {
				g.t.Errorf("seed %d: %q runs %s of group %s without the filters of group %s (%q)", g.seed, r.URL.Path, r.Pattern, marks[len(marks)-1], mark, g.prefixes)
			}
		}
	}
	passes := g.r.IntN(2) == 0
	action := func(c routing.Context) (routing.Result, error) {
		check(c.Header(), c.Request(), c.Params().Path)
		if passes {
			return routing.Result{}, routing.Pass
		}
		return routing.Result{}, nil
	}
	for range 1 + g.r.IntN(4) {
		switch g.r.IntN(8) {
		case 0:
			g.try(func() {
				own.Mount(g.prefix(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					check(w.Header(), r, func(name string) (string, bool) { value := r.PathValue(name); return value, value != "" })
				}), g.where()...)
			})
		case 1:
			inner := routing.New(g.options(true)...)
			inner.Route("", routing.Pattern{}, action)
			g.try(func() { own.Mount(g.prefix(), inner, g.where()...) })
		case 2:
			g.try(func() { own.Route("", g.expression(), action) })
		case 3:
			g.try(func() { own.Route("", routing.Pattern{}, action) })
		case 4, 5:
			g.group(own, names, marks, depth+1)
		default:
			g.try(func() { own.Match([]string{""}, g.pattern(3), action, g.where()...) })
		}
	}
}
