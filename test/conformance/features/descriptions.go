package main

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	_ "github.com/danielgtaylor/huma/v2/formats/cbor"
	"github.com/danielgtaylor/huma/v2/sse"
	"go.yaml.in/yaml/v3"

	"example.com/flowercafe/apidoc"
)

// This file has the features of descriptions.

type order struct {
	Tell string `json:"tell" format:"uri"`
}

var described = []feature{
	{
		key: "formats_of", name: "OpenAPI 3.1, OpenAPI 3.0 and Swagger 2.0",
		apidoc: apidocAPI(plain), huma: humaAPI(humaPlain),
		probes: []probe{
			describes("openapi", `"3.1`),
			inOneOf(`"openapi": "3.0`, `"openapi":"3.0`, "/api-docs/openapi-3.0.json", "/openapi-3.0.json"),
			inOneOf(`"swagger": "2.0`, `"swagger":"2.0`, "/api-docs/swagger.json", "/swagger.json", "/openapi-2.0.json"),
		},
	},
	{
		key: "latest", name: "OpenAPI 3.2: each event and line has a schema, and tags are in others",
		apidoc: apidocAPIWith(apidoc.Info{Title: "Trees", Version: "1.0", Tags: []apidoc.Tag{{Name: "trees"}, {Name: "oaks", Parent: "trees"}}}, func(api *apidoc.API) {
			apidoc.Get(api, "/events", "Watch", func(context.Context, nothing) (iter.Seq[apidoc.Event[open]], error) { return nil, nil })
			apidoc.Get(api, "/lines", "List", func(context.Context, nothing) (out struct {
				Lines iter.Seq[open] `body:"application/jsonl"`
			}, err error) {
				return out, nil
			})
		}),
		huma: humaAPIWith(func(c *huma.Config) {
			c.Tags = []*huma.Tag{{Name: "trees"}, {Name: "oaks", Extensions: map[string]any{"parent": "trees"}}}
		}, func(api huma.API) {
			sse.Register(api, huma.Operation{Method: "GET", Path: "/events", OperationID: "watch"}, map[string]any{"grown": open{}},
				func(context.Context, *nothing, sse.Sender) {})
		}),
		probes: []probe{
			describesIn32("openapi", "3.2"),
			describesIn32("paths /events get responses 200 content text/event-stream itemSchema properties data", "contentSchema"),
			describesIn32("paths /lines get responses 200 content application/jsonl itemSchema properties name", "string"),
			describesIn32("tags name=oaks parent", "trees"),
		},
	},
	{
		key: "yaml_document", name: "A description that readers of YAML read",
		apidoc: apidocAPI(plain), huma: humaAPI(humaPlain),
		probes: []probe{func(s service) string {
			a, err := s.send("GET " + s.document)
			var document struct{ Openapi string }
			if err != nil || a.status != http.StatusOK || yaml.Unmarshal([]byte(a.body), &document) != nil || !strings.HasPrefix(document.Openapi, "3.1") {
				return "`GET " + s.document + "`: " + http.StatusText(a.status)
			}
			return ""
		}},
	},
	{
		key: "viewer", name: "A page that shows the description and sends requests",
		apidoc: apidocAPI(plain), huma: humaAPI(humaPlain),
		probes: []probe{inOneOf("<html", "<!doctype", "/api-docs/ui/", "/docs")},
	},
	{
		key: "self_contained", name: "That page without files of other hosts",
		apidoc: apidocAPI(plain), huma: humaAPI(humaPlain),
		probes: []probe{func(s service) string {
			for _, path := range []string{"/api-docs/ui/", "/docs"} {
				if a, err := s.send("GET " + path); err == nil && a.status == http.StatusOK {
					if strings.Contains(a.body, `="https://`) {
						return "`GET " + path + "`: it loads files of another host"
					}
					return ""
				}
			}
			return "no page"
		}},
	},
	{
		key: "for_people", name: "For people: summary, description, tags, deprecated, contact, license, other documentation",
		apidoc: apidocAPIWith(apidoc.Info{
			Title: "Trees", Version: "1.0", Description: "All *trees*", Contact: apidoc.Contact{Name: "Ann"}, License: apidoc.License{Name: "MIT"},
			ExternalDocs: apidoc.ExternalDocs{URL: "https://example.com/handbook"},
		}, func(api *apidoc.API) {
			apidoc.Get(api, "/tree", "Read a tree", readTree, api.Tag("Garden", "What grows"), apidoc.Description("In *Markdown*"), apidoc.Deprecated(),
				apidoc.SeeAlso(apidoc.ExternalDocs{URL: "https://example.com/trees"}))
		}),
		huma: humaAPIWith(func(c *huma.Config) {
			c.Info.Description, c.Info.Contact, c.Info.License = "All *trees*", &huma.Contact{Name: "Ann"}, &huma.License{Name: "MIT"}
			c.Tags, c.ExternalDocs = []*huma.Tag{{Name: "Garden", Description: "What grows"}}, &huma.ExternalDocs{URL: "https://example.com/handbook"}
		}, func(api huma.API) {
			huma.Register(api, huma.Operation{
				Method: "GET", Path: "/tree", OperationID: "read", Summary: "Read a tree", Description: "In *Markdown*", Deprecated: true,
				Tags: []string{"Garden"}, ExternalDocs: &huma.ExternalDocs{URL: "https://example.com/trees"},
			}, humaTree)
		}),
		probes: []probe{
			describes("info", "All *trees*"), describes("info contact name", "Ann"), describes("info license name", "MIT"),
			describes("tags name=Garden description", "What grows"), describes("externalDocs url", "handbook"),
			describes("paths /tree get summary", "Read a tree"), describes("paths /tree get description", "Markdown"),
			describes("paths /tree get deprecated", "true"), describes("paths /tree get externalDocs url", "trees"),
			describes("paths /tree get tags 0", "Garden"),
		},
	},
	{
		key: "examples", name: "Examples of members, requests and responses",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Put(api, "/tree", "Put", echo[exampled], apidoc.RequestExample(exampled{"Ash"}), apidoc.ResponseExample(200, exampled{"Elm"}))
		}),
		huma: humaAPI(func(api huma.API) {
			example := func(name string) map[string]*huma.MediaType {
				return map[string]*huma.MediaType{"application/json": {Example: exampled{name}}}
			}
			operation := put("/tree")
			operation.RequestBody = &huma.RequestBody{Content: example("Ash")}
			operation.Responses = map[string]*huma.Response{"200": {Description: "OK", Content: example("Elm")}}
			huma.Register(api, operation, humaEcho[exampled])
		}),
		probes: []probe{
			describes("components schemas", "Oak"),
			describes("paths /tree put requestBody", "Ash"),
			describes("paths /tree put responses 200", "Elm"),
		},
	},
	{
		key: "webhooks", name: "Webhooks and callbacks",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Webhook[open](api, "grown", "A tree has grown")
			apidoc.Post(api, "/orders", "Order", echo[order], apidoc.Callback[open]("sent", "{$request.body#/tell}", "The tree is on its way"))
		}),
		huma: humaAPI(func(api huma.API) {
			item := &huma.PathItem{Post: &huma.Operation{
				OperationID: "grown", Responses: map[string]*huma.Response{"200": {Description: "OK"}},
				RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {
					Schema: api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[open](), true, "Open"),
				}}},
			}}
			api.OpenAPI().Webhooks = map[string]*huma.PathItem{"grown": item}
			huma.Register(api, huma.Operation{Method: "POST", Path: "/orders", OperationID: "order",
				Callbacks: map[string]map[string]*huma.PathItem{"sent": {"{$request.body#/tell}": item}}}, humaEcho[order])
		}),
		probes: []probe{
			describes("webhooks grown post requestBody content * schema properties", "name"),
			describes("paths /orders post callbacks sent {$request.body#/tell} post requestBody content * schema properties", "name"),
		},
	},
	{
		key: "links", name: "Links from a response to other operations",
		apidoc: apidocAPIWith(apidoc.Info{Title: "Trees", Version: "1.0", Change: func(version string, text []byte) ([]byte, error) {
			var document map[string]any
			if err := json.Unmarshal(text, &document); err != nil || version == "2.0" { // has no links
				return text, err
			}
			get := document["paths"].(map[string]any)["/tree"].(map[string]any)["get"].(map[string]any)
			get["responses"].(map[string]any)["200"].(map[string]any)["links"] = linkToTree
			return json.Marshal(document)
		}}, plain),
		huma: humaAPI(func(api huma.API) {
			huma.Register(api, huma.Operation{Method: "GET", Path: "/tree", OperationID: "readTree", Responses: map[string]*huma.Response{
				"200": {Description: "OK", Links: map[string]*huma.Link{"self": {OperationID: "readTree"}}},
			}}, humaTree)
		}),
		probes: []probe{describes("paths /tree get responses 200 links self operationId", "readTree")},
	},
	{
		key: "by_hand", name: "Members of one's own, and the whole document changed by hand",
		apidoc: apidocAPIWith(apidoc.Info{Title: "Trees", Version: "1.0", Extensions: map[string]any{"x-audience": "public"},
			Change: func(_ string, text []byte) ([]byte, error) {
				return []byte(strings.Replace(string(text), `"1.0"`, `"1.0-beta"`, 1)), nil
			}}, func(api *apidoc.API) {
			apidoc.Get(api, "/tree", "Read", readTree, apidoc.Extension("x-rate", 10))
		}),
		huma: humaAPIWith(func(c *huma.Config) {
			c.Extensions = map[string]any{"x-audience": "public"}
		}, func(api huma.API) {
			huma.Register(api, huma.Operation{Method: "GET", Path: "/tree", OperationID: "read", Extensions: map[string]any{"x-rate": 10}}, humaTree)
			api.OpenAPI().Info.Version = "1.0-beta"
		}),
		probes: []probe{
			describes("x-audience", "public"),
			describes("paths /tree get x-rate", "10"),
			describes("info version", "1.0-beta"),
		},
	},
	{
		key: "ids", name: "IDs of operations, by themselves and by hand; servers",
		apidoc: apidocAPIWith(apidoc.Info{Title: "Trees", Version: "1.0", Servers: []apidoc.Server{{URL: "https://api.example.com"}}}, func(api *apidoc.API) {
			apidoc.Get(api, "/tree", "Read", readTree)
			apidoc.Get(api, "/other", "Read", readTree, apidoc.ID("mine"))
		}),
		huma: humaAPIWith(func(c *huma.Config) { c.Servers = []*huma.Server{{URL: "https://api.example.com"}} }, func(api huma.API) {
			huma.Get(api, "/tree", humaTree)
			huma.Register(api, huma.Operation{Method: "GET", Path: "/other", OperationID: "mine"}, humaTree)
		}),
		probes: []probe{
			describes("paths /tree get operationId", `e`),
			describes("paths /other get operationId", `"mine"`),
			describes("servers 0 url", "https://api.example.com"),
		},
	},
	{
		key: "self_reference", name: "$schema members and links in responses", isOmitted: true,
		apidoc: apidocAPI(plain), huma: humaAPI(humaPlain),
		probes: []probe{responds("GET /tree", 200, "$schema"), responds("GET /tree", 200, "Link: describedBy")},
	},
	{
		key: "cbor", name: "CBOR", isOmitted: true,
		apidoc: apidocAPI(plain), huma: humaAPI(humaPlain),
		probes: []probe{responds("GET /tree\nAccept: application/cbor", 200, "Content-Type: application/cbor")},
	},
}

type exampled struct {
	Name string `json:"name" example:"Oak"`
}

var linkToTree = map[string]any{"self": map[string]any{"operationId": "readTree"}}

func plain(api *apidoc.API) { apidoc.Get(api, "/tree", "Read", readTree) }

func humaPlain(api huma.API) {
	huma.Register(api, huma.Operation{Method: "GET", Path: "/tree", OperationID: "readTree"},
		func(ctx context.Context, in *nothing) (*body[open], error) { return humaTree(ctx, in) })
}

// describesIn32 is describes for a description in OpenAPI 3.2.
func describesIn32(path, want string) probe {
	return func(s service) string {
		const own = "/api-docs/openapi-3.2.json"
		if a, err := s.send("GET " + own); err == nil && a.status == http.StatusOK {
			s.document = own
		}
		if seen := describes("openapi", `"3.2`)(s); seen != "" {
			return "none in OpenAPI 3.2"
		}
		return describes(path, want)(s)
	}
}

// inOneOf is a probe for a text, in one of two spellings, at one of several paths.
func inOneOf(text, other string, paths ...string) probe {
	return func(s service) string {
		for _, path := range paths {
			a, err := s.send("GET " + path)
			body := strings.ToLower(a.body)
			if err == nil && a.status == http.StatusOK && (strings.Contains(body, text) || strings.Contains(body, other)) {
				return ""
			}
		}
		return "none of `" + strings.Join(paths, "`, `") + "`"
	}
}
