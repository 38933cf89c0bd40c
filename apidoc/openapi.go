package apidoc

import (
	"strconv"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// This file writes operations. OpenAPI has the body apart from the other parameters, and media types
// at each body. Swagger 2.0 has the body among the parameters, one list of media types for all
// bodies, and no cookies, callbacks or webhooks.

func (w *formWriter) operation(op *docOperation) object {
	if w.form == contract {
		summary := op.SpecSummary
		if summary == "" {
			summary = op.Summary
		}
		return object{
			{"operationId", op.ID},
			{"summary", summary},
			{"tags", op.Tags},
			{"deprecated", op.Deprecated},
			{"parameters", w.parameters(op)},
			{"responses", w.responses(op)},
			{"security", w.security(op)},
		}.present()
	}
	head := object{
		{"operationId", op.ID},
		{"summary", op.Summary},
		{"description", op.Description},
		{"externalDocs", op.Docs},
		{"tags", op.Tags},
		{"deprecated", op.Deprecated},
	}.present().with(op.Extensions)
	if w.isSwagger() {
		return append(head, object{
			{"consumes", op.consumes()},
			{"produces", op.produces()},
			{"parameters", w.parameters(op)},
			{"responses", w.responses(op)},
			{"security", w.security(op)},
		}.present()...)
	}
	return append(head, object{
		{"parameters", w.parameters(op)},
		{"requestBody", w.requestBody(op)},
		{"responses", w.responses(op)},
		{"security", w.security(op)},
		{"callbacks", w.callbacks(op)},
	}.present()...)
}

func (w *formWriter) parameters(op *docOperation) []object {
	var list []object
	if w.isSwagger() {
		list = []object{}
	}
	for i := range op.Parameters {
		switch p := &op.Parameters[i]; {
		case w.isSwagger() && p.In != "cookie":
			list = append(list, w.swaggerParameter(p))
		case !w.isSwagger() && p.In != "body" && p.In != "form":
			list = append(list, w.parameter(p))
		}
	}
	return list
}

func (w *formWriter) parameter(p *docParameter) object {
	s := *p.Schema
	s.Deprecated, s.Example = false, nil // beside the schema, not in it
	return object{
		{"name", p.Name},
		{"in", p.In},
		{"description", p.Description},
		{"required", p.Required},
		{"deprecated", flag(p.Schema.Deprecated)},
		{"schema", w.schema(&s)},
		{"example", p.example()},
	}.present()
}

// swaggerParameter writes a parameter of 2.0. Except for a body, the members of its schema are among
// its own.
func (w *formWriter) swaggerParameter(p *docParameter) object {
	o := object{{"name", p.Name}, {"in", p.In}, {"description", p.Description}, {"required", p.Required}}.present()
	if p.In == "form" {
		o[1].value = "formData"
	}
	s := inlined(p.Schema)
	switch {
	case p.In == "body":
		o = append(o, member{"schema", w.schema(p.Schema)})
	case p.isFile():
		o = append(o, member{"type", "file"})
	case s.Kind == "array" && p.In == "header":
		o = append(append(o, w.plain(s)...), member{"collectionFormat", "csv"})
	case s.Kind == "array":
		o = append(append(o, w.plain(s)...), member{"collectionFormat", "multi"})
	default:
		o = append(o, w.plain(s)...)
	}
	if example := p.example(); example != nil && w.form != contract {
		o = append(o, member{"x-example", example})
	}
	return o
}

// plain writes a schema outside of bodies, where 2.0 has neither examples nor null.
func (w *formWriter) plain(s *schema.Schema) object {
	return w.schema(s).without("example", "x-nullable")
}

// inlined returns what a schema refers to: outside of bodies 2.0 has no references.
func inlined(s *schema.Schema) *schema.Schema {
	t := *s
	if r := s.Resolve(); r != nil {
		t = *r
	}
	if s.Default != nil {
		t.Default = s.Default
	}
	if t.Items != nil {
		t.Items = inlined(t.Items)
	}
	t.Doc = ""
	return &t
}

// requestBody writes the body, or the form that it is.
func (w *formWriter) requestBody(op *docOperation) object {
	form := &schema.Schema{Kind: "object", Closed: op.ClosedForm}
	var encoding object
	required := false
	for i := range op.Parameters {
		switch p := &op.Parameters[i]; p.In {
		case "body":
			return object{
				{"description", p.Description},
				{"content", content(p.Media, object{{"schema", w.schema(p.Schema)}, {"example", p.Example}})},
				{"required", p.Required},
			}.present()
		case "form":
			s := *p.Schema
			s.Doc = p.Description
			form.Properties = append(form.Properties, schema.Property{Name: p.Name, Required: p.Required, Schema: &s})
			required = required || p.Required
			if p.Accept != nil && w.form == openAPI31 { // ogen refuses it in 3.0
				encoding = append(encoding, member{p.Name, object{{"contentType", strings.Join(p.Accept, ", ")}}})
			}
		}
	}
	if form.Properties == nil {
		return nil
	}
	body := object{{"schema", w.schema(form)}, {"encoding", encoding}}
	return object{{"content", content(op.consumes(), body)}, {"required", required}}
}

// content writes a body in each of its media types.
func content(media []string, body object) (o object) {
	for _, m := range media {
		o = append(o, member{m, body.present()})
	}
	return o
}

func (w *formWriter) responses(op *docOperation) object {
	o := object{}
	for i := range op.Responses {
		r := &op.Responses[i]
		key := strconv.Itoa(r.Status)
		if r.Status == 0 {
			key = "default"
		}
		if w.isSwagger() {
			o = append(o, member{key, w.swaggerResponse(r)})
		} else {
			o = append(o, member{key, w.response(r)})
		}
	}
	return o
}

func (w *formWriter) response(r *docResponse) object {
	o := object{{"description", r.Description}, {"headers", w.headers(r)}}
	switch {
	case r.Events != nil:
		o = append(o, member{"content", content(r.Media, w.events(r.Events))})
	case r.Body != nil:
		o = append(o, member{"content", content(r.Media, object{{"schema", w.schema(r.Body)}, {"example", r.Example}})})
	}
	return o.present()
}

// swaggerResponse writes a response of 2.0. The contract tells of a failure only that it may occur.
func (w *formWriter) swaggerResponse(r *docResponse) object {
	o := object{{"description", r.Description}}
	var example object
	switch {
	case r.Body == nil || w.form == contract && r.Status >= 400:
	case isBinary(r.Body), r.Events != nil: // of a stream 2.0 can tell no more
		o = append(o, member{"schema", object{{"type", "file"}}})
	default:
		o = append(o, member{"schema", w.schema(r.Body)})
	}
	if w.form == contract {
		return o
	}
	if r.Body != nil && r.Example != nil {
		example = object{{r.Sent[0], r.Example}}
	}
	return append(o, object{{"headers", w.headers(r)}, {"examples", example}}.present()...)
}

func (w *formWriter) headers(r *docResponse) (headers object) {
	for i := range r.Headers {
		h := &r.Headers[i]
		header := object{{"description", h.Description}, {"schema", nil}}
		if w.isSwagger() {
			header = append(w.plain(inlined(h.Schema)), header...)
		} else {
			header[1].value = w.schema(h.Schema)
		}
		headers = append(headers, member{h.Name, header.present()})
	}
	return headers
}

// events describes server-sent events, for which OpenAPI has no word before 3.2. Tools that read 3.1
// take the schema for that of each event; those of 3.0, ogen for one, need bytes.
func (w *formWriter) events(data *schema.Schema) object {
	if w.form == openAPI30 {
		return object{{"schema", object{
			{"type", "string"}, {"format", "binary"}, {"description", "Server-sent events, with JSON as their data"},
		}}}
	}
	text := object{{"type", "string"}}
	return object{{"schema", object{
		{"type", "object"},
		{"description", "One of the events that are sent"},
		{"properties", object{
			{"id", text},
			{"event", text},
			{"data", object{{"type", "string"}, {"contentMediaType", "application/json"}, {"contentSchema", w.schema(data)}}},
		}},
		{"required", []string{"data"}},
	}}}
}

func (w *formWriter) callbacks(op *docOperation) (callbacks object) {
	for _, c := range op.Callbacks {
		callbacks = append(callbacks, member{c.Name, object{{c.Expression, object{{"post", w.operation(c.Operation)}}}}})
	}
	return callbacks
}
