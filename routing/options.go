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
	base          string   // may be empty
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

// rules returns the rules for a pattern whose parameters have the given classes.
func (s *settings) rules(where map[string]*pattern.Class) pattern.Rules {
	return pattern.Rules{Where: where, Lazy: s.format}
}

// WithBasePath sets the path below which the app is reached, such as "/shop". It is removed for
// matching only, so patterns don't contain it: "/shop" and "/shop/" are matched as "/". The app
// does not serve paths outside of it. The default, "" or "/", is no base path.
//
// It is literal text, such as "/a:b". A trailing slash is ignored. It panics if the path does not
// start with a slash, is encoded, has a query or fragment, or segments that are empty, "." or "..".
// A segment such as ":id", "{id}" or "*" panics too: use [App.Mount] of an outer app.
func WithBasePath(path string) Option {
	base, err := basepath.Clean(path)
	if err != nil {
		panic("routing: " + err.Error())
	}
	return option(func(s *settings) { s.base = base })
}

// WithProxyPrefix sets the prefix that a proxy, or [http.StripPrefix], removes from the paths of
// requests, such as "/shop". [Context.Path], [Context.RootPath] and the URLs of routes begin with
// it, followed by the base path of [WithBasePath], so that links, redirects and the paths of
// cookies are right for clients. Descriptions of package apidoc have it in servers and basePath. It
// has no effect on matching. The default, "" or "/", is no prefix.
//
// A prefix that is not valid as a base path panics. An app with this option cannot be mounted: set
// it for the outermost app instead. Of layers made with [App.Middleware], each app needs it.
func WithProxyPrefix(path string) Option {
	clean, err := basepath.Clean(path)
	if err != nil {
		panic(fmt.Sprintf("routing: WithProxyPrefix: %v", err))
	}
	return option(func(s *settings) { s.proxyPrefix = clean })
}

// WithMethodOverride lets a POST become a PUT or DELETE, or one of the other methods given, such
// as [http.MethodPatch]. The method is the field _method of a form in the body, or else the header
// X-HTTP-Method-Override. Other values are ignored. It is off by default, because it makes every
// POST form of the site a possible PUT and DELETE. Filters, routes, mounted apps and the next
// handler see the new method, in [http.Request] too; handlers outside the app still see POST.
//
// The field of a multipart form is used only if the form was parsed before, for example by
// middleware of [App.Use] that calls [http.Request.ParseMultipartForm].
//
// It panics for a method that is not a token (RFC 9110, 5.6.2) in upper case, for POST and CONNECT,
// and for safe methods (RFC 9110, 9.2.1) such as QUERY, since protection against cross-site request
// forgery allows them.
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

// WithFirstMatch tries routes in order of definition, as Sinatra and Rails do: the first route that
// matches runs. By default the last route that matches runs, as in Scalatra. Filters always run in
// order of definition. A mounted app has its own option.
func WithFirstMatch() Option { return option(func(s *settings) { s.firstMatch = true }) }

// WithFormatSuffix adds "(.:format)" to every pattern given as a string, as Rails does, except a
// pattern that ends in a format or a slash: "/users/:id" also matches "/users/7.json". Filters
// match every format, such as ".tar.gz", whatever a [Where] allows. A wildcard before the format
// matches as few characters as possible. It needs [WithSyntax] with [Rails]. Pass a [Pattern] for a
// route without a format.
//
// An app with this option can only be mounted in, or be a handler of, an app with it.
func WithFormatSuffix() Option { return option(func(s *settings) { s.format = true }) }

// WithLooseSlashes ignores slashes at the end of a path and repeated slashes, as Rails does:
// "/a//b/" is matched as "/a/b", by filters, routes and mounted apps. The same slashes are ignored
// in patterns given as strings; other patterns, and parts such as "(/users/)?", panic if they need
// an ignored slash. Handlers have the path as it was sent. By default all slashes are significant.
//
// An app with this option can only be mounted in, or be a handler of, an app with it.
func WithLooseSlashes() Option { return option(func(s *settings) { s.loose = true }) }

// WithOptionalSlash ignores a slash at the end of a path, as "set :strict_paths, false" of Sinatra
// does: "/a/" is matched as "/a", by filters, routes and mounted apps, but "/a//" is not. A pattern
// other than "/" panics if it, or one of its alternatives, ends in a slash. Handlers have the path
// as it was sent. It excludes [WithLooseSlashes]. By default all slashes are significant.
//
// An app with this option can only be mounted in, or be a handler of, an app that ignores slashes.
func WithOptionalSlash() Option { return option(func(s *settings) { s.optionalSlash = true }) }

// checkSlashes returns an error if a pattern has slashes that the options remove from paths.
func (s *settings) checkSlashes(p *pattern.Pattern) error {
	if !s.loose && !s.optionalSlash {
		return nil
	}
	return p.CheckSlashes(s.loose)
}

// WithLogger sets the logger for errors and misuse. The default, or nil, is the logger of
// the app that this one is mounted in, or else [slog.Default] at the time of logging.
func WithLogger(logger *slog.Logger) Option { return option(func(s *settings) { s.logger = logger }) }

// WithNext sets the handler of requests that no route matches. If the handler is made after the
// app, use [App.Middleware]. By default, or if next is nil, such requests get a 404. An
// [http.FileServer] cleans paths itself, past filters of the app: use [App.Mount] for it.
func WithNext(next http.Handler) Option {
	checkNext("WithNext", next)
	return option(func(s *settings) { s.next = next })
}

func checkNext(name string, next http.Handler) {
	if err := nilvalue.CheckOptional(name, next); err != nil {
		panic("routing: " + err.Error())
	}
}

// WithBodyLimit sets how many bytes of a body are read for parameters, 1 MiB by default. If a
// filter or an action reads parameters of a longer body, or of a form with more than 10,000 fields
// (the limit of [net/url.ParseQuery]), the response is a 413. The number of fields of a query is
// not limited. Actions may read longer bodies themselves. It panics for a limit below 1. For
// multipart forms, see respond.Multipart.
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
// other methods match the path, or with 204 to OPTIONS. It is off by default. Conditions are not
// evaluated for a 405. The option also applies to mounted apps. If the app has a next handler and no
// [App.NotFound] action, the handler receives these requests instead. For the body of the 405, see
// [App.ErrorBody].
func WithMethodNotAllowed() Option { return option(func(s *settings) { s.answers405 = true }) }

// WithProblemDetails makes the app's own error responses problem details (application/problem+json,
// RFC 9457) with all fields of a [Problem], or for clients that prefer text/html (RFC 9110, 12.5.1)
// a short page. Without it, clients that do not prefer JSON get pages and texts.
//
// [App.OnError], [App.NotFound] and [App.ErrorBody] override it; an error function that returns the
// error it received gets the default response. The option also applies to mounted apps.
func WithProblemDetails() Option { return option(func(s *settings) { s.problems = true }) }
