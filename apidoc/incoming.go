package apidoc

import (
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/internal/urlencoded"
	"example.com/flowercafe/routing"
)

// This file has the texts of requests: from queries, headers and cookies.

// incoming is a request whose values are read.
type incoming struct {
	routing.Context
	request  *http.Request
	query    *urlencoded.Index
	form     multipart.Form
	buffered *bufferedBody // of a body that is a value
}

// bufferedBody is a body that was read. The next route reads it again after a pass, as does
// middleware that runs the operation once more.
type bufferedBody struct{ rest []byte }

func (b *bufferedBody) Read(p []byte) (int, error) {
	if len(b.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

func (b *bufferedBody) Close() error { return nil }

// names returns the names in the query or form of a request.
func (from incoming) names(in routing.Location) []string {
	if in == InForm {
		return slices.AppendSeq(slices.Collect(maps.Keys(from.form.Value)), maps.Keys(from.form.File))
	}
	return from.query.Fields(from.request.URL.RawQuery).AppendKeys(nil)
}

// sentIn appends the values of a query parameter, header or cookie. For a list, a header's values
// are between commas. Unlike net/http it also returns cookies that are invalid (RFC 6265, 4.1.1),
// so that they can be refused.
func sentIn(r *http.Request, in routing.Location, name string, query *urlencoded.Index, list bool, values []string) []string {
	switch in {
	case InQuery:
		return query.Fields(r.URL.RawQuery).Append(values, name)
	case InCookie:
		return appendCookie(values, r, name)
	}
	lines := r.Header.Values(name)
	if list {
		return appendItems(values, lines)
	}
	return append(values, lines[:min(len(lines), 1)]...)
}

// appendItems appends the items of a list in the lines of a header (RFC 9110, 5.3).
func appendItems(values, lines []string) []string {
	for _, line := range lines {
		for text := range strings.SplitSeq(line, ",") {
			values = append(values, strings.Trim(text, " \t"))
		}
	}
	return values
}

func appendCookie(values []string, r *http.Request, name string) []string {
	if cookie, err := r.Cookie(name); err == nil {
		return append(values, cookie.Value)
	}
	for _, line := range r.Header["Cookie"] {
		for pair := range strings.SplitSeq(line, ";") {
			if n, text, ok := strings.Cut(strings.Trim(pair, " \t"), "="); ok && n == name {
				return append(values, text)
			}
		}
	}
	return values
}
