package apidoc

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// This file writes what the forms have in common: their frame, tags, paths and the notes of an
// operation. swagger.go and openapi.go write the rest.

// spec writes the form of [Document.Spec].
func (c *collection) spec() object {
	info := c.info
	if info.SpecLicense != (License{}) {
		info.License = info.SpecLicense
	}
	o := object{{"spec", "2.0"}, {"info", info.object()}}
	c.addPaths(&o, func(op *operation) object { return op.swagger(false) })
	o.add("definitions", c.schemas(swagger2))
	o.add("securityDefinitions", c.securityDefinitions())
	return o
}

// swagger writes the form of [Document.Swagger].
func (c *collection) swagger() object {
	o := object{{"swagger", "2.0"}, {"info", c.info.object()}}
	o.addText("basePath", c.base)
	o.add("produces", []string{typeJSON})
	c.addTags(&o)
	c.info.ExternalDocs.addTo(&o)
	o.add("security", []object{}) // operations tell their own
	c.addPaths(&o, func(op *operation) object { return op.swagger(true) })
	o.add("definitions", c.schemas(swagger2))
	o.add("securityDefinitions", c.securityDefinitions())
	addExtensions(&o, c.info.Extensions)
	return o
}

// openAPI writes the forms of [Document.OpenAPI] and [Document.OpenAPI30].
func (c *collection) openAPI(d dialect) object {
	version := "3.1.0"
	if d == openAPI30 {
		version = "3.0.3"
	}
	o := object{{"openapi", version}, {"info", c.info.object()}, {"servers", c.servers()}}
	c.addTags(&o)
	c.info.ExternalDocs.addTo(&o)
	o.add("security", []object{}) // operations tell their own
	c.addPaths(&o, func(op *operation) object { return op.openAPI(d) })
	if d == openAPI31 && len(c.webhooks) > 0 {
		webhooks := object{}
		for _, op := range c.webhooks {
			webhooks.add(op.ID, object{{"post", op.openAPI(d)}})
		}
		o.add("webhooks", webhooks)
	}
	var components object
	if schemas := c.schemas(d); len(schemas) > 0 {
		components.add("schemas", schemas)
	}
	if schemes := c.securitySchemes(); len(schemes) > 0 {
		components.add("securitySchemes", schemes)
	}
	if components != nil {
		o.add("components", components)
	}
	addExtensions(&o, c.info.Extensions)
	return o
}

// servers returns those that the author names, or where the app is mounted.
func (c *collection) servers() []object {
	var list []object
	for _, s := range c.info.Servers {
		server := object{{"url", s.URL}}
		server.addText("description", s.Description)
		list = append(list, server)
	}
	if list == nil {
		url := c.base
		if url == "" {
			url = "/"
		}
		list = []object{{{"url", url}}}
	}
	return list
}

func (c *collection) addTags(o *object) {
	if len(c.tags) == 0 {
		return
	}
	tags := make([]object, len(c.tags))
	for i, t := range c.tags {
		tags[i] = object{{"name", t.Name}}
		tags[i].addText("description", t.Description)
		t.Docs.addTo(&tags[i])
	}
	o.add("tags", tags)
}

func (e ExternalDocs) addTo(o *object) {
	if e.URL == "" {
		return
	}
	docs := object{{"url", e.URL}}
	docs.addText("description", e.Description)
	o.add("externalDocs", docs)
}

func addExtensions(o *object, extensions map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(extensions)) {
		o.add(name, extensions[name])
	}
}

// addPaths adds the paths in the order in which each first occurs, with all methods of a path
// together.
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

// head writes what all formats begin an operation with.
func (op *operation) head(full bool) object {
	o := object{{"operationId", op.ID}}
	if full || op.SpecSummary == "" {
		o.addText("summary", op.Summary)
	} else {
		o.addText("summary", op.SpecSummary)
	}
	if full {
		o.addText("description", op.Description)
		op.ExternalDocs.addTo(&o)
	}
	if len(op.Tags) > 0 {
		o.add("tags", op.Tags)
	}
	o.add("deprecated", op.Deprecated)
	if full {
		addExtensions(&o, op.Extensions)
	}
	return o
}

// key is the response's name among the responses.
func (r Response) key() string {
	if r.Status == 0 {
		return "default"
	}
	return strconv.Itoa(r.Status)
}

// consumes returns the media types of the operation's requests, none if they have no body.
func (op *Operation) consumes() []string {
	var forms []string
	for _, p := range op.Parameters {
		switch {
		case p.In == InBody:
			return p.mediaTypes()
		case p.isFile():
			return []string{typeMultipart}
		case p.In == InForm:
			forms = []string{typeForm}
		}
	}
	return forms
}

// produces returns the media types of the described bodies, each once.
func (op *operation) produces() []string {
	var types []string
	for i, r := range op.Responses {
		if op.bodies[i] == nil {
			continue
		}
		for _, media := range splitMedia(r.ContentType) {
			if !slices.Contains(types, media) {
				types = append(types, media)
			}
		}
	}
	return types
}

// requirements returns the schemes that an operation asks, in the alternatives that there are.
func (op *operation) requirements() []object {
	all := []object{nil}
	for _, s := range op.Security {
		var next []object
		for _, way := range s.each() {
			for _, before := range all {
				scopes := way.scopes
				if scopes == nil || way.kind == "http" || way.kind == "apiKey" {
					scopes = []string{}
				}
				next = append(next, append(before[:len(before):len(before)], member{way.name, scopes}))
			}
		}
		all = next
	}
	return all
}

// isBinary reports whether a schema is bytes as they are.
func (s *schema) isBinary() bool { return strings.EqualFold(s.format, "binary") && s.kind == "string" }
