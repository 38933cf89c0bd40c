package mcp

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/internal/method"
)

// This file makes tools from described operations.

// tool is an operation as a tool.
type tool struct {
	sdk.Tool
	*settings
	*operation
	description *description
	body        bodyKind // of the request
	media       []string // of the request
	isWrapped   bool     // the response is a member of the structured content
}

// tools makes the tools of the operations that the settings choose.
func (d *description) tools(s *settings) (all []*tool, err error) {
	var ids, tags []string
	for _, op := range d.operations {
		ids, tags = append(ids, op.OperationID), append(tags, op.Tags...)
	}
	slices.Sort(tags)
	errs := []error{
		unknown("WithTags", s.tags, slices.Compact(tags)), unknown("WithOperations", s.ids, ids), unknown("WithoutOperations", s.except, ids),
	}
	named := make(map[string]string)
	for _, op := range d.operations {
		id := op.OperationID
		isTagged := slices.ContainsFunc(op.Tags, func(tag string) bool { return slices.Contains(s.tags, tag) })
		if !isTagged && !slices.Contains(s.ids, id) || slices.Contains(s.except, id) {
			continue
		}
		t, err := d.tool(op, s)
		if err != nil {
			errs = append(errs, fmt.Errorf("operation %s: %w, or leave it out with mcp.WithoutOperations(%q)", id, err, id))
		} else if other, ok := named[t.Name]; ok {
			errs = append(errs, fmt.Errorf("operations %q and %q are both the tool %s: give one another apidoc.ID", other, id, t.Name))
		} else {
			named[t.Name], all = id, append(all, t)
		}
	}
	if err := errors.Join(errs...); err != nil || len(all) > 0 {
		return all, err
	}
	return nil, errors.New(`no operation is chosen: write mcp.WithTags("a tag") or mcp.WithOperations("an ID", "another")`)
}

// unknown returns an error for names that do not exist.
func unknown(option string, names, exist []string) error {
	for _, name := range names {
		if !slices.Contains(exist, name) {
			return fmt.Errorf("%s(%q): no operation has it: they have %.500s", option, name, strings.Join(exist, ", "))
		}
	}
	return nil
}

// tool makes a tool.
func (d *description) tool(op *operation, s *settings) (*tool, error) {
	t := &tool{settings: s, operation: op, description: d}
	t.Name = strings.Map(nameRune, op.OperationID)
	if t.Name == "" || len(t.Name) > 128 {
		return nil, errors.New("write an apidoc.ID of 1 to 128 characters")
	}
	if err := d.checkCredentials(op, s.headers); err != nil {
		return nil, err
	}
	t.Title, t.Tool.Description = op.Summary, strings.TrimSpace(op.Summary+"\n\n"+op.Description)
	if op.Deprecated {
		t.Tool.Description = "Deprecated. " + t.Tool.Description
	}
	isSafe := method.IsSafe(op.method)
	t.Annotations = &sdk.ToolAnnotations{
		ReadOnlyHint:   isSafe,
		IdempotentHint: isSafe || op.method == http.MethodPut || op.method == http.MethodDelete,
	}
	if destroys := op.method == http.MethodDelete; destroys || isSafe {
		t.Annotations.DestructiveHint = &destroys
	}
	input, err := t.input()
	t.InputSchema = input
	if output := t.output(); output != nil { // a nil object would be an output schema
		t.OutputSchema = output
	}
	return t, err
}

// nameRune makes a character valid in the name of a tool. MCP also allows periods, but the
// interfaces of models that clients pass the name to do not.
func nameRune(r rune) rune {
	if r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r
	}
	return '_'
}

// checkCredentials returns an error if calls cannot have the credentials that an operation needs.
func (d *description) checkCredentials(op *operation, headers []string) (err error) {
	for _, way := range op.Security {
		err = nil
		for name := range way {
			scheme := d.Components.SecuritySchemes[name]
			header := scheme.Name
			if scheme.In == "cookie" {
				header = "Cookie"
			}
			if scheme.Type != "apiKey" {
				continue // it is in Authorization
			} else if scheme.In == "query" {
				err = errors.New("it needs a key in the query, which calls do not have: let it accept another credential")
			} else if !contains(append([]string{"Authorization"}, headers...), header) {
				err = fmt.Errorf("it needs the header %s: pass it on with mcp.WithHeaders(%q)", header, header)
			}
		}
		if err == nil {
			return nil
		}
	}
	return err
}

// contains reports whether a header is among those with the names.
func contains(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// input makes the schema of the arguments, and names them.
func (t *tool) input() (object, error) {
	properties, required, shared := make(object), []string{}, map[string]int{"body": 1}
	isRead := t.method == http.MethodGet || t.method == method.Query
	t.Parameters = slices.DeleteFunc(t.Parameters, func(p *parameter) bool {
		isCaches := isRead && contains([]string{"If-None-Match", "If-Modified-Since", "If-Range", "Range"}, p.Name)
		return p.In == "header" && (isCaches || contains(append([]string{"Authorization", "Accept", "Content-Type", "X-HTTP-Method-Override"}, t.headers...), p.Name)) ||
			p.In == "cookie" && contains(t.headers, "Cookie")
	})
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
		schema := maps.Clone(p.Schema)
		if p.Description != "" {
			schema["description"] = p.Description
		}
		if p.Example != nil {
			schema["examples"] = []any{p.Example}
		}
		properties[p.argument] = schema
		if p.Required {
			required = append(required, p.argument)
		}
	}
	if t.body, t.media = choose(t.RequestBody.Content); t.body != noBody {
		members := t.description.resolve(t.RequestBody.Content[t.media[0]].Schema)["properties"]
		if isForm := t.body == formBody || t.body == multipartBody; isForm && members == nil || t.body == eventsBody {
			return nil, fmt.Errorf("its body (%s) is read as it is, and may say anything: let it have described fields", t.media[0])
		}
		properties["body"] = t.bodySchema()
		if t.RequestBody.Required {
			required = append(required, "body")
		}
	}
	return t.description.complete(object{
		"type": "object", "properties": properties, "required": required, "additionalProperties": false,
	}), nil
}

// output makes the schema of the structured content. It is nil unless all responses that are no
// errors have one.
func (t *tool) output() object {
	d := t.description
	var isStream bool
	bodies := make(map[string]any) // without equal ones
	for status, response := range t.Responses {
		if status >= "4" || status == "304" { // 304 answers conditions
			continue
		}
		kind, types := choose(response.Content)
		if kind != jsonBody && kind != linesBody && kind != eventsBody {
			return nil
		}
		content := response.Content[types[0]]
		body := content.Schema
		if isStream = kind != jsonBody; isStream {
			body = content.ItemSchema
		}
		if kind == eventsBody {
			body = d.event(body)
		}
		bodies[encode(body)] = body
	}
	all := slices.Collect(maps.Values(bodies))
	if len(all) == 0 {
		return nil
	}
	body, schema := all[0], object{"type": "object"} // clients of older revisions need this at the root
	if len(all) > 1 {
		body = object{"anyOf": all}
	}
	switch {
	case isStream:
		schema["required"] = []string{"items", "complete"}
		schema["properties"] = object{
			"items":    object{"type": "array", "items": body},
			"complete": object{"type": "boolean", "description": "false if the call ended before the stream did"},
		}
	case len(all) == 1 && d.isObject(body):
		maps.Copy(schema, body.(object))
	default:
		t.isWrapped = true
		schema["required"], schema["properties"] = []string{"result"}, object{"result": body}
	}
	return d.complete(schema)
}
