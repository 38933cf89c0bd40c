package routing

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/routing/internal/form"
	"example.com/flowercafe/routing/internal/pattern"
	"example.com/flowercafe/routing/internal/response"
)

// Option configures an [App].
type Option interface {
	apply(*settings)
}

type option func(*settings)

func (o option) apply(s *settings) { o(s) }

// limits limit how much of a request is read for parameters.
type limits = form.Limits

// settings holds the options.
type settings struct {
	base        string
	override    []string // methods that a POST may become; nil for off
	syntax      func(string) (Pattern, error)
	logger      *slog.Logger
	next        http.Handler
	limits      limits
	pathLimit   int
	multipart   bool
	problems    bool
	strictPaths bool
	answers406  bool
	firstMatch  bool
	loose       bool
	format      bool
}

// rules returns the rules for patterns, with those of a route.
func (s *settings) rules(where map[string]*pattern.Class) *pattern.Rules {
	if where == nil && !s.loose && !s.format {
		return nil
	}
	return &pattern.Rules{Where: where, Loose: s.loose, Lazy: s.format}
}

func defaultSettings() settings {
	return settings{
		syntax:    Sinatra,
		limits:    limits{Body: 1 << 20, Upload: 32 << 20},
		pathLimit: 8 << 10,
	}
}

// WithBasePath sets the path below which the app is reached, such as "/shop". Patterns don't
// contain it: it is removed from the path for matching only. A request for "/shop" or "/shop/" has
// the path "/". Requests for other paths are not for the app. The default, also for "" and "/", is
// no base path.
//
// A trailing slash is ignored. WithBasePath panics if the path does not start with a slash, has a
// query or fragment, or has segments that are empty, "." or "..".
func WithBasePath(path string) Option {
	base, err := basepath.Clean(path)
	if err != nil {
		panic("routing: " + err.Error())
	}
	return option(func(s *settings) { s.base = base })
}

// WithMethodOverride lets a POST request become a PUT or DELETE, or one of the further methods
// given, such as [http.MethodPatch]. The method is the parameter _method of a form in the body, or
// else the header X-HTTP-Method-Override; the query does not count. Other values and other methods
// are left alone. It is off by default, because it makes every POST form of the site a possible PUT
// and DELETE.
//
// A multipart body must have _method before its files and within 64 KiB. One that its client has
// not yet sent is not read (RFC 9110, 10.1.1): curl waits before larger ones, browsers never do.
//
// A further method must be a token (RFC 9110, 5.6.2) in upper case. WithMethodOverride panics for
// the safe ones (RFC 9110, 9.2.1), since checks such as those of forged requests let these pass,
// and for POST and CONNECT.
func WithMethodOverride(further ...string) Option {
	methods := []string{http.MethodPut, http.MethodDelete}
	for _, method := range further {
		switch method {
		case http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPost, http.MethodConnect:
			panic(fmt.Sprintf("routing: WithMethodOverride(%q): a POST must not become this method", method))
		}
		if !response.IsToken(method) || strings.ToUpper(method) != method {
			panic(fmt.Sprintf("routing: WithMethodOverride(%q): write a method in upper case, such as PATCH", method))
		}
		methods = append(methods, method)
	}
	return option(func(s *settings) { s.override = methods })
}

// WithSyntax sets the syntax of patterns given as strings. The default, also for nil, is
// [Sinatra].
func WithSyntax(read func(string) (Pattern, error)) Option {
	return option(func(s *settings) {
		if read == nil {
			read = Sinatra
		}
		s.syntax = read
	})
}

// WithFirstMatch tries routes in order of definition, so that of those that match a request the one
// defined first runs, as in Sinatra and Rails. A [Pass] continues with the next one. By default the
// one defined last runs, as in Scalatra. In both orders a HEAD request tries the HEAD routes before
// the GET routes. Filters always run in order of definition, and a mounted app has its own option.
func WithFirstMatch() Option {
	return option(func(s *settings) { s.firstMatch = true })
}

// WithFormat ends every pattern given as a string in "(.:format)", as Rails does, except one that
// has it or ends in a slash: "/users/:id" also matches "/users/7.json". That goes for filters and
// groups too, so that a format avoids no filter. A wildcard before it matches as few characters as
// possible. It needs [WithSyntax] with [Rails]. Pass a [Pattern] for a route without a format.
func WithFormat() Option {
	return option(func(s *settings) { s.format = true })
}

// WithLooseSlashes ignores slashes at the end of a path and all but one of several in a row, in
// patterns too, as Rails does: "/a//b/" is matched as "/a/b". Filters, routes and mounted apps get
// the same path, so that no spelling avoids a filter. Parameters are read from that path: a
// wildcard has no slash at its end, "/a/*" does not match "/a/", and a [Regexp] that ends in a
// slash matches nothing. [Context.Request] and handlers have the path as it was sent. By default
// all slashes count.
func WithLooseSlashes() Option {
	return option(func(s *settings) { s.loose = true })
}

// WithLogger sets the logger for errors and misuse. The default, also for nil, is the logger of
// the app that this one is mounted in, or else [slog.Default] at the time of logging.
func WithLogger(logger *slog.Logger) Option {
	return option(func(s *settings) { s.logger = logger })
}

// WithNext sets the handler of requests that no route matches, if it is known when the app is made;
// otherwise see [App.Middleware]. The default, also for nil, is a 404.
func WithNext(next http.Handler) Option {
	checkNext("WithNext", next)
	return option(func(s *settings) { s.next = next })
}

// WithBodyLimit sets how many bytes of a body are read for parameters, 1 MiB by default. A longer
// body is refused with 413 when an action asks for parameters. Actions may read longer bodies
// themselves. A limit below 1 panics.
func WithBodyLimit(bytes int64) Option {
	checkLimit("WithBodyLimit", bytes)
	return option(func(s *settings) { s.limits.Body = min(bytes, form.MaxLimit) })
}

// WithUploadLimit sets how many bytes the files of a multipart form may have together, 32 MiB by
// default. Larger uploads are refused with 413. It has an effect only with [WithMultipart].
// Filters, actions and the handlers of [App.Handle] that read such a body by themselves are limited
// too: they get a [http.MaxBytesError]. The next handler and mounted handlers get all of it. A
// limit below 1 panics.
func WithUploadLimit(bytes int64) Option {
	checkLimit("WithUploadLimit", bytes)
	return option(func(s *settings) { s.limits.Upload = min(bytes, form.MaxLimit) })
}

// WithPathLimit sets how many bytes of a decoded path are matched, 8 KiB by default. A longer path
// is refused with 414, or goes to the next handler. A limit below 1 panics.
func WithPathLimit(bytes int) Option {
	checkLimit("WithPathLimit", int64(bytes))
	return option(func(s *settings) { s.pathLimit = bytes })
}

func checkNext(name string, next http.Handler) {
	if err := nilvalue.CheckOptional(name, next); err != nil {
		panic("routing: " + err.Error())
	}
}

func checkLimit(name string, limit int64) {
	if limit < 1 {
		panic(fmt.Sprintf("routing: %s(%d): write a limit of at least 1", name, limit))
	}
}

// WithMultipart makes the text fields of multipart/form-data bodies parameters, within the limits
// of bodies and uploads. It is off by default.
//
// Asking for a parameter parses the form, as [http.Request.ParseMultipartForm] does: afterwards
// [http.Request.FormFile] has the files, and the raw body is gone. Files beyond 8 MiB are kept on
// disk until the request ends. An action may also read the form itself, with FormFile or
// [http.Request.MultipartReader], within the same limits; after the latter there are no parameters,
// and asking for them is a [RequestError].
func WithMultipart() Option {
	return option(func(s *settings) { s.multipart = true })
}

// WithStrictPaths responds with 400 to paths that a proxy, a file system or another router may
// read differently: with empty, "." or ".." segments, an encoded slash, a backslash, a semicolon,
// control characters, text that is not UTF-8, a character that is encoded twice, or a letter, digit
// or one of "-._~" that is encoded (RFC 3986, 2.3). Refused requests do not reach the next handler.
// Paths outside the base path are not checked. It is off by default.
func WithStrictPaths() Option {
	return option(func(s *settings) { s.strictPaths = true })
}

// WithProblems makes the app's own error responses problem details (application/problem+json): if
// nothing was found, if the method is not allowed, and for errors, of which a [Problem] is sent
// with all its fields. Clients that prefer text/html (RFC 9110, 12.5.1) get a short page. Without
// this option, clients that do not ask for JSON get pages and texts.
//
// Actions of [App.NotFound], [App.MethodNotAllowed] and [App.OnError] come first; one that returns
// the error it received gets the default response. The option also applies to mounted apps.
func WithProblems() Option {
	return option(func(s *settings) { s.problems = true })
}

// WithNotAcceptable responds with 406 (RFC 9110, 15.5.7) instead of 404 if a route matches but for
// its [Provides], and no other one takes the request. It is an error: the response is that of
// [App.OnError] or the default one. A next handler still gets these requests. The option also
// applies to mounted apps.
func WithNotAcceptable() Option {
	return option(func(s *settings) { s.answers406 = true })
}
