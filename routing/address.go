package routing

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// URL returns the address of the route with values put in for its parameters, escaped, with the base path in front. The values
// are given as pairs of key and value; of a key that the pattern has several times, wildcards ("splat") mostly, one after the other.
//
//	route.URL("name", "Ann Lee") // "/hello/Ann%20Lee" for /hello/:name
//
// Optional parts of a pattern are there if one of their parameters is given; optional text without a parameter is left out.
// It is an error if a value is missing or left over, if the pattern is a regular expression or none, and if a request for
// the address would not give the same values: a value with a slash for a parameter, or one that makes a dot segment.
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
	p := r.pattern.p
	if p == nil || p.tokens == nil {
		return "", errors.New("the pattern does not tell how its paths are made")
	}
	values := make(map[string][]string)
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = append(values[pairs[i]], pairs[i+1])
	}
	left := make(map[string][]string)
	for key, list := range values {
		left[key] = list
	}
	path, err := fill(p.tokens, left)
	if err != nil {
		return "", err
	}
	for key, list := range left {
		if len(list) > 0 {
			return "", fmt.Errorf("the pattern has no place for %q of %q", list[0], key)
		}
	}
	s := p.find(path)
	if s == nil {
		return "", fmt.Errorf("the path %q does not match", path)
	}
	for key, list := range values {
		if got := s.values(path, key); !slices.Equal(got, list) {
			return "", fmt.Errorf("in the path %q, %q would be %q", path, key, got)
		}
	}
	for _, segment := range strings.Split(path, "/") {
		if segment == "." || segment == ".." {
			return "", fmt.Errorf("the path %q has a dot segment, which clients remove", path)
		}
	}
	if strings.HasPrefix(r.base+path, "//") {
		return "", fmt.Errorf("the path %q begins like a host", path)
	}
	return escape(r.base + path), nil
}

// fill puts values in for the parameters of tokens and takes those that it has used out of the map.
func fill(tokens []token, values map[string][]string) (string, error) {
	var b strings.Builder
	for _, t := range tokens {
		switch t.kind {
		case literal:
			b.WriteString(t.text)
		case optional:
			if !gives(t.tokens, values) {
				continue
			}
			text, err := fill(t.tokens, values)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		default:
			list := values[t.text]
			if len(list) == 0 {
				return "", fmt.Errorf("no value for %q", t.text)
			}
			b.WriteString(list[0])
			values[t.text] = list[1:]
		}
	}
	return b.String(), nil
}

// gives reports whether there is a value for a parameter of tokens.
func gives(tokens []token, values map[string][]string) bool {
	for _, t := range tokens {
		if t.kind == optional && gives(t.tokens, values) || t.kind != literal && len(values[t.text]) > 0 {
			return true
		}
	}
	return false
}

// escape writes a decoded path for a URL (RFC 3986, 3.3). The slashes stay.
func escape(path string) string { return (&url.URL{Path: path}).EscapedPath() }
