package routing

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"example.com/flowercafe/routing/internal/pattern"
)

// URL returns the address of the route with values put in for its parameters, escaped, with the
// base path and the prefixes of mounts in front. The values are given as pairs of key and value;
// for a key that the pattern has several times, such as "splat", the values are used in their
// order.
//
//	route.URL("name", "Ann Lee") // "/hello/Ann%20Lee" for /hello/:name
//
// Optional parts of a pattern are written if one of their parameters is given. Optional text
// without a parameter is left out, except for the slash that the address must begin with.
//
// A request for the address matches the route and has exactly the given parameters; anything else
// is an error: a value that is missing or left over, a slash in the value of a parameter, a value
// that makes a dot segment, which clients remove. A pattern that is a regular expression and the
// zero Pattern have no addresses. For an app that is mounted in several places, use [Context.URL].
// Limits and [WithStrictPaths] are not checked.
func (r *Route) URL(pairs ...string) (string, error) { return r.url(pairs, r.app.reached) }

// URL is [Route.URL] for a link in a response: a route of the app that c is a Context of is reached
// as the request was.
func (c Context) URL(route *Route, pairs ...string) (string, error) {
	if c.site == nil || c.site.app != route.app {
		return route.URL(pairs...)
	}
	return route.url(pairs, func(values, []*App) (string, error) { return c.base(), nil })
}

// Path returns the address of a path of the app: with the base path and the prefixes of mounts by
// which the request came in front. The path is below them, begins with a slash, is already escaped,
// and may have a query.
//
//	return routing.Result{}, routing.Redirect(c.Path("/login?again=1"))
func (c Context) Path(path string) string {
	return escape(c.base()) + "/" + strings.TrimLeft(path, "/")
}

// base returns what stands in front of the path that patterns see.
func (c Context) base() string {
	switch s := c.site; {
	case s == nil:
		return ""
	case s.extras != nil:
		return s.extras.base
	default:
		path := c.r.URL.Path
		return path[:min(s.base, len(path))]
	}
}

// values are those of parameters, by their keys.
type values = map[string][]string

// url makes the address below a base path, for which reached may take values.
func (r *Route) url(pairs []string, reached func(values, []*App) (string, error)) (string, error) {
	address, err := "", errors.New("give pairs of key and value")
	if len(pairs)%2 == 0 {
		given := make(values)
		for i := 0; i < len(pairs); i += 2 {
			given[pairs[i]] = append(given[pairs[i]], pairs[i+1])
		}
		var base string
		if base, err = reached(given, nil); err == nil {
			address, err = r.address(base, given)
		}
	}
	if err != nil {
		return "", fmt.Errorf("routing: address of %s: %w", r, err)
	}
	return address, nil
}

// reached returns the base path of the one way by which the app is reached. It takes the values
// that it uses out of given.
func (a *App) reached(given values, seen []*App) (string, error) {
	ways := a.reachedBy()
	switch {
	case len(ways) == 0:
		return a.front.base, nil
	case len(ways) > 1 || slices.Contains(seen, a):
		return "", errors.New("its app is mounted in several places: use Context.URL")
	}
	around, err := ways[0].parent.reached(given, append(seen, a))
	if err != nil {
		return "", err
	}
	prefix, err := pattern.Prefix(ways[0].text, given)
	return around + prefix + a.front.base, err
}

// address returns the escaped address of the route below a base path.
func (r *Route) address(base string, given values) (string, error) {
	path, err := r.pattern.p.Path(given)
	if err != nil {
		return "", err
	}
	if path = base + path; path == "" {
		path = "/"
	}
	if strings.HasPrefix(path, "//") {
		return "", fmt.Errorf("the path %q begins like a host", path)
	}
	return escape(path), nil
}

// escape writes a decoded path for a URL (RFC 3986, 3.3). The slashes stay.
func escape(path string) string { return (&url.URL{Path: path}).EscapedPath() }
