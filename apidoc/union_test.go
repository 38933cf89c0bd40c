package apidoc_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
)

type (
	mailTarget struct {
		Kind    string         `json:"kind" enum:"mail"`
		Unit    string         `json:"unit,omitempty" enum:"hour,day"`
		Address string         `json:"address" format:"email"`
		Names   map[int]string `json:"names,omitempty"`
	}
	hookTarget struct {
		Kind string  `json:"kind" enum:"hook"`
		Unit string  `json:"unit,omitempty" enum:"hour,day"`
		URL  string  `json:"url" format:"uri"`
		Then *target `json:"then,omitempty"`
	}
	target struct{ of json.RawMessage }
)

func (target) OneOf() []any                    { return []any{mailTarget{}, hookTarget{}} }
func (t target) MarshalJSON() ([]byte, error)  { return t.of, nil }
func (t *target) UnmarshalJSON(b []byte) error { t.of = b; return nil }

// If an enumeration identifies the alternative of a union, the problems of that alternative are
// reported.
func TestProblemsWithinUnions(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(context.Context, []target) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("notify"))
	for _, c := range []struct{ body, want string }{
		{`[{"kind":"mail","address":"a@b.example"},{"kind":"hook","url":"http://a.example"}]`, ""},
		{`[{"kind":"mail","address":"a@b.example","names":{"0":"a","-1":"b"}}]`, ""},
		{`[{"unit":"day","kind":"mail","address":"a"}]`, `body /0/address format`},
		{`[{"kind":"hook"},{"kind":"mail","address":1}]`, `body /0/url required; body /1/address type`},
		{`[{"kind":"hook","url":"u:","then":{"kind":"hook","url":"u:","then":{"kind":"mail"}}}]`, `body /0/then/then/address required`},
		{`[{"kind":"hook","kind":"hook","more":{"a":1,"a":2}}]`, `body /0/kind duplicate; body /0/more/a duplicate`},
		{`[{"then":{"kind":"mail"},"kind":"m\u0061il","address":1}]`, `body /0/address type`},
		{`[{"kind":"sms"}]`, `body /0/kind discriminator`},
		{`[{"kind":1}]`, `body /0/kind discriminator`},
		{`[{"unit":"day"}]`, `body /0/kind discriminator`},
		{`[1]`, `body /0 oneOf`},
	} {
		w := call(app, "POST", "/", "application/json", c.body)
		if got := placesOf(w.Body.String()); c.want == "" && w.Code != 204 || got != c.want {
			t.Errorf("%s: got %d %s, want %q", c.body, w.Code, got, c.want)
		}
	}
}

// The time for deeply nested unions does not grow exponentially.
func TestDeepUnionsAreCheap(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(context.Context, target) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("notify"))
	const levels, size = 9900, 1 << 20
	more := `"more":"` + strings.Repeat("x", size/levels-50) + `",`
	for _, level := range []string{
		`{"kind":"hook","url":"u:",` + more + `"then":`, // the innermost one is wrong
		`{"kind":"hook","url":1,` + more + `"then":`,    // all are
		`{` + more + `"then":`,                          // no kind identifies an alternative
	} {
		start := time.Now()
		w := call(app, "POST", "/", "application/json", strings.Repeat(level, levels)+`{}`+strings.Repeat(`}`, levels))
		if took := time.Since(start); w.Code != 422 || took > time.Minute { // a guard: it takes 50 ms, and seconds under the race detector on a busy machine
			t.Errorf("%.40s…: got %d after %v", level, w.Code, took)
		}
	}
}

type anonymous struct{ target }

func (anonymous) OneOf() []any {
	return []any{struct {
		Kind string `json:"kind" enum:"mail"`
	}{}, struct {
		Kind string `json:"kind" enum:"hook"`
	}{}}
}

// OpenAPI describes a discriminator of named types alone, Swagger 2.0 none.
func TestDescribedDiscriminators(t *testing.T) {
	describe := func(define func(*apidoc.API)) (found []bool) {
		app, api := newTyped()
		define(api)
		d := build(t, app, "")
		for _, text := range [][]byte{d.Swagger(), d.OpenAPI30(), d.OpenAPI(), d.OpenAPI32()} {
			found = append(found, strings.Contains(string(text), `"discriminator": {`))
		}
		return found
	}
	named := describe(func(api *apidoc.API) {
		apidoc.Post(api, "/", "", func(context.Context, target) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("named"))
	})
	unnamed := describe(func(api *apidoc.API) {
		apidoc.Post(api, "/", "", func(context.Context, anonymous) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("unnamed"))
	})
	if !slices.Equal(named, []bool{false, true, true, true}) || slices.Contains(unnamed, true) {
		t.Errorf("of named types in %t, of others in %t", named, unnamed)
	}
}
