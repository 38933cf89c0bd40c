package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc"
)

// This file reads a description: the parts of OpenAPI that tools are made from.

type description struct {
	Info       struct{ Title, Version, Description string }
	Paths      map[string]map[string]json.RawMessage
	Components struct {
		Schemas         map[string]any
		SecuritySchemes map[string]struct{ Type, In, Name string }
	}

	operations []*operation // in order of their IDs
}

type operation struct {
	ID                   string `json:"operationId"`
	Summary, Description string
	Deprecated           bool
	Tags                 []string
	Parameters           []*parameter
	RequestBody          struct {
		Required bool
		Content  map[string]media
	}
	Responses map[string]struct {
		Headers map[string]any
		Content map[string]media
	}
	Security []map[string][]string

	method, path string
}

type parameter struct {
	Name, In, Description, Style string
	Required, Deprecated         bool
	Explode                      *bool
	Schema, Example              any

	argument string // its name in the tool
}

type media struct {
	Schema     any
	ItemSchema any // of OpenAPI 3.2: of the events or lines of a stream
}

// methods are those of path items.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "query"}

func read(document *apidoc.Document) (*description, error) {
	d := &description{}
	if err := decode(document.OpenAPI(), d); err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	for path, item := range d.Paths {
		for _, method := range methods {
			if item[method] == nil {
				continue
			}
			op := &operation{method: strings.ToUpper(method), path: path}
			if err := decode(item[method], op); err != nil {
				return nil, fmt.Errorf("read the description of %s %s: %w", op.method, path, err)
			}
			d.operations = append(d.operations, op)
		}
	}
	slices.SortFunc(d.operations, func(a, b *operation) int { return strings.Compare(a.ID, b.ID) })
	return d, nil
}

// decode decodes JSON and keeps numbers as they are written.
func decode(text []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(v)
}

type object = map[string]any

// schemas copies schemas into a tool, with the named schemas they refer to.
type schemas struct {
	*description
	used map[string]any
}

// of returns a schema that refers to the schemas of the tool.
func (s *schemas) of(schema any) any {
	members, ok := schema.(object)
	if !ok {
		return schema // true or false
	}
	result := make(object, len(members))
	for keyword, v := range members {
		switch keyword {
		case "discriminator": // of OpenAPI; it refers to schemas that oneOf has anyway
		case "example", "examples", "default", "enum", "const", "required":
			result[keyword] = v
		case "$ref":
			name, _ := strings.CutPrefix(v.(string), "#/components/schemas/")
			result[keyword] = "#/$defs/" + name
			if _, ok := s.used[name]; !ok {
				s.used[name] = nil // a schema may refer to itself
				s.used[name] = s.of(s.Components.Schemas[name])
			}
		case "properties", "patternProperties", "dependentSchemas", "$defs":
			result[keyword] = s.all(v)
		default:
			if list, ok := v.([]any); ok {
				v = slices.Clone(list)
				for i := range list {
					v.([]any)[i] = s.of(list[i])
				}
			}
			result[keyword] = s.of(v)
		}
	}
	return result
}

func (s *schemas) all(named any) any {
	members, _ := named.(object)
	result := make(object, len(members))
	for name, schema := range members {
		result[name] = s.of(schema)
	}
	return result
}

// complete adds the named schemas to one that is complete with them.
func (s *schemas) complete(schema object) object {
	if len(s.used) > 0 {
		schema = maps.Clone(schema)
		schema["$defs"] = s.used
	}
	return schema
}

// resolve follows references.
func (d *description) resolve(schema any) object {
	members, _ := schema.(object)
	for range len(d.Components.Schemas) + 1 {
		name, ok := members["$ref"].(string)
		if !ok {
			break
		}
		members, _ = d.Components.Schemas[strings.TrimPrefix(name, "#/components/schemas/")].(object)
	}
	return members
}

// isObject reports whether all values of a schema are objects.
func (d *description) isObject(schema any) bool {
	members := d.resolve(schema)
	choices, ok := members["oneOf"].([]any)
	for _, choice := range choices {
		ok = ok && d.isObject(choice)
	}
	return ok || members["type"] == "object"
}

// isBinary reports whether values are bytes.
func (d *description) isBinary(schema any) bool { return d.resolve(schema)["format"] == "binary" }
