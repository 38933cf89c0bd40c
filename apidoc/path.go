package apidoc

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"example.com/flowercafe/routing"
)

// This file converts patterns to described paths, such as /flowers/:slug to /flowers/{slug}, and
// refuses patterns that cannot be described.

// pathOf returns the path of a pattern and the names of its parameters.
func pathOf(p routing.Pattern) (string, []string, error) {
	switch p.Syntax() {
	case "regexp":
		return "", nil, errors.New("a regular expression cannot be described: use a pattern with named parameters")
	case "":
		return "", nil, errors.New("a route without a pattern cannot be described: use a pattern with named parameters")
	}
	var w pathWriter
	if err := w.add(p.Tokens(), false); err != nil {
		return "", nil, err
	}
	if !strings.HasPrefix(w.path, "/") {
		return "", nil, errors.New("described paths must start with a slash: write one in front")
	}
	return w.path, w.names, nil
}

// mountPath returns the described path of a mount prefix, and its parameters.
func mountPath(p routing.Pattern) (string, []string, error) {
	var w pathWriter
	prefix := slices.DeleteFunc(slices.Clone(p.Tokens()), func(t routing.Token) bool {
		return t.Kind != routing.TokenLiteral && t.Kind != routing.TokenParam // what the app itself matches
	})
	err := w.add(prefix, false)
	return strings.TrimRight(w.path, "/"), w.names, err
}

// pathWriter writes a path. Text is escaped as in a URL, so that a literal brace is not a
// parameter.
type pathWriter struct {
	path  string
	names []string
}

// add adds tokens. Optional ones may be missing from a request's path; optional text is described
// as present.
func (w *pathWriter) add(tokens []routing.Token, optional bool) error {
	for _, t := range tokens {
		switch {
		case t.Kind == routing.TokenLiteral:
			w.path += (&url.URL{Path: t.Text}).EscapedPath()
		case t.Kind == routing.TokenOptional:
			if err := w.add(t.Tokens, true); err != nil {
				return err
			}
		case t.Kind == routing.TokenWildcard:
			return errors.New("a wildcard matches slashes, which cannot be described: use named parameters")
		case optional:
			return fmt.Errorf("the parameter %q is optional, which cannot be described: define a route with it and one without",
				t.Text)
		case slices.Contains(w.names, t.Text):
			return fmt.Errorf("the parameter %q occurs twice, which cannot be described: give each its own name", t.Text)
		case strings.HasSuffix(w.path, "}"):
			return fmt.Errorf("the parameters %q and %q have no text between them, so they cannot be told apart: write some",
				w.names[len(w.names)-1], t.Text)
		default:
			w.path += "{" + t.Text + "}"
			w.names = append(w.names, t.Text)
		}
	}
	return nil
}
