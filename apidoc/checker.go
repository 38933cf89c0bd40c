package apidoc

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/flowercafe/routing"
)

// This file checks requests against what is described, for [Enforce].

// ParameterProblem is the body of the answer to a request whose parameters are wrong: a problem of RFC 9457 as
// application/problem+json. It is exported for Go programs that read such answers.
type ParameterProblem struct {
	Title  string           `json:"title"`  // "Bad Request"
	Status int              `json:"status"` // 400
	Detail string           `json:"detail"` // for people
	Errors []ParameterError `json:"errors"` // at least one, in the order of description
}

// ParameterError tells what is wrong with one parameter.
type ParameterError struct {
	Parameter string `json:"parameter"`
	In        Place  `json:"in"`
	Detail    string `json:"detail"`
}

// checker checks the requests of one operation. It is immutable.
type checker struct {
	parameters []checkedParameter
}

type checkedParameter struct {
	Parameter
	schema      *schema
	definitions *definitions
}

// newChecker makes the checker of an operation that was found right.
func newChecker(op *Operation) *checker {
	c := &checker{}
	for _, p := range op.Parameters {
		d := newDefinitions()
		s, err := p.schema(d)
		if err != nil {
			panic("apidoc: " + err.Error()) // Operation.check has read the same type
		}
		c.parameters = append(c.parameters, checkedParameter{p, s, d})
	}
	return c
}

// around puts the check before action.
func (c *checker) around(action routing.Action) routing.Action {
	return func(ctx routing.Context) (routing.Result, error) {
		wrong, err := c.check(ctx)
		switch {
		case err != nil:
			return nil, err
		case len(wrong) > 0:
			return nil, refuse(wrong)
		}
		return action(ctx)
	}
}

// refuse makes the answer that tells what is wrong.
func refuse(wrong []ParameterError) error {
	problem := ParameterProblem{Title: http.StatusText(http.StatusBadRequest), Status: http.StatusBadRequest, Errors: wrong}
	var details []string
	for _, w := range wrong {
		details = append(details, fmt.Sprintf("%s parameter %q: %s", w.In, w.Parameter, w.Detail))
	}
	problem.Detail = strings.Join(details, "; ")
	body, err := json.Marshal(problem)
	if err != nil {
		return fmt.Errorf("apidoc: encode the problem: %w", err)
	}
	return &routing.HaltError{Status: http.StatusBadRequest, Body: routing.Bytes(typeProblem, body)}
}

// check returns what is wrong with a request, or why its parameters cannot be read.
func (c *checker) check(ctx routing.Context) ([]ParameterError, error) {
	var wrong []ParameterError
	params := ctx.Params()
	for _, p := range c.parameters {
		var detail string
		if p.In == InBody {
			body, _ := params.Get("")
			detail = p.checkBody(body)
		} else {
			values := ctx.Request().Header.Values(p.Name)
			if p.In != InHeader {
				values = params.Values(p.Name)
			}
			detail = p.checkValues(values)
		}
		if detail != "" {
			wrong = append(wrong, ParameterError{p.Name, p.In, detail})
		}
	}
	if len(wrong) > 0 {
		return wrong, params.Err() // what could not be read is not missing
	}
	return nil, nil
}

// checkValues returns what is wrong with the values of a parameter, or nothing.
func (p checkedParameter) checkValues(values []string) string {
	if len(values) == 0 {
		if p.Required {
			return "is required"
		}
		return ""
	}
	s := p.schema
	if s.kind == "array" {
		s = s.items
	}
	for _, value := range values {
		if detail := s.checkText(value); detail != "" {
			return detail
		}
	}
	return ""
}

// checkBody returns what is wrong with a JSON body, or nothing.
func (p checkedParameter) checkBody(body string) string {
	if body == "" {
		if p.Required {
			return "is required, as a JSON body with the content type application/json"
		}
		return ""
	}
	var value any
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	if !json.Valid([]byte(body)) || decoder.Decode(&value) != nil {
		return "must be JSON"
	}
	return p.definitions.checkValue(p.schema, value, "")
}

var (
	integer = regexp.MustCompile(`^-?[0-9]+$`)
	number  = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$`)
)

// checkText returns what is wrong with a value written as text, or nothing.
func (s *schema) checkText(text string) string {
	switch s.kind {
	case "boolean":
		if text != "true" && text != "false" {
			return "must be true or false"
		}
	case "integer", "number":
		return s.checkNumber(text)
	case "string":
		return s.checkFormat(text)
	}
	return ""
}

// checkNumber returns what is wrong with a number, or nothing. Integers are digits alone; numbers are as in JSON.
func (s *schema) checkNumber(text string) string {
	if s.kind == "number" {
		if !number.MatchString(text) {
			return "must be a number"
		}
		if _, err := strconv.ParseFloat(text, max(s.bits, 32)); s.bits != 0 && err != nil {
			return "must be a number of " + strconv.Itoa(s.bits) + " bits"
		}
		return ""
	}
	if !integer.MatchString(text) {
		return "must be an integer"
	}
	switch {
	case s.unsigned && text[0] == '-':
		return "must be an integer of at least 0"
	case s.unsigned:
		if _, err := strconv.ParseUint(text, 10, s.bits); err != nil {
			return "must be an integer of " + strconv.Itoa(s.bits) + " bits, without a sign"
		}
	case s.bits != 0:
		if _, err := strconv.ParseInt(text, 10, s.bits); err != nil {
			return "must be an integer of " + strconv.Itoa(s.bits) + " bits"
		}
	}
	return ""
}

var base64Text = regexp.MustCompile(`^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$`)

// checkFormat returns what is wrong with a text, or nothing.
func (s *schema) checkFormat(text string) string {
	switch s.format {
	case "date-time":
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			return "must be a time as in RFC 3339, such as 2006-01-02T15:04:05Z"
		}
	case "byte":
		if !base64Text.MatchString(text) {
			return "must be base64"
		}
	}
	return ""
}

// checkValue returns what is wrong with a JSON value, or nothing. The place is where in the body it is.
func (d *definitions) checkValue(s *schema, value any, place string) string {
	if s.ref != "" {
		defined := d.schemas[s.ref]
		if defined == nil || value == nil && s.nullable {
			return ""
		}
		return d.checkValue(defined, value, place)
	}
	if value == nil && s.nullable || s.kind == "" {
		return ""
	}
	at := func(detail string) string {
		if detail != "" && place != "" {
			return place + " " + detail
		}
		return detail
	}
	switch v := value.(type) {
	case string:
		if s.kind == "string" {
			return at(s.checkFormat(v))
		}
	case bool:
		if s.kind == "boolean" {
			return ""
		}
	case json.Number:
		if s.kind == "integer" || s.kind == "number" {
			return at(s.checkNumber(v.String()))
		}
	case []any:
		if s.kind != "array" {
			break
		}
		if s.length != nil && len(v) != *s.length {
			return at("must have " + strconv.Itoa(*s.length) + " items")
		}
		for i, item := range v {
			if detail := d.checkValue(s.items, item, place+"["+strconv.Itoa(i)+"]"); detail != "" {
				return detail
			}
		}
		return ""
	case map[string]any:
		if s.kind == "object" {
			return d.checkObject(s, v, place)
		}
	}
	return at("must be " + s.noun())
}

func (d *definitions) checkObject(s *schema, object map[string]any, place string) string {
	inside := func(name string) string { return strings.TrimPrefix(place+"."+name, ".") }
	for _, p := range s.properties {
		value, ok := object[p.name]
		if !ok {
			if p.required {
				return inside(p.name) + " is required"
			}
			continue
		}
		if detail := d.checkValue(p.schema, value, inside(p.name)); detail != "" {
			return detail
		}
	}
	if s.values == nil {
		return ""
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if detail := d.checkValue(s.values, object[name], inside("*")); detail != "" {
			return detail // the name is the client's, and is not repeated
		}
	}
	return ""
}

// noun names the schema's kind in a sentence.
func (s *schema) noun() string {
	switch s.kind {
	case "string":
		return "text"
	case "array", "integer", "object":
		return "an " + s.kind
	}
	return "a " + s.kind
}
