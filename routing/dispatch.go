package routing

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"example.com/flowercafe/routing/internal/match"
	"example.com/flowercafe/routing/internal/pattern"
)

// This file runs filters and routes.

// prepare checks the path and runs the before filters.
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

// filter runs filters in order until one returns an error. Late is true for the after filters.
func (x *call) filter(filters []filter, late bool) error {
	for i := range filters {
		f := &filters[i]
		s := &f.sites[0]
		if f.prefix == "" || !strings.HasPrefix(x.path, f.prefix) {
			s = f.at(x.path)
		}
		if s == nil || len(f.conditions) > 0 && firstRefusal(f.conditions, x.r) != nil {
			continue
		}
		if late && x.ran != nil {
			s = x.ran.lateSite(s.own)
		}
		if err := f.run(x.contextFor(s)); err != nil && !passed(err) {
			return err
		}
	}
	return nil
}

// runAfter runs the after filters.
func (x *call) runAfter() (err error) {
	defer func() {
		if v := recover(); v != nil { // the connection is cut
			x.result.drop()
			panic(v)
		}
	}()
	defer contain(&err)
	return x.filter(x.after, true)
}

// try runs a route whose method and pattern match. It returns Pass if a condition is false. For a
// plain route, conditions and middleware are absent or done.
func (x *call) try(c *candidate, plain bool) error {
	if !plain {
		x.ran = nil // if a condition panics, the error handler must not see the captures of a route that has passed
		if firstRefusal(c.route.conditions, x.r) != nil {
			return Pass
		}
	}
	x.ran = c
	x.setPattern(x.nameOf(c))
	if x.extras != nil {
		x.extras.admit(c.route.limits)
	}
	if !plain && c.route.chain != nil {
		return x.around(c.route)
	}
	result, err := c.action(x.contextFor(&c.site))
	if err != nil {
		result.drop()
		return err
	}
	x.result = result
	return nil
}

// nameOf returns the name of a route, with the base path of the request.
func (x *call) nameOf(c *candidate) string {
	if x.extras == nil || len(x.Base) == c.site.base {
		return c.name
	}
	return c.route.nameBelow(x.entry.name())
}

// setPattern makes the name of the route known, in the request and to NameRoutes.
func (x *call) setPattern(name string) {
	x.r.Pattern = name
	if x.slot == nil {
		x.slot = slotOf(x.r.Context())
	}
	x.slot.set(name)
}

// rooms is a pool of the slices that further uses.
var rooms = sync.Pool{New: func() any { return new([]*match.Leaf[candidate]) }}

// further continues after candidate c has passed. The first time it searches again. Then it
// collects all other candidates at once, since a search for each would take quadratic time.
func (x *call) further(c *candidate) error {
	first, second := x.Tables(x.r.Method)
	if second != nil && match.Turn(c.route.method, x.r.Method) == 2 {
		first, second = second, nil
	}
	l := first.Newest(x.path, match.Below(c.number))
	if l == nil && second != nil {
		first, second = second, nil
		l = first.Newest(x.path, match.NoBound)
	}
	if l != nil {
		c = &l.Value
		if err := x.try(c, c.simple); err == nil || !passed(err) {
			return err
		}
		room := rooms.Get().(*[]*match.Leaf[candidate])
		defer rooms.Put(room)
		leaves := first.All((*room)[:0], x.path, match.Below(c.number))
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
	x.setPattern(x.muxPattern)
	return errNoRoute
}
