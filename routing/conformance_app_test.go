package routing_test

// This file builds an App from the language-neutral form of conformance_case_test.go, with the
// calls and statements that a program would have.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"

	"example.com/flowercafe/routing"
)

// A raiseMode is how a `raise` step raises its error.
type raiseMode string

const (
	raiseReturned raiseMode = "returned"
	raisePanicked raiseMode = "panicked"
)

// buildCase builds the application of a case as the handler that a server runs:
// the App, or in the filter style the App's middleware before nextHandler. A
// definition that panics comes back as an error.
func buildCase(a appCase, mode raiseMode) (handler http.Handler, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("define: %v", p)
		}
	}()
	options := []routing.Option{routing.WithLogger(slog.New(slog.DiscardHandler))}
	if a.Mount != "" {
		options = append(options, routing.WithBasePath(a.Mount))
	}
	if a.MethodOverride {
		options = append(options, routing.WithMethodOverride())
	}
	if a.FirstMatch {
		options = append(options, routing.WithFirstMatch())
	}
	if a.LooseSlashes {
		options = append(options, routing.WithLooseSlashes())
	}
	if a.Format {
		options = append(options, routing.WithSyntax(routing.Rails), routing.WithFormatSuffix())
	}
	app := routing.New(options...)
	for _, d := range a.Define {
		defineIn(app, d, a.defaultSyntax(), mode)
	}
	if a.Style == "filter" {
		return app.Middleware(http.HandlerFunc(nextHandler)), nil
	}
	return app, nil
}

// nextHandler is the handler after the filter-style applications of the cases.
func nextHandler(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, "next cannot read the body: "+err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	fmt.Fprintf(w, "next %s %s %s", r.Method, r.URL.RequestURI(), body)
}

// defaultSyntax returns the syntax of patterns that are given as strings.
func (a appCase) defaultSyntax() string {
	if a.Format {
		return "rails"
	}
	return "sinatra"
}

func defineIn(app *routing.App, d definition, native string, mode raiseMode) {
	action := func(c routing.Context) (routing.Result, error) {
		return runSteps(c, d.Action, mode, nil)
	}
	filter := func(c routing.Context) error {
		_, err := runSteps(c, d.Action, mode, nil)
		return err
	}
	switch {
	case d.Route != "":
		defineRoute(app, d, native, action)
	case d.Before.given:
		app.Before(filter, filterOptions(d.Before, native, d.Conditions)...)
	case d.After.given:
		app.After(filter, filterOptions(d.After, native, d.Conditions)...)
	case d.NotFound:
		app.NotFound(action)
	case d.Error:
		app.OnError(func(c routing.Context, handled error) (routing.Result, error) {
			return runSteps(c, d.Action, mode, handled)
		})
	}
}

// defineRoute uses the method of App for the HTTP method, if there is one and the pattern is in the
// default syntax, or else Route. The pattern of a case may look like one of another router.
func defineRoute(app *routing.App, d definition, native string, action routing.Action) {
	var options []routing.RouteOption
	for _, where := range d.Where {
		options = append(options, routing.Where(where[0], where[1]))
	}
	for _, c := range d.Conditions {
		options = append(options, c.when())
	}
	if cmp.Or(d.Syntax, native) == native && (native == "rails" || !strings.ContainsAny(*d.Pattern, "{<(*=")) {
		if define := verb(app, d.Route); define != nil {
			define(*d.Pattern, action, options...)
			return
		}
	}
	var pattern routing.Pattern // zero: every path
	switch cmp.Or(d.Syntax, native) {
	case "sinatra":
		pattern = routing.Must(routing.Sinatra(*d.Pattern))
	case "rails":
		pattern = routing.Must(routing.Rails(*d.Pattern))
	case "regex":
		pattern = routing.Regexp(regexp.MustCompile(*d.Pattern))
	}
	app.Route(d.Route, pattern, action, options...)
}

func verb(app *routing.App, method string) func(string, routing.Action, ...routing.RouteOption) *routing.Route {
	switch method {
	case "GET":
		return app.Get
	case "POST":
		return app.Post
	case "PUT":
		return app.Put
	case "DELETE":
		return app.Delete
	case "PATCH":
		return app.Patch
	case "QUERY":
		return app.Query
	case "HEAD":
		return app.Head
	case "OPTIONS":
		return app.Options
	}
	return nil
}

func filterOptions(p filterPattern, native string, conditions []condition) []routing.FilterOption {
	var options []routing.FilterOption
	switch {
	case p.pattern == nil:
	case native == "rails":
		options = append(options, routing.On(*p.pattern))
	default:
		options = append(options, routing.OnPattern(routing.Must(routing.Sinatra(*p.pattern))))
	}
	for _, c := range conditions {
		options = append(options, c.when())
	}
	return options
}

func (c condition) when() routing.Condition {
	return routing.When(func(r *http.Request) bool {
		switch c.kind {
		case "header":
			values := r.Header.Values(c.pair[0])
			return len(values) > 0 && values[0] == c.pair[1]
		case "query":
			values := r.URL.Query()[c.pair[0]]
			return len(values) > 0 && values[0] == c.pair[1]
		}
		return c.constant
	})
}

// runSteps runs the steps of an action. handled is the error that an error
// handler was called for.
func runSteps(c routing.Context, steps []step, mode raiseMode, handled error) (routing.Result, error) {
	var results []string
	for _, s := range steps {
		switch s.do {
		case "text":
			results = append(results, s.text)
		case "param":
			value, err := c.Params().Require(s.text)
			if err != nil {
				return routing.Result{}, err
			}
			results = append(results, value)
		case "param_get":
			if value, ok := c.Params().Get(s.text); ok {
				results = append(results, "some:"+value)
			} else {
				results = append(results, "none")
			}
		case "param_or":
			results = append(results, c.Params().GetOr(s.pair[0], s.pair[1]))
		case "multi":
			results = append(results, plainJSON(c.Params().Values(s.text)))
		case "all":
			results = append(results, plainJSON(firstValues(c.Params())))
		case "error_message":
			results = append(results, handled.Error())
		case "status":
			c.SetStatus(s.number)
		case "content_type":
			c.SetContentType(s.text)
		case "header":
			c.Header().Set(s.pair[0], s.pair[1])
		case "trace":
			c.Header().Set("X-Trace", appendTrace(c.Header().Get("X-Trace"), s.text))
		case "pass":
			return routing.Result{}, routing.Pass
		case "halt":
			return routing.Result{}, s.halt.err()
		case "redirect":
			return routing.Result{}, routing.Redirect(s.text)
		case "raise":
			if mode == raisePanicked {
				panic(errors.New(s.text))
			}
			return routing.Result{}, errors.New(s.text)
		default:
			panic("step " + s.do + " is known to the reader of cases alone")
		}
	}
	if results == nil {
		return routing.Result{}, nil
	}
	return routing.Text(strings.Join(results, "|")), nil
}

func (h haltParts) err() error {
	halt := &routing.HaltError{Status: h.Status, Reason: h.Reason}
	if len(h.Headers) > 0 {
		halt.Header = http.Header{}
		for name, value := range h.Headers {
			halt.Header.Set(name, value)
		}
	}
	if h.Body != nil {
		halt.Body = routing.Text(*h.Body)
	}
	return halt
}

func firstValues(p routing.Params) map[string]string {
	all := map[string]string{}
	for _, key := range p.Keys() {
		all[key], _ = p.Get(key)
	}
	return all
}

func appendTrace(trace, mark string) string {
	if trace == "" {
		return mark
	}
	return trace + "," + mark
}

// plainJSON is compact JSON without HTML escaping.
func plainJSON(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // maps and slices of strings encode
	}
	return strings.TrimSuffix(b.String(), "\n")
}
