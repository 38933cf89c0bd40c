package apidoc

import (
	"maps"
	"slices"
	"strings"
)

// This file writes OpenAPI, 3.0 and 3.1.

// openAPI writes an operation. What it reads of the body is apart from the other parameters here.
func (op *operation) openAPI(d dialect) object {
	o := op.head(true)
	var parameters []object
	for i, p := range op.Parameters {
		if p.In != InBody && p.In != InForm {
			parameters = append(parameters, p.openAPI(op.parameters[i], d))
		}
	}
	if parameters != nil {
		o.add("parameters", parameters)
	}
	if body := op.requestBody(d); body != nil {
		o.add("requestBody", body)
	}
	responses := object{}
	for i, r := range op.Responses {
		response := object{{"description", r.Description}}
		if len(r.Headers) > 0 {
			headers := object{}
			for j, h := range r.Headers {
				header := object{}
				header.addText("description", h.Description)
				header.add("schema", op.headers[i][j].object(d))
				headers.add(h.Name, header)
			}
			response.add("headers", headers)
		}
		if s := op.bodies[i]; s != nil {
			content, body := object{}, s.object(d)
			if event := op.events[i]; event != nil {
				body = eventObject(event, d)
			}
			for _, media := range splitMedia(r.ContentType) {
				content.add(media, mediaObject(body, r.Example))
			}
			response.add("content", content)
		}
		responses.add(r.key(), response)
	}
	o.add("responses", responses)
	if len(op.Security) > 0 {
		o.add("security", op.requirements())
	}
	op.addCallbacks(&o, d)
	return o
}

func (op *operation) addCallbacks(o *object, d dialect) {
	if len(op.sent) == 0 {
		return
	}
	callbacks := object{}
	for i, c := range op.callbacks {
		callbacks.add(c.name, object{{c.expression, object{{"post", op.sent[i].openAPI(d)}}}})
	}
	o.add("callbacks", callbacks)
}

// eventObject describes server-sent events, for which OpenAPI has no word before 3.2. Tools that read
// 3.1 take the schema for that of each event; those of 3.0, ogen for one, need bytes.
func eventObject(data *schema, d dialect) object {
	if d == openAPI30 {
		return object{{"type", "string"}, {"format", "binary"}, {"description", "Server-sent events, with JSON as their data"}}
	}
	text := object{{"type", "string"}, {"contentMediaType", typeJSON}, {"contentSchema", data.object(d)}}
	return object{
		{"type", "object"},
		{"description", "One of the events that are sent"},
		{"properties", object{{"id", object{{"type", "string"}}}, {"event", object{{"type", "string"}}}, {"data", text}}},
		{"required", []string{"data"}},
	}
}

func mediaObject(schema object, example any) object {
	o := object{{"schema", schema}}
	if example != nil {
		o.add("example", example)
	}
	return o
}

func (p Parameter) openAPI(s *schema, d dialect) object {
	o := object{{"name", p.Name}, {"in", string(p.In)}}
	o.addText("description", p.Description)
	o.add("required", p.Required)
	if s.deprecated {
		o.add("deprecated", true)
	}
	bare := *s
	bare.deprecated, bare.example = false, nil
	o.add("schema", bare.object(d))
	if example := p.example(s); example != nil {
		o.add("example", example)
	}
	return o
}

// example returns what shows the parameter's value: its own, or that of its rules.
func (p Parameter) example(s *schema) any {
	switch {
	case p.Example != nil:
		return p.Example
	case s.example != nil && p.In != InBody:
		return s.example
	}
	return nil
}

// requestBody describes the body, or the form that it is.
func (op *operation) requestBody(d dialect) object {
	var body object
	var form schema
	var encoding object
	for i, p := range op.Parameters {
		s := op.parameters[i]
		switch p.In {
		case InBody:
			content := object{}
			for _, media := range p.mediaTypes() {
				content.add(media, mediaObject(s.object(d), p.Example))
			}
			body.addText("description", p.Description)
			body.add("content", content)
			body.add("required", p.Required)
			return body
		case InForm:
			described := *s
			described.doc = p.Description
			form.properties = append(form.properties, property{name: p.Name, required: p.Required, schema: &described})
			if accept := p.Rules.Get("accept"); accept != "" && d == openAPI31 { // ogen refuses it
				encoding.add(p.Name, object{{"contentType", strings.Join(splitMedia(accept), ", ")}})
			}
		}
	}
	if form.properties == nil {
		return nil
	}
	form.kind, form.closed = "object", op.closedForm
	content := object{}
	for _, media := range op.consumes() {
		o := mediaObject(form.object(d), nil)
		if encoding != nil {
			o.add("encoding", encoding)
		}
		content.add(media, o)
	}
	required := slices.ContainsFunc(form.properties, func(p property) bool { return p.required })
	return object{{"content", content}, {"required", required}}
}

func (c *collection) securitySchemes() object {
	var o object
	for _, s := range c.security {
		o.add(s.name, s.openAPI())
	}
	return o
}

func (s *Security) openAPI() object {
	o := object{{"type", s.kind}}
	switch s.kind {
	case "http":
		o.add("scheme", s.scheme)
	case "apiKey":
		o.add("in", string(s.in))
		o.add("name", s.key)
	case "openIdConnect":
		o.add("openIdConnectUrl", s.url)
	case "oauth2":
		flows := object{}
		for _, f := range s.flows {
			flow := object{}
			flow.addText("authorizationUrl", f.AuthorizationURL)
			flow.addText("tokenUrl", f.TokenURL)
			flow.addText("refreshUrl", f.RefreshURL)
			flow.add("scopes", f.scopes())
			flows.add(f.Kind, flow)
		}
		o.add("flows", flows)
	}
	return o
}

func (f OAuthFlow) scopes() object {
	o := object{}
	for _, name := range slices.Sorted(maps.Keys(f.Scopes)) {
		o.add(name, f.Scopes[name])
	}
	return o
}
