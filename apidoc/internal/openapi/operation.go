package openapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/schema"
)

// This file writes operations. OpenAPI separates the body from the parameters, and each body has
// its media types. In Swagger 2.0 the body is a parameter, there is a single list of media types
// for all bodies, and there are no cookies, callbacks or webhooks.

// operation writes an operation. The arguments requests and responses select the members of its
// schemas. For a webhook or callback they are swapped, since the server sends the request.
func (w *writer) operation(op *Operation, requests, responses schema.Direction) object {
	o := object{
		{"operationId", op.ID},
		{"summary", op.Summary},
		{"description", op.Description},
		{"externalDocs", op.Docs},
		{"tags", op.Tags},
		{"deprecated", op.Deprecated},
	}.with(op.Extensions)
	w.direction = requests
	if w.isSwagger() {
		o = append(o, object{{"consumes", op.Consumes}, {"produces", op.produces()}, {"parameters", w.swaggerParameters(op)}}...)
	} else {
		o = append(o, object{{"parameters", w.parameters(op)}, {"requestBody", w.requestBody(op)}}...)
	}
	w.direction = responses
	return append(o, object{{"responses", w.responses(op)}, {"security", w.security(op)}, {"callbacks", w.callbacks(op)}}...)
}

func (w *writer) parameters(op *Operation) (list []object) {
	for i := range op.Parameters {
		p := &op.Parameters[i]
		if p.In == "body" || p.In == "form" || p.In == "header" && slices.Contains(describedElsewhere, http.CanonicalHeaderKey(p.Name)) {
			continue
		}
		s := *p.Schema
		s.Deprecated, s.Example = false, nil // these are outside of the schema
		list = append(list, slices.Concat(object{
			{"name", p.Name},
			{"in", p.In},
			{"description", p.Description},
			{"required", p.Required},
		}, p.style(), object{
			{"deprecated", flag(p.Schema.Deprecated)},
			{"schema", w.schema(&s)},
			{"example", p.example()},
		}))
	}
	return list
}

// describedElsewhere are headers that are not parameters: the media types and the security schemes
// describe them (OpenAPI 3.0 and 3.1, Parameter Object, in).
var describedElsewhere = []string{"Accept", "Content-Type", "Authorization"}

// requestBody writes the body or form.
func (w *writer) requestBody(op *Operation) object {
	for i := range op.Parameters {
		if p := &op.Parameters[i]; p.In == "body" {
			return object{
				{"description", p.Description},
				{"content", w.body(op.Consumes, p.AreLines, p.Schema, p.Example)},
				{"required", p.Required},
			}
		}
	}
	form, encoding := w.form(op)
	if form.Properties == nil {
		return nil
	}
	required := slices.ContainsFunc(form.Properties, func(p schema.Property) bool { return p.Required })
	body := object{{"schema", w.schema(form)}, {"encoding", encoding}}
	return object{{"content", content(op.Consumes, body)}, {"required", required}}
}

// form returns the schema of a form, without properties if there is no form, and the media types of
// its files.
func (w *writer) form(op *Operation) (form *schema.Schema, encoding object) {
	form = &schema.Schema{Kind: "object", Closed: op.ClosedForm}
	for i := range op.Parameters {
		p := &op.Parameters[i]
		if p.In != "form" {
			continue
		}
		s := *p.Schema
		s.Doc = p.Description
		property := schema.Property{Name: p.Name, Required: p.Required, Schema: &s}
		if w.isJSONSchema {
			property.NeededBy = p.NeededBy
		}
		form.Properties = append(form.Properties, property)
		if p.Accept != nil && w.isJSONSchema { // ogen refuses it in 3.0
			encoding = append(encoding, member{p.Name, object{{"contentType", strings.Join(p.Accept, ", ")}}})
		}
	}
	return form, encoding
}

// content writes a body with each of its media types.
func content(media []string, body object) (o object) {
	for _, m := range media {
		o = append(o, member{m, body})
	}
	return o
}

// body writes a body, or JSON Lines, which OpenAPI does not have before 3.2. Tools for 3.1 read the
// schema as the schema of each line; tools for 3.0 need bytes.
func (w *writer) body(media []string, areLines bool, s *schema.Schema, example any) (o object) {
	if areLines && w.Format == OpenAPI32 && example != nil {
		example = []any{example} // of all lines, as the schema of a body is
	}
	if areLines && !w.isJSONSchema {
		line, _ := example.(json.RawMessage)
		return content(media, object{{"schema", w.lines(s)}, {"example", string(line)}})
	}
	for _, m := range media {
		o = append(o, member{m, object{{w.schemaOf(areLines), w.schema(SchemaIn(m, s))}, {"example", example}}})
	}
	return o
}

// SchemaIn returns the schema of a body with a media type. For raw bytes of a JSON media type, the
// schema allows any value.
func SchemaIn(media string, s *schema.Schema) *schema.Schema {
	if media, _, _ = strings.Cut(media, ";"); s.IsBinary() && message.IsJSON(strings.TrimSpace(media)) {
		return &schema.Schema{}
	}
	return s
}

// schemaOf returns the member that has the schema of a body, or of each item in it.
func (w *writer) schemaOf(items bool) string {
	if items && w.Format == OpenAPI32 {
		return "itemSchema"
	}
	return "schema"
}

// lines describes JSON Lines as bytes.
func (w *writer) lines(s *schema.Schema) object {
	name := s.Noun()
	if s.Ref != "" {
		name = "a " + w.nameOf(s)
		w.reference(s) // defines it
	}
	return object{{"type", "string"}, {"format", "binary"}, {"description", "JSON Lines: each line is " + name}}
}

func (w *writer) responses(op *Operation) object {
	o := object{}
	for i := range op.Responses {
		r := &op.Responses[i]
		status := strconv.Itoa(r.Status)
		if r.Status == 0 {
			status = "default"
		}
		o = append(o, member{status, w.response(r)})
	}
	return o
}

func (w *writer) response(r *Response) object {
	if w.isSwagger() {
		return w.swaggerResponse(r)
	}
	o := object{{"description", r.Description}, {"headers", w.headers(r)}}
	switch {
	case r.Events != nil:
		o = append(o, member{"content", content(r.Media, object{{w.schemaOf(true), w.event(r.Events, r.Problems)}})})
	case r.Body != nil:
		o = append(o, member{"content", w.body(r.Media, r.AreLines, r.Body, r.Example)})
	}
	return o
}

// headers writes the headers of a response. OpenAPI 3.0 omits the headers of a 412: code that ogen
// generates does not compile if some error responses with a schema have an ETag and others do not.
func (w *writer) headers(r *Response) (headers object) {
	if w.Format == OpenAPI30 && r.Status == http.StatusPreconditionFailed {
		return nil
	}
	for i := range r.Headers {
		h := &r.Headers[i]
		description := member{"description", h.Description}
		if w.isSwagger() {
			headers = append(headers, member{h.Name, append(w.schemaOutsideBody(h.Schema), description)})
		} else {
			headers = append(headers, member{h.Name, object{description, {"schema", w.schema(h.Schema)}}})
		}
	}
	return headers
}

// event describes server-sent events, which OpenAPI does not have before 3.2. Tools for 3.1 read
// the schema as the schema of each event; tools for 3.0, such as ogen, need bytes.
func (w *writer) event(data, problems *schema.Schema) object {
	end := ""
	content := w.schema(data)
	if problems != nil {
		end = ". After an error the last event has the name problem, and says in its data what went wrong"
		content = object{{"anyOf", []object{content, w.schema(problems)}}}
	}
	if w.Format == OpenAPI30 {
		return object{{"type", "string"}, {"format", "binary"}, {"description", "Server-sent events, with JSON as their data" + end}}
	}
	text := object{{"type", "string"}}
	return object{
		{"type", "object"},
		{"description", "One of the events that are sent" + end},
		{"properties", object{
			{"id", text},
			{"event", text},
			{"data", object{{"type", "string"}, {"contentMediaType", "application/json"}, {"contentSchema", content}}},
			{"retry", object{{"type", "integer"}}},
		}},
		{"required", []string{"data"}},
	}
}

func (w *writer) callbacks(op *Operation) (callbacks object) {
	if w.isSwagger() {
		return nil
	}
	for _, c := range op.Callbacks {
		callbacks = append(callbacks, member{c.Name, object{{c.Expression, object{{"post", w.operation(c.Operation, schema.InResponses, schema.InRequests)}}}}})
	}
	return callbacks
}
