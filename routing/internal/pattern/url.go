package pattern

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// This file builds paths from patterns and values. The values are lists by parameter names.

// Path returns the path that the pattern matches with exactly the given values. An optional group
// is included if one of its parameters has a value. The path is empty if the pattern matches "/"
// without its slash.
func (p *Pattern) Path(given map[string][]string) (string, error) {
	tokens := p.Tokens()
	if tokens == nil {
		return "", errors.New("only Sinatra and Rails patterns have a URL")
	}
	path, err := p.path(tokens, given)
	for taken := tokens; err != nil && len(taken) > 0 && taken[0].Kind == Optional; {
		// The leading slash may be optional.
		taken = slices.Concat(taken[0].Choices[0], taken[1:])
		if longer, longerErr := p.path(taken, given); longerErr == nil {
			path, err = longer, nil
		}
	}
	return path, err
}

// path returns the path of tokens, and checks that the pattern captures the same values from it.
func (p *Pattern) path(tokens []Token, given map[string][]string) (string, error) {
	unused := maps.Clone(given)
	path, err := fill(tokens, unused)
	if err != nil {
		return "", err
	}
	for key, list := range unused {
		return "", fmt.Errorf("value %q for %q is not used by the pattern", list[0], key)
	}
	requested := cmp.Or(path, "/")
	v := p.Find(requested)
	if v == nil || requested[0] != '/' {
		return "", fmt.Errorf("the path %q does not match", path)
	}
	got := make(map[string][]string)
	for key, value := range v.All(requested) {
		got[key] = append(got[key], value)
	}
	if !maps.EqualFunc(got, given, slices.Equal) {
		return "", fmt.Errorf("the path %q has the parameters %q, not %q", path, got, given)
	}
	return path, nil
}

// Fill returns the text of the prefix with values for its parameters, which it removes from given.
func (p *Prefix) Fill(given map[string][]string) (string, error) { return fill(p.Tokens(), given) }

// fill returns the text of tokens with values for their parameters. It removes these from given.
func fill(tokens []Token, given map[string][]string) (string, error) {
	var b strings.Builder
	for _, t := range tokens {
		switch t.Kind {
		case Literal:
			b.WriteString(t.Text)
		case Choice, Optional:
			text, err := fill(chosen(t, given), given)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		default:
			if t.Text == "" { // of AnyPath, which may be empty
				continue
			}
			list := given[t.Text]
			if len(list) == 0 {
				return "", fmt.Errorf("no value for %q", t.Text)
			}
			if t.Kind == Param && strings.Contains(list[0], "/") {
				return "", fmt.Errorf("value %q for %q must not contain a slash", list[0], t.Text)
			}
			if t.Kind == Param && list[0] == "" {
				return "", fmt.Errorf("value %q for %q must not be empty", list[0], t.Text)
			}
			if !t.class.Match(list[0]) && t.Where() != "" {
				return "", fmt.Errorf("value %q for %q does not match %s", list[0], t.Text, t.Where())
			}
			b.WriteString(list[0])
			if given[t.Text] = list[1:]; len(list) == 1 {
				delete(given, t.Text)
			}
		}
	}
	return b.String(), nil
}

// chosen returns the first alternative with a parameter that has a value, or else the first
// alternative that needs no value. For an optional token without a value it returns nil.
func chosen(t Token, given map[string][]string) []Token {
	for _, tokens := range t.Choices {
		if slices.ContainsFunc(keysOf(tokens), func(key string) bool { return len(given[key]) > 0 }) {
			return tokens
		}
	}
	if t.Kind == Optional {
		return nil
	}
	i := slices.IndexFunc(t.Choices, func(tokens []Token) bool { _, err := fill(tokens, nil); return err == nil })
	return t.Choices[max(i, 0)]
}
