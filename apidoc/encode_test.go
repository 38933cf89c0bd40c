package apidoc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
)

type (
	// shelf has values of interface types, which can be encoded, but not decoded.
	shelf struct {
		Plants map[string]fmt.Stringer `json:"plants"`
	}
	// age has its methods on the pointer.
	age  struct{ Years int }
	vase struct {
		Bytes  []byte                 `json:"bytes"`
		Ages   map[string]age         `json:"ages"`
		Zero   age                    `json:"zero,omitzero"`
		Since  time.Time              `json:"since,omitzero"`
		Pay    *shape                 `json:"pay,omitempty"`
		Labels map[string][]int       `json:"labels"`
		Next   *vase                  `json:"next,omitempty"`
		Floats []float64              `json:"floats,omitempty"`
		Texts  map[string]string      `json:"<texts>,omitempty"`
		Waits  map[time.Duration]bool `json:"waits,omitempty"`
	}
)

func (a *age) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d years", a.Years), nil }
func (a *age) UnmarshalText(b []byte) error {
	_, err := fmt.Sscanf(string(b), "%d years", &a.Years)
	return err
}
func (a *age) IsZero() bool  { return a.Years == 0 }
func (clock) String() string { return "now" }

type clock struct{}

// sealed encodes itself as JSON.
type sealed struct{ tags []string }

func (s sealed) MarshalJSON() ([]byte, error) { return json.Marshal(s.tags) }

// Responses match their description, also where encoding/json would write null for nil slices and
// maps or not find the methods of a type. Everything else is as encoding/json writes it.
func TestResponsesAreAsDescribed(t *testing.T) {
	deep := &vase{}
	for range 3000 {
		deep = &vase{Next: deep}
	}
	circle := &vase{}
	circle.Next = circle
	odd := "\u2028 \"&\x7f\xff" // versions of encoding/json differ in \xff
	escaped, _ := json.Marshal(odd)
	for name, c := range map[string]struct {
		value any
		want  string // the body, "" for a 500
	}{
		"nil":                 {vase{}, `{"bytes":"","ages":{},"labels":{}}`},
		"nil in a map":        {vase{Labels: map[string][]int{"b": nil, "a": {1}}}, `{"bytes":"","ages":{},"labels":{"a":[1],"b":[]}}`},
		"in a map":            {vase{Ages: map[string]age{"rose": {3}}}, `{"bytes":"","ages":{"rose":"3 years"},"labels":{}}`},
		"escaped":             {vase{Texts: map[string]string{"<": odd}}, `{"bytes":"","ages":{},"labels":{},"\u003ctexts\u003e":{"\u003c":` + string(escaped) + `}}`},
		"numbers":             {vase{Floats: []float64{0, 1e-7, 0.00001, 1e20, 1e21, -2.5}}, `{"bytes":"","ages":{},"labels":{},"floats":[0,1e-7,0.00001,100000000000000000000,1e+21,-2.5]}`},
		"names with a String": {vase{Waits: map[time.Duration]bool{time.Second: true}}, `{"bytes":"","ages":{},"labels":{},"waits":{"1000000000":true}}`},
		"a union":             {vase{Pay: &shape{square{}}}, `{"bytes":"","ages":{},"pay":{"side":0,"inner":[]},"labels":{}}`},
		"no number":           {vase{Floats: []float64{math.NaN()}}, ""},
		"no JSON":             {vase{Since: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, ""},
		"circle":              {*circle, ""},
		"deep":                {*deep, strings.Repeat(`{"bytes":"","ages":{},"labels":{},"next":`, 3000) + `{"bytes":"","ages":{},"labels":{}}` + strings.Repeat("}", 3000)},
	} {
		app, api := newTyped()
		apidoc.Get(api, "/", "", func(context.Context, struct{}) (vase, error) { return c.value.(vase), nil })
		w := call(app, "GET", "/", "", "")
		if c.want == "" && w.Code == 500 {
			continue
		}
		if w.Code != 200 || w.Body.String() != c.want || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: got %d %.300s, want %.300s", name, w.Code, w.Body, c.want)
		}
	}
	type told struct {
		Wait  time.Duration `header:"X-Wait" format:"duration"`
		Month time.Month    `header:"X-Month"`
		Bytes []byte        `header:"X-Bytes"`
	}
	app, api := newTyped()
	apidoc.Get(api, "/headers", "", func(context.Context, struct{}) (told, error) {
		return told{time.Second, time.May, []byte("rose")}, nil
	}, apidoc.ID("tell"))
	if h := call(app, "GET", "/headers", "", "").Header(); h.Get("X-Wait") != "PT1S" || h.Get("X-Month") != "5" || h.Get("X-Bytes") != "cm9zZQ==" {
		t.Errorf("headers are %v", h)
	}
	apidoc.Get(api, "/", "", func(context.Context, struct{}) (shelf, error) {
		return shelf{map[string]fmt.Stringer{"a": clock{}, "b": nil}}, nil
	})
	apidoc.Get(api, "/sealed", "", func(context.Context, struct{}) ([]sealed, error) { return []sealed{{}}, nil }, apidoc.ID("sealed"))
	if got := call(app, "GET", "/sealed", "", "").Body.String(); got != "[null]" {
		t.Errorf("a type with MarshalJSON: got %s", got)
	}
	if got := call(app, "GET", "/", "", "").Body.String(); got != `{"plants":{"a":{},"b":null}}` {
		t.Errorf("got %s", got)
	}
}
