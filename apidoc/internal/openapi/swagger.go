package openapi

import (
	"example.com/flowercafe/apidoc/internal/schema"
)

// This file writes the parameters and responses of Swagger 2.0.

func (w *writer) swaggerParameters(op *Operation) []object {
	list := []object{}
	for _, p := range op.Parameters {
		if p.In == "cookie" {
			continue
		}
		in := p.In
		if in == "form" {
			in = "formData"
		}
		o := object{{"name", p.Name}, {"in", in}, {"description", p.Description}, {"required", p.Required}}
		switch {
		case p.AreLines:
			o = append(o, member{"schema", w.lines(p.Schema)})
		case p.In == "body":
			o = append(o, member{"schema", w.schema(p.Schema)})
		case p.isFile():
			o = append(o, member{"type", "file"})
		case p.In == "form" && p.Schema.Resolve().Kind == "object": // a part with JSON, which 2.0 does not have
			o = append(o, member{"type", "string"})
		default:
			o = append(o, w.schemaOutsideBody(p.Schema)...)
			o = append(o, member{"collectionFormat", collectionFormat(&p)})
		}
		list = append(list, append(o, member{"x-example", p.example()}))
	}
	return list
}

// collectionFormat returns how the values of a list are separated.
func collectionFormat(p *Parameter) string {
	switch {
	case p.Schema.Resolve().Kind != "array":
		return ""
	case p.In == "header", p.Commas:
		return "csv"
	}
	return "multi"
}

// schemaOutsideBody writes the schema of a value outside of bodies, where 2.0 has no references,
// examples or null.
func (w *writer) schemaOutsideBody(s *schema.Schema) object {
	return w.schema(inlined(s))
}

func inlined(s *schema.Schema) *schema.Schema {
	t := *s
	if target := s.Resolve(); target != s {
		t = *target
		if s.Default != nil {
			t.Default = s.Default
		}
	}
	if t.Items != nil {
		t.Items = inlined(t.Items)
	}
	t.Doc, t.Example, t.Nullable = "", nil, false
	return &t
}

// swaggerResponse writes a response. For a stream, 2.0 only has the type file.
func (w *writer) swaggerResponse(r *Response) object {
	body := w.schema(r.Body)
	if r.Body != nil && (r.Events != nil || r.AreLines || r.Body.IsBinary()) {
		body = object{{"type", "file"}}
	}
	o := object{{"description", r.Description}, {"schema", body}, {"headers", w.headers(r)}}
	if r.Body != nil && r.Example != nil {
		o = append(o, member{"examples", object{{r.Sent[0], r.Example}}})
	}
	return o
}
