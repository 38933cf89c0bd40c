package apidoc

import (
	"encoding/json"
	"fmt"
	"slices"
)

// form is a published format. What differs between them in one word stands here; where they differ
// in shape, the writers ask for the version.
type form struct {
	member, version string // what the document begins with
	references      string // where definitions are
	nullable        string // the member that lets a value be null, where the type cannot
	example         string // the member that shows a value of a schema
}

// The forms. The contract's is Swagger 2.0 but for its first member, and tells less.
var (
	contract  = form{"spec", "2.0", "#/definitions/", "x-nullable", "example"}
	swagger2  = form{"swagger", "2.0", "#/definitions/", "x-nullable", "example"}
	openAPI30 = form{"openapi", "3.0.3", "#/components/schemas/", "nullable", "example"}
	openAPI31 = form{"openapi", "3.1.0", "#/components/schemas/", "", "examples"}
)

func (f form) isSwagger() bool { return f.version == "2.0" }

// formWriter writes one form of an API. Definitions are collected as references to them are
// written.
type formWriter struct {
	form
	api         *docAPI
	definitions object
	met         map[string]bool
}

// write returns the API in a form, indented for the people who open it.
func (a *docAPI) write(f form) ([]byte, error) {
	w := &formWriter{form: f, api: a, met: make(map[string]bool)}
	b, err := json.MarshalIndent(w.document(), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the description: %w", err)
	}
	return append(b, '\n'), nil
}

func (w *formWriter) document() object {
	a, paths := w.api, w.paths()
	if w.form == contract {
		return object{
			{w.member, w.version}, {"info", a.SpecInfo}, {"paths", paths},
			{"definitions", append(object{}, w.definitions...)}, {"securityDefinitions", w.schemes()},
		}
	}
	if w.isSwagger() {
		return object{
			{w.member, w.version},
			{"info", a.Info},
			{"basePath", a.Base},
			{"produces", []string{"application/json"}},
			{"tags", a.Tags},
			{"externalDocs", a.Docs},
			{"security", []object{}}, // operations tell their own
			{"paths", paths},
			{"definitions", append(object{}, w.definitions...)},
			{"securityDefinitions", w.schemes()},
		}.present().with(a.Extensions)
	}
	webhooks := w.webhooks()
	var components any
	if c := (object{{"schemas", w.definitions}, {"securitySchemes", w.schemes()}}).present(); len(c) > 0 {
		components = c
	}
	return object{
		{w.member, w.version},
		{"info", a.Info},
		{"servers", a.Servers},
		{"tags", a.Tags},
		{"externalDocs", a.Docs},
		{"security", []object{}},
		{"paths", paths},
		{"webhooks", webhooks},
		{"components", components},
	}.present().with(a.Extensions)
}

// paths writes the paths in the order in which each first occurs, with all methods of a path
// together.
func (w *formWriter) paths() object {
	paths := object{}
	for _, op := range w.api.Operations {
		written := member{op.Method, w.operation(op)}
		i := slices.IndexFunc(paths, func(m member) bool { return m.name == op.Path })
		if i < 0 {
			paths = append(paths, member{op.Path, object{written}})
		} else {
			paths[i].value = append(paths[i].value.(object), written)
		}
	}
	return paths
}

// webhooks writes what subscribers receive, of which only OpenAPI 3.1 can tell.
func (w *formWriter) webhooks() (list object) {
	if w.form != openAPI31 {
		return nil
	}
	for _, op := range w.api.Webhooks {
		list = append(list, member{op.ID, object{{"post", w.operation(op)}}})
	}
	return list
}
