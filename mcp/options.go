package mcp

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// This file has the options.

// DefaultResponseLimit is how many bytes a response may have, unless [WithResponseLimit] is given.
const DefaultResponseLimit = 1 << 20

// DefaultStreamTime is how long a call collects events or lines, unless [WithStreamTime] is given.
const DefaultStreamTime = 30 * time.Second

// Option configures the handler of [New]. Lists of names accumulate; of other options the last one
// counts.
type Option interface{ apply(*settings) error }

type option func(*settings) error

func (o option) apply(s *settings) error { return o(s) }

type settings struct {
	tags, ids, except, headers, origins []string

	through  http.Handler
	base     string
	response int64
	stream   time.Duration
}

// WithTags chooses the operations that have one of these tags.
func WithTags(tags ...string) Option {
	return list("WithTags", tags, func(s *settings) *[]string { return &s.tags })
}

// WithOperations chooses operations by their IDs.
func WithOperations(ids ...string) Option {
	return list("WithOperations", ids, func(s *settings) *[]string { return &s.ids })
}

// WithoutOperations leaves out operations that [WithTags] has chosen, by their IDs.
func WithoutOperations(ids ...string) Option {
	return list("WithoutOperations", ids, func(s *settings) *[]string { return &s.except })
}

// WithHeaders chooses headers of MCP requests that calls have too, such as X-API-Key, Cookie or
// X-Forwarded-For. They are no arguments then. Authorization is always one.
func WithHeaders(names ...string) Option {
	return list("WithHeaders", names, func(s *settings) *[]string { return &s.headers })
}

// WithAllowedOrigins lets pages of these origins use the tools from a browser, by the rules of
// CORS. Write them as browsers do: https://chat.example.com. The default is none: requests with the
// header Origin, which browsers send with each POST, are refused. So pages cannot use the tools by
// binding a name of theirs to the server's address either (DNS rebinding).
func WithAllowedOrigins(origins ...string) Option {
	for _, o := range origins {
		if u, err := url.Parse(o); err != nil || u.Scheme == "" || u.Host == "" || o != strings.ToLower(u.Scheme+"://"+u.Host) {
			return refused("WithAllowedOrigins(%q): write an origin in lower case and without a path, such as https://chat.example.com", o)
		}
	}
	return list("WithAllowedOrigins", origins, func(s *settings) *[]string { return &s.origins })
}

// WithHandler sets the handler that calls go through, and the path at which it has the API: for an
// app behind middleware, or mounted in another. The default is the API with its base path.
func WithHandler(handler http.Handler, basePath string) Option {
	base := strings.TrimSuffix(basePath, "/")
	if handler == nil || base != "" && base[0] != '/' {
		return refused("WithHandler(%v, %q): pass a handler and a path such as /shop", handler, basePath)
	}
	return option(func(s *settings) error { s.through, s.base = handler, base; return nil })
}

// WithResponseLimit sets how many bytes a response may have. A larger one is an error of the tool,
// and its request ends. For a stream, the events or lines up to the limit are the result.
func WithResponseLimit(bytes int64) Option {
	if bytes < 1 {
		return refused("WithResponseLimit(%d): write a number above 0", bytes)
	}
	return option(func(s *settings) error { s.response = bytes; return nil })
}

// WithStreamTime sets how long a call collects events or lines. Then its request ends, and what was
// collected is the result.
func WithStreamTime(d time.Duration) Option {
	if d < 1 {
		return refused("WithStreamTime(%v): write a duration above 0", d)
	}
	return option(func(s *settings) error { s.stream = d; return nil })
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
