package openapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/described"
	"example.com/flowercafe/apidoc/internal/schema"
)

// This file describes operations as data for programs: their parameters, bodies and schemas.

// standalone is the format of schemas that are used outside of a description.
var standalone = Format{references: "#/$defs/", example: "examples", isJSONSchema: true}

// Model returns the operations of the API.
func (a *API) Model() (all []described.Operation, _ error) {
	for _, op := range a.Operations {
		requests, responses := modelWriter{api: a, direction: schema.InRequests}, modelWriter{api: a, direction: schema.InResponses}
		one := described.Operation{
			ID: op.ID, Method: strings.ToUpper(op.Method), Summary: op.Summary, Description: op.Description,
			Deprecated: op.Deprecated, Tags: slices.Clone(op.Tags),
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
		if err := cmp.Or(requests.err, responses.err); err != nil {
			return nil, fmt.Errorf("operation %s: %w", op.ID, err)
		}
		all = append(all, one)
	}
	return all, nil
}

// modelWriter writes the parts of requests or of responses.
type modelWriter struct {
	api       *API
	direction schema.Direction
	err       error // the first
}

// input describes parameters and the body.
func (m *modelWriter) input(op *Operation) (parameters []described.Value, body *described.Body) {
	for i := range op.Parameters {
		p := &op.Parameters[i]
		switch {
		case p.In == "body":
			body = &described.Body{Media: slices.Clone(op.Consumes), Required: p.Required, Kind: kindOf(p.Schema), Schema: m.schema(p.Schema)}
		case p.In == "form":
			if body == nil {
				form, _ := (&writer{Format: standalone, API: m.api}).form(op)
				body = &described.Body{Media: slices.Clone(op.Consumes), Kind: "object", Schema: m.schema(form)}
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
		Schema: m.schema(&s), Example: p.example(),
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
		text := &schema.Schema{Kind: "string"}
		event := &schema.Schema{Kind: "object", Properties: []schema.Property{
			{Name: "id", Schema: text}, {Name: "event", Schema: text}, {Name: "data", Schema: r.Events, Required: true},
		}}
		one.Body = &described.Body{Media: slices.Clone(r.Media), Kind: "object", Schema: m.schema(event)}
	case r.Body != nil:
		one.Body = &described.Body{Media: slices.Clone(r.Media), Kind: kindOf(r.Body), Schema: m.schema(r.Body)}
	}
	return one
}

// schema returns s with its named types in place. Types that contain themselves are in $defs. All
// named types are there if the schema would otherwise be more than twice as long.
func (m *modelWriter) schema(s *schema.Schema) (members map[string]any) {
	referring := writer{Format: standalone, API: m.api, direction: m.direction}
	text, err := json.Marshal(referring.standalone(s))
	if referring.definitions != nil && err == nil {
		inlining := referring
		inlining.definitions, inlining.inline = nil, len(text) // a schema has 2 bytes or more
		inlined, _ := json.Marshal(inlining.standalone(s))     // text had no error
		if inlining.inline > 0 && len(inlined) <= 2*len(text) {
			text = inlined
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err == nil {
		err = decoder.Decode(&members)
	}
	m.err = cmp.Or(m.err, err)
	return members
}

// standalone writes a schema with the definitions that it needs. It is never only a reference.
func (w *writer) standalone(s *schema.Schema) object {
	o := w.inPlace(s)
	if w.definitions != nil {
		o = append(o, member{"$defs", w.definitions})
	}
	return o
}

// inPlace writes a named type as if it had no name, with the members that belong next to a
// reference.
func (w *writer) inPlace(s *schema.Schema) object {
	if s.Ref == "" {
		return w.schema(s)
	}
	merged := *s.Target
	merged.Nullable = merged.Nullable || s.Nullable
	merged.Deprecated = merged.Deprecated || s.Deprecated
	merged.Doc = cmp.Or(s.Doc, merged.Doc)
	if s.Default != nil {
		merged.Default = s.Default
	}
	if s.Example != nil {
		merged.Example = s.Example
	}
	w.within = append(w.within, s.Target)
	defer func() { w.within = w.within[:len(w.within)-1] }()
	return w.schema(&merged)
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
