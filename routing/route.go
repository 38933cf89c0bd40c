package routing

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/routing/internal/pattern"
	"example.com/flowercafe/routing/internal/response"
	"example.com/flowercafe/routing/internal/source"
)

// Action handles the requests of a route. It returns the body of the response, or an error: [Pass],
// a [HaltError], or any other error, which goes to the [App.OnError] function.
type Action func(Context) (Result, error)

// errorBody returns the body of an error response for a problem.
type errorBody = func(Context, *Problem) (Result, error)

// Handler returns an action that lets handler write the response. The status that was set before is
// the default. An action may return Handler(handler)(c).
func Handler(handler http.Handler) Action {
	if nilvalue.In(handler) {
		panic("routing: Handler: pass a handler, not nil")
	}
	result := Result{response.Handler(handler)}
	return func(Context) (Result, error) { return result, nil }
}

// Route is a route of an [App]. It is immutable and safe for concurrent use.
type Route struct {
	method  string
	pattern Pattern
	action  Action // runs the route
	source  source.Position
	*routeExtra
}

// routeExtra has the fields that few routes set. Routes without options share a single one.
type routeExtra struct {
	app        *App
	bodyLimit  int64
	conditions []Condition
	meta       map[any]any
	around     http.Handler // the middleware, which runs the action; nil without any; see middleware.go
	queries    []string     // the media types of AcceptQuery
	handler    http.Handler // of App.Handle and App.Mount; else nil
	mount      *mount       // of an app; nil for other routes
}

// Method returns the method, which is empty for a route of every method.
func (r *Route) Method() string { return r.method }

// Pattern returns the pattern.
func (r *Route) Pattern() Pattern { return r.pattern }

// Source returns the file and line of the definition.
func (r *Route) Source() string { return r.source.String() }

// String returns the method, the base path and the pattern, in the form of [http.Request.Pattern].
func (r *Route) String() string { return r.nameBelow(r.app.settings.ownBase) }

// nameBelow returns the route's name below a base path.
func (r *Route) nameBelow(base string) string {
	return nameOf(r.method, base+cmp.Or(r.pattern.String(), "/*"))
}

func nameOf(method, path string) string { return strings.TrimPrefix(method+" "+path, " ") }

// Meta returns the value that [Meta] attached to the route under key, or nil.
func (r *Route) Meta(key any) any { return r.meta[key] }

// RouteOption configures a route, or the routes of a group.
type RouteOption interface {
	applyRoute(*routeSettings)
}

type routeOption func(*routeSettings)

func (o routeOption) applyRoute(s *routeSettings) { o(s) }

// routeSettings holds the options of a route and its groups.
type routeSettings struct {
	routeExtra
	source     source.Position // if a package defines the route later than its caller
	where      []*where
	ofGroups   []*where // apply to patterns that have the parameter
	checks     []func(*Route) error
	wrappers   []func(Action) Action
	middleware []func(http.Handler) http.Handler
}

// with returns the settings with more options.
func (s *routeSettings) with(options []RouteOption) *routeSettings {
	own := *s
	own.conditions, own.checks, own.meta = slices.Clip(s.conditions), slices.Clip(s.checks), maps.Clone(s.meta)
	own.wrappers, own.middleware = slices.Clip(s.wrappers), slices.Clip(s.middleware)
	Combine(options...).applyRoute(&own)
	return &own
}

// complete checks a route before it is defined, and applies the options of the route and its
// groups.
func (r *Route) complete(prefix *pattern.Prefix, s *routeSettings, p *pattern.Pattern, options []RouteOption) error {
	upper := strings.ToUpper(r.method)
	switch {
	case r.action == nil:
		return errors.New("pass an action, not nil")
	case r.method == "*":
		return errors.New("no client sends the method *: write routing.Any for every method")
	case r.method != "" && !method.IsToken(r.method):
		return fmt.Errorf("the method %q must be a token, such as GET", r.method)
	case upper != r.method && slices.Contains(method.Known, upper):
		return fmt.Errorf("methods are case-sensitive: write %s", upper)
	}
	if len(options) > 0 {
		s = s.with(options)
	}
	r.source = cmp.Or(s.source, r.source)
	var err error
	if r.pattern.p, err = p.Define(prefix, s.app.settings.rules(s.classes(p, prefix))); err == nil {
		err = s.app.settings.checkSlashes(r.pattern.p)
	}
	if err != nil {
		return err
	}
	for _, f := range slices.Backward(s.wrappers) {
		if r.action = f(r.action); r.action == nil {
			return errors.New("a Wrap function returned nil: return an action")
		}
	}
	if len(options) > 0 || len(s.middleware) > 0 {
		own := s.routeExtra
		r.routeExtra = &own
		if len(s.middleware) > 0 {
			own.around = wrap(s.middleware, http.HandlerFunc(r.serveRest))
		}
	}
	for _, check := range s.checks {
		if err := check(r); err != nil {
			return err
		}
	}
	return nil
}

// BodyLimit is [WithBodyLimit] for a route or the routes of a group, but not for a mounted app.
// Before filters and the method override have the limit of the app.
func BodyLimit(bytes int64) RouteOption {
	bytes = limit("BodyLimit", bytes)
	return routeOption(func(s *routeSettings) { s.bodyLimit = bytes })
}

// AcceptQuery tells clients media types for the body of a QUERY, such as application/json: they are
// sent as Accept-Query (RFC 10008, 3), next to the Allow header of [WithMethodNotAllowed].
func AcceptQuery(media ...string) RouteOption {
	for _, m := range media {
		if major, minor, _ := strings.Cut(m, "/"); !method.IsToken(major) || !method.IsToken(minor) {
			panic(fmt.Sprintf("routing: AcceptQuery(%q): write a media type without parameters, such as application/json", m))
		}
	}
	media = slices.Clone(media) // a route is immutable
	return routeOption(func(s *routeSettings) { s.queries = media })
}

// Meta attaches a value to a route, for packages that read routes, such as apidoc. The key should
// have a type that is defined in the package, as for [context.WithValue].
func Meta(key, value any) RouteOption {
	return routeOption(func(s *routeSettings) {
		if s.meta == nil {
			s.meta = make(map[any]any)
		}
		s.meta[key] = value
	})
}

// Check calls f with the route when it is defined. The definition panics if f returns an error.
func Check(f func(*Route) error) RouteOption {
	if f == nil {
		panic("routing: Check: pass a function, not nil")
	}
	return routeOption(func(s *routeSettings) { s.checks = append(s.checks, f) })
}

// Wrap wraps the route's action in f; the first Wrap of a route is the outermost.
func Wrap(f func(Action) Action) RouteOption {
	if f == nil {
		panic("routing: Wrap: pass a function, not nil")
	}
	return routeOption(func(s *routeSettings) { s.wrappers = append(s.wrappers, f) })
}

// Combine returns one option that applies several in order.
func Combine(options ...RouteOption) RouteOption {
	for i, o := range options {
		if nilvalue.In(o) {
			panic(fmt.Sprintf("routing: option %d of a route is nil: leave it out", i))
		}
	}
	return routeOption(func(s *routeSettings) {
		for _, o := range options {
			o.applyRoute(s)
		}
	})
}
