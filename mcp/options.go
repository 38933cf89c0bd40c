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

// DefaultRequestLimit is how many bytes an MCP request may have; see [RequestLimit].
const DefaultRequestLimit = 4 << 20

// DefaultResponseLimit is how many bytes the response of an operation may have; see
// [ResponseLimit].
const DefaultResponseLimit = 1 << 20

// DefaultStreamTime is how long a call collects events or lines; see [StreamTime].
const DefaultStreamTime = 30 * time.Second

// Option is an option of [Handler].
type Option func(*settings) error

type settings struct {
	tags, ids, except []string
	headers           []string
	origins, hosts    []string
	through           http.Handler
	base              *string // nil is that of the description
	request, response int64
	stream            time.Duration
}

// Tagged chooses the operations that have one of these tags. A tag that no operation has is an
// error of [Handler].
func Tagged(tags ...string) Option { return list("Tagged", "names of tags", tags, chosenTags) }

// Operations chooses operations by their IDs. An ID that no operation has is an error of [Handler].
func Operations(ids ...string) Option { return list("Operations", "IDs", ids, chosenIDs) }

// Except leaves out operations that [Tagged] has chosen, by their IDs. An ID that was not chosen is
// an error of [Handler].
func Except(ids ...string) Option { return list("Except", "IDs", ids, leftOut) }

// Headers names headers of MCP requests that calls get too, such as X-API-Key, Cookie or
// X-Forwarded-For. Authorization is always passed on.
func Headers(names ...string) Option { return list("Headers", "names of headers", names, passed) }

// Origins lets pages of these origins use the tools from a browser, and answers them by the rules
// of CORS. An origin has no path: https://chat.example.com. The default is none.
func Origins(origins ...string) Option {
	for _, o := range origins {
		if u, err := url.Parse(o); err != nil || u.Scheme == "" || u.Host == "" || o != u.Scheme+"://"+u.Host || o != strings.ToLower(o) {
			return refused("Origins(%q): write an origin such as https://chat.example.com, in lower case and without a path", o)
		}
	}
	return list("Origins", "origins", origins, allowedOrigins)
}

// Hosts are the only values of the header Host that are answered, such as shop.example.com. By
// default a request that comes to a loopback address must name one, such as localhost:8080, and
// others may name any: a proxy on the same machine that passes the Host on needs this option.
func Hosts(hosts ...string) Option { return list("Hosts", "hosts", hosts, allowedHosts) }

// Through is the handler that calls go through, and the path at which it has the API: for an app
// with handlers around it, or mounted in another. The default is the app itself with its base path.
func Through(handler http.Handler, basePath string) Option {
	if handler == nil {
		return refused("Through: pass a handler, not nil")
	}
	base := strings.TrimSuffix(basePath, "/")
	if base != "" && base[0] != '/' {
		return refused("Through(%q): write a path such as /shop, or nothing", basePath)
	}
	return func(s *settings) error { s.through, s.base = handler, &base; return nil }
}

// RequestLimit sets how many bytes an MCP request may have, with its arguments. A larger one is
// refused with the status 413. The limit of the operation for its body holds too.
func RequestLimit(bytes int64) Option {
	if bytes < 1 {
		return refused("RequestLimit(%d): write a number above 0", bytes)
	}
	return func(s *settings) error { s.request = bytes; return nil }
}

// ResponseLimit sets how many bytes the response of an operation may have. A larger one ends the
// request and is an error of the tool. Of a stream the events or lines up to the limit are the
// result.
func ResponseLimit(bytes int64) Option {
	if bytes < 1 {
		return refused("ResponseLimit(%d): write a number above 0", bytes)
	}
	return func(s *settings) error { s.response = bytes; return nil }
}

// StreamTime sets how long a call collects events or lines. Then the request ends, and what has
// come is the result.
func StreamTime(d time.Duration) Option {
	if d < 1 {
		return refused("StreamTime(%v): write a duration above 0", d)
	}
	return func(s *settings) error { s.stream = d; return nil }
}

func chosenTags(s *settings) *[]string     { return &s.tags }
func chosenIDs(s *settings) *[]string      { return &s.ids }
func leftOut(s *settings) *[]string        { return &s.except }
func passed(s *settings) *[]string         { return &s.headers }
func allowedOrigins(s *settings) *[]string { return &s.origins }
func allowedHosts(s *settings) *[]string   { return &s.hosts }

// list returns an option that adds values to a list. None, or an empty one, is a mistake.
func list(name, what string, values []string, to func(*settings) *[]string) Option {
	if len(values) == 0 || slices.Contains(values, "") {
		return refused("%s(%q): write %s", name, values, what)
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
