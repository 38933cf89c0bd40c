package routing

import (
	"errors"
	"fmt"
	"net/http"
	"sync"

	"example.com/flowercafe/routing/internal/match"
	"example.com/flowercafe/routing/internal/pattern"
)

// This file has the steps before the routes, and those after a route that has passed.

func (x *call) prepare() error {
	settings := &x.app.settings
	if settings.strictPaths {
		if problem := pattern.Ambiguity(x.r.URL.EscapedPath(), x.path); problem != "" {
			return &RequestError{http.StatusBadRequest, errors.New("path with " + problem)}
		}
	}
	tooLong := len(x.path) > settings.pathLimit
	if tooLong && x.next == nil {
		return &RequestError{http.StatusRequestURITooLong, fmt.Errorf("path longer than %d bytes", settings.pathLimit)}
	}
	if err := x.filter(x.before, false); err != nil {
		return err
	}
	if tooLong {
		return errNoRoute // goes to the next handler
	}
	return nil
}

// rooms keeps the slices that further uses.
var rooms = sync.Pool{New: func() any { return new([]*match.Leaf[candidate]) }}

// further continues after route r has passed. The first time it searches again. Then it collects
// all other candidates at once, since a search for each would take quadratic time.
func (x *call) further(r *Route) error {
	first, second := x.Tables(x.r.Method)
	if second != nil && match.Turn(r.method, x.r.Method) == 2 {
		first, second = second, nil
	}
	l := first.Newest(x.path, match.Below(r.index))
	if l == nil && second != nil {
		first, second = second, nil
		l = first.Newest(x.path, match.NoBound)
	}
	if l != nil {
		c := &l.Value
		if err := x.try(c, c.simple); err == nil || !passed(err) {
			return err
		}
		room := rooms.Get().(*[]*match.Leaf[candidate])
		defer rooms.Put(room)
		leaves := first.All((*room)[:0], x.path, match.Below(c.route.index))
		if second != nil {
			leaves = second.All(leaves, x.path, match.NoBound)
		}
		*room = leaves
		for _, l := range leaves {
			if err := x.try(&l.Value, l.Value.simple); err == nil || !passed(err) {
				return err
			}
		}
	}
	x.ran = nil
	x.setPattern(x.outer)
	return errNoRoute
}

// nameOf returns the name of a route, with the base path of the request.
func (x *call) nameOf(c *candidate) string {
	if x.extras == nil || len(x.base) == c.site.base {
		return c.name
	}
	return c.route.nameBelow(x.entry.name())
}
