package routing

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/routing/internal/form"
	"example.com/flowercafe/routing/internal/pattern"
)

// Option configures an [App]. If an option is given twice, the last one applies.
type Option interface {
	apply(*settings)
}

type option func(*settings)

func (o option) apply(s *settings) { o(s) }

// settings holds the options.
type settings struct {
	ownBase       string   // of WithBasePath; may be empty
	proxyPrefix   string   // the prefix that a proxy has removed
	override      []string // methods that a POST may become; nil for off
	syntax        func(string) (Pattern, error)
	logger        *slog.Logger
	next          http.Handler
	bodyLimit     int64
	problems      bool
	answers405    bool // 405 if only routes of other methods match
	firstMatch    bool
	loose         bool
	optionalSlash bool // one slash at the end of a path is ignored
	format        bool
}

// WithBasePath sets the path below which the app is reached, such as "/shop", decoded. Patterns
// don't contain it. Outside of it, no filter, action or [App.ErrorBody] of the app runs. The
// default is "". For a prefix with parameters, use [App.Mount].
func WithBasePath(path string) Option {
	base, err := basepath.Clean(path)
	if err != nil {
		panic("routing: " + err.Error())
	}
	return option(func(s *settings) { s.ownBase = base })
}

// WithProxyPrefix sets the prefix, such as "/shop", that a proxy or [http.StripPrefix] removes from
// paths. [Context.Path], [Context.RootPath], [Route.URL] and the default server of the descriptions
// that an apidoc.API serves add it. An app with it cannot be mounted: mounted apps have the outer
// app's prefix.
func WithProxyPrefix(path string) Option {
	clean, err := basepath.Clean(path)
	if err != nil {
		panic(fmt.Sprintf("routing: WithProxyPrefix: %v", err))
	}
	return option(func(s *settings) { s.proxyPrefix = clean })
}

// WithMethodOverride lets a POST become a PUT, a DELETE or one of the given methods, such as
// [http.MethodPatch]. The method is the field _method of a form, or else the header
// X-HTTP-Method-Override. A multipart form counts only if it was parsed outside of the app.
func WithMethodOverride(methods ...string) Option {
	for _, m := range methods {
		if !method.IsToken(m) || strings.ToUpper(m) != m || method.IsSafe(m) || m == http.MethodPost || m == http.MethodConnect {
			panic(fmt.Sprintf("routing: WithMethodOverride(%q): write a method in upper case, such as PATCH, but not POST, CONNECT or a safe one", m))
		}
	}
	methods = append([]string{http.MethodPut, http.MethodDelete}, methods...)
	return option(func(s *settings) { s.override = methods })
}

// WithSyntax sets the syntax of patterns given as strings. The default, or nil, is [Sinatra].
func WithSyntax(read func(string) (Pattern, error)) Option {
	if read == nil {
		read = Sinatra
	}
	return option(func(s *settings) { s.syntax = read })
}

// WithFirstMatch tries a method's routes in order of definition. By default the one defined last is
// tried first. Mounted apps have their own option.
func WithFirstMatch() Option { return option(func(s *settings) { s.firstMatch = true }) }

// WithFormatSuffix adds "(.:format)" to patterns given as strings that do not end in a slash or
// ".:format", as Rails does: "/users/:id" also matches "/users/7.json". It needs [WithSyntax] with
// [Rails], and outer apps need it.
func WithFormatSuffix() Option { return option(func(s *settings) { s.format = true }) }

// WithLooseSlashes ignores repeated slashes and slashes at the end of a path, as Rails does:
// "/a//b/" is matched as "/a/b". Handlers have the path as it was sent. Outer apps need the option
// too.
func WithLooseSlashes() Option { return option(func(s *settings) { s.loose = true }) }

// WithOptionalSlash ignores one slash at the end of a path, for "set :strict_paths, false" of
// Sinatra: "/a/" is matched as "/a", but "/a//" is not. Handlers have the path as it was sent.
// Outer apps must ignore slashes too.
func WithOptionalSlash() Option { return option(func(s *settings) { s.optionalSlash = true }) }

// WithLogger sets the logger for errors and misuse. The default, or nil, is the logger of the outer
// app, or else [slog.Default].
func WithLogger(logger *slog.Logger) Option { return option(func(s *settings) { s.logger = logger }) }

// WithNext sets the handler of requests that no route matches, as [App.Middleware] describes it;
// nil means none. For a handler that is made after the app, use Middleware.
func WithNext(next http.Handler) Option {
	checkNext("WithNext", next)
	return option(func(s *settings) { s.next = next })
}

func checkNext(name string, next http.Handler) {
	if err := nilvalue.CheckOptional(name, next); err != nil {
		panic("routing: " + err.Error())
	}
}

// WithBodyLimit sets how many bytes of a body [Params] reads, 1 MiB by default. A longer body, or a
// form with more than 10,000 fields, is a [RequestError] with status 413 for Params, unless
// net/http has parsed it.
func WithBodyLimit(bytes int64) Option {
	bytes = limit("WithBodyLimit", bytes)
	return option(func(s *settings) { s.bodyLimit = bytes })
}

// limit returns bytes, at most form.MaxLimit, and panics with the name of the option if they are
// below 1.
func limit(name string, bytes int64) int64 {
	if bytes < 1 {
		panic(fmt.Sprintf("routing: %s(%d): write a limit of at least 1", name, bytes))
	}
	return min(bytes, form.MaxLimit)
}

// WithMethodNotAllowed responds with 405 and an Allow header, instead of 404, if only routes of
// other methods match the path, whatever their conditions; to OPTIONS it responds with 204. It also
// applies to mounted apps. An app with a next handler and without [App.NotFound] passes these
// requests on to that handler.
func WithMethodNotAllowed() Option { return option(func(s *settings) { s.answers405 = true }) }

// WithProblemDetails makes the default error responses problem details (application/problem+json,
// RFC 9457), or a short page for clients that prefer text/html. Without it, clients that do not
// prefer JSON get pages and texts. It also applies to mounted apps.
func WithProblemDetails() Option { return option(func(s *settings) { s.problems = true }) }

// rules returns the rules for a pattern whose parameters have the given classes.
func (s *settings) rules(where map[string]*pattern.Class) pattern.Rules {
	return pattern.Rules{Where: where, Lazy: s.format}
}

// checkSlashes returns an error if a pattern has slashes that the options remove from paths.
func (s *settings) checkSlashes(p *pattern.Pattern) error {
	if !s.loose && !s.optionalSlash {
		return nil
	}
	return p.CheckSlashes(s.loose)
}
