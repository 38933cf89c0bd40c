package routing

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"example.com/flowercafe/routing/internal/pattern"
)

// URL returns the address of the route with values put in for its parameters, escaped, with the base
// path in front. The values are given as pairs of key and value; for a key that the pattern has
// several times, such as "splat", the values are used in their order.
//
//	route.URL("name", "Ann Lee") // "/hello/Ann%20Lee" for /hello/:name
//
// Optional parts of a pattern are written if one of their parameters is given. Optional text without
// a parameter is left out, except for the slash that the address must begin with.
//
// A request for the address matches the route and has exactly the given parameters; anything else
// is an error: a value that is missing or left over, a slash in the value of a parameter, a value
// that makes a dot segment, which clients remove. A pattern that is a regular expression and the
// zero Pattern have no addresses. Limits and [WithStrictPaths] are not checked.
func (r *Route) URL(pairs ...string) (string, error) {
	address, err := r.address(pairs)
	if err != nil {
		return "", fmt.Errorf("routing: address of %s: %w", r, err)
	}
	return address, nil
}

func (r *Route) address(pairs []string) (string, error) {
	if len(pairs)%2 != 0 {
		return "", errors.New("give pairs of key and value")
	}
	tokens := r.pattern.p.Tokens()
	if tokens == nil {
		return "", errors.New("the pattern does not tell how its paths are made")
	}
	values := make(map[string][]string)
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = append(values[pairs[i]], pairs[i+1])
	}
	path, err := r.pathOf(tokens, values)
	for taken := tokens; err != nil && len(taken) > 0 && taken[0].Kind == pattern.Optional; {
		// The slash in front may be optional.
		taken = slices.Concat(taken[0].Tokens, taken[1:])
		if longer, also := r.pathOf(taken, values); also == nil {
			path, err = longer, nil
		}
	}
	if err != nil {
		return "", err
	}
	if path = r.base + path; path == "" {
		path = "/"
	}
	if strings.HasPrefix(path, "//") {
		return "", fmt.Errorf("the path %q begins like a host", path)
	}
	return escape(path), nil
}

// pathOf returns the path that tokens make with values, below the base path. It checks that the path
// gives these values.
func (r *Route) pathOf(tokens []pattern.Token, values map[string][]string) (string, error) {
	left := maps.Clone(values)
	path, err := fill(tokens, left)
	if err != nil {
		return "", err
	}
	for key, list := range left {
		if len(list) > 0 {
			return "", fmt.Errorf("the pattern has no place for %q of %q", list[0], key)
		}
	}
	seen, inside := below(r.base, r.base+path)
	s := r.pattern.p.Find(seen)
	if !inside || s == nil || seen[0] != '/' {
		return "", fmt.Errorf("the path %q does not match", path)
	}
	got := make(map[string][]string)
	for key, value := range s.All(seen) {
		got[key] = append(got[key], value)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Equal(got[key], values[key]) {
			return "", fmt.Errorf("in the path %q, %q would be %q", path, key, got[key])
		}
		delete(got, key)
	}
	for key, list := range got {
		return "", fmt.Errorf("in the path %q, %q would be %q", path, key, list)
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return "", fmt.Errorf("the path %q has a dot segment, which clients remove", path)
		}
	}
	return path, nil
}

// fill puts values in for the parameters of tokens and takes those that it has used out of the map.
func fill(tokens []pattern.Token, values map[string][]string) (string, error) {
	var b strings.Builder
	for _, t := range tokens {
		switch t.Kind {
		case pattern.Literal:
			b.WriteString(t.Text)
		case pattern.Optional:
			if !gives(t.Tokens, values) {
				continue
			}
			text, err := fill(t.Tokens, values)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		default:
			list := values[t.Text]
			if len(list) == 0 {
				return "", fmt.Errorf("no value for %q", t.Text)
			}
			b.WriteString(list[0])
			values[t.Text] = list[1:]
		}
	}
	return b.String(), nil
}

// gives reports whether there is a value for a parameter of tokens.
func gives(tokens []pattern.Token, values map[string][]string) bool {
	return slices.ContainsFunc(tokens, func(t pattern.Token) bool {
		return t.Kind == pattern.Optional && gives(t.Tokens, values) ||
			t.Kind != pattern.Literal && len(values[t.Text]) > 0
	})
}

// escape writes a decoded path for a URL (RFC 3986, 3.3). The slashes stay.
func escape(path string) string { return (&url.URL{Path: path}).EscapedPath() }
