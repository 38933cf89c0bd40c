package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
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
	arguments   []argument
	isWrapped   bool // the response is a member of the structured content
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
	t.Name = nameOf(op.OperationID, "_-")
	if t.Name == "" || len(t.Name) > longestName {
		return nil, fmt.Errorf("write an apidoc.ID of 1 to %d characters", longestName)
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
	t.OutputSchema = t.output()
	input, err := t.input()
	t.InputSchema = input
	return t, err
}

// longestName is how many characters the interfaces of models allow in names of tools and of
// arguments. MCP allows more.
const longestName = 64

// nameOf makes a text valid as the name of a tool or an argument: letters, digits, and what else is
// allowed. Other characters become underscores.
func nameOf(text, allowed string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune(allowed, r) {
			return r
		}
		return '_'
	}, text)
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
			} else if !contains(headers, header) {
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

// output makes the schema of the structured content. It is nil unless all media types of all
// responses that are no errors are JSON, or all are the same kind of stream.
func (t *tool) output() any {
	d := t.description
	var kind bodyKind
	var all []any // without equal ones
	for _, status := range slices.Sorted(maps.Keys(t.Responses)) {
		if status >= "4" || status == "304" { // 304 answers conditions
			continue
		}
		content := t.Responses[status].Content
		for _, name := range slices.Sorted(maps.Keys(content)) {
			body := content[name].Schema
			if kind = cmp.Or(kind, kindOf(name)); ends[kind] != "" {
				body = content[name].ItemSchema
			}
			if kindOf(name) != kind || kind != jsonBody && ends[kind] == "" {
				return nil
			}
			if kind == eventsBody {
				body = d.event(body)
			}
			if !slices.ContainsFunc(all, func(other any) bool { return reflect.DeepEqual(other, body) }) {
				all = append(all, body)
			}
		}
		if len(content) == 0 {
			return nil
		}
	}
	if len(all) == 0 {
		return nil
	}
	body, schema := all[0], object{"type": "object"} // clients of older revisions need this at the root
	if len(all) > 1 {
		body = object{"anyOf": all}
	}
	switch {
	case kind != jsonBody:
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
