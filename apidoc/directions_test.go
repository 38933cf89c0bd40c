package apidoc_test

import (
	"context"
	"encoding/json"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
)

// This file tests types that are read for several purposes: input and output, text and JSON.

// Marks can be decoded, not encoded.
type Marks int

func (m *Marks) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	*m = Marks(n)
	return err
}

type Marked struct{ Marks Marks }

type Ticket struct {
	Number string     `json:"number,omitempty" dependentRequired:"from"`
	From   netip.Addr `json:"from,omitempty"`
}

// Sealed cannot be decoded.
type Sealed struct{ Shape interface{ Area() int } }

// A type that is an input too is checked as an output, and vice versa.
func TestTypesAreCheckedInEachDirection(t *testing.T) {
	const noText = "described as a string, but encoded differently: write its method MarshalText"
	for _, c := range []struct{ name, got, want string }{
		{"an input", refusal[Marked, struct{}]("POST"), ""},
		{"an output", refusal[struct{}, Marked]("POST"), noText},
		{"an input and output", refusal[Marked, Marked]("POST"), noText},
		{"an input and items of the output", refusal[Marked, []Marked]("POST"), noText},
		{"an input and the body of a response", refusal[Marked, struct{}]("POST", apidoc.Response[Marked](409, "Marked")), noText},
		{"an input with dependent members", refusal[Ticket, struct{}]("POST"), ""},
		{"an input and output with dependent members", refusal[Ticket, Ticket]("POST"), `"from" is left out if it is zero`},
		{"members that are only read, and others", refusal[struct {
			Old Sealed `readOnly:"true"`
			New Sealed
		}, struct{}]("POST"), "JSON cannot be decoded into an interface"},
		{"members that are only read", refusal[struct {
			Old Sealed `readOnly:"true"`
		}, struct{}]("POST"), ""},
	} {
		if !strings.Contains(c.got, c.want) || c.want == "" && c.got != "" {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

// Code is text in a parameter, and a number in JSON.
type Code struct{ n int }

func (c Code) MarshalText() ([]byte, error) { return []byte("c" + strconv.Itoa(c.n)), nil }

func (c *Code) UnmarshalText(text []byte) (err error) {
	c.n, err = strconv.Atoi(strings.TrimPrefix(string(text), "c"))
	return err
}

func (c Code) MarshalJSON() ([]byte, error)     { return json.Marshal(c.n) }
func (c *Code) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &c.n) }

type (
	Codes []Code
	Crate struct {
		Code  Code  `json:"code"`
		Codes Codes `json:"codes"`
	}
)

// A type is text in a parameter and JSON in a body, whichever is read first, and in a part of a
// form with JSON.
func TestTypesAreTextInParametersOnly(t *testing.T) {
	type before struct {
		Query Codes `query:"codes"`
		Body  Crate `body:""`
	}
	type after struct {
		Body  Crate `body:""`
		Query Codes `query:"codes"`
	}
	type form struct {
		Codes Codes `form:"codes"`
		Part  Crate `form:"part,required"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/before", "", func(_ context.Context, in before) ([]any, error) { return []any{in.Query, in.Body}, nil }, apidoc.ID("before"))
	apidoc.Post(api, "/after", "", func(_ context.Context, in after) ([]any, error) { return []any{in.Query, in.Body}, nil }, apidoc.ID("after"))
	apidoc.Post(api, "/form", "", func(_ context.Context, in form) ([]any, error) { return []any{in.Codes, in.Part}, nil }, apidoc.ID("form"))
	const crate, want = `{"code":3,"codes":[4]}`, `[[1,2],{"code":3,"codes":[4]}]`
	multipart, parts := parts("codes=c1", "codes=c2", "part="+crate)
	for _, c := range []struct{ path, contentType, body string }{
		{"/before?codes=c1&codes=c2", "application/json", crate},
		{"/after?codes=c1&codes=c2", "application/json", crate},
		{"/form", multipart, parts},
	} {
		if w := call(app, "POST", c.path, c.contentType, c.body); w.Code != 200 || w.Body.String() != want {
			t.Errorf("%s: got %d %s, want %s", c.path, w.Code, w.Body, want)
		}
	}
	schemas := decode(t, build(t, app, "").OpenAPI()).at("components", "schemas")
	if items := schemas.at("Codes", "items"); items == nil || items["type"] != nil {
		t.Errorf("the items of Codes are described as %v, want any JSON", items)
	}
}
