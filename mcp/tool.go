package mcp

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// This file makes tools from described operations.

// tool is an operation as a tool.
type tool struct {
	sdk.Tool
	*settings
	*operation
	description *description
	body        bodyKind // of the request
	media       []string // of the request, the first is the usual one
	isWrapped   bool     // the output is a member of the structured content
}

// The arguments for bodies.
const bodyArgument, typeArgument = "body", "contentType"

// tools makes the tools of the operations that the settings choose.
func (d *description) tools(s *settings) ([]*tool, error) {
	chosen, err := d.choose(s)
	if err != nil {
		return nil, err
	}
	var all []*tool
	var errs []error
	named := make(map[string]string)
	for _, op := range chosen {
		t, err := d.tool(op, s)
		if err != nil {
			errs = append(errs, fmt.Errorf("operation %s: %w, or leave it out with mcp.Except(%q)", op.ID, err, op.ID))
			continue
		}
		if other, ok := named[t.Name]; ok {
			errs = append(errs, fmt.Errorf("operations %q and %q are both the tool %s: give one another apidoc.ID", other, op.ID, t.Name))
		}
		named[t.Name] = op.ID
		all = append(all, t)
	}
	return all, errors.Join(errs...)
}

func (d *description) choose(s *settings) ([]*operation, error) {
	var chosen []*operation
	var ids, tags []string
	for _, op := range d.operations {
		ids, tags = append(ids, op.ID), append(tags, op.Tags...)
		isTagged := slices.ContainsFunc(op.Tags, func(tag string) bool { return slices.Contains(s.tags, tag) })
		if (isTagged || slices.Contains(s.ids, op.ID)) && !slices.Contains(s.except, op.ID) {
			chosen = append(chosen, op)
		}
	}
	slices.Sort(tags)
	errs := []error{
		unknown("Tagged", "no operation has this tag", s.tags, slices.Compact(tags)),
		unknown("Operations", "no operation has this ID", s.ids, ids),
		unknown("Except", "no operation has this ID", s.except, ids),
	}
	if len(chosen) == 0 {
		errs = append(errs, errors.New(`no operation is chosen: write mcp.Tagged("a tag") or mcp.Operations("an ID", "another")`))
	}
	return chosen, errors.Join(errs...)
}

// unknown returns an error if names are not among those that exist.
func unknown(option, what string, names, exist []string) error {
	for _, name := range names {
		if !slices.Contains(exist, name) {
			const most = 10
			list := strings.Join(exist[:min(len(exist), most)], ", ")
			if len(exist) > most {
				list += ", …"
			}
			return fmt.Errorf("%s(%q): %s: there are %s", option, name, what, list)
		}
	}
	return nil
}

// tool makes a tool. An error is followed by the advice to leave the operation out.
func (d *description) tool(op *operation, s *settings) (*tool, error) {
	t := &tool{settings: s, operation: op, description: d}
	t.Name = strings.Map(nameRune, op.ID)
	if t.Name == "" || len(t.Name) > 128 {
		return nil, errors.New("write an apidoc.ID of 1 to 128 characters")
	}
	if err := d.credentials(op, s.headers); err != nil {
		return nil, err
	}
	t.Title, t.Tool.Description = op.Summary, strings.TrimSpace(op.Summary+"\n\n"+op.Description)
	if op.Deprecated {
		t.Tool.Description = "Deprecated. " + t.Tool.Description
	}
	isSafe := slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions, "QUERY"}, op.method)
	t.Annotations = &sdk.ToolAnnotations{
		ReadOnlyHint:   isSafe,
		IdempotentHint: isSafe || op.method == http.MethodPut || op.method == http.MethodDelete,
	}
	if destroys := op.method == http.MethodDelete; destroys || isSafe {
		t.Annotations.DestructiveHint = &destroys
	}
	input, err := t.input()
	if err != nil {
		return nil, err
	}
	t.InputSchema = input
	if output := t.output(); output != nil { // a nil object in the interface would be one
		t.OutputSchema = output
	}
	return t, nil
}

// nameRune makes a character of an ID valid in the name of a tool. MCP also allows periods, but
// interfaces of models that clients pass the names to do not.
func nameRune(r rune) rune {
	if r == '_' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return '_'
}

// credentials returns an error if no MCP request can have the credentials that an operation needs.
func (d *description) credentials(op *operation, passed []string) error {
	var missing []string
	for _, way := range op.Security {
		var lacks []string
		for name := range way {
			switch scheme := d.Components.SecuritySchemes[name]; {
			case scheme.Type != "apiKey":
			case scheme.In == "query":
				lacks = append(lacks, "a key in the query")
			case scheme.In == "cookie" && !hasHeader(passed, "Cookie"):
				lacks = append(lacks, "the header Cookie")
			case scheme.In == "header" && !hasHeader(append(passed, "Authorization"), scheme.Name):
				lacks = append(lacks, "the header "+scheme.Name)
			}
		}
		if len(lacks) == 0 {
			return nil
		}
		missing = append(missing, strings.Join(lacks, " and "))
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("it needs %s, which calls do not have: pass a header of the MCP request on with mcp.Headers", strings.Join(missing, ", or "))
}

func hasHeader(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// input makes the schema of the arguments, and names them.
func (t *tool) input() (object, error) {
	s := &schemas{t.description, make(object)}
	properties, required := make(object), []string{}
	shared := map[string]int{bodyArgument: 1, typeArgument: 1}
	t.Parameters = slices.DeleteFunc(slices.Clone(t.Parameters), t.isLeftOut)
	for _, p := range t.Parameters {
		shared[p.Name]++
	}
	for _, p := range t.Parameters {
		if p.argument = p.Name; shared[p.Name] > 1 {
			p.argument = p.In + "." + p.Name
		}
		if properties[p.argument] != nil {
			return nil, fmt.Errorf("two parameters are both the argument %q: give one another name", p.argument)
		}
		schema, _ := s.of(p.Schema).(object)
		properties[p.argument] = p.described(schema)
		if p.Required {
			required = append(required, p.argument)
		}
	}
	if len(t.RequestBody.Content) > 0 {
		t.body, t.media = chooseBody(t.RequestBody.Content)
		schema := t.bodySchema(s)
		if schema == nil {
			return nil, fmt.Errorf("its body %s cannot be an argument", t.media[0])
		}
		properties[bodyArgument] = schema
		if t.RequestBody.Required {
			required = append(required, bodyArgument)
		}
		if len(t.media) > 1 {
			properties[typeArgument] = object{"type": "string", "enum": t.media, "default": t.media[0], "description": "What the body is"}
		}
	}
	return s.complete(object{"type": "object", "properties": properties, "required": required, "additionalProperties": false}), nil
}

// isLeftOut reports whether a parameter is none for models.
func (t *tool) isLeftOut(p *parameter) bool {
	caches := []string{"If-None-Match", "If-Modified-Since", "If-Range", "Range"}
	return p.In == "header" && (hasHeader([]string{"Authorization", "Accept", "Content-Type"}, p.Name) ||
		t.method == http.MethodGet && hasHeader(caches, p.Name))
}

// described returns the schema of a parameter with what is said beside it.
func (p *parameter) described(schema object) object {
	if schema == nil {
		schema = make(object)
	}
	if p.Description != "" {
		schema["description"] = p.Description
	}
	if p.Example != nil {
		schema["examples"] = []any{p.Example}
	}
	if p.Deprecated {
		schema["deprecated"] = true
	}
	return schema
}

// output makes the schema of the structured content, or nil if there is none, which is so unless
// all responses that are no errors have JSON.
func (t *tool) output() object {
	s := &schemas{t.description, make(object)}
	var bodies []any
	var isStream bool
	for status, response := range t.Responses {
		if status >= "4" || status == "304" { // 304 is for requests with conditions, which are left out
			continue
		}
		kind, mediaType := chooseBody(response.Content)
		if kind != jsonBody && kind != linesBody && kind != eventsBody {
			return nil
		}
		isStream = isStream || kind != jsonBody
		content := response.Content[mediaType[0]]
		schema := content.Schema
		if kind != jsonBody {
			schema = t.description.itemSchema(kind, content)
		}
		if !slices.ContainsFunc(bodies, func(other any) bool { return isEqual(other, schema) }) {
			bodies = append(bodies, schema)
		}
	}
	if len(bodies) == 0 {
		return nil
	}
	body := bodies[0]
	if len(bodies) > 1 {
		body = object{"oneOf": bodies}
	}
	switch {
	case isStream:
		return s.complete(object{"type": "object", "required": []string{"items", "complete"}, "properties": object{
			"items":    object{"type": "array", "items": s.of(body)},
			"complete": object{"type": "boolean", "description": "false if the call ended before the stream did"},
		}})
	case t.description.isObject(body):
		schema := s.of(body).(object)
		schema["type"] = "object" // clients of older revisions need it here
		return s.complete(schema)
	}
	t.isWrapped = true
	return s.complete(object{"type": "object", "required": []string{"result"}, "properties": object{"result": s.of(body)}})
}

func isEqual(a, b any) bool {
	left, _ := json.Marshal(a)
	right, _ := json.Marshal(b)
	return string(left) == string(right)
}

// itemSchema returns the schema of what a stream's result has for an event or a line.
func (d *description) itemSchema(kind bodyKind, m media) any {
	schema := m.ItemSchema
	if kind == linesBody {
		if schema == nil {
			return object{}
		}
		return schema
	}
	if schema == nil {
		schema = m.Schema
	}
	event, _ := d.resolve(schema)["properties"].(object)
	data, _ := event["data"].(object)
	var content any = object{}
	if of := data["contentSchema"]; of != nil {
		content = of
	}
	return object{"type": "object", "required": []string{"data"}, "properties": object{
		"id": object{"type": "string"}, "event": object{"type": "string"}, "data": content,
	}}
}

// bodyKind is how a body is written.
type bodyKind int

// Of several media types the first kind of these is chosen.
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

// kindOf returns the kind of a body with a media type.
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

// chooseBody returns the first kind of the media types, and those of this kind; of JSON, forms and
// lines only one, since they say the same.
func chooseBody(content map[string]media) (kind bodyKind, types []string) {
	for name := range content {
		switch k := kindOf(name); {
		case kind == noBody || k < kind:
			kind, types = k, []string{name}
		case k == kind:
			types = append(types, name)
		}
	}
	slices.Sort(types)
	if kind < textBody && len(types) > 1 {
		if _, ok := content["application/json"]; ok {
			types[0] = "application/json"
		}
		types = types[:1]
	}
	return kind, types
}
