package routing

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
)

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
func (r *Route) URL(pairs ...string) (string, error) { return r.url(pairs, r.app.reached) }

// URL is [Route.URL] for a link in a response. A route of the same app gets the base path and the
// prefixes of the current request.
func (c Context) URL(route *Route, pairs ...string) (string, error) {
	if c.site == nil || c.site.app != route.app {
		return route.URL(pairs...)
	}
	return route.url(pairs, func(values, []*core) (string, error) { return c.base(), nil })
}

// Path returns path with the base path and the mount prefixes of the request in front. The path is
// already escaped and may have a query.
//
//	return routing.Result{}, routing.Redirect(c.Path("/login?again=1"))
func (c Context) Path(path string) string {
	return escape(c.base()) + "/" + strings.TrimLeft(path, "/")
}

// base returns the part of the URL's path before the path that patterns match.
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

// url returns the URL below the base path that reached returns. Reached may use up values of mount
// prefixes.
func (r *Route) url(pairs []string, reached func(values, []*core) (string, error)) (string, error) {
	address, err := "", errors.New("arguments must be pairs of key and value")
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
		return "", fmt.Errorf("routing: URL of %s: %w", r, err)
	}
	return address, nil
}

// address returns the escaped path of the route below a base path.
func (r *Route) address(base string, given values) (string, error) {
	path, err := r.pattern.p.Path(given)
	if err != nil {
		return "", err
	}
	if path = base + path; path == "" {
		path = "/"
	}
	if strings.HasPrefix(path, "//") {
		return "", fmt.Errorf("the path %q must not start with //, which clients read as a host", path)
	}
	return escape(path), nil
}

// escape encodes a path for a URL (RFC 3986, 3.3), except for its slashes.
func escape(path string) string { return (&url.URL{Path: path}).EscapedPath() }
