package apidoc

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"example.com/flowercafe/routing"
)

// This file turns patterns into described paths, /flowers/:slug into /flowers/{slug}, and tells
// which patterns have no such form.

// describedPath returns the path of a pattern and the names of its parameters.
func describedPath(p routing.Pattern) (string, []string, error) {
	switch p.Syntax() {
	case "regexp":
		return "", nil, errors.New("a regular expression has no described path: describe a route with a pattern of named parameters")
	case "":
		return "", nil, errors.New("a route without a pattern has no described path: describe a route with a pattern of named parameters")
	}
	var w pathWriter
	if err := w.add(p.Tokens(), false); err != nil {
		return "", nil, err
	}
	if !strings.HasPrefix(w.path, "/") {
		return "", nil, errors.New("the pattern doesn't begin with a slash, and described paths do: write one in front")
	}
	return w.path, w.names, nil
}

// mountPath returns the path of the prefix that an app is mounted at, and the names in it.
func mountPath(p routing.Pattern) (string, []string, error) {
	var w pathWriter
	prefix := slices.DeleteFunc(slices.Clone(p.Tokens()), func(t routing.Token) bool {
		return t.Kind != routing.TokenLiteral && t.Kind != routing.TokenParam // what the app itself matches
	})
	err := w.add(prefix, false)
	return strings.TrimRight(w.path, "/"), w.names, err
}

// pathWriter writes a path. Text is escaped as in a URL, so that a brace in it is no parameter.
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
			return errors.New("a wildcard takes slashes, which no described path can say: describe a route with named parameters")
		case optional:
			return fmt.Errorf("the parameter %q may be missing, which no described path can say: define a route with it and one without",
				t.Text)
		case slices.Contains(w.names, t.Text):
			return fmt.Errorf("the parameter %q occurs twice, which no described path can say: give each a name of its own", t.Text)
		case strings.HasSuffix(w.path, "}"):
			return fmt.Errorf("the parameters %q and %q have no text between them, so that no reader could tell them apart: write some",
				w.names[len(w.names)-1], t.Text)
		default:
			w.path += "{" + t.Text + "}"
			w.names = append(w.names, t.Text)
		}
	}
	return nil
}
