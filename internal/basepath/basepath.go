// Package basepath checks base paths and removes them from the paths of requests.
package basepath

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// Clean returns base without a trailing slash; "" and "/" become "". A valid base path is literal,
// starts with a slash, is not encoded, and has no query, no fragment, and no segment that is empty,
// "." or "..". For example, "//host" is refused, because clients would read it as another host. A
// segment that begins with a colon or a star, or has braces, is refused too, since it stands for
// something else in routes. The error describes what to write instead.
func Clean(base string) (string, error) {
	clean, err := Prefix(base)
	if err == nil {
		err = checkLiteral(clean)
	}
	if err != nil {
		return "", fmt.Errorf("base path %q: %w", base, err)
	}
	return clean, nil
}

// checkLiteral returns an error for a segment that looks like a parameter or wildcard.
func checkLiteral(clean string) error {
	segments := strings.Split(clean, "/")
	for i, segment := range segments {
		name, isParam := strings.CutPrefix(segment, ":")
		if strings.HasPrefix(segment, "*") { // also with a name, as in gin
			return fmt.Errorf("it is literal, and everything below it is served anyway: leave %q out", segment)
		}
		if !isParam && !strings.ContainsAny(segment, "{}") {
			continue
		}
		segments[i] = ":" + strings.Trim(name, "{}")
		if !parameter.MatchString(segments[i]) {
			return fmt.Errorf("it is literal: leave %q out", segment)
		}
	}
	if pattern := strings.Join(segments, "/"); pattern != clean || strings.Contains(clean, "/:") {
		return fmt.Errorf("it is literal: write outer.Mount(%q, app)", pattern)
	}
	return nil
}

var parameter = regexp.MustCompile(`^:\w+$`)

// Prefix is [Clean] without the check for parameters and wildcards. Its error does not repeat base.
func Prefix(base string) (string, error) {
	if base == "" || base == "/" {
		return "", nil
	}
	if base[0] != '/' {
		if u, err := url.Parse(base); err == nil && u.Host != "" {
			return "", fmt.Errorf("must be a path alone: write %q", valid(u.Path))
		}
		return "", fmt.Errorf("must start with /: write %q", valid(base))
	}
	if strings.ContainsAny(base, "?#") {
		return "", fmt.Errorf("must not contain a query or fragment: write %q", valid(base))
	}
	if _, isEncoded := Decoded(base); isEncoded {
		return "", fmt.Errorf("paths are compared decoded: write %q", valid(base))
	}
	clean := valid(base)
	if clean == "/" || clean != base && clean+"/" != base {
		return "", fmt.Errorf("must not contain empty or dot segments: write %q", clean)
	}
	return clean, nil
}

// valid returns the valid base path that is most similar to base.
func valid(base string) string {
	if i := strings.IndexAny(base, "?#"); i >= 0 {
		base = base[:i]
	}
	base = path.Clean("/" + base)
	if plain, isEncoded := Decoded(base); isEncoded {
		return valid(plain)
	}
	return base
}

// Decoded returns path without its encoding, and reports whether it has one: patterns and prefixes
// are written decoded.
func Decoded(path string) (plain string, isEncoded bool) {
	plain, err := url.PathUnescape(path)
	return plain, err == nil && plain != path
}

// Cut returns the part of path below base, which must be a result of [Clean]. The result for the
// base path itself is "/". Cut reports false if path is not below base: "/shopping" is not below
// "/shop".
func Cut(path, base string) (string, bool) {
	if base != "" {
		if !strings.HasPrefix(path, base) {
			return "", false
		}
		path = path[len(base):]
	}
	switch {
	case path == "":
		return "/", true
	case base != "" && path[0] != '/':
		return "", false
	}
	return path, true
}

// Below returns a relative URL of a path below the path of u, which has no slash at its end. It is
// for redirects, and is also right behind a proxy that removes a prefix. An encoded slash stays
// encoded, since clients see it as a part of the last segment.
func Below(u *url.URL, path string) string {
	last := u.EscapedPath()
	last = last[strings.LastIndexByte(last, '/')+1:]
	if strings.Contains(last, ":") { // which would end a scheme (RFC 3986, 4.2)
		last = "./" + last
	}
	return last + "/" + path
}
