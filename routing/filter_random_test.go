package routing_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests with random apps that no request reaches a route or a file past a filter for it:
// a filter with the same pattern, in the same app or in one around it, and a filter for a directory
// of a file server. Invalid definitions are skipped.

func TestRandomFiltersSeeWhatRoutesServe(t *testing.T) {
	tables := runs(300, 2000)
	if given, err := strconv.Atoi(os.Getenv("RANDOM_FILTERS")); err == nil {
		tables = given
	}
	ran, served := 0, 0
	for seed := range uint64(tables) {
		f := filters{t: t, seed: seed, groups: groups{r: rand.New(rand.NewPCG(seed, 2))}, ran: &ran, served: &served}
		f.isRails = f.r.IntN(2) == 0
		f.formats, f.slashes = f.isRails && f.r.IntN(2) == 0, []routing.Option{nil, routing.WithLooseSlashes(), routing.WithOptionalSlash()}[f.r.IntN(3)]
		f.inner, f.outer = f.app(true), f.app(false)
		f.prefix = f.one("/in", "/:m", "/in/:m")
		f.files()
		for id := range 1 + f.r.IntN(5) {
			f.pair(strconv.Itoa(id))
		}
		f.outer.Mount(f.prefix, f.inner.App)
		for range 50 {
			f.ask()
		}
	}
	if ran < 2*tables || served < tables {
		t.Errorf("only %d routes and %d files ran", ran, served)
	}
}

// filters makes an app in an app, with filters for its routes.
type filters struct {
	groups
	t            *testing.T
	seed         uint64
	prefix       string // of the mount
	inner, outer filteredApp
	ran, served  *int
}

type filteredApp struct {
	*routing.App
	formats bool
}

// app returns an app. Only the outermost app must have the options that widen what patterns match.
func (f *filters) app(isMounted bool) filteredApp {
	options := []routing.Option{quiet()}
	if f.isRails {
		options = append(options, routing.WithSyntax(routing.Rails))
	}
	formats := f.formats && (!isMounted || f.r.IntN(2) == 0)
	if formats {
		options = append(options, routing.WithFormatSuffix())
	}
	if f.slashes != nil && (!isMounted || f.r.IntN(2) == 0) {
		options = append(options, f.slashes)
	}
	return filteredApp{routing.New(options...), formats}
}

// pair defines a route in the inner app, and a filter with the same pattern in one of the apps.
// Filters of apps with formats match every format, whatever the Where of the route.
func (f *filters) pair(id string) {
	pattern := f.one("/a", "/b", "/:x", "/a/b", "/a/:x", "/private/:x")
	parts := []string{"/a", "/:y", "/*", "(/:z)?", "(/b)?", "(.:format)?", "/(a|b)", "/?", "(/|/*)", "//b", ".:format", "-:y"}
	if f.isRails {
		pattern, parts = strings.ReplaceAll(pattern, "*", "*w"), []string{"/a", "/:y", "/*w", "(/:z)", "(/b)", "(.:format)", "(/)", "/", ".:format", "(.json)", "//b", "-:y"}
	}
	for range f.r.IntN(3) {
		pattern += f.one(parts...)
	}
	mark := func(c routing.Context) error {
		c.Header().Add("X-Mark", id)
		return nil
	}
	app, on, defined := f.inner, pattern, false
	if f.r.IntN(2) == 0 {
		app, on = f.outer, f.prefix+pattern
	}
	f.try(func() {
		app.Before(mark, routing.On(on))
		defined = true
	})
	if !defined {
		return
	}
	var options []routing.RouteOption
	if app.formats && f.r.IntN(2) == 0 {
		options = append(options, routing.Where("format", f.one("json", `tar\.gz`, "[^/]+", "[a-z.]+")))
	}
	f.try(func() {
		f.inner.Match([]string{""}, pattern, func(c routing.Context) (routing.Result, error) {
			*f.ran++
			if !slices.Contains(c.Header()["X-Mark"], id) && !f.t.Failed() {
				f.t.Errorf("seed %d: %s %q runs %s without its filter", f.seed, c.Request().Method, c.Request().URL.Path, c.Request().Pattern)
			}
			return routing.Result{}, routing.Pass
		}, options...)
	})
}

// files mounts a handler that cleans paths as a file server does, in one of the apps, with filters
// for the directory private.
func (f *filters) files() {
	at, app := f.prefix, f.inner
	if f.r.IntN(2) == 0 {
		at, app = "", f.outer
	}
	splat := "/*"
	if f.isRails {
		splat = "/*w"
	}
	for _, filtered := range []string{"/private", "/private/", "/private" + splat, at + "/private", at + "/private/", at + "/private" + splat} {
		f.try(func() {
			f.outer.Before(func(c routing.Context) error {
				c.Header().Add("X-Mark", "private")
				return nil
			}, routing.On(filtered))
		})
	}
	isPrivate := regexp.MustCompile("^(" + paramSegment.ReplaceAllString(at, "/[^/]+") + ")?/private(/|$)")
	mount := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*f.served++
		if served := path.Clean(r.URL.Path); (r.URL.Opaque != "" || isPrivate.MatchString(served) && !slices.Contains(w.Header()["X-Mark"], "private")) && !f.t.Failed() {
			f.t.Errorf("seed %d: %s %q serves %q without a filter", f.seed, r.Method, r.URL, served)
		}
		fmt.Fprint(w, "served")
	})
	app.Mount("/", mount)
}

func (f *filters) ask() {
	target := strings.ReplaceAll(f.prefix, ":m", f.one("x", "a", "..", ".", "private"))
	if f.r.IntN(4) == 0 {
		target = ""
	}
	for range 1 + f.r.IntN(4) {
		target += f.one("/a", "/b", "/x", "/", "//", "/..", "/.", "/private", "/%2e%2e", "/a.json", "/a.tar.gz", ".json", ".b.c", "/a-b", "/%0A", "%2F")
	}
	if target[0] != '/' || f.r.IntN(50) == 0 {
		target = "http:" + target
	}
	r, err := http.NewRequest("GET", "/", nil)
	if err == nil {
		r.URL, err = r.URL.Parse(target)
	}
	if err != nil {
		return
	}
	if !strings.HasPrefix(target, "http:") { // as in a request line, where "//host" is a path
		r = httptest.NewRequest(f.one("GET", "GET", "POST", "CONNECT"), target, nil)
	}
	send(f.outer, r)
}
