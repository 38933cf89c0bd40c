package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/internal/described"
)

// This file describes operations for the module mcp: their parameters, bodies and schemas.

// standalone is the format of schemas that are used outside of a description.
var standalone = Format{"", "", "#/$defs/", "", "examples", true}

// Model returns the operations of the API, each with the definitions that it needs.
func (a *API) Model() (all []described.Operation, _ error) {
	for _, op := range a.Operations {
		requests := &modelWriter{writer: writer{Format: standalone, API: a, part: schema.InRequests}}
		responses := &modelWriter{writer: writer{Format: standalone, API: a, part: schema.InResponses}}
		one := described.Operation{
			ID: op.ID, Method: strings.ToUpper(op.Method), Summary: op.Summary, Description: op.Description,
			Deprecated: op.Deprecated, Tags: op.Tags,
		}
		one.Parameters, one.Body = requests.input(op)
		for i := range op.Responses {
			one.Responses = append(one.Responses, responses.output(&op.Responses[i]))
		}
		for _, requirements := range op.Security {
			var list []described.Scheme
			for _, required := range requirements {
				list = append(list, described.Scheme{Kind: required.Kind, In: required.In, Key: required.Key})
			}
			one.Security = append(one.Security, list)
		}
		one.Inputs, one.Outputs = requests.plain(requests.definitions), responses.plain(responses.definitions)
		if err := cmp.Or(requests.err, responses.err); err != nil {
			return nil, fmt.Errorf("operation %s: %w", op.ID, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// modelWriter writes the schemas of requests or of responses.
type modelWriter struct {
	writer
	err error
}

// input describes parameters and the body.
func (m *modelWriter) input(op *Operation) (parameters []described.Value, body *described.Body) {
	for i := range op.Parameters {
		p := &op.Parameters[i]
		switch {
		case p.In == "body":
			body = &described.Body{Media: op.Consumes, Required: p.Required, Kind: kindOf(p.Schema), Schema: m.plain(m.schema(p.Schema))}
		case p.In == "form":
			if body == nil {
				form, _ := m.form(op)
				body = &described.Body{Media: op.Consumes, Kind: "object", Schema: m.plain(m.schema(form))}
			}
			body.Required = body.Required || p.Required
			body.Fields = append(body.Fields, m.value(p))
		case p.In != "header" || !slices.Contains(describedElsewhere, http.CanonicalHeaderKey(p.Name)):
			parameters = append(parameters, m.value(p))
		}
	}
	return parameters, body
}

func (m *modelWriter) value(p *Parameter) described.Value {
	s := *p.Schema
	s.Deprecated, s.Example = false, nil // the example is outside of the schema
	v := described.Value{
		Name: p.Name, In: p.In, Description: p.Description, Required: p.Required, Kind: kindOf(p.Schema),
		Schema: m.plain(m.schema(&s)), Example: p.example(),
	}
	if items := p.Schema.Resolve().Items; items != nil {
		v.Items = kindOf(items)
	}
	return v
}

func (m *modelWriter) output(r *Response) described.Response {
	one := described.Response{Status: r.Status}
	for i := range r.Headers {
		one.Headers = append(one.Headers, r.Headers[i].Name)
	}
	switch {
	case r.Events != nil:
		text := object{{"type", "string"}}
		event := object{{"type", "object"}, {"required", []string{"data"}}, {"properties", object{{"id", text}, {"event", text}, {"data", m.schema(r.Events)}}}}
		one.Body = &described.Body{Media: r.Media, Kind: "object", Schema: m.plain(event)}
	case r.Body != nil:
		one.Body = &described.Body{Media: r.Media, Kind: kindOf(r.Body), Schema: m.plain(m.schema(r.Body))}
	}
	return one
}

// plain returns an object as a map, with numbers as they are written.
func (m *modelWriter) plain(o object) (members map[string]any) {
	text, err := json.Marshal(o)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err == nil {
		err = decoder.Decode(&members)
	}
	if err != nil {
		m.err = err
	}
	return members
}

// kindOf returns the kind of a value, or Any if it may be null or of several kinds.
func kindOf(s *schema.Schema) string {
	t := s.Resolve()
	switch {
	case s.Nullable || t.Nullable:
		return described.Any
	case t.IsBinary():
		return described.File
	case t.Kind == "integer":
		return "number"
	case t.OneOf != nil && !slices.ContainsFunc(t.OneOf, func(s *schema.Schema) bool { return kindOf(s) != "object" }):
		return "object"
	}
	return t.Kind
}
