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

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/described"
)

// This file makes tools from described operations.

// tool is an operation as a tool.
type tool struct {
	sdk.Tool
	*settings
	described.Operation
	document  *apidoc.Document
	arguments []argument
	isWrapped bool // the response is a member of the structured content
}

// tools makes tools of the operations that the settings select.
func (s *settings) tools(document *apidoc.Document, operations []described.Operation) (all []*tool, err error) {
	slices.SortFunc(operations, func(a, b described.Operation) int { return cmp.Compare(a.ID, b.ID) })
	var ids, tags []string
	for _, op := range operations {
		ids, tags = append(ids, op.ID), append(tags, op.Tags...)
	}
	slices.Sort(tags)
	errs := []error{
		unknown("WithTags", s.tags, slices.Compact(tags)), unknown("WithOperations", s.ids, ids), unknown("WithoutOperations", s.except, ids),
	}
	named := make(map[string]string)
	for _, op := range operations {
		id := op.ID
		isTagged := slices.ContainsFunc(op.Tags, func(tag string) bool { return slices.Contains(s.tags, tag) })
		if !isTagged && !slices.Contains(s.ids, id) || slices.Contains(s.except, id) {
			continue
		}
		t, err := s.tool(document, op)
		if err != nil {
			errs = append(errs, fmt.Errorf("operation %s: %w, or leave it out with mcp.WithoutOperations(%q)", id, err, id))
		} else if other, ok := named[t.Name]; ok {
			errs = append(errs, fmt.Errorf("operations %q and %q would both be the tool %s: give one of them another apidoc.ID", other, id, t.Name))
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
			return fmt.Errorf("%s(%q): no operation has this name; the names are: %.500s", option, name, cmp.Or(strings.Join(exist, ", "), "none"))
		}
	}
	return nil
}

// tool makes a tool.
func (s *settings) tool(document *apidoc.Document, op described.Operation) (*tool, error) {
	t := &tool{settings: s, Operation: op, document: document}
	t.Name = nameOf(op.ID, "_-")
	if t.Name == "" || len(t.Name) > maxNameLength {
		return nil, fmt.Errorf("write an apidoc.ID of 1 to %d characters", maxNameLength)
	}
	if err := t.checkCredentials(); err != nil {
		return nil, err
	}
	t.Title, t.Tool.Description = op.Summary, strings.TrimSpace(op.Summary+"\n\n"+op.Description)
	if op.Deprecated {
		t.Tool.Description = "Deprecated. " + t.Tool.Description
	}
	safe := isSafe(op.Method)
	t.Annotations = &sdk.ToolAnnotations{
		ReadOnlyHint:   safe,
		IdempotentHint: safe || op.Method == http.MethodPut || op.Method == http.MethodDelete,
	}
	if destroys := op.Method == http.MethodDelete; destroys || safe {
		t.Annotations.DestructiveHint = &destroys
	}
	t.OutputSchema = t.output()
	input, err := t.input()
	t.InputSchema = input
	return t, err
}

// maxNameLength is the maximum length of the names of tools and arguments in the APIs of models.
// MCP allows more.
const maxNameLength = 64

// nameOf makes a text valid as the name of a tool or an argument: letters, digits, and the
// characters in allowed. Other characters become underscores.
func nameOf(text, allowed string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune(allowed, r) {
			return r
		}
		return '_'
	}, text)
}

// checkCredentials returns an error if calls cannot send the credentials that the operation needs.
func (t *tool) checkCredentials() error {
	for _, schemes := range t.Security {
		var err error
		for _, scheme := range schemes {
			header := scheme.Key
			if scheme.In == "cookie" {
				header = "Cookie"
			}
			switch {
			case scheme.Kind != "apiKey" || scheme.In != "query" && contains(t.passedOn, header):
				err = nil // it is passed on; all kinds except apiKey are in Authorization, which always is
			case scheme.In == "query":
				err = errors.New("it needs a key in the query, which calls cannot send: let it accept another credential")
			default:
				err = fmt.Errorf("it needs the header %s: pass it on with mcp.WithHeaders(%q)", header, header)
			}
			if err == nil {
				break
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// contains reports whether names contains the name of a header, in any letter case.
func contains(names []string, name string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
}

// isSuccess reports whether a response is a success. A 304 is sent only for conditional requests.
func isSuccess(r described.Response) bool {
	return r.Status >= 200 && r.Status < 400 && r.Status != 304
}

// output makes the schema of the structured content. It returns nil unless the media
// types of all successes are JSON, or the same kind of stream.
func (t *tool) output() any {
	var kind bodyKind
	var all []any // without duplicates
	isObject := true
	for _, r := range t.Responses {
		if !isSuccess(r) {
			continue
		}
		if r.Body == nil {
			return nil
		}
		for _, media := range r.Body.Media {
			kind = cmp.Or(kind, kindOf(media))
			if kindOf(media) != kind || kind != jsonBody && terminators[kind] == "" {
				return nil
			}
		}
		isObject = isObject && r.Body.Kind == "object"
		schema := r.Body.Schema
		if r.Body.Kind == described.File {
			schema = object{} // bytes that are JSON
		}
		if !slices.ContainsFunc(all, func(other any) bool { return reflect.DeepEqual(other, schema) }) {
			all = append(all, schema)
		}
	}
	if len(all) == 0 {
		return nil
	}
	body, document := all[0], object{"type": "object"} // clients of older revisions need this at the root
	for _, schema := range all {
		hoist(document, schema.(object))
	}
	if len(all) > 1 {
		body = object{"anyOf": all}
	}
	switch {
	case kind != jsonBody:
		document["required"] = []string{"items", "complete"}
		document["properties"] = object{
			"items":    object{"type": "array", "items": body},
			"complete": object{"type": "boolean", "description": "false if the call ended before the stream did"},
		}
	case len(all) == 1 && isObject:
		maps.Copy(document, body.(object))
	default:
		t.isWrapped = true
		document["required"], document["properties"] = []string{"result"}, object{"result": body}
	}
	return document
}

// isSafe reports whether a method is safe (RFC 9110, 9.2.1; RFC 10008, 2).
func isSafe(method string) bool {
	return slices.Contains([]string{"GET", "HEAD", "OPTIONS", "TRACE", "QUERY"}, method)
}
