package routing

import (
	"fmt"
	"log/slog"
	"net/http"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/routing/internal/form"
)

// Option sets up an [App].
type Option interface {
	apply(*settings)
}

type option func(*settings)

func (o option) apply(s *settings) { o(s) }

// settings is what options set.
type settings struct {
	base             string
	override         bool
	syntax           func(string) (Pattern, error)
	logger           *slog.Logger
	next             http.Handler
	limits           limits
	pathLimit        int
	multipart        bool
	methodNotAllowed bool
	problems         bool
	strictPaths      bool
}

func defaultSettings() settings {
	return settings{
		syntax:    Sinatra,
		limits:    limits{Body: 1 << 20, Upload: 32 << 20, Params: 1000},
		pathLimit: 8 << 10,
	}
}

// WithBasePath sets the path below which the app is reached, such as "/shop". Patterns don't contain it: it is cut from
// the path before they are tried, and from nothing else. A request for the base path itself, with or without a slash at the
// end, has the path "/". Outside it nothing of the app runs. The default, also for "" and "/", is no base path.
//
// A slash at the end is ignored. WithBasePath panics for a path without a slash in front, with a query or fragment, or with
// segments that are empty, "." or "..".
func WithBasePath(path string) Option {
	base, err := basepath.Clean(path)
	if err != nil {
		panic("routing: " + err.Error())
	}
	return option(func(s *settings) { s.base = base })
}

// WithMethodOverride lets a POST request become a PUT or DELETE: by the form parameter _method of an urlencoded body, or else
// by the header X-HTTP-Method-Override. Other values, other methods and the query change nothing. It is off by default,
// because it makes every POST form of the site a possible PUT and DELETE.
func WithMethodOverride() Option {
	return option(func(s *settings) { s.override = true })
}

// WithSyntax sets the syntax of patterns given as strings; the default, also for nil, is [Sinatra].
func WithSyntax(read func(string) (Pattern, error)) Option {
	return option(func(s *settings) {
		if read == nil {
			read = Sinatra
		}
		s.syntax = read
	})
}

// WithLogger sets where errors and misuse are logged. The default, also for nil, is the logger of the app that this one is first mounted
// in, or else [slog.Default] at the time of logging.
func WithLogger(logger *slog.Logger) Option {
	return option(func(s *settings) { s.logger = logger })
}

// WithNext sets the handler of requests that the app does not answer; see [App.Middleware]. With nil, the default, they are
// not found.
func WithNext(next http.Handler) Option {
	return option(func(s *settings) { s.next = next })
}

// WithBodyLimit sets how many bytes of a body are read for parameters, 1 MiB by default; a longer one is answered with 413.
// Only what [Params] reads counts: an action may read a longer body itself. A limit below 1 panics.
func WithBodyLimit(bytes int64) Option {
	checkLimit("WithBodyLimit", bytes)
	return option(func(s *settings) { s.limits.Body = min(bytes, form.MaxLimit) })
}

// WithUploadLimit sets how many bytes the files of a multipart form may have together, 32 MiB by default; more are answered with 413.
// It matters with [WithMultipart] only. A limit below 1 panics.
func WithUploadLimit(bytes int64) Option {
	checkLimit("WithUploadLimit", bytes)
	return option(func(s *settings) { s.limits.Upload = min(bytes, form.MaxLimit) })
}

// WithPathLimit sets how many bytes of a decoded path are matched, 8 KiB by default; a longer path is answered with 414, or
// by the next handler. A limit below 1 panics.
func WithPathLimit(bytes int) Option {
	checkLimit("WithPathLimit", int64(bytes))
	return option(func(s *settings) { s.pathLimit = bytes })
}

// WithParamLimit sets how many parameters a query and a form may have together, 1,000 by default; more are answered with 400.
// A limit below 1 panics.
func WithParamLimit(count int) Option {
	checkLimit("WithParamLimit", int64(count))
	return option(func(s *settings) { s.limits.Params = count })
}

func checkLimit(name string, limit int64) {
	if limit < 1 {
		panic(fmt.Sprintf("routing: %s(%d): write a limit of at least 1", name, limit))
	}
}

// WithMultipart makes the text fields of multipart/form-data bodies parameters, within the limits of bodies and parameters. Files are
// not parameters: actions read them by [http.Request.FormFile] or [http.Request.MultipartReader], within the limit of
// [WithUploadLimit], before or after they ask for parameters. What exceeds 8 MiB is kept in temporary files until the request ends.
// Off by default.
func WithMultipart() Option {
	return option(func(s *settings) { s.multipart = true })
}

// WithMethodNotAllowed responds with 405 and the Allow header, in place of 404, where a path matches under other methods only, and to
// OPTIONS with 204 and Allow; [App.MethodNotAllowed] sets another response than the short page. It counts for mounted apps too. A next
// handler gets these requests as before. Conditions are not asked. Off by default.
func WithMethodNotAllowed() Option {
	return option(func(s *settings) { s.methodNotAllowed = true })
}

// WithStrictPaths answers 400 to paths that a proxy, a file system or another router may read as another path: with empty, "."
// or ".." segments, an encoded slash, a backslash, a semicolon, control characters, text that is not UTF-8, or a percent
// sign that is still there after decoding and begins another encoded character. Off by default. Outside the base path nothing
// is checked, and the next handler is not asked for what was refused.
func WithStrictPaths() Option {
	return option(func(s *settings) { s.strictPaths = true })
}
