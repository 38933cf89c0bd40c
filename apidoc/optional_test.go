package apidoc_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
)

// This file tests members with three states, and types of the standard library.

// echo returns what an operation that reads and writes a T responds to a body.
func echo[T any](body string) string {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in T) (T, error) { return in, nil }, apidoc.ID("echo"))
	return call(app, "POST", "/", "application/json", body).Body.String()
}

func TestOptional(t *testing.T) {
	type change struct {
		Name apidoc.Optional[string]              `json:"name" minLength:"2"`
		Next apidoc.Optional[Item]                `json:"next"`
		Tags apidoc.Optional[[]string]            `json:"tags" maxLength:"2" unique:"true"`
		Any  apidoc.Optional[any]                 `json:"any"`
		By   apidoc.Optional[map[string]*int]     `json:"by"`
		Raw  apidoc.Optional[json.RawMessage]     `json:"raw"`
		Pay  apidoc.Optional[payment]             `json:"pay"`
		Wait apidoc.Optional[time.Duration]       `json:"wait" format:"duration" default:"PT5S"`
		In   struct{ X apidoc.Optional[*string] } `json:"in,omitzero"`
	}
	type plain struct {
		A apidoc.Optional[int8] `json:"a"`
		B string                `json:"b"`
	}
	for _, c := range []struct{ name, got, want string }{
		{"absent", echo[plain](`{"b":""}`), `{"b":""}`},
		{"null", echo[plain](`{"a":null,"b":""}`), `{"a":null,"b":""}`},
		{"zero", echo[plain](`{"a":0,"b":""}`), `{"a":0,"b":""}`},
		{"an integer with a fraction of zero", echo[plain](`{"a":1.0,"b":""}`), `{"a":1,"b":""}`},
		{"over the type's range", echo[plain](`{"a":200,"b":""}`), `"/a","detail":"must be at most 127"`},
		{"of another type", echo[plain](`{"a":{},"b":""}`), `"/a","detail":"must be an integer"`},
		{"twice", echo[plain](`{"a":1,"a":null,"b":""}`), `"must not occur twice"`},
		{"all absent, one with a default", echo[change](`{}`), `{"wait":"PT5S"}`},
		{"null in place of a default", echo[change](`{"wait":null,"in":{}}`), `{"wait":null}`},
		{"null in an optional pointer", echo[change](`{"in":{"X":null}}`), `{"wait":"PT5S","in":{"X":null}}`},
		{"null inside optional values", echo[change](`{"tags":[],"any":{"a":[null]},"by":{"x":null},"raw":null}`), `{"tags":[],"any":{"a":[null]},"by":{"x":null},"raw":null,"wait":"PT5S"}`},
		{"an optional union", echo[change](`{"pay":{"coins":1}}`), `"pay":{"coins":1}`},
		{"rules of optional members", echo[change](`{"name":"a","tags":["x","x","y"],"wait":5}`), `{"in":"body","pointer":"/name","detail":"must have at least 2 characters","code":"minLength","limit":2},` +
			`{"in":"body","pointer":"/tags/1","detail":"must not occur twice","code":"uniqueItems"},{"in":"body","pointer":"/tags","detail":"must have at most 2 items","code":"maxItems","limit":2},` +
			`{"in":"body","pointer":"/wait","detail":"must be a string","code":"type","limit":"string"}`},
		{"rules inside an optional member", placesOf(echo[change](`{"next":{}}`)), `body /next/name required`},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.want)
		}
	}
	var o apidoc.Optional[int]
	if err := json.Unmarshal([]byte("null"), &o); err != nil || o != apidoc.Null[int]() {
		t.Errorf("null decoded by encoding/json: got %v %v", o, err)
	}
	if err := json.Unmarshal([]byte("7"), &o); err != nil || o != apidoc.Some(7) {
		t.Errorf("7 decoded by encoding/json: got %v %v", o, err)
	}
}

// A pointer may be null, unless it has the tag nullable:"false".
func TestPointersThatAreNotNullable(t *testing.T) {
	type names []string
	type change struct {
		Name *string                 `json:"name,omitempty" nullable:"false" minLength:"1"`
		Next *Item                   `json:"next,omitempty" nullable:"false" doc:"What follows"`
		Tags *names                  `json:"tags,omitzero" nullable:"false"`
		Size *int8                   `json:"size,omitempty,string" nullable:"false"`
		Set  apidoc.Optional[int]    `json:"set" nullable:"false"`
		Note *string                 `json:"note" nullable:"true"`
		Kind string                  `json:"kind,omitempty" nullable:"false"`
		Some *apidoc.Optional[int64] `json:"-"`
	}
	for _, c := range []struct{ body, want string }{
		{`{"note":null}`, `{"note":null}`},
		{`{"name":"a","next":{"name":"x","count":2,"tags":[],"labels":{}},"tags":["x"],"size":"1","set":1,"note":"b","kind":"c"}`, ""},
		{`{"note":null,"name":null,"next":null,"tags":null,"size":null,"set":null,"kind":null}`, `"/name","detail":"must be a string"},` +
			`{"in":"body","pointer":"/next","detail":"must be an object"},{"in":"body","pointer":"/tags","detail":"must be an array, not null: send []"},` +
			`{"in":"body","pointer":"/size","detail":"must be a string"},{"in":"body","pointer":"/set","detail":"must be an integer"},` +
			`{"in":"body","pointer":"/kind","detail":"must be a string"}]`},
		{`{"note":null,"name":""}`, `"/name","detail":"must have at least 1 character"`},
	} {
		if c.want == "" {
			c.want = c.body
		}
		if got := codes.ReplaceAllString(echo[change](c.body), ""); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.body, got, c.want)
		}
	}
	type described struct {
		Name *string `json:"name,omitempty" nullable:"false" enum:"a,b"`
		Next *Flower `json:"next,omitempty" nullable:"false"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(context.Context, described) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("post"))
	d := build(t, app, "")
	for _, text := range [][]byte{d.Swagger(), d.OpenAPI30(), d.OpenAPI(), d.OpenAPI32()} {
		plain := strings.NewReplacer(" ", "", "\n", "").Replace(string(text))
		if !strings.Contains(plain, `"name":{"type":"string","enum":["a","b"]},"next":{"$ref":`) || strings.Contains(plain, "null") {
			t.Errorf("described as %s", text)
		}
	}
}

func TestMisusedOptional(t *testing.T) {
	type optional = apidoc.Optional[int]
	const pointer = "only a member of an object can be absent: write a pointer"
	for _, c := range []struct{ name, got, want string }{
		{"in a list", refusal[[]optional, struct{}]("POST"), pointer},
		{"in a map", refusal[map[string]optional, struct{}]("POST"), pointer},
		{"as the body", refusal[optional, struct{}]("POST"), pointer},
		{"behind a pointer", refusal[struct{ A *optional }, struct{}]("POST"), pointer},
		{"in a list of a response", refusal[struct{}, struct{ A []optional }]("GET"), pointer},
		{"in a list of a query", refusal[struct {
			A []optional `query:"a"`
		}, struct{}]("GET"), pointer},
		{"in itself", refusal[struct{ A apidoc.Optional[optional] }, struct{}]("POST"), pointer},
		{"around a type that may be null", refusal[struct{ A apidoc.Optional[sql.NullBool] }, struct{}]("POST"), "write one of the two types, since each may be null"},
		{"a pointer to a type that may be null", refusal[struct{ A *sql.NullBool }, struct{}]("POST"), "write it without a pointer, since it may be null itself"},
		{"minLength of an integer", refusal[struct {
			A optional `minLength:"1"`
		}, struct{}]("POST"), "this is for text, slices and maps, not for an integer"},
		{"nullable text", refusal[struct {
			A string `nullable:"true"`
		}, struct{}]("POST"), `tag nullable:"true": write a pointer as the field's type`},
		{"a nullable list", refusal[struct {
			A []string `nullable:"true"`
		}, struct{}]("POST"), `tag nullable:"true": write a pointer as the field's type`},
		{"nullable with another word", refusal[struct {
			A *string `nullable:"no"`
		}, struct{}]("POST"), `tag nullable:"no": write true or false`},
		{"nil without omitempty", refusal[struct {
			A *string `json:"a" nullable:"false"`
		}, struct{}]("POST"), `tag nullable:"false": nil would be written as null: add omitempty to the tag json`},
		{"min of a duration", refusal[struct {
			A time.Duration `min:"5" format:"duration"`
		}, struct{}]("POST"), "min, max and the like are for numbers: leave them out"},
		{"a default in years", refusal[struct {
			A time.Duration `default:"P1Y" format:"duration"`
		}, struct{}]("POST"), "must be a duration as in ISO 8601, without years and months"},
		{"a duration that is an int64", refusal[struct {
			A int64 `format:"duration"`
		}, struct{}]("POST"), "this is for text"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s: got %s, want %s", c.name, c.got, c.want)
		}
	}
}

func TestTypesOfTheStandardLibrary(t *testing.T) {
	type all struct {
		Name   sql.NullString   `json:"name" minLength:"1"`
		Count  sql.Null[int8]   `json:"count"`
		Counts []sql.NullInt64  `json:"counts,omitempty"`
		Link   *url.URL         `json:"link,omitempty"`
		Way    url.URL          `json:"way,omitzero" format:"uri-reference"`
		Addr   netip.Addr       `json:"addr,omitzero"`
		Net    netip.Prefix     `json:"net,omitzero"`
		Nanos  time.Duration    `json:"nanos,omitzero"`
		Wait   time.Duration    `json:"wait,omitzero" format:"duration"`
		Waits  []*time.Duration `json:"waits,omitempty" format:"duration" enum:"PT1S,PT2S"`
	}
	const least = `"name":"a","count":1`
	for _, c := range []struct{ body, want string }{
		{`{"name":null,"count":null}`, ""},
		{`{` + least + `,"counts":[null,5]}`, ""},
		{`{` + least + `,"link":"https://a.example/x?y=%20#z","way":"../a"}`, ""},
		{`{` + least + `,"addr":"::1%eth0","net":"10.0.0.0/8","nanos":5}`, ""},
		{`{` + least + `,"wait":"PT26H0M1.5S","waits":["PT2S"]}`, ""},
		{`{` + least + `,"wait":"P1DT2H"}`, `{` + least + `,"wait":"PT26H"}`},
		{`{` + least + `,"wait":"-P1W"}`, `{` + least + `,"wait":"-PT168H"}`},
		{`{"name":"","count":300,"counts":["x"]}`, "body /name must have at least 1 character; body /count must be at most 127; body /counts/0 must be an integer"},
		{`{` + least + `,"link":"/x","way":"::","addr":"","net":"10.0.0.0","nanos":"PT1S"}`, `{"in":"body","pointer":"/link","detail":"must be an absolute URI","code":"format","limit":"uri"},` +
			`{"in":"body","pointer":"/way","detail":"must be a URI, which may be relative","code":"format","limit":"uri-reference"},{"in":"body","pointer":"/addr","detail":"must be an IP address","code":"format","limit":"ip"},` +
			`{"in":"body","pointer":"/net","detail":"must be a network, such as 192.0.2.0/24","code":"format","limit":"cidr"},{"in":"body","pointer":"/nanos","detail":"must be an integer","code":"type","limit":"integer"}`},
		{`{` + least + `,"wait":"P1Y"}`, "/wait must be a duration as in ISO 8601, without years and months, such as P1DT2H"},
		{`{` + least + `,"wait":"PT"}`, "/wait must be a duration"},
		{`{` + least + `,"wait":"PT999999999H"}`, "/wait must be a duration"},
		{`{` + least + `,"waits":["PT3S"]}`, `/waits/0 must be one of \"PT1S\", \"PT2S\"`},
	} {
		if c.want == "" {
			c.want = c.body
		}
		if got := echo[all](c.body); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %s, want %s", c.body, got, c.want)
		}
	}

	app, api := newTyped()
	type headers struct {
		Link url.URL       `header:"X-Link"`
		Wait time.Duration `header:"X-Wait" format:"duration"`
	}
	apidoc.Get(api, "/", "", func(_ context.Context, in struct {
		Link url.URL       `query:"link"`
		Wait time.Duration `query:"wait" format:"duration" default:"PT1M"`
	}) (headers, error) {
		return headers{in.Link, in.Wait}, nil
	}, apidoc.ID("get"))
	w := call(app, "GET", "/?link=https://a.example", "", "")
	if h := w.Header(); h.Get("X-Link") != "https://a.example" || h.Get("X-Wait") != "PT1M" {
		t.Errorf("parameters: got %v %s", h, w.Body)
	}
}

// A duration is read as it was written.
func FuzzDurations(f *testing.F) {
	for _, n := range []int64{0, 1, -1, 5e8, 60e9, 3600e9, 3601e9, 86400e9, -1 << 63, 1<<63 - 1} {
		f.Add(n)
	}
	type waiting struct {
		For time.Duration `json:"for" format:"duration"`
	}
	var got time.Duration
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in waiting) (waiting, error) { got = in.For; return in, nil }, apidoc.ID("wait"))
	apidoc.Get(api, "/", "", func(_ context.Context, in struct {
		For int64 `query:"for"`
	}) (waiting, error) {
		return waiting{time.Duration(in.For)}, nil
	}, apidoc.ID("read"))
	f.Fuzz(func(t *testing.T, n int64) {
		text := call(app, "GET", "/?for="+strconv.FormatInt(n, 10), "", "").Body.String()
		if w := call(app, "POST", "/", "application/json", text); w.Body.String() != text || got != time.Duration(n) {
			t.Errorf("%d: sent as %s, read as %d %s", n, text, got, w.Body)
		}
	})
}

// codes are the codes and limits of errors.
var codes = regexp.MustCompile(`,"code":"\w+"(,"limit":("[^"]*"|\[[^]]*\]|[^]"}]*))?`)
