package apidoc

import "slices"

// This file writes Swagger 2.0. It has no cookies, unions, callbacks or webhooks: these are left
// out.

// swagger writes an operation for Spec and, in full, for Swagger.
func (op *operation) swagger(full bool) object {
	o := op.head(full)
	if full {
		if consumed := op.consumes(); consumed != nil {
			o.add("consumes", consumed)
		}
		if produced := op.produces(); produced != nil && !slices.Equal(produced, []string{typeJSON}) {
			o.add("produces", produced)
		}
	}
	parameters := []object{}
	for i, p := range op.Parameters {
		if p.In != InCookie {
			parameters = append(parameters, p.swagger(op.parameters[i], full))
		}
	}
	o.add("parameters", parameters)
	responses := object{}
	for i, r := range op.Responses {
		response := object{{"description", r.Description}}
		s := op.bodies[i]
		switch {
		case s == nil:
		case s.isBinary(), op.events[i] != nil: // of a stream 2.0 can tell no more
			response.add("schema", object{{"type", "file"}})
		default:
			response.add("schema", s.object(swagger2))
		}
		if full {
			op.addSwaggerNotes(&response, i)
		}
		responses.add(r.key(), response)
	}
	o.add("responses", responses)
	if len(op.Security) > 0 {
		if list := op.swaggerRequirements(); len(list) > 0 {
			o.add("security", list)
		}
	}
	return o
}

// addSwaggerNotes adds the headers and the example of a response.
func (op *operation) addSwaggerNotes(o *object, i int) {
	r := op.Responses[i]
	if len(r.Headers) > 0 {
		headers := object{}
		for j, h := range r.Headers {
			header := op.headers[i][j].inlined().object(swagger2)
			header.addText("description", h.Description)
			headers.add(h.Name, header.without("example", "x-nullable"))
		}
		o.add("headers", headers)
	}
	if r.Example != nil && op.bodies[i] != nil {
		o.add("examples", object{{splitMedia(r.ContentType)[0], r.Example}})
	}
}

// inlined returns what a schema refers to: 2.0 has no references outside of bodies.
func (s *schema) inlined() *schema {
	t := *s
	if r := s.resolve(); r != nil {
		t = *r
	}
	if t.items != nil {
		t.items = t.items.inlined()
	}
	t.doc = ""
	return &t
}

func (p Parameter) swagger(s *schema, full bool) object {
	place := string(p.In)
	if p.In == InForm {
		place = "formData"
	}
	o := object{{"name", p.Name}, {"in", place}}
	o.addText("description", p.Description)
	o.add("required", p.Required)
	if p.In == InBody {
		o.add("schema", s.object(swagger2))
	} else {
		s = s.inlined()
		if p.isFile() {
			s = &schema{kind: "file"}
		}
		o = append(o, s.object(swagger2).without("example", "x-nullable")...)
		switch {
		case s.kind == "array" && p.In == InHeader:
			o.add("collectionFormat", "csv")
		case s.kind == "array":
			o.add("collectionFormat", "multi")
		}
	}
	if example := p.example(s); full && example != nil {
		o.add("x-example", example)
	}
	return o
}

// swaggerRequirements leaves out what 2.0 does not know.
func (op *operation) swaggerRequirements() []object {
	known := make(map[string]bool)
	for _, s := range op.Security {
		for _, way := range s.each() {
			known[way.name] = way.swagger() != nil
		}
	}
	return slices.DeleteFunc(op.requirements(), func(o object) bool {
		return slices.ContainsFunc(o, func(m member) bool { return !known[m.name] })
	})
}

func (c *collection) securityDefinitions() object {
	o := object{}
	for _, s := range c.security {
		if scheme := s.swagger(); scheme != nil {
			o.add(s.name, scheme)
		}
	}
	return o
}

// swagger describes a scheme. 2.0 has no bearer tokens, but a key in the header that they are in,
// and one flow of OAuth 2, of names of its own.
func (s *Security) swagger() object {
	switch {
	case s.scheme == "basic":
		return object{{"type", "basic"}}
	case s.kind == "apiKey" && s.in != InCookie:
		return object{{"type", "apiKey"}, {"name", s.key}, {"in", string(s.in)}}
	case s.kind == "http":
		return object{{"type", "apiKey"}, {"name", "Authorization"}, {"in", "header"}, {"description", `The word "Bearer", a space, and the token`}}
	case s.kind == "oauth2" && len(s.flows) > 0:
		f := s.flows[0]
		name := f.Kind
		switch name {
		case "clientCredentials":
			name = "application"
		case "authorizationCode":
			name = "accessCode"
		}
		o := object{{"type", "oauth2"}, {"flow", name}}
		o.addText("authorizationUrl", f.AuthorizationURL)
		o.addText("tokenUrl", f.TokenURL)
		o.add("scopes", f.scopes())
		return o
	}
	return nil
}
