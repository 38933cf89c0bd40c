package respond

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/flowercafe/internal/basepath"
	"example.com/flowercafe/routing"
)

// This file redirects from old URLs, and back to the page of a form.

// RedirectAction returns an action that redirects to a URL with captures of the path in it. The
// status must be 301, 302, 303, 307 or 308:
//
//	app.Get("/stories/:id", respond.RedirectAction(http.StatusMovedPermanently, "/articles/:id"))
//	app.Get("/old/*", respond.RedirectAction(http.StatusFound, "https://old.example.com/*splat"))
//
// The target is a pattern of [routing.Rails]; the values are escaped. A group in parentheses is
// left out if the path lacks one of its captures. A target without a host is completed by
// [routing.Context.Path]. The request's query is dropped.
func RedirectAction(status int, target string) routing.Action {
	if !slices.Contains([]int{301, 302, 303, 307, 308}, status) {
		panic(fmt.Sprintf("respond: RedirectAction(%d, %q): pass 301, 302, 303, 307 or 308", status, target))
	}
	site, path := "", target
	if !strings.HasPrefix(target, "/") {
		scheme, rest, _ := strings.Cut(target, "://")
		slash := strings.IndexByte(rest, '/')
		if scheme != "http" && scheme != "https" || slash < 1 {
			panic(fmt.Sprintf("respond: RedirectAction(%d, %q): begin with a slash, or with https, a host and a slash", status, target))
		}
		site, path = scheme+"://"+rest[:slash], rest[slash:]
	}
	end := len(path)
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		end = i
	}
	if plain, isEncoded := basepath.Decoded(path[:end]); isEncoded {
		panic(fmt.Sprintf("respond: RedirectAction(%d, %q): the path of a pattern is not encoded: write %q", status, target, plain))
	}
	read := func(text string) []routing.Token {
		pattern, err := routing.Rails(text)
		if err != nil {
			panic(fmt.Sprintf("respond: RedirectAction(%d, %q): %v", status, target, err))
		}
		return pattern.Tokens()
	}
	query, fragment, hasFragment := strings.Cut(path[end:], "#")
	if hasFragment {
		fragment = "#" + fragment
	}
	parts := []struct {
		tokens []routing.Token
		escape func(value string) string
	}{{read(path[:end]), url.PathEscape}, {read(query), url.QueryEscape}, {read(fragment), escapeFragment}}
	return func(c routing.Context) (routing.Result, error) {
		var texts [3]string
		for i, part := range parts {
			var err error
			if texts[i], err = fill(part.tokens, c.Params(), part.escape, i == 0); err != nil {
				return routing.Result{}, err
			}
		}
		path, rest := texts[0], texts[1]+texts[2]
		switch {
		case site == "":
			path = c.Path(path) // with a single leading slash: two would begin a host
		case !strings.HasPrefix(path, "/"): // belongs to a group that was left out
			path = "/" + path // a value must not continue the host
		}
		return routing.Result{}, &routing.HaltError{Status: status, Header: http.Header{"Location": {site + path + rest}}}
	}
}

// escapeFragment encodes a value for the fragment of a URL (RFC 3986, 3.5).
func escapeFragment(value string) string { return (&url.URL{Fragment: value}).EscapedFragment() }

// fill returns the text of tokens with escaped values. In a path, literal text is escaped too, and
// a wildcard has slashes.
func fill(tokens []routing.Token, params routing.Params, escape func(string) string, isPath bool) (string, error) {
	var b strings.Builder
	for _, t := range tokens {
		value, ok := params.Path(t.Text)
		switch {
		case t.Kind == routing.TokenLiteral && !isPath:
			b.WriteString(t.Text)
		case t.Kind == routing.TokenLiteral:
			b.WriteString((&url.URL{Path: t.Text}).EscapedPath())
		case t.Kind == routing.TokenOptional:
			if part, err := fill(t.Tokens, params, escape, isPath); err == nil {
				b.WriteString(part)
			}
		case !ok:
			return "", fmt.Errorf("respond: redirect: the path has no capture %q", t.Text)
		case t.Kind == routing.TokenWildcard && isPath:
			b.WriteString((&url.URL{Path: "/" + value}).EscapedPath()[1:])
		default:
			b.WriteString(escape(value))
		}
	}
	return b.String(), nil
}

// BackURL returns the path and query of the request's Referer, for a redirect after a form. It
// returns fallback if the Referer is not on the request's host, or its path begins with two
// slashes.
func BackURL(c routing.Context, fallback string) string {
	r := c.Request()
	from, err := url.Parse(r.Referer())
	if err != nil || from.Scheme != "http" && from.Scheme != "https" || !strings.EqualFold(from.Host, r.Host) || from.Host == "" {
		return fallback
	}
	return routing.LocalURL(from.RequestURI(), fallback)
}
