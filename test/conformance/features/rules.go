package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/autopatch"

	"example.com/flowercafe/apidoc"
)

// This file has the features of JSON bodies and their rules. Most operations return their input.

// bodies returns the API of an operation that returns its input, in apidoc and in huma.
func bodies[A, H any]() (a, h func() http.Handler) {
	return apidocAPI(func(api *apidoc.API) { apidoc.Put(api, "/tree", "Put", echo[A]) }),
		humaAPI(func(api huma.API) { huma.Register(api, put("/tree"), humaEcho[H]) })
}

// bodyFeature returns a feature of an operation that returns its input.
func bodyFeature[A, H any](key, name string, probes ...probe) feature {
	o, h := bodies[A, H]()
	return feature{key: key, name: name, apidoc: o, huma: h, probes: probes}
}

// tree returns a request for this operation.
func tree(json string) string { return "PUT /tree\n\n" + json }

const member = "paths /tree put body "

type (
	numbers struct {
		Height float64 `json:"height" min:"0" max:"100" multipleOf:"0.5"`
		Share  float64 `json:"share" exclusiveMin:"0" exclusiveMax:"1"`
		Age    uint8   `json:"age"`
	}
	humaNumbers struct {
		Height float64 `json:"height" minimum:"0" maximum:"100" multipleOf:"0.5"`
		Share  float64 `json:"share" exclusiveMinimum:"0" exclusiveMaximum:"1"`
		Age    uint8   `json:"age"`
	}
	texts struct {
		Name string `json:"name" minLength:"1" maxLength:"4" doc:"What it is called"`
		Code string `json:"code" pattern:"^[A-Z]{2}[0-9]+$"`
	}
	formats struct {
		Email string `json:"email,omitempty" format:"email"`
		ID    string `json:"id,omitempty" format:"uuid"`
		At    string `json:"at,omitempty" format:"date-time"`
		Day   string `json:"day,omitempty" format:"date"`
		From  string `json:"from,omitempty" format:"ipv4"`
		Link  string `json:"link,omitempty" format:"uri"`
	}
	enums struct {
		Light  string   `json:"light" enum:"sun,shade"`
		Size   int      `json:"size" enum:"1,2,3"`
		Months []string `json:"months" enum:"may,june"`
	}
	lists struct {
		Tags []string `json:"tags" minLength:"1" maxLength:"3" unique:"true"`
	}
	humaLists struct {
		Tags []string `json:"tags" minItems:"1" maxItems:"3" uniqueItems:"true"`
	}
	maps struct {
		Labels map[string]int `json:"labels" maxLength:"2"`
	}
	humaMaps struct {
		Labels map[string]int `json:"labels" maxProperties:"2"`
	}
	nullable struct {
		Note  *string `json:"note"`
		Count *int    `json:"count,omitempty"`
	}
	humaNullable struct {
		Note  *string `json:"note" nullable:"true"`
		Count *int    `json:"count,omitempty" nullable:"true"`
	}
	plainOptional struct {
		Note  string `json:"note,omitempty"`
		Count *int   `json:"count,omitempty" nullable:"false"`
	}
	bodyDefaults struct {
		Light string `json:"light" default:"any"`
		Pack  int    `json:"pack" default:"6"`
	}
	humaDefaults struct {
		Light string `json:"light,omitempty" default:"any"`
		Pack  *int   `json:"pack,omitempty" default:"6"`
	}
	dependent struct {
		Card   string `json:"card,omitempty" dependentRequired:"expiry"`
		Expiry string `json:"expiry,omitempty"`
	}
	strict struct {
		_    struct{} `additionalProperties:"false"`
		Name string   `json:"name"`
	}
	open struct {
		Name string `json:"name"`
	}
	humaOpen struct {
		_    struct{} `additionalProperties:"true"`
		Name string   `json:"name"`
	}
	recursive struct {
		Name     string      `json:"name" minLength:"1"`
		Branches []recursive `json:"branches,omitempty"`
	}
	Named struct {
		Name string `json:"name" minLength:"1"`
	}
	embedded struct {
		Named
		Age int `json:"age"`
	}
	large struct {
		ID     int64  `json:"id"`
		Amount uint64 `json:"amount"`
	}
	oneWay struct {
		ID       int    `json:"id,omitempty" readOnly:"true"`
		Password string `json:"password,omitempty" writeOnly:"true"`
		Name     string `json:"name"`
	}
)

var rules = []feature{
	bodyFeature[numbers, humaNumbers]("numbers", "Limits of numbers: minimum, maximum, exclusive, multiples, size",
		responds(tree(`{"height":1.5,"share":0.5,"age":7}`), 200, `"height":1.5`),
		responds(tree(`{"height":-1,"share":0.5,"age":7}`), anyRefusal),
		responds(tree(`{"height":101,"share":0.5,"age":7}`), anyRefusal),
		responds(tree(`{"height":1.3,"share":0.5,"age":7}`), anyRefusal),
		responds(tree(`{"height":1,"share":0,"age":7}`), anyRefusal),
		responds(tree(`{"height":1,"share":1,"age":7}`), anyRefusal),
		responds(tree(`{"height":1,"share":0.5,"age":256}`), anyRefusal),
		describes(member+"height multipleOf", "0.5"),
		describes(member+"share exclusiveMinimum", "0"),
	),
	bodyFeature[texts, texts]("texts", "Limits of texts: length in characters, pattern",
		responds(tree(`{"name":"Rosé","code":"RO1"}`), 200, `"name":"Rosé"`),
		responds(tree(`{"name":"","code":"RO1"}`), anyRefusal),
		responds(tree(`{"name":"Roses","code":"RO1"}`), anyRefusal),
		responds(tree(`{"name":"Rose","code":"R1"}`), anyRefusal),
		responds(tree(`{"name":7,"code":"RO1"}`), anyRefusal),
		describes(member+"name maxLength", "4"),
		describes(member+"name description", "What it is called"),
	),
	bodyFeature[formats, formats]("formats", "Formats of texts: email, UUID, times, addresses",
		responds(tree(`{"email":"ann@example.com","id":"0190c0de-0000-4000-8000-000000000001","at":"2026-11-21T10:00:00Z","day":"2026-11-21",`+
			`"from":"10.0.0.1","link":"https://example.com/a"}`), 200),
		responds(tree(`{"email":"ann"}`), anyRefusal),
		responds(tree(`{"id":"7"}`), anyRefusal),
		responds(tree(`{"at":"2026-11-21"}`), anyRefusal),
		responds(tree(`{"day":"2026-13-21"}`), anyRefusal),
		responds(tree(`{"from":"10.0.0"}`), anyRefusal),
		responds(tree(`{"link":"a b"}`), anyRefusal),
		describes(member+"email format", "email"),
	),
	bodyFeature[enums, enums]("enums", "Enumerations of texts, of numbers and in lists",
		responds(tree(`{"light":"sun","size":2,"months":["may"]}`), 200),
		responds(tree(`{"light":"moon","size":2,"months":["may"]}`), anyRefusal),
		responds(tree(`{"light":"sun","size":4,"months":["may"]}`), anyRefusal),
		responds(tree(`{"light":"sun","size":2,"months":["july"]}`), anyRefusal),
		describes(member+"light enum", `["sun","shade"]`),
		describes(member+"size enum", `[1,2,3]`),
	),
	bodyFeature[lists, humaLists]("body_lists", "Lists: number of items, unique items",
		responds(tree(`{"tags":["a","b"]}`), 200, `{"tags":["a","b"]}`),
		responds(tree(`{"tags":[]}`), anyRefusal),
		responds(tree(`{"tags":["a","b","c","d"]}`), anyRefusal),
		responds(tree(`{"tags":["a","a"]}`), anyRefusal),
		responds(tree(`{"tags":null}`), anyRefusal),
		describes(member+"tags uniqueItems", "true"),
	),
	bodyFeature[maps, humaMaps]("maps", "Maps with typed values",
		responds(tree(`{"labels":{"a":1}}`), 200, `{"labels":{"a":1}}`),
		responds(tree(`{"labels":{"a":"x"}}`), anyRefusal),
		responds(tree(`{"labels":{"a":1,"b":2,"c":3}}`), anyRefusal),
		describes(member+"labels additionalProperties type", "integer"),
		describes(member+"labels maxProperties", "2"),
	),
	bodyFeature[nullable, humaNullable]("nullable", "Members that may be null",
		responds(tree(`{"note":null}`), 200, `"note":null`),
		responds(tree(`{"note":"x","count":null}`), 200, `"note":"x"`),
		responds(tree(`{"count":1}`), anyRefusal),
		describes(member+"note", `null`),
	),
	bodyFeature[plainOptional, plainOptional]("optional", "Members that may be absent but not null",
		responds(tree(`{}`), 200, `{}`),
		responds(tree(`{"count":0}`), 200, `"count":0`),
		responds(tree(`{"note":null}`), anyRefusal),
		responds(tree(`{"count":null}`), anyRefusal),
		describes(member+"count type", `"integer"`),
	),
	{
		key: "three_states", name: "Absent, null or a value",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Put(api, "/tree", "Put", func(_ context.Context, in struct {
				Note apidoc.Optional[string] `json:"note" maxLength:"3"`
			}) (string, error) {
				return fmt.Sprint(in.Note.Set, in.Note.Null, " ", in.Note.Value), nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Register(api, put("/tree"), func(_ context.Context, in *body[struct {
				Note omittable[string] `json:"note,omitempty" maxLength:"3"`
			}]) (*text, error) {
				note := in.Body.Note
				return &text{fmt.Sprint(note.Sent, note.Null, " ", note.Value)}, nil
			})
		}),
		probes: []probe{
			responds(tree(`{}`), 200, "false false"),
			responds(tree(`{"note":null}`), 200, "true true"),
			responds(tree(`{"note":"x"}`), 200, "true false x"),
			responds(tree(`{"note":"long"}`), anyRefusal),
			describes(member+"note", `null`),
			describes(member+"note maxLength", `3`),
		},
	},
	{
		key: "merge_patch", name: "Merge patch (RFC 7396)",
		apidoc: apidocAPI(func(api *apidoc.API) {
			s := garden{Name: "Oak", Note: "old"}
			apidoc.Get(api, "/tree", "Read", func(context.Context, struct{}) (garden, error) { return s, nil })
			apidoc.Patch(api, "/tree", "Change", func(_ context.Context, in struct {
				Change struct {
					Name apidoc.Optional[string] `json:"name" minLength:"1"`
					Note apidoc.Optional[string] `json:"note"`
				} `body:"application/merge-patch+json,application/json"`
			}) (garden, error) {
				if in.Change.Name.Set {
					s.Name = in.Change.Name.Value
				}
				if in.Change.Note.Set {
					s.Note = in.Change.Note.Value
				}
				return s, nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			s := garden{Name: "Oak", Note: "old"}
			huma.Get(api, "/tree", func(context.Context, *struct{}) (*body[garden], error) { return &body[garden]{s}, nil })
			huma.Put(api, "/tree", func(_ context.Context, in *body[garden]) (*body[garden], error) {
				s = in.Body
				return in, nil
			})
			autopatch.AutoPatch(api)
		}),
		probes: []probe{
			responds("PATCH /tree\nContent-Type: application/merge-patch+json\n\n"+`{"name":"Ash"}`, 200),
			responds("GET /tree", 200, `"name":"Ash"`, `"note":"old"`),
			responds("PATCH /tree\nContent-Type: application/merge-patch+json\n\n"+`{"note":null}`, 200),
			lacks("GET /tree", `old`),
			responds("PATCH /tree\nContent-Type: application/merge-patch+json\n\n"+`{"name":""}`, anyRefusal),
			describes("paths /tree patch requestBody content", "application/merge-patch+json"),
		},
	},
	{
		key: "unions", name: "Unions with a discriminator",
		apidoc: apidocAPI(func(api *apidoc.API) { apidoc.Put(api, "/tree", "Pay", echo[payment]) }),
		huma:   humaAPI(func(api huma.API) { huma.Register(api, put("/tree"), humaEcho[payment]) }),
		probes: []probe{
			responds(tree(`{"kind":"card","number":"4000"}`), 200, `"number":"4000"`),
			responds(tree(`{"kind":"invoice","days":30}`), 200, `"days":30`),
			responds(tree(`{"kind":"card","days":30}`), anyRefusal),
			responds(tree(`{"kind":"cash"}`), anyRefusal),
			responds(tree(`{"kind":"cash"}`), anyRefusal, "invoice"),
			describes("paths /tree put requestBody content * schema discriminator propertyName", "kind"),
		},
	},
	bodyFeature[dependent, dependent]("dependent", "Members that require others (dependentRequired)",
		responds(tree(`{}`), 200),
		responds(tree(`{"card":"4000","expiry":"12/30"}`), 200),
		responds(tree(`{"card":"4000"}`), anyRefusal, "expiry"),
		describes("paths /tree put requestBody content * schema dependentRequired card", `expiry`),
	),
	{
		key: "one_way", name: "Members for one way: readOnly, writeOnly",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Put(api, "/tree", "Put", func(_ context.Context, in oneWay) (oneWay, error) {
				in.Name += fmt.Sprint(in.ID, in.Password)
				in.ID = 7
				return in, nil
			})
		}),
		huma: humaAPI(func(api huma.API) {
			huma.Register(api, put("/tree"), func(_ context.Context, in *body[oneWay]) (*body[oneWay], error) {
				in.Body.Name += fmt.Sprint(in.Body.ID, in.Body.Password)
				in.Body.ID = 7
				return in, nil
			})
		}),
		probes: []probe{
			responds(tree(`{"id":1,"name":"ann","password":"secret"}`), 200, `"name":"ann0secret"`, `"id":7`),
			lacks(tree(`{"name":"ann","password":"secret"}`), `"password"`),
			describes(member, `"password"`),
			describes("paths /tree put responses 200 response", `"id"`),
		},
	},
	bodyFeature[strict, strict]("strict", "Unknown members refused",
		responds(tree(`{"name":"oak"}`), 200),
		responds(tree(`{"name":"oak","nmae":"oak"}`), anyRefusal, "nmae"),
		describes("paths /tree put requestBody content * schema additionalProperties", "false"),
	),
	bodyFeature[open, humaOpen]("open", "Unknown members ignored",
		responds(tree(`{"name":"oak","more":1}`), 200),
	),
	bodyFeature[open, open]("duplicates", "Ambiguous JSON refused: a member twice, in other case, text after the value",
		responds(tree(`{"name":"oak","name":"ash"}`), anyRefusal),
		responds(tree(`{"Name":"oak"}`), anyRefusal),
		responds(tree(`{"name":"oak"} x`), anyRefusal),
		responds(tree(`{"name":`), anyRefusal),
	),
	bodyFeature[recursive, recursive]("recursive", "Recursive types",
		responds(tree(`{"name":"oak","branches":[{"name":"b","branches":[{"name":"c"}]}]}`), 200, `"name":"c"`),
		responds(tree(`{"name":"oak","branches":[{"name":"b","branches":[{"name":""}]}]}`), anyRefusal),
		describes(member+"branches items", "branches"),
	),
	bodyFeature[embedded, embedded]("embedded", "Embedded structs and inheritance",
		responds(tree(`{"name":"oak","age":7}`), 200, `"name":"oak"`),
		responds(tree(`{"name":"","age":7}`), anyRefusal),
		describes(member+"name minLength", "1"),
	),
	bodyFeature[bodyDefaults, humaDefaults]("body_defaults", "Defaults in bodies, which differ from zero",
		responds(tree(`{}`), 200, `"light":"any"`, `"pack":6`),
		responds(tree(`{"pack":0}`), 200, `"pack":0`),
		describes(member+"pack default", "6"),
	),
	bodyFeature[large, large]("large", "Integers of 64 bits without a loss",
		responds(tree(`{"id":9007199254740993,"amount":18446744073709551615}`), 200, `9007199254740993`, `18446744073709551615`),
		responds(tree(`{"id":9223372036854775808,"amount":1}`), anyRefusal),
		responds(tree(`{"id":1,"amount":-1}`), anyRefusal),
	),
	{
		key: "own_checks", name: "Checks by the type itself, with the other errors and their places",
		apidoc: apidocAPI(func(api *apidoc.API) { apidoc.Put(api, "/tree", "Put", echo[stay]) }),
		huma:   humaAPI(func(api huma.API) { huma.Register(api, put("/tree"), humaEcho[humaStay]) }),
		probes: []probe{
			responds(tree(`{"name":"ann","nights":{"from":1,"until":2}}`), 200),
			responds(tree(`{"name":"ann","nights":{"from":2,"until":1}}`), anyRefusal, "must be after"),
			responds(tree(`{"name":"","nights":{"from":2,"until":1}}`), anyRefusal, "must be after", "name"),
			responds(tree(`{"name":"ann","nights":{"from":2,"until":1}}`), anyRefusal, "until"),
		},
	},
	{
		key: "own_types_body", name: "Types with their own JSON, described with rules",
		apidoc: apidocAPI(func(api *apidoc.API) { apidoc.Put(api, "/tree", "Put", echo[priced]) }),
		huma:   humaAPI(func(api huma.API) { huma.Register(api, put("/tree"), humaEcho[humaPriced]) }),
		probes: []probe{
			responds(tree(`{"price":"12.50"}`), 200, `"price":"12.50"`),
			responds(tree(`{"price":"12"}`), anyRefusal, "price"),
			responds(tree(`{"price":12}`), anyRefusal, "price"),
			describes(member+"price pattern", "0-9"),
		},
	},
}

type (
	garden struct {
		Name string `json:"name" minLength:"1"`
		Note string `json:"note,omitempty"`
	}
	priced struct {
		Price money `json:"price"`
	}
	humaPriced struct {
		Price humaMoney `json:"price"`
	}
	money     struct{ cents }
	humaMoney struct{ cents }
)

func (money) DescribedAs() (any, reflect.StructTag) { return "", `pattern:"^[0-9]+\\.[0-9]{2}$"` }

func (humaMoney) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: "string", Pattern: `^[0-9]+\.[0-9]{2}$`}
}

// omittable is from huma's documentation.
type omittable[T any] struct {
	Sent, Null bool
	Value      T
}

func (o *omittable[T]) UnmarshalJSON(b []byte) error {
	o.Sent = true
	if string(b) == "null" {
		o.Null = true
		return nil
	}
	return json.Unmarshal(b, &o.Value)
}

func (o omittable[T]) Schema(r huma.Registry) *huma.Schema {
	s := *r.Schema(reflect.TypeFor[T](), true, "")
	s.Nullable = true
	return &s
}

// payment is a union.
type payment struct {
	card    *card
	invoice *invoice
}

type (
	card struct {
		Kind   string `json:"kind" enum:"card"`
		Number string `json:"number"`
	}
	invoice struct {
		Kind string `json:"kind" enum:"invoice"`
		Days int    `json:"days"`
	}
)

func (payment) OneOf() []any { return []any{card{}, invoice{}} }

func (payment) Schema(r huma.Registry) *huma.Schema {
	c, i := r.Schema(reflect.TypeFor[card](), true, "card"), r.Schema(reflect.TypeFor[invoice](), true, "invoice")
	return &huma.Schema{OneOf: []*huma.Schema{c, i}, Discriminator: &huma.Discriminator{
		PropertyName: "kind", Mapping: map[string]string{"card": c.Ref, "invoice": i.Ref},
	}}
}

func (p payment) MarshalJSON() ([]byte, error) {
	if p.card != nil {
		return json.Marshal(p.card)
	}
	return json.Marshal(p.invoice)
}

func (p *payment) UnmarshalJSON(text []byte) error {
	if strings.Contains(string(text), `"invoice"`) {
		return json.Unmarshal(text, &p.invoice)
	}
	return json.Unmarshal(text, &p.card)
}

// stay checks that its nights are in order.
type (
	nights struct {
		From  int `json:"from"`
		Until int `json:"until"`
	}
	stay struct {
		Name   string `json:"name" minLength:"1"`
		Nights nights `json:"nights"`
	}
	humaNights nights
	humaStay   struct {
		Name   string     `json:"name" minLength:"1"`
		Nights humaNights `json:"nights"`
	}
)

func (n nights) Validate(context.Context) ([]apidoc.InputError, error) {
	if n.Until <= n.From {
		return []apidoc.InputError{{Pointer: "/until", Detail: "must be after from"}}, nil
	}
	return nil, nil
}

func (n *humaNights) Resolve(_ huma.Context, at *huma.PathBuffer) []error {
	if n.Until <= n.From {
		return []error{&huma.ErrorDetail{Message: "must be after from", Location: at.With("until"), Value: n.Until}}
	}
	return nil
}
