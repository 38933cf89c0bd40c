package document

import (
	"encoding/json"
	"fmt"
	"slices"

	"example.com/flowercafe/apidoc/internal/schema"
)

// Format is a published format. Its fields are differences in words. For differences in structure,
// the writer compares formats.
type Format struct {
	member, version string // the first member of the document
	references      string // where definitions are
	nullable        string // the member that lets a value be null, if its type does not
	example         string // the member that shows a value of a schema
}

// The formats. The contract's is Swagger 2.0 with another first member and fewer details.
var (
	Contract  = Format{"spec", "2.0", "#/definitions/", "x-nullable", "example"}
	Swagger   = Format{"swagger", "2.0", "#/definitions/", "x-nullable", "example"}
	OpenAPI30 = Format{"openapi", "3.0.3", "#/components/schemas/", "nullable", "example"}
	OpenAPI31 = Format{"openapi", "3.1.0", "#/components/schemas/", "", "examples"}
)

// writer writes one format. Definitions are collected while the references to them are written.
type writer struct {
	Format
	*API
	definitions object
}

// Write returns the description in a format, indented for people.
func (a *API) Write(f Format) ([]byte, error) {
	w := &writer{Format: f, API: a}
	b, err := json.MarshalIndent(w.document(), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the description: %w", err)
	}
	return append(b, '\n'), nil
}

func (w *writer) isSwagger() bool { return w.version == "2.0" }

func (w *writer) document() object {
	begin := member{w.member, w.version}
	paths, webhooks := w.paths(), w.webhooks() // which collect the definitions
	definitions, schemes := w.definitions, w.schemes()
	switch w.Format {
	case Contract:
		return object{
			begin,
			{"info", w.SpecInfo},
			{"paths", paths},
			{"definitions", append(object{}, definitions...)},
			{"securityDefinitions", append(object{}, schemes...)},
		}
	case Swagger:
		return object{
			begin,
			{"info", w.Info},
			{"basePath", w.Base},
			{"produces", []string{"application/json"}},
			{"tags", w.Tags},
			{"externalDocs", w.Docs},
			{"security", []object{}}, // operations have their own
			{"paths", paths},
			{"definitions", append(object{}, definitions...)},
			{"securityDefinitions", append(object{}, schemes...)},
		}.with(w.Extensions)
	}
	return object{
		begin,
		{"info", w.Info},
		{"servers", w.Servers},
		{"tags", w.Tags},
		{"externalDocs", w.Docs},
		{"security", []object{}},
		{"paths", paths},
		{"webhooks", webhooks},
		{"components", object{{"schemas", definitions}, {"securitySchemes", schemes}}.present()},
	}.with(w.Extensions)
}

// paths writes the paths in order of their first occurrence, with all methods of a path together.
func (w *writer) paths() object {
	paths := object{}
	for _, op := range w.Operations {
		i := slices.IndexFunc(paths, func(m member) bool { return m.name == op.Path })
		if i < 0 {
			i = len(paths)
			paths = append(paths, member{op.Path, object(nil)})
		}
		paths[i].value = append(paths[i].value.(object), member{op.Method, w.operation(op)})
	}
	return paths
}

// webhooks writes the requests that subscribers receive, which only OpenAPI 3.1 can describe.
func (w *writer) webhooks() (list object) {
	if w.Format != OpenAPI31 {
		return nil
	}
	for _, op := range w.Webhooks {
		list = append(list, member{op.ID, object{{"post", w.operation(op)}}})
	}
	return list
}

// reference returns the address of a definition.
func (w *writer) reference(s *schema.Schema) object {
	name := w.Names[s.Target.Named]
	w.define(name, func() object { return w.schema(s.Target) })
	return object{{"$ref", w.references + name}}
}

// define adds a definition, unless there is one of its name.
func (w *writer) define(name string, write func() object) {
	if slices.ContainsFunc(w.definitions, func(m member) bool { return m.name == name }) {
		return
	}
	i := len(w.definitions)
	w.definitions = append(w.definitions, member{name: name}) // before its parts, which may refer to it
	definition := write()
	w.definitions[i].value = definition
}
