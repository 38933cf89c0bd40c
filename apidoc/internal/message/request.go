package message

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"
)

// Header appends the value of a header to values. For a list, it appends all values between commas.
func Header(r *http.Request, name string, list bool, values []string) []string {
	for _, line := range r.Header.Values(name) {
		if !list {
			return append(values, line)
		}
		for text := range strings.SplitSeq(line, ",") {
			values = append(values, strings.Trim(text, " \t"))
		}
	}
	return values
}

// Cookie appends the value of a cookie to values. Unlike net/http it also returns values that are
// invalid (RFC 6265, 4.1.1), so that they can be refused.
func Cookie(r *http.Request, name string, values []string) []string {
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

// HasBody reports whether a request may have a body.
func HasBody(r *http.Request) bool {
	return r.Body != nil && r.Body != http.NoBody && r.ContentLength != 0
}

// ReadBody appends the body to content, which is empty. The error is an [http.MaxBytesError] if the
// body is longer than limit.
func ReadBody(r *http.Request, limit int64, content []byte) ([]byte, error) {
	switch {
	case !HasBody(r):
		return content, nil
	case r.ContentLength > limit:
		return content, &http.MaxBytesError{Limit: limit}
	}
	const trusted = 64 << 10 // of the announced length
	size := int64(bytes.MinRead)
	if r.ContentLength > 0 {
		size = min(r.ContentLength, trusted) + 1 // so that the end is read too
	}
	content = slices.Grow(content, int(size))
	for {
		n, err := r.Body.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		switch {
		case int64(len(content)) > limit:
			return content, &http.MaxBytesError{Limit: limit}
		case err == io.EOF:
			return content, nil
		case err != nil:
			return content, err
		}
		content = slices.Grow(content, 1)
	}
}
