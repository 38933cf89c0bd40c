package apidoc_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
)

// This file tests defaults where they meet other rules: omitempty, and forms in which a browser
// sends nothing for an empty field.

// consent is an alternative of a union, which encoding/json encodes.
type consent struct {
	Given bool     `json:"given,omitempty" default:"true"`
	For   []string `json:"for,omitempty" default:"mail"`
	At    string   `json:"at"`
}

type agreement struct{ any }

func (agreement) OneOf() []any                   { return []any{consent{}} }
func (a agreement) MarshalJSON() ([]byte, error) { return json.Marshal(a.any) }
func (a *agreement) UnmarshalJSON(text []byte) error {
	var c consent
	err := json.Unmarshal(text, &c)
	a.any = c
	return err
}

// A client reads the default of a member that is missing. So a member with a default is always
// sent: its value, or the default if the value is absent or not allowed.
func TestMembersWithADefaultAreSent(t *testing.T) {
	type Inner struct {
		Size int `json:"size,omitempty" default:"7"`
	}
	type named []int
	type output struct {
		Bool    bool                 `json:"bool,omitempty" default:"true"`
		Int     int                  `json:"int,omitzero" default:"3"`
		Float   float64              `json:"float,omitempty" default:"3.5"`
		Text    string               `json:"text,omitempty" default:"oak"`
		Kind    string               `json:"kind,omitempty" enum:"oak,elm" default:"elm"`
		Long    string               `json:"long,omitempty" minLength:"2" default:"elm"`
		List    []int                `json:"list,omitempty" default:"1,2"`
		Named   named                `json:"named,omitempty" default:"1,2"`
		Map     map[string]int       `json:"map,omitempty" default:"{\"a\":1}"`
		Pointer *int                 `json:"pointer,omitempty" default:"3"`
		Never   *int                 `json:"never,omitempty" nullable:"false" default:"4"`
		Maybe   apidoc.Optional[int] `json:"maybe,omitzero" default:"5"`
		Addr    netip.Addr           `json:"addr,omitzero" default:"::1"`
		Quoted  int                  `json:"quoted,omitempty,string" default:"6"`
		Struct  struct{ N int }      `json:"struct,omitzero" default:"{\"N\":1}"`
		Union   agreement            `json:"union"`
		Plain   string               `json:"plain,omitempty"`
		Only    string               `json:"only,omitempty" default:"x" writeOnly:"true"`
		*Inner
	}
	app, api := newTyped()
	apidoc.Get(api, "/zero", "", func(context.Context, struct{}) (output, error) { return output{Union: agreement{consent{}}}, nil }, apidoc.ID("zero"))
	const want = `{"bool":false,"int":0,"float":0,"text":"","kind":"elm","long":"elm","list":[],"named":[],"map":{},` +
		`"pointer":null,"never":4,"maybe":5,"addr":"::1","quoted":"0","struct":{"N":0},` +
		`"union":{"at":"","given":false,"for":[]},"size":7}`
	handler := apidoc.CheckResponses(app, func(_ *http.Request, err error) { t.Error(err) })
	if got := call(handler, "GET", "/zero", "", "").Body.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDefaultsOfForms(t *testing.T) {
	type box struct {
		Consent bool `form:"consent" default:"true"`
	}
	type list struct {
		Tags []string `form:"tags" default:"a,b"`
	}
	type sent struct {
		Sold bool `query:"sold" default:"true"`
	}
	type fine struct {
		Size    int  `form:"size" default:"3"`
		Consent bool `form:"consent"`
		Dark    bool `cookie:"dark" default:"true"`
	}
	refusal := func(read func()) (text string) {
		defer func() { text, _ = recover().(string) }()
		read()
		return ""
	}
	for i, got := range []string{
		refusal(func() { apidoc.NewFormReader[box]() }),
		refusal(func() { apidoc.NewFormReader[list]() }),
		refusal(func() { apidoc.NewFormReader[sent]() }),
	} {
		if !strings.Contains(got, "leave default out, and show the first state with Fill") {
			t.Errorf("%d: got %q", i, got)
		}
	}
	apidoc.NewFormReader[fine]()
}

// An absent Optional has no JSON of its own: null would be another value. In an interface and in
// types that encode themselves it is an error, unless its tag has omitzero.
func TestAbsentOptionalInAnInterface(t *testing.T) {
	type bad struct{ A apidoc.Optional[int] }
	type fine struct {
		A apidoc.Optional[int] `json:",omitzero"`
	}
	app, api := newTyped()
	apidoc.Get(api, "/bad", "", func(context.Context, struct{}) (any, error) { return bad{}, nil }, apidoc.ID("bad"))
	apidoc.Get(api, "/fine", "", func(context.Context, struct{}) (any, error) { return fine{}, nil }, apidoc.ID("fine"))
	apidoc.Get(api, "/set", "", func(context.Context, struct{}) (any, error) {
		return []bad{{apidoc.Null[int]()}, {apidoc.Some(0)}}, nil
	}, apidoc.ID("set"))
	for path, want := range map[string]string{"/bad": `"status":500`, "/fine": "{}", "/set": `[{"A":null},{"A":0}]`} {
		if w := call(app, "GET", path, "", ""); !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %d %s, want %s", path, w.Code, w.Body, want)
		}
	}
}
