package routing

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
)

// Route is one route of an [App]. It is immutable and safe for concurrent use.
type Route struct {
	method     string
	pattern    Pattern
	base       string
	conditions []Condition
	meta       map[any]any

	// action runs the route. If the route has middleware, chain holds it around the action; see middleware.go.
	action Action
	chain  http.Handler

	// plain is set for routes of Handle and Mount, whose handlers see only the request.
	plain bool

	index int    // the route's number in order of definition
	name  string // method, base path and pattern: what http.Request.Pattern is set to
}

// Method returns the method, empty for a route of every method.
func (r *Route) Method() string { return r.method }

// Pattern returns the pattern; the zero Pattern for a route of conditions alone.
func (r *Route) Pattern() Pattern { return r.pattern }

// String returns the method, the base path and the pattern, as [http.Request.Pattern] has them.
func (r *Route) String() string { return r.name }

// nameBelow is the route's name where the app is mounted in another one.
func (r *Route) nameBelow(base string) string {
	name := base + r.pattern.String()
	if r.method != "" {
		name = r.method + " " + name
	}
	return name
}

// Meta returns the value that [Meta] attached to the route under key, or nil.
func (r *Route) Meta(key any) any { return r.meta[key] }

// RouteOption sets up one route.
type RouteOption interface {
	applyRoute(*routeSettings)
}

type routeOption func(*routeSettings)

func (o routeOption) applyRoute(s *routeSettings) { o(s) }

type routeSettings struct {
	conditions []Condition
	meta       map[any]any
	checks     []func(*Route) error
	wrappers   []func(Action) Action
	middleware []func(http.Handler) http.Handler
}

// Meta attaches a value to a route for packages that read routes, such as apidoc. As with [context.WithValue], the key's type
// should be one that only the package has. A second value for one key replaces the first.
func Meta(key, value any) RouteOption {
	return routeOption(func(s *routeSettings) {
		if s.meta == nil {
			s.meta = make(map[any]any)
		}
		s.meta[key] = value
	})
}

// Check asks f about the route when it is defined. An error of f panics, with the route's name in front.
func Check(f func(*Route) error) RouteOption {
	return routeOption(func(s *routeSettings) { s.checks = append(s.checks, f) })
}

// Wrap puts f around the route's action; of several, the first is the outermost.
func Wrap(f func(Action) Action) RouteOption {
	return routeOption(func(s *routeSettings) { s.wrappers = append(s.wrappers, f) })
}

// Combine makes one option of several, applied in order.
func Combine(options ...RouteOption) RouteOption {
	return routeOption(func(s *routeSettings) {
		for _, o := range options {
			o.applyRoute(s)
		}
	})
}

// Condition is a question that a request must answer with yes for a route or a filter to apply, beside the pattern. It is made
// by [When] and [WhenNamed].
type Condition struct {
	name string
	hold func(*http.Request) bool
}

// When makes a condition, which is both a [RouteOption] and a [FilterOption]. A route or filter may have several; they are asked
// in order, anew on each attempt, and never where the pattern does not match. The request has its method overridden and its URL
// uncut. A condition must not read the body. Its name, for [App.Explain], is the place of the call.
func When(hold func(*http.Request) bool) Condition {
	name := "condition"
	if _, file, line, ok := runtime.Caller(1); ok {
		name = fmt.Sprintf("%s:%d", file[strings.LastIndexByte(file, '/')+1:], line)
	}
	return WhenNamed(name, hold)
}

// WhenNamed is [When] with a name.
func WhenNamed(name string, hold func(*http.Request) bool) Condition {
	if hold == nil {
		panic("routing: condition " + name + ": pass a function, not nil")
	}
	return Condition{name: name, hold: hold}
}

func (c Condition) applyRoute(s *routeSettings)   { s.conditions = append(s.conditions, c) }
func (c Condition) applyFilter(s *filterSettings) { s.conditions = append(s.conditions, c) }

// firstRefusal returns the first of conditions that does not hold for r, or nil.
func firstRefusal(conditions []Condition, r *http.Request) *Condition {
	for i := range conditions {
		if !conditions[i].hold(r) {
			return &conditions[i]
		}
	}
	return nil
}

// FilterOption limits where a filter runs.
type FilterOption interface {
	applyFilter(*filterSettings)
}

type filterOption func(*filterSettings)

func (o filterOption) applyFilter(s *filterSettings) { o(s) }

type filterSettings struct {
	patterns   []func(*App) Pattern
	conditions []Condition
}

// On limits a filter to paths that match pattern, in the app's syntax. Of several patterns one must match, and its parameters
// are the filter's.
func On(pattern string) FilterOption {
	return filterOption(func(s *filterSettings) {
		s.patterns = append(s.patterns, func(a *App) Pattern { return a.read(pattern) })
	})
}

// OnPattern is [On] with a pattern of any syntax.
func OnPattern(pattern Pattern) FilterOption {
	return filterOption(func(s *filterSettings) {
		s.patterns = append(s.patterns, func(*App) Pattern { return pattern })
	})
}

// filter is a filter with what limits it.
type filter struct {
	run        Filter
	patterns   []Pattern
	conditions []Condition

	// only is the one shape of a filter whose patterns have no other, as of "/admin/*", or nil. If it is all that begins with a text,
	// as there, prefix is that text.
	only   *shape
	prefix string
}

// finish sets what the patterns imply.
func (f *filter) finish() {
	if len(f.patterns) == 1 && f.patterns[0].p != nil && len(f.patterns[0].p.shapes) == 1 {
		f.only = f.patterns[0].p.shapes[0]
		if f.only.prefix {
			f.prefix = f.only.text
		}
	}
}

// applies reports whether the filter's patterns admit path, and the shape of the one that does, which is nil for a pattern that
// matches every path.
func (f *filter) applies(path string) (*shape, bool) {
	if f.only != nil {
		return f.only, f.only.match(path)
	}
	if len(f.patterns) == 0 {
		return nil, true
	}
	for _, pattern := range f.patterns {
		if pattern.p == nil {
			return nil, true
		}
		if s := pattern.p.find(path); s != nil {
			return s, true
		}
	}
	return nil, false
}
