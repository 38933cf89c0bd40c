package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
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

	operations []*operation // in the order of their IDs
}

type operation struct {
	OperationID, Summary, Description string
	Deprecated                        bool
	Tags                              []string
	Parameters                        []*parameter
	RequestBody                       struct {
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
	ItemSchema any // of the events or lines of a stream
}

func read(document *apidoc.Document) (*description, error) {
	d := &description{}
	if err := decode(document.OpenAPI(), d); err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	for path, item := range d.Paths {
		for _, method := range []string{"get", "put", "post", "delete", "options", "head", "patch", "query"} {
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
	slices.SortFunc(d.operations, func(a, b *operation) int { return cmp.Compare(a.OperationID, b.OperationID) })
	return d, nil
}

// decode decodes JSON and keeps numbers as they are written.
func decode(text []byte, v any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	return decoder.Decode(v)
}

type object = map[string]any

// resolve follows references to named schemas.
func (d *description) resolve(schema any) object {
	members, _ := schema.(object)
	for range d.Components.Schemas {
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

func (d *description) isBinary(schema any) bool { return d.resolve(schema)["format"] == "binary" }

// element returns the schema of an element of a stream: of a line, or of an event as results have it.
func (d *description) element(kind bodyKind, m media) any {
	schema := m.ItemSchema
	if schema == nil {
		schema = m.Schema // before OpenAPI 3.2
	}
	if kind == linesBody {
		return schema
	}
	members, _ := d.resolve(schema)["properties"].(object)
	data, _ := members["data"].(object)
	content, ok := data["contentSchema"]
	if !ok {
		content = object{}
	}
	return object{"type": "object", "required": []string{"data"}, "properties": object{
		"id": object{"type": "string"}, "event": object{"type": "string"}, "data": content,
	}}
}

// schemas copies schemas into a tool, with the named schemas that they refer to.
type schemas struct {
	*description
	used object
}

// of returns a schema that refers to the schemas of the tool.
func (s *schemas) of(schema any) any {
	members, ok := schema.(object)
	if !ok {
		return schema // true or false, or the value of a keyword
	}
	result := make(object, len(members))
	for keyword, v := range members {
		switch keyword {
		case "discriminator": // it refers to schemas that oneOf has anyway
		case "example", "examples", "default", "enum", "const", "required":
			result[keyword] = v
		case "$ref":
			name := strings.TrimPrefix(v.(string), "#/components/schemas/")
			result[keyword] = "#/$defs/" + name
			if _, ok := s.used[name]; !ok {
				s.used[name] = nil // a schema may refer to itself
				s.used[name] = s.of(s.Components.Schemas[name])
			}
		case "properties", "patternProperties", "dependentSchemas":
			named := maps.Clone(v.(object))
			for name := range named {
				named[name] = s.of(named[name])
			}
			result[keyword] = named
		case "oneOf", "anyOf", "allOf", "prefixItems":
			list := slices.Clone(v.([]any))
			for i := range list {
				list[i] = s.of(list[i])
			}
			result[keyword] = list
		default:
			result[keyword] = s.of(v)
		}
	}
	return result
}

// complete adds the schemas that were used.
func (s *schemas) complete(schema object) object {
	if len(s.used) > 0 {
		schema["$defs"] = s.used
	}
	return schema
}

// bodyKind is how a body is written. Of several media types the first kind of these is chosen.
type bodyKind int

const (
	noBody bodyKind = iota
	jsonBody
	formBody
	multipartBody
	linesBody
	eventsBody
	textBody
	bytesBody
)

func kindOf(contentType string) bodyKind {
	media, _, _ := mime.ParseMediaType(contentType)
	switch {
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		return jsonBody
	case media == "application/x-www-form-urlencoded":
		return formBody
	case media == "multipart/form-data":
		return multipartBody
	case media == "application/jsonl" || media == "application/x-ndjson":
		return linesBody
	case media == "text/event-stream":
		return eventsBody
	case strings.HasPrefix(media, "text/"):
		return textBody
	}
	return bytesBody
}

// choose returns the first kind of body, and the media types of that kind.
func choose(content map[string]media) (kind bodyKind, types []string) {
	for _, name := range slices.Sorted(maps.Keys(content)) {
		switch k := kindOf(name); {
		case kind == noBody || k < kind:
			kind, types = k, []string{name}
		case k == kind:
			types = append(types, name)
		}
	}
	return kind, types
}
