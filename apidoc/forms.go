package apidoc

import (
	"slices"
	"strconv"
)

// This file writes the three forms. Spec and Swagger are one writer, because they differ in a few members only.

// spec writes the form of [Document.Spec].
func (c *collection) spec() object {
	o := object{{"spec", "2.0"}, {"info", c.info.object()}}
	c.addPaths(&o, func(op *operation) object { return op.swagger(false) })
	o.add("definitions", c.schemas(swagger2))
	o.add("securityDefinitions", object{})
	return o
}

// swagger writes the form of [Document.Swagger].
func (c *collection) swagger() object {
	o := object{{"swagger", "2.0"}, {"info", c.info.object()}}
	o.addText("basePath", c.base)
	o.add("produces", []string{typeJSON})
	c.addTags(&o)
	c.addPaths(&o, func(op *operation) object { return op.swagger(true) })
	o.add("definitions", c.schemas(swagger2))
	o.add("securityDefinitions", object{})
	return o
}

// openAPI writes the form of [Document.OpenAPI].
func (c *collection) openAPI() object {
	o := object{{"openapi", "3.1.0"}, {"info", c.info.object()}}
	if c.base != "" {
		o.add("servers", []object{{{"url", c.base}}})
	}
	c.addTags(&o)
	c.addPaths(&o, (*operation).openAPI)
	if schemas := c.schemas(openAPI31); len(schemas) > 0 {
		o.add("components", object{{"schemas", schemas}})
	}
	return o
}

func (c *collection) addTags(o *object) {
	if len(c.tags) == 0 {
		return
	}
	tags := make([]object, len(c.tags))
	for i, name := range c.tags {
		tags[i] = object{{"name", name}}
	}
	o.add("tags", tags)
}

// addPaths adds the paths in the order in which each first occurs, with all methods of a path together.
func (c *collection) addPaths(o *object, write func(*operation) object) {
	var order []string
	items := make(map[string]object)
	for i := range c.operations {
		op := &c.operations[i]
		if _, ok := items[op.path]; !ok {
			order = append(order, op.path)
		}
		items[op.path] = append(items[op.path], member{op.method, write(op)})
	}
	paths := object{}
	for _, path := range order {
		paths.add(path, items[path])
	}
	o.add("paths", paths)
}

func (c *collection) schemas(d dialect) object {
	o := object{}
	for _, name := range c.definitions.names {
		o.add(name, c.definitions.schemas[name].object(d))
	}
	return o
}

// head writes what both formats begin an operation with.
func (op *operation) head(description bool) object {
	o := object{{"operationId", op.ID}}
	o.addText("summary", op.Summary)
	if description {
		o.addText("description", op.Description)
	}
	if len(op.Tags) > 0 {
		o.add("tags", op.Tags)
	}
	o.add("deprecated", op.Deprecated)
	return o
}

// swagger writes an operation for Spec and, in full, for Swagger.
func (op *operation) swagger(full bool) object {
	o := op.head(full)
	if full {
		if consumed := op.consumes(); consumed != "" {
			o.add("consumes", []string{consumed})
		}
		if produced := op.produces(); produced != nil && !slices.Equal(produced, []string{typeJSON}) {
			o.add("produces", produced)
		}
	}
	parameters := []object{}
	for i, p := range op.Parameters {
		parameters = append(parameters, p.swagger(op.parameters[i]))
	}
	o.add("parameters", parameters)
	responses := object{}
	for i, r := range op.Responses {
		response := object{{"description", r.Description}}
		if s := op.bodies[i]; s != nil {
			response.add("schema", s.object(swagger2))
		}
		responses.add(r.key(), response)
	}
	o.add("responses", responses)
	return o
}

func (p Parameter) swagger(s *schema) object {
	place := string(p.In)
	if p.In == InForm {
		place = "formData"
	}
	o := object{{"name", p.Name}, {"in", place}}
	o.addText("description", p.Description)
	o.add("required", p.Required)
	if p.In == InBody {
		o.add("schema", s.object(swagger2))
		return o
	}
	o = append(o, s.object(swagger2)...)
	if s.kind == "array" {
		o.add("collectionFormat", "multi")
	}
	return o
}

// openAPI writes an operation for OpenAPI. What it reads of the body is apart from the other parameters there.
func (op *operation) openAPI() object {
	o := op.head(true)
	var parameters []object
	var form schema
	var body object
	for i, p := range op.Parameters {
		s := op.parameters[i]
		switch p.In {
		case InBody:
			body.addText("description", p.Description)
			body.add("content", content(typeJSON, s.object(openAPI31)))
			body.add("required", p.Required)
		case InForm:
			form.kind = "object"
			form.properties = append(form.properties, property{name: p.Name, required: p.Required, schema: s, description: p.Description})
		default:
			parameter := object{{"name", p.Name}, {"in", string(p.In)}}
			parameter.addText("description", p.Description)
			parameter.add("required", p.Required)
			parameter.add("schema", s.object(openAPI31))
			parameters = append(parameters, parameter)
		}
	}
	if parameters != nil {
		o.add("parameters", parameters)
	}
	if form.kind != "" {
		body.add("content", content(typeForm, form.object(openAPI31)))
		body.add("required", form.requires())
	}
	if body != nil {
		o.add("requestBody", body)
	}
	responses := object{}
	for i, r := range op.Responses {
		response := object{{"description", r.Description}}
		if s := op.bodies[i]; s != nil {
			response.add("content", content(r.ContentType, s.object(openAPI31)))
		}
		responses.add(r.key(), response)
	}
	o.add("responses", responses)
	return o
}

func content(mediaType string, schema object) object {
	return object{{mediaType, object{{"schema", schema}}}}
}

// key is the response's name among the responses.
func (r Response) key() string {
	if r.Status == 0 {
		return "default"
	}
	return strconv.Itoa(r.Status)
}

// consumes returns the media type of the operation's requests, empty if they have no body.
func (op *operation) consumes() string {
	for _, p := range op.Parameters {
		switch p.In {
		case InBody:
			return typeJSON
		case InForm:
			return typeForm
		}
	}
	return ""
}

// produces returns the media types of the described bodies, each once.
func (op *operation) produces() []string {
	var types []string
	for i, r := range op.Responses {
		if op.bodies[i] != nil && !slices.Contains(types, r.ContentType) {
			types = append(types, r.ContentType)
		}
	}
	return types
}
