package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/mcp"
)

// This file tests the schemas of tools.

type (
	leaf struct {
		Form string `json:"form" enum:"round,oval,a heart upside down" doc:"Its form"`
	}
	twig struct {
		Leaf leaf  `json:"leaf"`
		More *leaf `json:"more" doc:"Another"`
	}
	branch struct {
		Left, Right twig
	}
	crown struct {
		Left, Right branch
	}
	node struct {
		Leaf leaf   `json:"leaf"`
		Next []node `json:"next,omitempty"`
	}
	pair[T any]  struct{ Left, Right *T }
	pairs[T any] = pair[pair[pair[pair[pair[pair[T]]]]]]
	pest         struct{ Value any }
	aphid        struct {
		Kind string `json:"kind" enum:"aphid"`
	}
	mite struct {
		Kind string `json:"kind" enum:"mite"`
		Legs int    `json:"legs"`
	}
)

func (pest) OneOf() []any                    { return []any{aphid{}, mite{}} }
func (p pest) MarshalJSON() ([]byte, error)  { return json.Marshal(p.Value) }
func (p *pest) UnmarshalJSON(b []byte) error { return errors.New("not read in this test") }

// addEcho adds an operation that receives and returns a T.
func addEcho[T any](api *apidoc.API, id string) {
	apidoc.Post(api, "/"+id, "", func(_ context.Context, in struct {
		Body T `body:""`
	}) (T, error) {
		return in.Body, nil
	}, apidoc.ID(id), apidoc.NewProblem(409, "Taken"))
}

// Named types are in place of references to them, which some clients do not follow. A type that
// contains itself is in $defs, and so are all types of a schema that would be more than twice as
// long. There are neither schemas of errors nor members of OpenAPI.
func TestSchemas(t *testing.T) {
	_, api := newAPI()
	addEcho[twig](api, "twig")
	addEcho[crown](api, "crown")
	addEcho[node](api, "node")
	addEcho[[]node](api, "nodes")
	addEcho[pest](api, "pest")
	const (
		isLeaf      = `"properties":{"form":{"description":"Its form","enum":["round","oval","a heart upside down"],"type":"string"}},"required":["form"]`
		isTwig      = `"properties":{"leaf":{` + isLeaf + `,"type":"object"},"more":{"description":"Another",` + isLeaf + `,"type":["object","null"]}},"required":["leaf","more"],"type":"object"`
		isNode      = `"properties":{"leaf":{` + isLeaf + `,"type":"object"},"next":{"items":{"$ref":"#/$defs/node"},"type":"array"}},"required":["leaf"],"type":"object"`
		twigDefined = `"properties":{"leaf":{"$ref":"#/$defs/leaf"},"more":{"anyOf":[{"$ref":"#/$defs/leaf"},{"type":"null"}],"description":"Another"}},"required":["leaf","more"],"type":"object"`
		crownDefs   = `"$defs":{"branch":{"properties":{"Left":{"$ref":"#/$defs/twig"},"Right":{"$ref":"#/$defs/twig"}},"required":["Left","Right"],"type":"object"},"leaf":{` + isLeaf + `,"type":"object"},"twig":{` + twigDefined + `}}`
		isCrown     = `"properties":{"Left":{"$ref":"#/$defs/branch"},"Right":{"$ref":"#/$defs/branch"}},"required":["Left","Right"],"type":"object"`
		isPest      = `"oneOf":[{"properties":{"kind":{"enum":["aphid"],"type":"string"}},"required":["kind"],"type":"object"},` +
			`{"properties":{"kind":{"enum":["mite"],"type":"string"},"legs":{"format":"int64","type":"integer"}},"required":["kind","legs"],"type":"object"}]`
	)
	want := map[string]struct{ definitions, body, output string }{
		"twig":  {``, isTwig, `{` + isTwig + `}`},
		"crown": {crownDefs + `,`, isCrown, `{` + crownDefs + `,` + isCrown + `}`},
		"node":  {`"$defs":{"node":{` + isNode + `}},`, isNode, `{"$defs":{"node":{` + isNode + `}},` + isNode + `}`},
		"nodes": {`"$defs":{"node":{` + isNode + `}},`, `"items":{` + isNode + `},"type":"array"`,
			`{"$defs":{"node":{` + isNode + `}},"properties":{"result":{"items":{` + isNode + `},"type":"array"}},"required":["result"],"type":"object"}`},
		"pest": {``, isPest, `{` + isPest + `,"type":"object"}`},
	}
	session := serve(t, api, mcp.WithOperations("twig", "crown", "node", "nodes", "pest"))
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		w := want[tool.Name]
		w.body = `{` + w.definitions + `"additionalProperties":false,"properties":{"body":{` + w.body + `}},"required":["body"],"type":"object"}`
		if got, _ := json.Marshal(tool.InputSchema); string(got) != w.body { // members are in the order of their names
			t.Errorf("the input of %s:\ngot  %s\nwant %s", tool.Name, got, w.body)
		}
		if got, _ := json.Marshal(tool.OutputSchema); string(got) != w.output {
			t.Errorf("the output of %s:\ngot  %s\nwant %s", tool.Name, got, w.output)
		}
		delete(want, tool.Name)
	}
	if len(want) > 0 {
		t.Errorf("got no tools for %v", want)
	}
}

// A schema that would have 2²⁴ leaves is made at once.
func TestSchemaOfManyPairs(t *testing.T) {
	_, api := newAPI()
	addEcho[pairs[pairs[pairs[pairs[leaf]]]]](api, "many")
	for tool, err := range serve(t, api, mcp.WithOperations("many")).Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if definitions := tool.InputSchema.(map[string]any)["$defs"].(map[string]any); len(definitions) != 24 {
			t.Errorf("got %d definitions, want those of 23 pairs and the leaf", len(definitions))
		}
	}
}
