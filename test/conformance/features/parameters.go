package main

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"example.com/flowercafe/apidoc"
)

// This file has the features of parameters.

type colour string

func (colour) Values() []colour { return []colour{"red", "white"} }

func (colour) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: "string", Enum: []any{"red", "white"}}
}

// given is a parameter of huma that records whether it was sent, from huma's documentation.
type given[T any] struct {
	Value T
	Sent  bool
}

func (g given[T]) Schema(r huma.Registry) *huma.Schema {
	return huma.SchemaFromType(r, reflect.TypeOf(g.Value))
}
func (g *given[T]) Receiver() reflect.Value     { return reflect.ValueOf(g).Elem().Field(0) }
func (g *given[T]) OnParamSet(sent bool, _ any) { g.Sent = sent }

type (
	Paging struct {
		Limit  int `query:"limit" default:"10" min:"1" max:"100"`
		Offset int `query:"offset"`
	}
	HumaPaging struct {
		Limit  int `query:"limit" default:"10" minimum:"1" maximum:"100"`
		Offset int `query:"offset"`
	}
)

var parameters = []feature{
	{
		key: "places", name: "Parameters of path, query, header and cookie",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/trees/:id", "Read", func(_ context.Context, in struct {
				ID    int    `path:"id"`
				Limit int    `query:"limit"`
				Trace string `header:"X-Trace"`
				User  string `cookie:"user"`
			}) (string, error) {
				return fmt.Sprintln(in.ID, in.Limit, in.Trace, in.User), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/trees/{id}", func(_ context.Context, in *struct {
				ID    int    `path:"id"`
				Limit int    `query:"limit"`
				Trace string `header:"X-Trace"`
				User  string `cookie:"user"`
			}) (*text, error) {
				return &text{fmt.Sprintln(in.ID, in.Limit, in.Trace, in.User)}, nil
			})
		}),
		probes: []probe{
			responds("GET /trees/7?limit=3\nX-Trace: abc\nCookie: user=ann", 200, "7 3 abc ann"),
			responds("GET /trees/x?limit=3", anyRefusal),
			responds("GET /trees/7?limit=x", anyRefusal),
			describes("paths /trees/{id} get parameters name=id in", "path"),
			describes("paths /trees/{id} get parameters name=limit schema type", "integer"),
			describes("paths /trees/{id} get parameters in=cookie name", "user"),
			describes("paths /trees/{id} get parameters in=header", `"`),
		},
	},
	{
		key: "defaults", name: "Defaults, required parameters and rules of parameters",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/trees", "List", func(_ context.Context, in struct {
				Limit int    `query:"limit" default:"10" min:"1" max:"100"`
				Kind  string `query:"kind,required" pattern:"^[a-z]+$"`
			}) (string, error) {
				return fmt.Sprint(in.Limit, " ", in.Kind), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/trees", func(_ context.Context, in *struct {
				Limit int    `query:"limit" default:"10" minimum:"1" maximum:"100"`
				Kind  string `query:"kind" required:"true" pattern:"^[a-z]+$"`
			}) (*text, error) {
				return &text{fmt.Sprint(in.Limit, " ", in.Kind)}, nil
			})
		}),
		probes: []probe{
			responds("GET /trees?kind=oak", 200, "10 oak"),
			responds("GET /trees?kind=oak&limit=5", 200, "5 oak"),
			responds("GET /trees", anyRefusal),
			responds("GET /trees?kind=oak&limit=0", anyRefusal),
			responds("GET /trees?kind=OAK", anyRefusal),
			describes("paths /trees get parameters name=limit schema default", "10"),
			describes("paths /trees get parameters name=limit schema maximum", "100"),
			describes("paths /trees get parameters name=kind required", "true"),
		},
	},
	{
		key: "lists", name: "Lists in queries: ?tag=a&tag=b",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/trees", "List", func(_ context.Context, in struct {
				Tags []string `query:"tag" maxLength:"3" unique:"true"`
				IDs  []int    `query:"id"`
			}) (string, error) {
				return fmt.Sprint(in.Tags, in.IDs), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/trees", func(_ context.Context, in *struct {
				Tags []string `query:"tag,explode" maxItems:"3" uniqueItems:"true"`
				IDs  []int    `query:"id,explode"`
			}) (*text, error) {
				return &text{fmt.Sprint(in.Tags, in.IDs)}, nil
			})
		}),
		probes: []probe{
			responds("GET /trees?tag=a&tag=b&id=1&id=2", 200, "[a b] [1 2]"),
			responds("GET /trees", 200, "[] []"),
			responds("GET /trees?id=x", anyRefusal),
			responds("GET /trees?tag=a&tag=b&tag=c&tag=d", anyRefusal),
			responds("GET /trees?tag=a&tag=a", anyRefusal),
			describes("paths /trees get parameters name=id schema items type", "integer"),
		},
	},
	{
		key: "commas", name: "Lists with commas in queries: ?tag=a,b",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/trees", "List", func(_ context.Context, in struct {
				Tags []string `query:"tag,commas"`
				IDs  []int    `query:"id,commas"`
			}) (string, error) {
				return fmt.Sprint(in.Tags, in.IDs), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/trees", func(_ context.Context, in *struct {
				Tags []string `query:"tag"`
				IDs  []int    `query:"id"`
			}) (*text, error) {
				return &text{fmt.Sprint(in.Tags, in.IDs)}, nil
			})
		}),
		probes: []probe{
			responds("GET /trees?tag=a,b&id=1,2", 200, "[a b] [1 2]"),
			responds("GET /trees?id=1,x", anyRefusal),
			describes("paths /trees get parameters name=tag explode", "false"),
		},
	},
	{
		key: "objects", name: "Parameters of embedded and shared structs",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/trees", "List", func(_ context.Context, in struct {
				Paging
				Kind string `query:"kind"`
			}) (string, error) {
				return fmt.Sprint(in.Limit, in.Offset, in.Kind), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/trees", func(_ context.Context, in *struct {
				HumaPaging
				Kind string `query:"kind"`
			}) (*text, error) {
				return &text{fmt.Sprint(in.Limit, in.Offset, in.Kind)}, nil
			})
		}),
		probes: []probe{
			responds("GET /trees?offset=20&kind=x", 200, "10 20x"),
			responds("GET /trees?limit=1000", anyRefusal),
			describes("paths /trees get parameters name=limit schema default", "10"),
			describes("paths /trees get parameters name=kind in", "query"),
		},
	},
	{
		key: "deep", name: "deepObject: ?size[min]=1&size[max]=2", isOmitted: true, // flat names in place of it
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/trees", "List", func(_ context.Context, in struct {
				Min int `query:"size[min]" min:"1"`
				Max int `query:"size[max]"`
			}) (string, error) {
				return fmt.Sprint(in.Min, in.Max), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/trees", func(_ context.Context, in *struct {
				Size struct {
					Min int `json:"min" minimum:"1"`
					Max int `json:"max"`
				} `query:"size,deepObject"`
			}) (*text, error) {
				return &text{fmt.Sprint(in.Size.Min, in.Size.Max)}, nil
			})
		}),
		probes: []probe{
			responds("GET /trees?size[min]=1&size[max]=2", 200, "1 2"),
			responds("GET /trees?size[min]=x", anyRefusal),
			describes("paths /trees get parameters name=size style", "deepObject"),
		},
	},
	{
		key: "unknown_parameters", name: "Unknown query parameters refused",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/trees", "List", func(_ context.Context, in struct {
				_ struct{} `additionalProperties:"false"`
				Paging
			}) (string, error) {
				return fmt.Sprint(in.Limit), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Register(api, huma.Operation{Method: "GET", Path: "/trees", OperationID: "list", RejectUnknownQueryParameters: true},
				func(_ context.Context, in *HumaPaging) (*text, error) { return &text{fmt.Sprint(in.Limit)}, nil })
		}),
		probes: []probe{
			responds("GET /trees?limit=5", 200, "5"),
			responds("GET /trees?limti=5", anyRefusal, "limti"),
		},
	},
	{
		key: "types", name: "Types of parameters: UUID, time, IP, URL, enumeration",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/trees/:id", "Read", func(_ context.Context, in struct {
				ID     uuid.UUID  `path:"id"`
				Since  time.Time  `query:"since"`
				From   netip.Addr `query:"from"`
				Link   url.URL    `query:"link"`
				Colour colour     `query:"colour"`
			}) (string, error) {
				return fmt.Sprint(in.ID, " ", in.Since.Year(), " ", in.From, " ", in.Link.Host, " ", in.Colour), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/trees/{id}", func(_ context.Context, in *struct {
				ID     uuid.UUID  `path:"id" format:"uuid"`
				Since  time.Time  `query:"since"`
				From   netip.Addr `query:"from"`
				Link   url.URL    `query:"link"`
				Colour colour     `query:"colour"`
			}) (*text, error) {
				return &text{fmt.Sprint(in.ID, " ", in.Since.Year(), " ", in.From, " ", in.Link.Host, " ", in.Colour)}, nil
			})
		}),
		probes: []probe{
			responds("GET /trees/0190c0de-0000-4000-8000-000000000001?since=2026-11-21T10:00:00Z&from=10.0.0.1&link=https://example.com/a&colour=red",
				200, "0190c0de-0000-4000-8000-000000000001 2026 10.0.0.1 example.com red"),
			responds("GET /trees/7", anyRefusal),
			responds("GET /trees/0190c0de-0000-4000-8000-000000000001?since=yesterday", anyRefusal),
			responds("GET /trees/0190c0de-0000-4000-8000-000000000001?from=10.0.0", anyRefusal),
			responds("GET /trees/0190c0de-0000-4000-8000-000000000001?colour=blue", anyRefusal),
			describes("paths /trees/{id} get parameters name=id schema format", "uuid"),
			describes("paths /trees/{id} get parameters name=since schema format", "date-time"),
			describes("paths /trees/{id} get parameters name=colour schema enum", `["red","white"]`),
		},
	},
	{
		key: "sent", name: "A parameter that was not sent differs from 0 and from an empty text",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/trees", "List", func(_ context.Context, in struct {
				Below *int    `query:"below"`
				Name  *string `query:"name" minLength:"0"`
			}) (string, error) {
				return fmt.Sprint(in.Below != nil, in.Name != nil), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/trees", func(_ context.Context, in *struct {
				Below given[int]    `query:"below"`
				Name  given[string] `query:"name"`
			}) (*text, error) {
				return &text{fmt.Sprint(in.Below.Sent, in.Name.Sent)}, nil
			})
		}),
		probes: []probe{
			responds("GET /trees", 200, "false false"),
			responds("GET /trees?below=0&name=", 200, "true true"),
			responds("GET /trees?name=oak", 200, "false true"),
		},
	},
	{
		key: "own_types", name: "Parameters of a type of one's own, with its own check",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Get(api, "/trees", "List", func(_ context.Context, in struct {
				Below cents `query:"below"`
			}) (string, error) {
				return fmt.Sprint(in.Below.count), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Get(api, "/trees", func(_ context.Context, in *struct {
				Below cents `query:"below"`
			}) (*text, error) {
				return &text{fmt.Sprint(in.Below.count)}, nil
			})
		}),
		probes: []probe{
			responds("GET /trees?below=12.50", 200, "1250"),
			responds("GET /trees?below=12", anyRefusal),
			responds("GET /trees?below=much", anyRefusal),
			describes("paths /trees get parameters name=below schema type", "string"),
		},
	},
}

// cents is an amount such as 12.50.
type cents struct{ count int }

func (c *cents) UnmarshalText(text []byte) error {
	var whole, part int
	if n, err := fmt.Sscanf(string(text), "%d.%02d", &whole, &part); n != 2 || err != nil {
		return fmt.Errorf("must be an amount such as 12.50")
	}
	c.count = whole*100 + part
	return nil
}

func (c cents) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%02d", c.count/100, c.count%100), nil
}

func (cents) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: "string"} }
