package routing_test

// This file has the patterns of the reference for trees of apps: which definitions match a path.

import (
	"regexp"
	"slices"
	"strings"
)

// candidates are the routes to try for a method, in order.
func (l *treeLevel) candidates(method string) []*treeDef {
	inOrder := slices.DeleteFunc(slices.Clone(l.defs), func(d *treeDef) bool { return d.isFilter() })
	if !l.first {
		slices.Reverse(inOrder)
	}
	of := func(methods ...string) []*treeDef {
		return slices.DeleteFunc(slices.Clone(inOrder), func(d *treeDef) bool { return !slices.Contains(methods, d.method) })
	}
	if method == "HEAD" {
		return append(of("HEAD"), of("GET", "")...)
	}
	return of(method, "")
}

// isMount reports whether an app or a file server is mounted.
func (d *treeDef) isMount() bool { return d.kind == "mount" || d.kind == "files" }

func (d *treeDef) isFilter() bool { return d.kind == "before" || d.kind == "after" }

// whole returns the pattern with the prefixes of the groups.
func (d *treeDef) whole() string {
	prefix := ""
	for _, g := range d.groups {
		prefix += g.prefix
	}
	switch {
	case d.isMount() || d.isFilter() && d.pattern == "" && prefix != "":
		return prefix + d.pattern + "/*"
	case prefix != "" && d.pattern == "/" && d.in.formats:
		return prefix + "(/)"
	case prefix != "" && d.pattern == "/":
		return prefix + "/?"
	}
	return prefix + d.pattern
}

// name is the pattern in the name of the route.
func (d *treeDef) name() string {
	if whole := d.whole(); !d.in.formats || d.isMount() || whole == "/" {
		return whole
	}
	return d.whole() + "(.:format)"
}

// match returns the captures of a path.
func (d *treeDef) match(path string) ([]capture, bool) {
	if d.matcher == nil {
		d.matcher = d.newMatcher()
	}
	return d.matcher(path)
}

// newMatcher reads the pattern. For a mount and a group's filter, the path may also end with the
// prefix.
func (d *treeDef) newMatcher() func(path string) ([]capture, bool) {
	whole := d.whole()
	if whole == "" {
		return func(string) ([]capture, bool) { return nil, true }
	}
	prefix, isBelow := strings.CutSuffix(whole, "/*")
	if !isBelow || !d.isMount() && (!d.isFilter() || d.pattern != "") {
		return d.in.pattern(whole, d.where, d.isFilter())
	}
	names := paramSegment.FindAllStringSubmatch(prefix, -1)
	expression := d.in.prefixExpression(prefix)
	return func(path string) (captures []capture, ok bool) {
		at := expression.FindStringSubmatch(path)
		if at == nil && d.in.formats && d.isFilter() {
			return d.in.pattern(prefix, "", true)(path)
		} else if at == nil {
			return nil, false
		}
		for i, name := range names {
			if at[i+1] != "" { // else the optional part is left out
				captures = append(captures, capture{name[1], at[i+1]})
			}
		}
		return captures, true
	}
}

// pattern returns the matcher of a pattern in the app's syntax.
func (a *treeApp) pattern(text, format string, ofFilter bool) func(path string) ([]capture, bool) {
	syntax := "sinatra"
	if a.formats {
		syntax = "rails"
	}
	var where map[string]string
	if format != "" {
		where = map[string]string{"format": format}
	}
	p, err := newReferencePattern(syntax, &text, rules{where: where, format: a.formats, anyFormat: a.formats && ofFilter})
	if err != nil {
		panic(err)
	}
	return p.match
}

// prefixExpression returns the expression of paths that begin with a prefix.
func (a *treeApp) prefixExpression(prefix string) *regexp.Regexp {
	text := paramSegment.ReplaceAllString(strings.ReplaceAll(prefix, "(", "(?:"), "/([^/]+)")
	if a.formats {
		text = strings.ReplaceAll(strings.ReplaceAll(text, ")", ")?"), "/([^/]+)?", "/([^/.]+)")
	}
	return regexp.MustCompile("^" + text + "(?:/|$)")
}

var paramSegment = regexp.MustCompile(`/:(\w+)`)
