package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/schema"
)

// Format is a published format. Its fields are the names that differ between formats. For
// differences in structure, the writer compares formats.
type Format struct {
	Member, Version string // the first member of the document
	references      string // the path of definitions
	nullable        string // the member that lets a value be null, if its type does not
	example         string // the member that shows a value of a schema
	isJSONSchema    bool   // its schemas are JSON Schema 2020-12
}

// The formats.
var (
	Swagger   = Format{Member: "swagger", Version: "2.0", references: "#/definitions/", nullable: "x-nullable", example: "example"}
	OpenAPI30 = Format{Member: "openapi", Version: "3.0.3", references: "#/components/schemas/", nullable: "nullable", example: "example"}
	OpenAPI31 = Format{Member: "openapi", Version: "3.1.0", references: "#/components/schemas/", example: "examples", isJSONSchema: true}
	OpenAPI32 = Format{Member: "openapi", Version: "3.2.0", references: "#/components/schemas/", example: "examples", isJSONSchema: true}
)

// writer writes one format. Definitions are collected while the references to them are written.
type writer struct {
	Format
	*API
	definitions object
	direction   schema.Direction // of what is being written

	inline int              // how many schemas may follow until named types become references
	within []*schema.Schema // the named types that are being written in place
}

// Text is a description in one format. It is immutable.
type Text struct {
	begin, end string // before and after the member with the API's URL
	url        func(base string) object
}

// Write writes the description in a format, indented.
func (a *API) Write(f Format) (*Text, error) {
	w := &writer{Format: f, API: a}
	members := w.document()
	i := slices.IndexFunc(members, func(m member) bool { return m.name == "info" }) + 1
	begin, err := indented(members[:i])
	if err != nil {
		return nil, err
	}
	end, err := indented(members[i:])
	return &Text{begin, end, w.url}, err
}

// At returns the description for the API below a base path, which is escaped and has no trailing
// slash.
func (t *Text) At(base string) []byte {
	url, _ := indented(t.url(base)) // cannot fail: it is text
	return []byte("{\n" + strings.Join(slices.DeleteFunc([]string{t.begin, url, t.end}, func(s string) bool { return s == "" }), ",\n") + "\n}\n")
}

// indented returns the members without braces.
func indented(members object) (string, error) {
	b, err := json.MarshalIndent(members, "", "  ")
	if err != nil {
		return "", fmt.Errorf("encode the description: %w", err)
	}
	return strings.Trim(strings.TrimSuffix(strings.TrimPrefix(string(b), "{"), "}"), "\n"), nil
}

// url writes the API's URL: the base path, unless the API has Servers.
func (w *writer) url(base string) object {
	switch {
	case !w.isSwagger() && w.Servers != nil:
		return object{{"servers", w.Servers}}
	case !w.isSwagger():
		return object{{"servers", []object{{{"url", cmp.Or(base, "/")}}}}}
	case w.Servers != nil && !w.Relative:
		base = w.ServerPath
	}
	return object{{"basePath", base}}
}

func (w *writer) isSwagger() bool { return w.Version == "2.0" }

func (w *writer) document() object {
	paths, webhooks := w.paths(), w.webhooks() // which collect the definitions
	definitions, schemes := w.definitions, w.schemes()
	tags := w.Tags
	if w.Format == OpenAPI32 {
		tags = w.NestedTags
	}
	var produces []string
	if w.isSwagger() {
		produces = []string{"application/json"}
	}
	o := object{
		{w.Member, w.Version},
		{"info", w.Info},
		{"produces", produces},
		{"tags", tags},
		{"externalDocs", w.Docs},
		{"security", []object{}}, // each operation has its own
		{"paths", paths},
		{"webhooks", webhooks},
	}
	if w.isSwagger() {
		o = append(o, member{"definitions", append(object{}, definitions...)}, member{"securityDefinitions", append(object{}, schemes...)})
	} else {
		o = append(o, member{"components", object{{"schemas", definitions}, {"securitySchemes", schemes}}.withoutEmpty()})
	}
	return o.with(w.Extensions)
}

// paths writes the paths in order of their first occurrence, with all methods of a path together.
func (w *writer) paths() object {
	paths := object{}
	for _, op := range w.Operations {
		if w.isSwagger() && op.IsNew() {
			continue
		}
		i := slices.IndexFunc(paths, func(m member) bool { return m.name == op.Path })
		if i < 0 {
			i = len(paths)
			paths = append(paths, member{op.Path, object(nil)})
		}
		m := member{op.Method, w.operation(op, schema.InRequests, schema.InResponses)}
		if op.Method == "query" && w.Format != OpenAPI32 { // as in OpenAPI's registry of extensions
			m = member{"x-oai-additionalOperations", object{{"QUERY", m.value}}}
		}
		paths[i].value = append(paths[i].value.(object), m)
	}
	return paths
}

// webhooks writes the requests that subscribers receive, which OpenAPI 3.1 and 3.2 can describe.
func (w *writer) webhooks() (list object) {
	if !w.isJSONSchema {
		return nil
	}
	for _, op := range w.Webhooks {
		list = append(list, member{op.Path, object{{"post", w.operation(op, schema.InResponses, schema.InRequests)}}})
	}
	return list
}

// reference returns the URL of a definition.
func (w *writer) reference(s *schema.Schema) object { return object{{"$ref", w.address(s)}} }

func (w *writer) address(s *schema.Schema) string {
	name := w.nameOf(s)
	w.define(name, func() object { return w.schema(s.Target) })
	return w.references + name
}

// nameOf returns the name of a definition. If members are only in requests or only in responses,
// each direction has another definition, without the flags readOnly and writeOnly: most generated
// clients ignore the flags, and oapi-codegen makes required members with a flag optional.
func (w *writer) nameOf(s *schema.Schema) string {
	name := w.Names[s.Target.Named]
	if s.Target.DependsOnDirection && w.direction == schema.InRequests {
		return w.uniqueName(name + "Input")
	}
	return name
}

// uniqueName returns a name that no type has, with a number appended if necessary.
func (w *writer) uniqueName(name string) string {
	taken := make(map[string]bool)
	for _, of := range w.Names {
		taken[SimpleName(of)] = true
	}
	unique := name
	for i := 2; taken[SimpleName(unique)]; i++ {
		unique = fmt.Sprint(name, i)
	}
	return unique
}

// SimpleName returns a text that is equal for names from which generators of code may make the same
// name: in lower case, without underscores.
func SimpleName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// define adds a definition, unless its name is defined.
func (w *writer) define(name string, write func() object) {
	if slices.ContainsFunc(w.definitions, func(m member) bool { return m.name == name }) {
		return
	}
	i := len(w.definitions)
	w.definitions = append(w.definitions, member{name: name}) // before its parts, which may refer to it
	definition := write()
	w.definitions[i].value = definition
}
