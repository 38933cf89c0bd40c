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

// describedPath returns the path of a pattern and the names of its parameters. The text around them
// is escaped as in a URL, so that a brace that stands for itself is no parameter.
func describedPath(p routing.Pattern) (string, []string, error) {
	switch p.Syntax() {
	case "regexp":
		return "", nil, errors.New("a regular expression has no described path: describe a route with a pattern of named parameters")
	case "":
		return "", nil, errors.New("a route without a pattern has no described path: describe a route with a pattern of named parameters")
	}
	var d described
	if err := d.add(p.Tokens(), false); err != nil {
		return "", nil, err
	}
	return d.done()
}

var (
	errWildcard = errors.New("a wildcard takes slashes, which no described path can say: describe a route with named parameters")
	errNoSlash  = errors.New("the pattern doesn't begin with a slash, and described paths do: write one in front")
)

// optionalError refuses a parameter that may be missing: those of a described path never are.
func optionalError(name string) error {
	return fmt.Errorf("the parameter %q may be missing, which no described path can say: define a route with it and one without", name)
}

// described is a described path in the making.
type described struct {
	path    strings.Builder
	literal strings.Builder
	names   []string
}

// add adds tokens, which may be missing from a path if they are optional. Optional text is
// described as present.
func (d *described) add(tokens []routing.Token, optional bool) error {
	for _, t := range tokens {
		var err error
		switch {
		case t.Kind == routing.TokenLiteral:
			d.text(t.Text)
		case t.Kind == routing.TokenOptional:
			err = d.add(t.Tokens, true)
		case t.Kind == routing.TokenWildcard:
			err = errWildcard
		case optional:
			err = optionalError(t.Text)
		default:
			err = d.param(t.Text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *described) text(s string) { d.literal.WriteString(s) }

func (d *described) param(name string) error {
	if slices.Contains(d.names, name) {
		return fmt.Errorf("the parameter %q occurs twice, which no described path can say: give each a name of its own", name)
	}
	if len(d.names) > 0 && d.literal.Len() == 0 {
		return fmt.Errorf("the parameters %q and %q have no text between them, so that no reader could tell them apart: write some", d.names[len(d.names)-1], name)
	}
	d.flush()
	d.path.WriteString("{" + name + "}")
	d.names = append(d.names, name)
	return nil
}

func (d *described) flush() {
	d.path.WriteString((&url.URL{Path: d.literal.String()}).EscapedPath())
	d.literal.Reset()
}

func (d *described) done() (string, []string, error) {
	d.flush()
	path := d.path.String()
	if !strings.HasPrefix(path, "/") {
		return "", nil, errNoSlash
	}
	return path, d.names, nil
}

// mountPath returns the path of the prefix that an app is mounted at, and the names in it.
func mountPath(p routing.Pattern) (string, []string, error) {
	var d described
	for _, t := range p.Tokens() {
		switch t.Kind {
		case routing.TokenLiteral:
			d.text(t.Text)
		case routing.TokenParam:
			if err := d.param(t.Text); err != nil {
				return "", nil, err
			}
		}
	}
	d.flush()
	return strings.TrimRight(d.path.String(), "/"), d.names, nil
}
