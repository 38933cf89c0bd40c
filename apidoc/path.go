package apidoc

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"example.com/flowercafe/routing"
)

// This file converts patterns to paths, such as /flowers/:slug to /flowers/{slug}.

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
		return t.Kind != routing.TokenLiteral && t.Kind != routing.TokenParam // the mounted app matches the rest
	})
	err := w.add(prefix, false)
	return strings.TrimRight(w.path, "/"), w.names, err
}

// withWhere returns a copy of where that includes the expressions of a pattern's parameters.
func withWhere(where map[string]string, p routing.Pattern) map[string]string {
	all := make(map[string]string)
	maps.Copy(all, where)
	for _, t := range p.Tokens() {
		if t.Where != "" {
			all[t.Text] = t.Where
		}
	}
	return all
}

// isFormat reports whether an optional part is the (.:format) of [routing.WithFormatSuffix]. The
// path is described without it.
func isFormat(tokens []routing.Token) bool {
	return len(tokens) == 2 && tokens[0].Text == "." && tokens[1].Kind == routing.TokenParam && tokens[1].Text == "format"
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
		case t.Kind == routing.TokenChoice:
			return errors.New("alternatives cannot be described: define a route for each")
		case t.Kind == routing.TokenOptional && isFormat(t.Tokens):
		case t.Kind == routing.TokenOptional:
			if err := w.add(t.Tokens, true); err != nil {
				return err
			}
		case t.Kind == routing.TokenWildcard:
			return errors.New("a wildcard matches slashes, which cannot be described: use named parameters")
		case optional:
			return fmt.Errorf("the parameter %q is optional, but those of described paths are required: define an operation with it, "+
				"and one without it and without its field", t.Text)
		case slices.Contains(w.names, t.Text):
			return fmt.Errorf("the parameter %q occurs twice, which cannot be described: give them different names", t.Text)
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
