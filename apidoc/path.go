package apidoc

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/flowercafe/routing"
)

// This file turns patterns into described paths, /flowers/:slug into /flowers/{slug}, and tells which patterns have no such form.

// describedPath returns the path of a pattern and the names of its parameters. The text around them is escaped as in a URL, so
// that a brace that stands for itself is no parameter.
func describedPath(p routing.Pattern) (string, []string, error) {
	switch p.Syntax() {
	case "sinatra":
		return readSinatra(p.String())
	case "rails":
		return readRails(p.String())
	case "regexp":
		return "", nil, errors.New("a regular expression has no described path: describe a route with a pattern of named parameters")
	default:
		return "", nil, errors.New("a route without a pattern has no described path: describe a route with a pattern of named parameters")
	}
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

// readSinatra reads a pattern that [routing.Sinatra] has accepted.
func readSinatra(pattern string) (string, []string, error) {
	var d described
	for rest := pattern; rest != ""; {
		name := leadingName(strings.TrimPrefix(rest, ":"))
		switch {
		case rest[0] == '*':
			return "", nil, errWildcard
		case rest[0] == '?': // the character before it may be missing, and is described as present
			rest = rest[1:]
		case rest[0] == ':' && name != "":
			rest = rest[1+len(name):]
			if strings.HasPrefix(rest, "?") {
				return "", nil, optionalError(name)
			}
			if err := d.param(name); err != nil {
				return "", nil, err
			}
		default:
			_, size := utf8.DecodeRuneInString(rest)
			d.text(rest[:size])
			rest = rest[size:]
		}
	}
	return d.done()
}

// readRails reads a pattern that [routing.Rails] has accepted.
func readRails(pattern string) (string, []string, error) {
	var d described
	depth := 0 // of parentheses
	for rest := pattern; rest != ""; {
		name := leadingName(rest[1:])
		if name != "" && '0' <= name[0] && name[0] <= '9' {
			name = ""
		}
		switch {
		case rest[0] == '*' && name != "":
			return "", nil, errWildcard
		case rest[0] == ':' && name != "":
			if depth > 0 {
				return "", nil, optionalError(name)
			}
			if err := d.param(name); err != nil {
				return "", nil, err
			}
			rest = rest[1+len(name):]
		case rest[0] == '(':
			depth++
			rest = rest[1:]
		case rest[0] == ')':
			depth--
			rest = rest[1:]
		default:
			rest = strings.TrimPrefix(rest, `\`)
			_, size := utf8.DecodeRuneInString(rest)
			d.text(rest[:size])
			rest = rest[size:]
		}
	}
	return d.done()
}

// leadingName returns the letters, digits and underscores at the beginning of s.
func leadingName(s string) string {
	i := 0
	for i < len(s) && (s[i] == '_' || '0' <= s[i] && s[i] <= '9' || 'a' <= s[i] && s[i] <= 'z' || 'A' <= s[i] && s[i] <= 'Z') {
		i++
	}
	return s[:i]
}
