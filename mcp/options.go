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

// DefaultResponseLimit is how many bytes a response may have, unless [ResponseLimit] is given.
const DefaultResponseLimit = 1 << 20

// DefaultStreamTime is how long a call collects events or lines, unless [StreamTime] is given.
const DefaultStreamTime = 30 * time.Second

// Option is an option of [Handler].
type Option func(*settings) error

type settings struct {
	tags, ids, except, headers, origins []string

	through  http.Handler
	base     string
	response int64
	stream   time.Duration
}

// Tagged chooses the operations that have one of these tags.
func Tagged(tags ...string) Option {
	return list("Tagged", tags, func(s *settings) *[]string { return &s.tags })
}

// Operations chooses operations by their IDs.
func Operations(ids ...string) Option {
	return list("Operations", ids, func(s *settings) *[]string { return &s.ids })
}

// Except leaves out operations that [Tagged] has chosen, by their IDs.
func Except(ids ...string) Option {
	return list("Except", ids, func(s *settings) *[]string { return &s.except })
}

// Headers names headers of MCP requests that calls have too, such as X-API-Key, Cookie or
// X-Forwarded-For. They are no arguments then. Authorization is always one.
func Headers(names ...string) Option {
	return list("Headers", names, func(s *settings) *[]string { return &s.headers })
}

// Origins lets pages of these origins use the tools from a browser, by the rules of CORS. Write
// them as browsers do: https://chat.example.com. The default is none: requests with the header
// Origin, which browsers send with each POST, are refused. So pages cannot use the tools by binding
// a name of theirs to the server's address either (DNS rebinding).
func Origins(origins ...string) Option {
	for _, o := range origins {
		if u, err := url.Parse(o); err != nil || u.Scheme == "" || u.Host == "" || o != strings.ToLower(u.Scheme+"://"+u.Host) {
			return refused("Origins(%q): write an origin in lower case and without a path, such as https://chat.example.com", o)
		}
	}
	return list("Origins", origins, func(s *settings) *[]string { return &s.origins })
}

// Through is the handler that calls go through, and the path at which it has the API: for an app
// behind middleware, or mounted in another. The default is the API with its own base path.
func Through(handler http.Handler, basePath string) Option {
	base := strings.TrimSuffix(basePath, "/")
	if handler == nil || base != "" && base[0] != '/' {
		return refused("Through(%v, %q): pass a handler and a path such as /shop", handler, basePath)
	}
	return func(s *settings) error { s.through, s.base = handler, base; return nil }
}

// ResponseLimit sets how many bytes a response may have. A larger one is an error of the tool, and
// its request ends. For a stream, the events or lines up to the limit are the result.
func ResponseLimit(bytes int64) Option {
	if bytes < 1 {
		return refused("ResponseLimit(%d): write a number above 0", bytes)
	}
	return func(s *settings) error { s.response = bytes; return nil }
}

// StreamTime sets how long a call collects events or lines. Then its request ends, and what was
// collected is the result.
func StreamTime(d time.Duration) Option {
	if d < 1 {
		return refused("StreamTime(%v): write a duration above 0", d)
	}
	return func(s *settings) error { s.stream = d; return nil }
}

// list returns an option that adds values to a list.
func list(name string, values []string, to func(*settings) *[]string) Option {
	if len(values) == 0 || slices.Contains(values, "") {
		return refused("%s(%q): write at least one text, and none that is empty", name, values)
	}
	return func(s *settings) error {
		all := to(s)
		*all = append(*all, values...)
		return nil
	}
}

// refused returns an option that is an error.
func refused(format string, values ...any) Option {
	return func(*settings) error { return fmt.Errorf(format, values...) }
}
