package routing

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/flowercafe/routing/internal/pattern"
)

// This file builds the URLs of routes.

// URL returns the path of the route for pairs of key and value, escaped, with the prefix of
// [WithProxyPrefix], the base path and the prefixes of mounts.
//
//	route.URL("name", "Ann Lee") // "/hello/Ann%20Lee" for /hello/:name
//
// An optional group is included if one of its parameters has a value. URL returns an error if a
// value is missing, unused or does not match, and for a pattern without [Pattern.Tokens]. In an app
// that is mounted several times, use [Context.URL].
func (r *Route) URL(pairs ...string) (string, error) {
	return r.url(pairs, func(given values) (*mountPoint, string, error) {
		at, err := r.app.onlyMountPoint()
		if err != nil {
			return nil, "", err
		}
		base, err := at.baseFor(given)
		return at, base, err
	})
}

// urlBelow is [Route.URL] without the prefix of the proxy and the base path of outer, for a route
// that outer reaches through the given mounts, the outermost first.
func (r *Route) urlBelow(outer *App, mounts []*Route, pairs []string) (string, error) {
	direct := &outer.mustApp().direct
	path, err := r.url(pairs, func(given values) (*mountPoint, string, error) {
		at := direct
		for _, mount := range mounts {
			at = at.mountPointOf(mount)
		}
		base, err := at.baseFor(given)
		return at, base, err
	})
	return strings.TrimPrefix(path, escape(direct.proxyPrefix+direct.base)), err
}

// URL is [Route.URL] for a link in a response. A route of this app, or of an outer app, gets the
// base path and the prefixes of the current request.
func (c Context) URL(route *Route, pairs ...string) (string, error) {
	c = c.orEmpty()
	at := c.prepared.mountPoint
	for at != nil && at.app != route.app {
		at = at.parent
	}
	if at == nil {
		return route.URL(pairs...)
	}
	return route.url(pairs, func(values) (*mountPoint, string, error) {
		return at, at.baseOf(c.urlPath()), nil
	})
}

// values holds the values of parameters by their keys.
type values = map[string][]string

// baseFor fills the parameters of the base path from given, outermost prefix first, and removes the
// values that it uses.
func (p *mountPoint) baseFor(given values) (base string, err error) {
	if p.parent == nil {
		return p.ownBase, nil
	}
	if base, err = p.parent.baseFor(given); err != nil {
		return "", err
	}
	own, err := p.route.mount.prefix.Fill(given)
	return base + own + p.ownBase, err
}

// onlyMountPoint returns the mount point of an app that is mounted at most once.
func (a *App) onlyMountPoint() (*mountPoint, error) {
	mounts := a.mounts()
	switch len(mounts) {
	case 0:
		return &a.direct, nil
	case 1:
		outer, err := mounts[0].route.app.onlyMountPoint()
		if err != nil {
			return nil, err
		}
		return outer.mountPointOf(mounts[0].route), nil
	}
	return nil, errors.New("its app is mounted in several places: use Context.URL in a request to that app, or mount an app of its own at each place")
}

// url returns the URL of the route below the base path that find returns. The function find removes
// the values that it uses from given.
func (r *Route) url(pairs []string, find func(given values) (*mountPoint, string, error)) (_ string, err error) {
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
	at, base, err := find(given)
	if err != nil {
		return "", err
	}
	below, err := r.pattern.p.Path(given)
	if err != nil {
		return "", err
	}
	// A request for the path must match the same base path, with the same values of its parameters.
	path := cmp.Or(base+below, "/")
	rest, _ := at.cutBase(path)
	switch {
	case at.baseOf(path) != base:
		return "", fmt.Errorf("the path %q would match the base path %q with other values", path, at.base)
	case rest != cmp.Or(below, "/"):
		return "", fmt.Errorf("the path %q has a slash that matching ignores", path)
	case pattern.HasDotSegment(path):
		return "", fmt.Errorf("the path %q has a dot segment, which clients remove", path)
	case strings.HasPrefix(path, "//"):
		return "", fmt.Errorf("the path %q must not start with //, which clients read as a host", path)
	}
	return escape(at.proxyPrefix + path), nil
}
