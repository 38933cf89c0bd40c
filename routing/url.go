package routing

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/flowercafe/routing/internal/pattern"
)

// This file makes the URLs of routes.

// URL returns the path of the route for the given parameters, escaped, with the base path and the
// prefixes of mounts. The arguments are pairs of key and value. If the pattern has a key several
// times, such as "splat", its values are used in order.
//
//	route.URL("name", "Ann Lee") // "/hello/Ann%20Lee" for /hello/:name
//
// An optional part is included if one of its parameters has a value. Optional text without
// parameters is left out, except for a leading slash.
//
// A request for the URL matches the route and has exactly the given parameters. Anything else is
// an error: a missing or unused value, a slash in the value of a parameter, or a value that makes
// a dot segment, which clients remove. Regular expressions and the zero Pattern have no URL. For
// an app that is mounted in several places, use [Context.URL]. Limits and [WithStrictPaths] are
// not checked.
func (r *Route) URL(pairs ...string) (string, error) { return r.url(pairs, r.publicPath) }

// URL is [Route.URL] for a link in a response. A route of the same app gets the base path and the
// prefixes of the current request.
func (c Context) URL(route *Route, pairs ...string) (string, error) {
	if c.site == nil || c.site.at.app != route.app {
		return route.URL(pairs...)
	}
	return route.url(pairs, func(given values) (string, error) {
		below, err := route.pattern.p.Path(given)
		if err != nil {
			return "", err
		}
		path := c.base() + below
		if at := c.site.at; at.placeOf(path) != at.placeOf(c.urlPath()) {
			return "", fmt.Errorf("the path %q has other values for the prefix", path)
		} else if rest, _ := at.cut(path); rest != cmp.Or(below, "/") {
			return "", fmt.Errorf("the prefix takes a part of the path %q", path)
		}
		return path, nil
	})
}

// placeOf returns the base path in the path of a URL with all parameters of prefixes, for
// comparing.
func (p *mountPoint) placeOf(path string) string {
	place := p.baseOf(path)
	p.captures(path, func(key, value string) { place += fmt.Sprintf(" %s=%q", key, value) })
	return place
}

// values holds the values of parameters by their keys.
type values = map[string][]string

// url returns the URL with the path that pathFor returns.
func (r *Route) url(pairs []string, pathFor func(values) (string, error)) (_ string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("routing: URL of %s: %w", r, err)
		}
	}()
	if len(pairs)%2 != 0 {
		return "", errors.New("arguments must be pairs of key and value")
	}
	given := make(values)
	for pair := range slices.Chunk(pairs, 2) {
		given[pair[0]] = append(given[pair[0]], pair[1])
	}
	path, err := pathFor(given)
	if err != nil {
		return "", err
	}
	path = cmp.Or(path, "/")
	if strings.HasPrefix(path, "//") {
		return "", fmt.Errorf("the path %q must not start with //, which clients read as a host", path)
	}
	return escape(path), nil
}

// publicPath returns the path with the base path and the prefixes of mounts, for an app that is
// mounted at most once.
func (r *Route) publicPath(given values) (string, error) {
	type level struct {
		app    *App
		prefix *pattern.Prefix
		text   string
		values map[string]string
	}
	var levels []level // innermost first
	for a := r.app; a != nil; {
		levels = append(levels, level{app: a, prefix: a.settings.base})
		mounts := a.mountedAt()
		if a = nil; len(mounts) > 1 {
			return "", errors.New("its app is mounted in several places: use Context.URL")
		} else if len(mounts) == 1 {
			a = mounts[0].in
			levels = append(levels, level{prefix: mounts[0].prefix})
		}
	}
	for i := range slices.Backward(levels) { // outer prefixes take their values first
		var err error
		if levels[i].text, levels[i].values, err = levels[i].prefix.Path(given); err != nil {
			return "", err
		}
	}
	path, err := r.pattern.p.Path(given)
	if err != nil {
		return "", err
	}
	// A request for the path must be read with these values, by each app.
	for _, l := range levels {
		below := cmp.Or(path, "/")
		if l.app != nil && l.app.front.tidy(below) != below {
			return "", fmt.Errorf("the path %q has a slash that does not count", below)
		}
		path = l.text + path
		if !l.prefix.Reads(cmp.Or(path, "/"), len(l.text), l.values) {
			return "", fmt.Errorf("the prefix %q takes another part of the path %q, or with other values", l.prefix, path)
		}
	}
	return path, nil
}
