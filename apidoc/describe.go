package apidoc

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/routing"
)

// This file attaches operations to routes. It converts their patterns to paths, such as
// /flowers/:slug to /flowers/{slug}, and refuses patterns that cannot be described.

// Describe attaches an operation to a route, for the description.
//
// The definition of the route panics if the pattern cannot be described (see [Document]), or if a
// parameter of the pattern is not described. A path parameter that is not in the pattern must be in
// the prefix at which the app is mounted.
//
// The route is described but not checked. For checks write a typed operation; a field of type
// [routing.Context] in its input gives it the request. Routes without an operation are left out of
// the description.
//
// A nil operation is usually a package variable that is not yet initialized. The route is then not
// described; it logs the mistake and responds with 503.
func Describe(op *Operation) routing.RouteOption {
	if op == nil {
		return routing.Wrap(func(routing.Action) routing.Action { return notInitialized })
	}
	own := *op // Build refuses two operations with the same ID, unless they are the same pointer
	own.registry = nil
	return attach(&own)
}

// attach attaches an operation to a route.
func attach(op *Operation) routing.RouteOption {
	return routing.Combine(
		routing.Meta(operationKey{}, op),
		routing.AcceptQuery(op.doc.Consumes...),
		routing.Check(func(r *routing.Route) error {
			if err := op.fits(r); err != nil {
				return fmt.Errorf("apidoc: operation %s: %w", op.ID(), err)
			}
			return nil
		}),
	)
}

// fits returns an error if the operation cannot describe r.
func (op *Operation) fits(r *routing.Route) error {
	if !slices.Contains(method.Known, r.Method()) || r.Method() == http.MethodConnect {
		if r.Method() == "" {
			return fmt.Errorf("a route for every method cannot be described: define one for each method")
		}
		return fmt.Errorf("OpenAPI does not have the method %s: do not describe this route", r.Method())
	}
	switch hasBody := op.doc.Consumes != nil; {
	case hasBody && (r.Method() == http.MethodGet || r.Method() == http.MethodHead): // RFC 9110, 9.3.1
		return fmt.Errorf("a %s has no body: write the tag path, query, header or cookie on each field of the input", r.Method())
	case !hasBody && r.Method() == method.Query: // RFC 10008, 2
		return errors.New("the body of a QUERY holds the query: write the tag body or form on fields of the input, or define a GET")
	}
	_, names, err := pathOf(r.Pattern())
	if err != nil {
		return err
	}
	for _, name := range names {
		if !op.hasPathParam(name) {
			return fmt.Errorf("the pattern's parameter %q is not described: write a field of the input with the tag path:%q", name, name)
		}
	}
	return nil
}

// notInitialized is the action of a route with a nil operation.
func notInitialized(c routing.Context) (routing.Result, error) {
	r := c.Request()
	const mistake = "route described with a nil operation: initialize the operation before its route is defined"
	c.Logger().ErrorContext(r.Context(), mistake, "route", r.Pattern)
	return routing.Result{}, &routing.HaltError{
		Status: http.StatusServiceUnavailable,
		Body:   routing.Text(http.StatusText(http.StatusServiceUnavailable)),
	}
}

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
