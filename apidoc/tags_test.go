package apidoc_test

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
)

// Each rule of a tag, in a body and in a query, with a valid and an invalid value.
func TestRulesOfTags(t *testing.T) {
	app, api := newTyped()
	type ruled struct {
		Min      int       `json:"min,omitempty" query:"min" min:"-2"`
		Max      float64   `json:"max,omitempty" query:"max" max:"2.5"`
		Multiple float64   `json:"multiple,omitempty" query:"multiple" multipleOf:"0.1"`
		Long     string    `json:"long,omitempty" query:"long" minLength:"2" maxLength:"3"`
		Pattern  string    `json:"pattern,omitempty" query:"pattern" pattern:"^[a-z]+$"`
		Enum     string    `json:"enum,omitempty" query:"enum" enum:"sun,shade,any"`
		Number   int       `json:"number,omitempty" query:"number" enum:"1,2,3"`
		Email    string    `json:"email,omitempty" query:"email" format:"email"`
		Few      []string  `json:"few,omitempty" query:"few" minLength:"1" maxLength:"2"`
		Unique   []int     `json:"unique,omitempty" query:"unique" unique:"true"`
		Each     []float64 `json:"each,omitempty" query:"each" min:"1"`
	}
	type body struct {
		Ruled ruled `body:""`
	}
	apidoc.Get(api, "/", "", func(context.Context, ruled) (struct{}, error) { return struct{}{}, nil })
	apidoc.Post(api, "/", "", func(context.Context, body) (struct{}, error) { return struct{}{}, nil })
	for _, c := range []struct {
		rule string
		good []string // values in a query, one after the other
		bad  []string
	}{
		{"min", []string{"-2"}, []string{"-3"}},
		{"max", []string{"2.5"}, []string{"2.6"}},
		{"multiple", []string{"0.3"}, []string{"0.25"}},
		{"multiple", []string{"0e-999999999"}, []string{"1e-999999999"}},
		{"long", []string{"äöü"}, []string{"ä"}},
		{"long", []string{"ab"}, []string{"abcd"}},
		{"pattern", []string{"a"}, []string{"a1"}},
		{"enum", []string{"any"}, []string{"moon"}},
		{"enum", []string{"sun"}, []string{"SUN"}},
		{"number", []string{"3"}, []string{"4"}},
		{"email", []string{"ann@example.com"}, []string{"ann"}},
		{"few", []string{"a", "b"}, []string{"a", "b", "c"}},
		{"unique", []string{"1", "2"}, []string{"1", "1"}},
		{"each", []string{"1", "2"}, []string{"1", "0.5"}},
	} {
		isList := c.rule == "few" || c.rule == "unique" || c.rule == "each"
		isText := c.rule == "long" || c.rule == "pattern" || c.rule == "enum" || c.rule == "email" || c.rule == "few"
		for _, try := range []struct {
			values []string
			status int
		}{{c.good, 204}, {c.bad, 422}} {
			query, text := url.Values{c.rule: try.values}, ""
			for i, value := range try.values {
				if isText {
					value = `"` + value + `"`
				}
				if i > 0 {
					text += ","
				}
				text += value
			}
			if isList {
				text = "[" + text + "]"
			}
			if w := call(app, "GET", "/?"+query.Encode(), "", ""); w.Code != try.status {
				t.Errorf("query %s: got %d %s, want %d", query.Encode(), w.Code, w.Body, try.status)
			}
			text = `{"` + c.rule + `":` + text + `}`
			if w := call(app, "POST", "/", "application/json", text); w.Code != try.status {
				t.Errorf("body %s: got %d %s, want %d", text, w.Code, w.Body, try.status)
			}
		}
	}
}

// Items are compared as values: 1 and 1.0 are equal.
func TestUniqueItems(t *testing.T) {
	app, api := newTyped()
	type body struct {
		Texts   []string      `json:"texts,omitempty" unique:"true"`
		Numbers []json.Number `json:"numbers,omitempty" unique:"true"`
	}
	apidoc.Post(api, "/", "", func(context.Context, body) (struct{}, error) { return struct{}{}, nil })
	for items, status := range map[string]int{
		`"texts":["a","b"]`:                             204,
		`"texts":["a","\u0061"]`:                        422,
		`"texts":["<","\u003c"]`:                        422,
		`"texts":["1","1.0"]`:                           204,
		`"numbers":[1,1.0]`:                             422,
		`"numbers":[100,1e2]`:                           422,
		`"numbers":[1.5,15e-1]`:                         422,
		`"numbers":[0,-0]`:                              422,
		`"numbers":[1e999,10e998]`:                      422,
		`"numbers":[0.1,0.10000000000000000001]`:        204,
		`"numbers":[9007199254740992,9007199254740993]`: 204,
	} {
		if w := call(app, "POST", "/", "application/json", `{`+items+`}`); w.Code != status {
			t.Errorf("%s: got %d %s, want %d", items, w.Code, w.Body, status)
		}
	}
	for want, refused := range map[string]string{
		"the items are text, numbers or booleans": refusal[struct {
			A []any `json:"a" unique:"true"`
		}, struct{}]("POST"),
		"tag ge: write min": refusal[struct {
			A int `json:"a" ge:"1"`
		}, struct{}]("POST"),
		"tag readonly: write readOnly": refusal[struct {
			A int `json:"a" readonly:"true"`
		}, struct{}]("POST"),
		"tag hidden: write json": refusal[struct {
			A int `json:"a" hidden:"true"`
		}, struct{}]("POST"),
	} {
		if !strings.Contains(refused, want) {
			t.Errorf("got %q, want %q", refused, want)
		}
	}
	if w := call(app, "POST", "/", "application/json", `{"texts":null}`); !strings.Contains(w.Body.String(), "must be an array, not null: send []") {
		t.Errorf("got %s", w.Body)
	}
}

func TestUniqueParameters(t *testing.T) {
	app, api := newTyped()
	type query struct {
		Numbers []float64 `query:"n" unique:"true"`
		Counts  []int     `query:"i" unique:"true"`
		Texts   []string  `query:"t" unique:"true"`
	}
	apidoc.Get(api, "/", "", func(context.Context, query) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("find"))
	for query, status := range map[string]int{
		"n=1&n=1.0":     422,
		"n=15e-1&n=1.5": 422,
		"n=1&n=1.01":    204,
		"i=1&i=01":      422,
		"i=1&i=10":      204,
		"t=1&t=01":      204,
		"t=a&t=%61":     422,
	} {
		if w := call(app, "GET", "/?"+query, "", ""); w.Code != status {
			t.Errorf("%s: got %d %s, want %d", query, w.Code, w.Body, status)
		}
	}
}

// Tags of other libraries are refused with advice. So is additionalProperties on a field other
// than _.
func TestTagsWithAdvice(t *testing.T) {
	type void = struct{}
	const whole, times = `tag additionalProperties: write it on a field _ struct{}`, `tag time_format: write format:"date-time", format:"date" or format:"http-date"`
	type base struct {
		Name string `json:"name"`
	}
	for _, c := range []struct{ name, got, want string }{
		{"time_format in a query", refusal[struct {
			From string `query:"from" time_format:"2006-01-02"`
		}, void]("GET"), times},
		{"time_format in a body", refusal[struct {
			From string `json:"from" time_format:"2006-01-02"`
		}, void]("POST"), times},
		{"additionalProperties of a member", refusal[struct {
			Inner base `json:"inner" additionalProperties:"false"`
		}, void]("POST"), whole},
		{"additionalProperties of a whole body", refusal[struct {
			Inner base `body:"" additionalProperties:"false"`
		}, void]("POST"), whole},
		{"additionalProperties of a parameter", refusal[struct {
			Name string `query:"name" additionalProperties:"false"`
		}, void]("GET"), whole},
		{"additionalProperties of an embedded struct", refusal[struct {
			base `additionalProperties:"false"`
		}, void]("POST"), whole},
		{"additionalProperties of a response", refusal[void, struct {
			Inner base `body:"" additionalProperties:"false"`
		}]("GET"), whole},
		{"additionalProperties of a field _", refusal[struct {
			_    void   `additionalProperties:"false"`
			Name string `json:"name"`
		}, void]("POST"), ""},
	} {
		if !strings.Contains(c.got, c.want) || c.want == "" && c.got != "" {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}
