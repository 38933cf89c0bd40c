package mcp

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// This file has the options.

// The defaults of the options with these names.
const (
	DefaultRequestLimit  = 4 << 20   // bytes
	DefaultResponseLimit = 256 << 10 // bytes
	DefaultCallTime      = time.Minute
	DefaultStreamTime    = 30 * time.Second
)

// Option configures the handler of [New]. Lists accumulate; of other options the last one wins.
type Option interface{ apply(*settings) error }

type option func(*settings) error

func (o option) apply(s *settings) error { return o(s) }

type settings struct {
	tags, ids, except, origins  []string
	passedOn                    []string // the headers of MCP requests that calls also have
	handler                     http.Handler
	base                        string   // escaped, with {name} for each parameter
	baseParams                  []string // the names of these
	isDirect                    bool     // calls go to the API
	middleware                  func(http.Handler) http.Handler
	requestLimit, responseLimit int64
	callTime, streamTime        time.Duration
}

// WithTags chooses the operations that have one of these tags.
func WithTags(tags ...string) Option {
	return list("WithTags", tags, func(s *settings) *[]string { return &s.tags })
}

// WithOperations chooses operations by their IDs.
func WithOperations(ids ...string) Option {
	return list("WithOperations", ids, func(s *settings) *[]string { return &s.ids })
}

// WithoutOperations leaves out operations that other options have chosen, by their IDs.
func WithoutOperations(ids ...string) Option {
	return list("WithoutOperations", ids, func(s *settings) *[]string { return &s.except })
}

// WithHeaders chooses headers of MCP requests that calls also have, such as X-API-Key or Cookie.
// They are not arguments. Authorization, Forwarded, X-Forwarded-For, X-Forwarded-Host,
// X-Forwarded-Proto and X-Real-IP are always copied.
func WithHeaders(names ...string) Option {
	for _, name := range names {
		if canonical := http.CanonicalHeaderKey(name); canonical == "Accept" || canonical == "Content-Type" {
			return refused("WithHeaders(%q): each call has its own, for its body and its result: leave it out", name)
		}
		if name != "" && !fieldName.MatchString(name) {
			return refused("WithHeaders(%q): write a name of letters, digits and hyphens", name)
		}
	}
	return list("WithHeaders", names, func(s *settings) *[]string { return &s.passedOn })
}

// fieldName matches the names of headers (RFC 9110, 5.1).
var fieldName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// WithAllowedOrigins lets pages of these origins use the tools from a browser, by the rules of
// CORS, such as https://chat.example.com. By default, requests with the header Origin are refused,
// even from the server's own pages (DNS rebinding).
func WithAllowedOrigins(origins ...string) Option {
	for _, o := range origins {
		if u, err := url.Parse(o); err != nil || u.Scheme == "" || u.Host == "" || o != strings.ToLower(u.Scheme+"://"+u.Host) || strings.Contains(o, "*") {
			return refused("WithAllowedOrigins(%q): write an origin in lower case, without a path or a *, such as https://chat.example.com", o)
		}
	}
	return list("WithAllowedOrigins", origins, func(s *settings) *[]string { return &s.origins })
}

// WithMiddleware sets middleware for MCP requests, such as RequireBearerToken of the SDK's package
// auth.
func WithMiddleware(middleware func(http.Handler) http.Handler) Option {
	if middleware == nil {
		return refused("WithMiddleware(nil): pass a function")
	}
	return option(func(s *settings) error { s.middleware = middleware; return nil })
}

// WithHandler sets the handler that calls go through, and the path at which it has the API: for an
// app behind middleware, or mounted in another. The default is the API with its base path.
//
//	mcp.WithHandler(outer, "/users/:user")
//
// A segment of the path may be a parameter, :user or {user}. It is a required argument of each
// tool.
func WithHandler(handler http.Handler, basePath string) Option {
	base := strings.TrimSuffix(basePath, "/")
	if isNil(handler) || base != "" && base[0] != '/' {
		return refused("WithHandler(%T, %q): pass a handler and a path such as /shop", handler, basePath)
	}
	var names []string
	segments := strings.Split(base, "/")
	for i, s := range segments {
		name, isParameter := strings.CutPrefix(s, ":")
		if inner, ok := strings.CutPrefix(s, "{"); ok {
			name, isParameter = strings.CutSuffix(inner, "}")
		}
		if !isParameter {
			name = s
		}
		switch {
		case strings.ContainsAny(name, ":{}*?") || isParameter && name == "":
			return refused("WithHandler(%q): a parameter fills a segment, such as /users/:user", basePath)
		case isParameter:
			names, segments[i] = append(names, name), "{"+name+"}"
		default:
			segments[i] = url.PathEscape(s)
		}
	}
	return option(func(s *settings) error {
		s.handler, s.base, s.baseParams = handler, strings.Join(segments, "/"), names
		return nil
	})
}

// WithRequestLimit sets how many bytes the arguments of a call may have, as JSON. The default is
// [DefaultRequestLimit]. A call with more is an error of the tool. An MCP request of more than
// twice the limit is a 413.
func WithRequestLimit(bytes int64) Option {
	return positive("WithRequestLimit", bytes, func(s *settings) *int64 { return &s.requestLimit })
}

// WithResponseLimit sets how many bytes a response may have. The default is [DefaultResponseLimit].
// A larger one is an error of the tool; of a stream, the result is what came before the limit.
func WithResponseLimit(bytes int64) Option {
	return positive("WithResponseLimit", bytes, func(s *settings) *int64 { return &s.responseLimit })
}

// WithCallTime sets how long the context of a call lasts. The default is [DefaultCallTime]. A
// response that is not complete then is an error of the tool, unless it is a stream.
func WithCallTime(d time.Duration) Option {
	return positive("WithCallTime", d, func(s *settings) *time.Duration { return &s.callTime })
}

// WithStreamTime sets how long a call collects events or lines, in place of [WithCallTime]. The
// default is [DefaultStreamTime]. Then its context ends, and the collected items are the result.
func WithStreamTime(d time.Duration) Option {
	return positive("WithStreamTime", d, func(s *settings) *time.Duration { return &s.streamTime })
}

// positive returns an option that sets a number above 0.
func positive[T int64 | time.Duration](name string, value T, to func(*settings) *T) Option {
	if value < 1 {
		return refused("%s(%v): the least is %v", name, value, T(1))
	}
	return option(func(s *settings) error { *to(s) = value; return nil })
}

// list returns an option that adds values to a list.
func list(name string, values []string, to func(*settings) *[]string) Option {
	if len(values) == 0 || slices.Contains(values, "") {
		return refused("%s(%q): write at least one text, and none that is empty", name, values)
	}
	return option(func(s *settings) error {
		all := to(s)
		*all = append(*all, values...)
		return nil
	})
}

// refused returns an option that is an error.
func refused(format string, values ...any) Option {
	return option(func(*settings) error { return fmt.Errorf(format, values...) })
}
