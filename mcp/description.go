package mcp

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"mime"
	"regexp"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc"
)

// This file reads a description: the parts of OpenAPI that tools are made from.

type description struct {
	Info       struct{ Title, Version, Description string }
	Paths      map[string]map[string]*operation // by method, in lower case
	Components struct {
		Schemas         map[string]any
		SecuritySchemes map[string]struct{ Type, In, Name string }
	}

	document   *apidoc.Document
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
	Name, In, Description string
	Required              bool
	Schema                object
	Example               any
}

// media has the schema of a body, or that of the events or lines of a stream.
type media struct{ Schema, ItemSchema any }

// references is where tools have named schemas.
const references = "#/$defs/"

func read(document *apidoc.Document) (*description, error) {
	d := &description{document: document}
	text := bytes.ReplaceAll(document.OpenAPI32(), []byte(`"#/components/schemas/`), []byte(`"`+references))
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // as they are written
	if err := decoder.Decode(d); err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	for path, item := range d.Paths {
		for method, op := range item {
			op.method, op.path = strings.ToUpper(method), path
			d.operations = append(d.operations, op)
		}
	}
	slices.SortFunc(d.operations, func(a, b *operation) int { return cmp.Compare(a.OperationID, b.OperationID) })
	return d, nil
}

type object = map[string]any

var reference = regexp.MustCompile(`"\$ref":"` + regexp.QuoteMeta(references) + `([^"]+)"`)

// complete adds the named schemas that a schema refers to.
func (d *description) complete(schema object) object {
	named := make(object)
	var add func(schema any)
	add = func(schema any) {
		for _, found := range reference.FindAllStringSubmatch(encode(schema), -1) {
			if name := found[1]; named[name] == nil {
				named[name] = d.Components.Schemas[name]
				add(named[name])
			}
		}
	}
	if add(schema); len(named) > 0 {
		schema["$defs"] = named
	}
	return schema
}

func encode(v any) string {
	text, _ := json.Marshal(v) // it was JSON
	return string(text)
}

// resolve follows references to named schemas.
func (d *description) resolve(schema any) object {
	members, _ := schema.(object)
	for range d.Components.Schemas {
		name, ok := members["$ref"].(string)
		if !ok {
			break
		}
		members, _ = d.Components.Schemas[strings.TrimPrefix(name, references)].(object)
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

// event returns the schema of an event as results have it, from that of OpenAPI.
func (d *description) event(schema any) object {
	members, _ := d.resolve(schema)["properties"].(object)
	data, _ := members["data"].(object)
	content, ok := data["contentSchema"]
	if !ok {
		content = true // anything
	}
	return object{"type": "object", "required": []string{"data"}, "properties": object{
		"id": object{"type": "string"}, "event": object{"type": "string"}, "data": content,
	}}
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

// ends are those of what a stream consists of, by its kind.
var ends = map[bodyKind]string{linesBody: "\n", eventsBody: "\n\n"}

// choose returns the first kind of body, the media types of that kind, and the schemas of the
// first.
func choose(content map[string]media) (kind bodyKind, types []string, first media) {
	for _, name := range slices.Sorted(maps.Keys(content)) {
		switch k := kindOf(name); {
		case kind == noBody || k < kind:
			kind, types, first = k, []string{name}, content[name]
		case k == kind:
			types = append(types, name)
		}
	}
	return kind, types, first
}
