package routing

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"

	"example.com/flowercafe/routing/internal/form"
	"example.com/flowercafe/routing/internal/match"
)

// This file holds what happens in front of the routes, and behind one that has passed.

// prepare checks the path and runs the before filters.
func (x *call) prepare() error {
	settings := &x.app.settings
	if settings.strictPaths {
		if problem := ambiguity(x.r.URL, x.path); problem != "" {
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
		return errNoRoute // the next handler's
	}
	return nil
}

// ambiguity says what about a path others may read as another path.
func ambiguity(u *url.URL, path string) string {
	if path[0] != '/' {
		return "no slash in front"
	}
	if strings.Contains(strings.ToLower(u.EscapedPath()), "%2f") {
		return "an encoded slash"
	}
	if !utf8.ValidString(path) {
		return "text that is not UTF-8"
	}
	for i := range len(path) {
		switch c := path[i]; {
		case c == '\\':
			return "a backslash"
		case c == ';':
			return "a semicolon"
		case c < ' ' || c == 0x7f:
			return "a control character"
		case c == '%' && i+2 < len(path) && form.IsHex(path[i+1]) && form.IsHex(path[i+2]):
			return "a character that is encoded twice"
		}
	}
	for segments := path[1:]; segments != ""; {
		segment, rest, more := strings.Cut(segments, "/")
		switch {
		case segment == "" && more:
			return "an empty segment"
		case segment == "." || segment == "..":
			return "a dot segment"
		}
		segments = rest
	}
	return ""
}

// rooms are for the routes to try when several have passed.
var rooms = sync.Pool{New: func() any { return new([]*match.Leaf[candidate]) }}

// further goes on behind a route that has passed. The first time it searches again; then it collects all others at once, since
// searching again for each would be quadratic.
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

// nameOf returns the name of a route, which begins with the base path that the request came by.
func (x *call) nameOf(c *candidate) string {
	if x.extras == nil || len(x.base) == c.site.base {
		return c.name
	}
	return c.route.nameBelow(x.entry.name())
}
