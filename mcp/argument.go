package mcp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/described"
)

// This file decides, when a tool is made, which arguments it has, and how each is written in a
// request.

// argument is a parameter of an operation, or its body.
type argument struct {
	name   string
	isBody bool
	always bool                                      // write is called even if it is absent
	write  func(m *message, v json.RawMessage) error // v is nil if it is absent; an error is for the model
}

// input names the arguments, and makes their schema.
func (t *tool) input() (object, error) {
	properties, required, shared := make(object), []string{}, map[string]int{"body": 1}
	document := object{"type": "object", "properties": properties, "additionalProperties": false}
	parameters := slices.DeleteFunc(slices.Clone(t.Parameters), t.isHidden)
	for _, name := range t.baseParams {
		parameters = append(parameters, described.Value{Name: name, In: "prefix", Required: true, Kind: "string", Schema: object{"type": "string"}})
	}
	for _, p := range parameters {
		shared[p.Name]++
	}
	add := func(a argument, schema any, isRequired bool) {
		t.arguments, properties[a.name] = append(t.arguments, a), schema
		if isRequired {
			required = append(required, a.name)
		}
	}
	for _, p := range parameters {
		a := argument{name: p.Name, always: p.In == "path" || p.In == "prefix", write: writer(p)}
		if shared[p.Name] > 1 {
			a.name = p.In + "." + p.Name
		}
		switch a.name = nameOf(a.name, "._-"); {
		case len(a.name) > maxNameLength:
			return nil, fmt.Errorf("the argument %s has more than %d characters: give the parameter another name", a.name, maxNameLength)
		case properties[a.name] != nil:
			return nil, fmt.Errorf("two parameters are both the argument %s: give one another name", a.name)
		}
		hoist(document, p.Schema)
		schema := maps.Clone(p.Schema)
		if p.Description != "" {
			schema["description"] = p.Description
		}
		if p.Example != nil {
			schema["examples"] = []any{p.Example}
		}
		add(a, schema, p.Required)
	}
	if t.Body != nil {
		schema, write, err := t.body()
		if err != nil {
			return nil, err
		}
		hoist(document, t.Body.Schema)
		add(argument{name: "body", isBody: true, always: t.Method == "QUERY", write: write}, schema, t.Body.Required)
	}
	document["required"] = required
	return document, nil
}

// isHidden reports whether a parameter is not an argument, because no model should choose it.
func (t *tool) isHidden(p described.Value) bool {
	hidden := append([]string{"Accept", "Content-Type", "X-HTTP-Method-Override"}, t.passedOn...)
	if isSafe(t.Method) {
		hidden = append(hidden, "If-None-Match", "If-Modified-Since", "If-Range", "Range")
	}
	return p.In == "header" && contains(hidden, p.Name) || p.In == "cookie" && contains(t.passedOn, "Cookie")
}

// writer returns the function that writes a parameter.
func writer(p described.Value) func(*message, json.RawMessage) error {
	fields := fieldsOf(p)
	isList := p.Kind == "array"
	return func(m *message, v json.RawMessage) error {
		if v == nil {
			return errors.New("is required")
		}
		all, err := fields(v)
		if err != nil {
			return err
		}
		texts := make([]string, len(all))
		for i := range all {
			texts[i] = all[i].text
		}
		joined := strings.Join(texts, ", ")
		isSegment := joined != "" && joined != "." && joined != ".." && !strings.Contains(joined, "/")
		cookie := http.Cookie{Name: p.Name, Value: joined}
		switch {
		case (p.In == "path" || p.In == "prefix") && !isSegment:
			return errors.New("must be a segment of a path: not empty, not . or .., without slashes")
		case p.In == "prefix":
			m.base = strings.ReplaceAll(m.base, "{"+p.Name+"}", url.PathEscape(joined))
		case p.In == "path":
			m.path[p.Name] = joined
		case isList && len(texts) == 0: // it is like an absent argument
		case p.In == "query":
			m.query[p.Name] = texts
		case isList && strings.Count(joined, ",") >= len(texts):
			return errors.New("must have no commas in an item, which would be two")
		case hasControl(joined):
			return errors.New("must have no control characters")
		case p.In == "header":
			m.header.Set(p.Name, joined)
		case cookie.Valid() != nil:
			return errors.New("must have characters that a cookie may have")
		default:
			m.header.Add("Cookie", cookie.String())
		}
		return nil
	}
}

func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}

// field is a text, as in a query. In a multipart form it may be a file, or have a type.
type field struct{ text, file, mediaType string }

// fieldsOf returns the function that writes a value as a field, or the items of an array as a field
// each. It checks only the types of scalars; the app checks the rules.
func fieldsOf(p described.Value) func(v json.RawMessage) ([]field, error) {
	if p.Kind != "array" {
		return func(v json.RawMessage) ([]field, error) {
			one, err := fieldOf(p.Kind, v)
			return []field{one}, err
		}
	}
	return func(v json.RawMessage) (all []field, err error) {
		list, err := decode[[]json.RawMessage](v, "an array")
		for _, v := range list {
			item, itemErr := fieldOf(p.Items, v)
			all, err = append(all, item), cmp.Or(err, itemErr)
		}
		return all, err
	}
}

// fieldOf writes a value of a kind.
func fieldOf(kind string, v json.RawMessage) (_ field, err error) {
	actual, text := "number", string(v)
	switch v[0] {
	case '"':
		actual, err = "string", json.Unmarshal(v, &text)
	case 't', 'f':
		actual = "boolean"
	case '{':
		actual = "object"
	case '[', 'n':
		actual = "no scalar"
	}
	switch {
	case kind == described.File:
		return fileField(v)
	case kind == "object" && actual == kind:
		return field{text: text, mediaType: "application/json"}, nil
	case actual == "no scalar" || actual == "object" || kind != described.Any && kind != actual:
		err = errors.New("must be of type " + cmp.Or(kind, "string, number or boolean"))
	}
	return field{text: text}, err
}

// decode decodes an argument, if present. The error describes valid values.
func decode[T any](v json.RawMessage, valid string) (value T, err error) {
	if len(v) > 0 && json.Unmarshal(v, &value) != nil {
		err = errors.New("must be " + valid)
	}
	return value, err
}
