package apidoc_test

import (
	"context"
	"encoding/json"
	"math/big"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
)

type (
	// ledger has so many members that they are indexed. Some names have letters with several cases.
	ledger struct {
		A0 int `json:"a0,omitempty"`
		A1 int `json:"a1,omitempty"`
		A2 int `json:"a2,omitempty"`
		A3 int `json:"a3,omitempty"`
		A4 int `json:"a4,omitempty"`
		A5 int `json:"a5,omitempty"`
		A6 int `json:"a6,omitempty"`
		A7 int `json:"a7,omitempty"`
		K  int `json:"kiß,omitempty"`
		S  int `json:"Σοφος,omitempty"`
		I  int `json:"ı,omitempty"`
		J  int `json:"a_0,omitempty"`
	}
	// share100 is an integer with a rule.
	share100 int
	// either is a union without a discriminator.
	either struct{ of json.RawMessage }
	left   struct {
		Then *either `json:"then,omitempty"`
		Left int     `json:"left"`
	}
	right struct {
		Then  *either `json:"then,omitempty"`
		Right int     `json:"right"`
	}
	keyed struct {
		Numbers   map[int8]int       `json:"numbers,omitempty"`
		Addresses map[netip.Addr]int `json:"addresses,omitempty"`
		Texts     map[string]int     `json:"texts,omitempty"`
		Share     share100           `json:"share,omitempty"`
		Small     int8               `json:"small,omitempty"`
		Natural   uint16             `json:"natural,omitempty"`
		Any       *big.Int           `json:"any,omitempty"`
		AtMost    *big.Int           `json:"atMost,omitempty" max:"5"`
	}
	// whole is decoded by encoding/json.
	whole struct{ of json.RawMessage }
)

func (share100) DescribedAs() (any, reflect.StructTag) { return 0, `max:"100"` }
func (either) OneOf() []any                            { return []any{left{}, right{}} }
func (e either) MarshalJSON() ([]byte, error)          { return e.of, nil }
func (e *either) UnmarshalJSON(b []byte) error         { e.of = b; return nil }
func (whole) OneOf() []any                             { return []any{keyed{}} }
func (e whole) MarshalJSON() ([]byte, error)           { return e.of, nil }
func (e *whole) UnmarshalJSON(b []byte) error {
	e.of = b
	return json.Unmarshal(b, new(keyed))
}

// Members are found by name, and names in another letter case are refused, in objects with many
// members too.
func TestNamesOfManyMembers(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in ledger) (ledger, error) { return in, nil }, apidoc.ID("post"))
	for _, c := range []struct{ name, want string }{
		{"a0", ""}, {"a7", ""}, {"kiß", ""}, {"Σοφος", ""}, {"ı", ""}, {"a_0", ""},
		{"A7", "a7"}, {"KIß", "kiß"}, {"\u212aiß", "kiß"}, {"kiẞ", "kiß"}, {"σοφοσ", "Σοφος"}, {"ΣΟΦΟΣ", "Σοφος"}, {"A_0", "a_0"},
		{"kiss", "none"}, {"I", "none"}, {"i", "none"}, {"İ", "none"}, {"a8", "none"}, {"", "none"},
	} {
		text, _ := json.Marshal(c.name)
		w := call(app, "POST", "/", "application/json", `{`+string(text)+`:1}`)
		want := 200
		if c.want != "" && c.want != "none" {
			want = 422
		}
		if got := w.Body.String(); w.Code != want || want == 422 && !strings.Contains(got, `"code":"letterCase","limit":"`+c.want+`"`) ||
			c.want == "" && got != `{`+string(text)+`:1}` || c.want == "none" && got != `{}` {
			t.Errorf("%q: got %d %s, want %q", c.name, w.Code, got, c.want)
		}
	}
}

// Names in a map must be different keys, and integers in them are written without leading zeros, as
// in paths. Integer values may be written as 1.0 or 1e0, also in types that
// decode themselves. The error for a large integer is the limit of its type.
func TestKeysAndIntegers(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/decoded", "", func(_ context.Context, in keyed) (keyed, error) { return in, nil }, apidoc.ID("decoded"))
	apidoc.Post(api, "/within", "", func(_ context.Context, in whole) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("within"))
	type form struct {
		Share share100 `form:"share"`
	}
	apidoc.Post(api, "/form", "", func(_ context.Context, in form) (share100, error) { return in.Share, nil }, apidoc.ID("form"))
	for _, c := range []struct{ body, want string }{
		{`{"numbers":{"1":1,"2":2,"-1":3}}`, ""},
		{`{"numbers":{"1":1,"01":2}}`, "body /numbers/01 the name must be an integer"},
		{`{"numbers":{"0":1,"-0":2}}`, "body /numbers/-0 the name must be an integer"},
		{`{"addresses":{"::1":1,"::2":2}}`, ""},
		{`{"addresses":{"::1":1,"0:0::1":2}}`, "body /addresses/0:0::1 must not occur twice"},
		{`{"texts":{"1":1,"01":2}}`, ""},
		{`{"share":7.0}`, ""},
		{`{"share":1e1}`, ""},
		{`{"share":1.5}`, "body /share must be an integer"},
		{`{"share":101.0}`, "body /share must be at most 100"},
		{`{"any":7.0}`, ""},
		{`{"any":1e399}`, ""},
		{`{"any":1e400}`, "body /any has more than 400 digits: it must be written without an exponent and a fraction"},
		{`{"any":1` + strings.Repeat("0", 400) + `}`, ""},
		{`{"atMost":1e400}`, "body /atMost must be at most 5"},
		{`{"small":1e400}`, "body /small must be at most 127"},
		{`{"small":-1e1000000000}`, "body /small must be at least -128"},
		{`{"natural":-1e400}`, "body /natural must be at least 0"},
		{`{"natural":1e-400}`, "body /natural must be an integer"},
	} {
		for _, path := range []string{"/decoded", "/within"} {
			w := call(app, "POST", path, "application/json", c.body)
			got := w.Body.String()
			isWithin := path == "/within" && w.Code == 422 && c.want != ""
			if c.want == "" && w.Code >= 300 || c.want != "" && !isWithin && !strings.Contains(got, c.want+`"`) {
				t.Errorf("%s: %.60s: got %d %s, want %q", path, c.body, w.Code, got, c.want)
			}
		}
	}
	if w := call(app, "POST", "/form", "application/x-www-form-urlencoded", "share=7.0"); w.Body.String() != "7" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// Unions within unions are read once at each position, also without a discriminator.
func TestNestedUnionsAreCheap(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(context.Context, either) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("post"))
	const levels = 40
	for inner, status := range map[string]int{`{}`: 422, `{"left":1}`: 204} {
		body := strings.Repeat(`{"right":1,"then":`, levels) + inner + strings.Repeat("}", levels)
		start := time.Now()
		w := call(app, "POST", "/", "application/json", body)
		if took := time.Since(start); w.Code != status || took > time.Minute { // a guard: without a memo it takes days
			t.Errorf("%s in %d levels: got %d after %v, want %d", inner, levels, w.Code, took, status)
		}
	}
}
