package routing_test

// This file declares the language-neutral form of an application and of the requests sent to it, as
// testdata/conformance/README.md describes it. Unknown members, steps and conditions are errors, so
// that no case passes because it was misread.
//
// The random tables and the fuzz targets use the same form: if they find a difference, the table is
// printed as a case.

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// A conformanceCase is one case of a file.
type conformanceCase struct {
	Name     string        `json:"name"`
	Rule     string        `json:"rule"`
	Source   string        `json:"source"`
	Note     string        `json:"note,omitempty"`
	App      appCase       `json:"app"`
	Requests []requestCase `json:"requests"`
}

// An appCase is the application of a case.
type appCase struct {
	Style          string       `json:"style"` // servlet or filter
	Mount          string       `json:"mount"`
	MethodOverride bool         `json:"method_override"`
	FirstMatch     bool         `json:"first_match,omitempty"`
	LooseSlashes   bool         `json:"loose_slashes,omitempty"`
	Format         bool         `json:"format,omitempty"` // and Rails is the default syntax
	Define         []definition `json:"define"`
}

// A definition is a route, a filter, or a handler: exactly one of Route, Before,
// After, NotFound and Error is given.
type definition struct {
	Route      string        `json:"route,omitempty"`
	Pattern    *string       `json:"pattern,omitempty"`
	Syntax     string        `json:"syntax,omitempty"`
	Where      [][2]string   `json:"where,omitempty"` // of a route: names and expressions
	Before     filterPattern `json:"before,omitzero"`
	After      filterPattern `json:"after,omitzero"`
	NotFound   bool          `json:"not_found,omitempty"`
	Error      bool          `json:"error,omitempty"`
	Conditions []condition   `json:"conditions,omitempty"`
	Action     []step        `json:"action"`
}

// A filterPattern is absent, or null for every path, or a pattern.
type filterPattern struct {
	given   bool
	pattern *string
}

func (p *filterPattern) UnmarshalJSON(data []byte) error {
	p.given = true
	return json.Unmarshal(data, &p.pattern)
}

func (p filterPattern) MarshalJSON() ([]byte, error) { return json.Marshal(p.pattern) }

// A step is one step of an action, with its kind of argument.
type step struct {
	do     string
	text   string    // text, param, param_get, multi, content_type, trace, redirect, raise
	pair   [2]string // param_or, header
	number int       // status
	halt   haltParts // halt
}

// haltParts are the parts of a halt; all are optional.
type haltParts struct {
	Status  int               `json:"status,omitempty"`
	Reason  string            `json:"reason,omitempty"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    *string           `json:"body,omitempty"`
}

// argument returns a pointer to the step's argument, or nil for an unknown step. A step without an
// argument is written with true.
func (s *step) argument() any {
	switch s.do {
	case "text", "param", "param_get", "multi", "content_type", "trace", "redirect", "raise":
		return &s.text
	case "param_or", "header":
		return (*exactPair)(&s.pair)
	case "status":
		return &s.number
	case "halt":
		return &s.halt
	case "all", "error_message", "pass":
		return new(mustBeTrue)
	}
	return nil
}

func (s *step) UnmarshalJSON(data []byte) error {
	name, argument, err := onlyMember(data)
	if err != nil {
		return fmt.Errorf("step %s: %w", data, err)
	}
	s.do = name
	target := s.argument()
	if target == nil {
		return fmt.Errorf("unknown step %q", name)
	}
	if err := decodeStrictly(argument, target); err != nil {
		return fmt.Errorf("step %q: %w", name, err)
	}
	return nil
}

func (s step) MarshalJSON() ([]byte, error) {
	argument := s.argument()
	if _, ok := argument.(*mustBeTrue); ok {
		argument = true
	}
	return json.Marshal(map[string]any{s.do: argument})
}

// A condition is one condition of a route or filter.
type condition struct {
	kind     string // header, query or constant
	pair     [2]string
	constant bool
}

func (c *condition) argument() any {
	switch c.kind {
	case "header", "query":
		return (*exactPair)(&c.pair)
	case "constant":
		return &c.constant
	}
	return nil
}

func (c *condition) UnmarshalJSON(data []byte) error {
	name, argument, err := onlyMember(data)
	if err != nil {
		return fmt.Errorf("condition %s: %w", data, err)
	}
	c.kind = name
	target := c.argument()
	if target == nil {
		return fmt.Errorf("unknown condition %q", name)
	}
	if err := decodeStrictly(argument, target); err != nil {
		return fmt.Errorf("condition %q: %w", name, err)
	}
	return nil
}

func (c condition) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]any{c.kind: c.argument()})
}

// A requestCase is a request, sent as written, and the expected response.
type requestCase struct {
	Method  string            `json:"method"`
	Target  string            `json:"target"`
	Headers map[string]string `json:"headers,omitempty"`
	Body    string            `json:"body,omitempty"`
	Expect  expectation       `json:"expect"`
}

// An expectation has the parts of the response that are compared.
type expectation struct {
	Status  *int               `json:"status,omitempty"`
	Body    *string            `json:"body,omitempty"`
	Headers map[string]*string `json:"headers,omitempty"` // nil: the header is absent
}

// exactPair is a list of exactly two texts; encoding/json would take any number.
type exactPair [2]string

func (p *exactPair) UnmarshalJSON(data []byte) error {
	var list []string
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	if len(list) != 2 {
		return fmt.Errorf("%d texts, want 2", len(list))
	}
	copy(p[:], list)
	return nil
}

type mustBeTrue bool

func (b *mustBeTrue) UnmarshalJSON(data []byte) error {
	if string(data) != "true" {
		return fmt.Errorf("argument %s, want true", data)
	}
	return nil
}

// readConformanceFile reads the cases of one file and checks their form.
func readConformanceFile(name string) ([]conformanceCase, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	cases, err := parseConformanceCases(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return cases, nil
}

func parseConformanceCases(data []byte) ([]conformanceCase, error) {
	var cases []conformanceCase
	if err := decodeStrictly(data, &cases); err != nil {
		return nil, err
	}
	for i, c := range cases {
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("case %d, %q: %w", i+1, c.Name, err)
		}
	}
	return cases, nil
}

// check returns an error for mistakes that encoding/json accepts: members in the wrong place, and
// cases that compare nothing.
func (c conformanceCase) check() error {
	if c.Name == "" {
		return errors.New("no name")
	}
	if c.App.Style != "servlet" && c.App.Style != "filter" {
		return fmt.Errorf("unknown style %q", c.App.Style)
	}
	for i, d := range c.App.Define {
		if err := d.check(); err != nil {
			return fmt.Errorf("definition %d: %w", i+1, err)
		}
	}
	if len(c.Requests) == 0 {
		return errors.New("no requests")
	}
	for _, r := range c.Requests {
		if e := r.Expect; e.Status == nil && e.Body == nil && len(e.Headers) == 0 {
			return fmt.Errorf("request %s %s expects nothing", r.Method, r.Target)
		}
	}
	return nil
}

func (d definition) check() error {
	kinds := 0
	for _, given := range []bool{d.Route != "", d.Before.given, d.After.given, d.NotFound, d.Error} {
		if given {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return fmt.Errorf("%d of route, before, after, not_found and error, want 1", kinds)
	case d.Route == "" && (d.Pattern != nil || d.Syntax != ""):
		return errors.New("pattern or syntax without a route")
	case (d.NotFound || d.Error) && d.Conditions != nil:
		return errors.New("conditions on a handler")
	case d.Route == "":
		return nil
	}
	switch d.Syntax {
	case "", "sinatra", "rails", "regex":
		if d.Pattern == nil {
			return errors.New("no pattern")
		}
	case "none":
		if d.Pattern != nil {
			return errors.New("a pattern with syntax none")
		}
	default:
		return fmt.Errorf("unknown syntax %q", d.Syntax)
	}
	return nil
}

// raises reports whether any action of the case raises an error; such a case is
// run twice.
func (a appCase) raises() bool {
	for _, d := range a.Define {
		for _, s := range d.Action {
			if s.do == "raise" {
				return true
			}
		}
	}
	return false
}

// decodeStrictly decodes the one JSON value in data and refuses members that
// target does not have.
func decodeStrictly(data []byte, target any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(target); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("something follows the JSON value")
	}
	return nil
}

// onlyMember takes apart an object of exactly one member.
func onlyMember(data []byte) (name string, value json.RawMessage, err error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		return "", nil, err
	}
	names := make([]string, 0, len(object))
	for n := range object {
		names = append(names, n)
	}
	if len(names) != 1 {
		sort.Strings(names)
		return "", nil, fmt.Errorf("members %q, want one", strings.Join(names, " "))
	}
	return names[0], object[names[0]], nil
}
