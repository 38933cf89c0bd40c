package routing

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"unicode/utf8"
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
		case c == '%' && i+2 < len(path) && isHex(path[i+1]) && isHex(path[i+2]):
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
var rooms = sync.Pool{New: func() any { return new([]*leaf) }}

// further goes on behind a route that has passed. The first time it searches again; then it collects all others at once, since
// searching again for each would be quadratic.
func (x *call) further(l *leaf) error {
	first, second := x.tables(x.r.Method)
	if second != nil && l.route.method != x.r.Method {
		first, second = second, nil
	}
	if l = first.newest(x.path, l.below()); l == nil && second != nil {
		first, second = second, nil
		l = first.newest(x.path, noBound)
	}
	if l != nil {
		if err := x.try(l, l.simple); err == nil || !passed(err) {
			return err
		}
		room := rooms.Get().(*[]*leaf)
		defer rooms.Put(room)
		leaves := first.all((*room)[:0], x.path, l.below())
		if second != nil {
			leaves = second.all(leaves, x.path, noBound)
		}
		*room = leaves
		for _, l := range leaves {
			if err := x.try(l, l.simple); err == nil || !passed(err) {
				return err
			}
		}
	}
	x.leaf = nil
	x.setPattern(x.outer)
	return errNoRoute
}

// nameOf returns the name of a route, which begins with the base path that the request came by.
func (x *call) nameOf(l *leaf) string {
	if x.extras == nil || len(x.base) == l.site.base {
		return l.name
	}
	return l.route.nameBelow(x.entry.name())
}
