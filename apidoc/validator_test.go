package apidoc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/routing"
)

// This file tests types that implement Validator.

type (
	span struct {
		From int `json:"from"`
		To   int `json:"to" max:"9"`
	}
	trip struct {
		Spans []*span               `json:"spans,omitempty"`
		By    map[string]span       `json:"by,omitempty"`
		Best  apidoc.Optional[span] `json:"best"`
		Legs  []trip                `json:"legs,omitempty"`
		Next  *trip                 `json:"next,omitempty"`
		Cost  int                   `json:"cost,omitempty" max:"9"`
	}
	booking struct {
		User string `query:"user"`
		Trip trip   `body:""`
	}
	formed struct {
		A string `form:"a" maxLength:"3"`
		B string `form:"b" maxLength:"3"`
	}
)

func (s *span) Validate(context.Context) ([]apidoc.InputError, error) {
	switch {
	case s.From == 7:
		return nil, noTree
	case s.From == 8:
		return nil, errors.New("the database is away")
	case s.From > s.To:
		return []apidoc.InputError{{Pointer: "/to", Detail: "must not be below from"}}, nil
	}
	return nil, nil
}

func (t trip) Validate(context.Context) ([]apidoc.InputError, error) {
	if t.Cost == 1 {
		return []apidoc.InputError{{Detail: "is too cheap"}}, nil
	}
	return nil, nil
}

func (b booking) Validate(ctx context.Context) ([]apidoc.InputError, error) {
	if live := ctx.Err() == nil; !live || b.User != "ann" {
		return []apidoc.InputError{{Name: "user", Detail: "is unknown"}, {Pointer: "/cost", Detail: "is unpaid"}}, nil
	}
	return nil, nil
}

func (f formed) Validate(context.Context) ([]apidoc.InputError, error) {
	if f.A != f.B {
		return []apidoc.InputError{{Name: "b", Detail: "must be like a"}}, nil
	}
	return nil, nil
}

func TestValidators(t *testing.T) {
	app, api := newTyped()
	done := func(context.Context, booking) (string, error) { return "done", nil }
	apidoc.Post(api, "/", "", done, apidoc.ID("book"), noTree)
	apidoc.Post(api, "/form", "", func(context.Context, formed) (string, error) { return "done", nil }, apidoc.ID("form"))
	apidoc.Post(api, "/trip", "", func(context.Context, *trip) (string, error) { return "done", nil }, apidoc.ID("trip"))
	build(t, app, "")
	const json, form = "application/json", "application/x-www-form-urlencoded"
	for _, c := range []struct{ target, media, body, want string }{
		{"/?user=ann", json, `{"spans":[{"from":1,"to":2},null]}`, "200 done"},
		{"/?user=ann", json, `{"spans":[{"from":3,"to":2}],"by":{"a/b":{"from":3,"to":2}},"best":{"from":3,"to":2}}`,
			`"pointer":"/spans/0/to" "pointer":"/by/a~1b/to" "pointer":"/best/to"`},
		{"/?user=ann", json, `{"legs":[{"cost":1},{"next":{"cost":1}}],"best":null}`, `"pointer":"/legs/0" "pointer":"/legs/1/next"`},
		{"/?user=bob", json, `{}`, `"in":"query","name":"user" "in":"body","pointer":"/cost"`},
		// Errors of Validate are reported together with errors of rules in other values.
		{"/?user=bob", json, `{"spans":[{"from":3,"to":20},{"from":"x","to":0},{"from":3,"to":2}],"cost":1}`,
			`"pointer":"/spans/0/to" "pointer":"/spans/1/from" "pointer":"/spans/2/to"`},
		{"/?user=bob", json, `{"cost":1}`, `"in":"body","detail":"is too cheap"`},
		{"/?user=ann", json, `{"spans":[{"from":7,"to":0}]}`, "404 No such tree"},
		{"/?user=ann", json, `{"spans":[{"from":8,"to":0}]}`, "500 "},
		{"/form", form, "a=x&b=y", `"in":"form","name":"b"`},
		{"/form", form, "a=x&b=yyyy", `"in":"form","name":"b","detail":"must have at most`},
		{"/trip", json, `{"cost":1}`, `"detail":"is too cheap"`},
		{"/trip", json, ``, "200 done"},
	} {
		w := call(app, "POST", c.target, c.media, c.body)
		got := itoa(w.Code) + " " + w.Body.String()
		rest := got
		for _, want := range strings.Fields(c.want) {
			before, after, found := strings.Cut(rest, want)
			if rest = after; !found || strings.Contains(before, `"in":`+"x") {
				t.Errorf("%s %s: got %s, want %s", c.target, c.body, got, c.want)
				break
			}
		}
		if strings.Count(got, `"pointer"`) != strings.Count(c.want, `"pointer"`) {
			t.Errorf("%s %s: got %s, want %s", c.target, c.body, got, c.want)
		}
	}
	many := `{"spans":[` + strings.TrimSuffix(strings.Repeat(`{"from":3,"to":2},`, 200), ",") + `]}`
	if w := call(app, "POST", "/?user=ann", json, many); strings.Count(w.Body.String(), `"pointer"`) != 100 {
		t.Errorf("200 errors: got %d", strings.Count(w.Body.String(), `"pointer"`))
	}
}

type (
	sum  struct{ Cents int }
	bill struct {
		Total sum          `json:"total"`
		Of    unlike       `json:"of"`
		By    map[int]span `json:"by,omitempty"`
		Paid  *paid        `json:"paid,omitempty"`
		Due   span         `json:"due,omitzero"`
		Rate  rate         `json:"rate" default:"1"`
	}
	paid   struct{ At span }
	rate   int
	unlike map[string]bool
)

func (sum) DescribedAs() (any, reflect.StructTag) {
	return struct {
		Amount   int    `json:"amount"`
		Currency string `json:"currency"`
	}{}, ""
}

func (s *sum) UnmarshalJSON([]byte) error { return nil }

func (p *paid) UnmarshalJSON(text []byte) error {
	type plain paid
	return json.Unmarshal(text, (*plain)(p))
}

func (rate) Validate(context.Context) ([]apidoc.InputError, error) {
	return []apidoc.InputError{{Detail: "is a rate"}}, nil
}

func (unlike) DescribedAs() (any, reflect.StructTag) { return []string{}, "" }

func (u *unlike) UnmarshalJSON([]byte) error {
	*u = unlike{"a": true}
	return nil
}

// The Go type of a value that decodes itself may differ from its description. Values in it are not
// validated, nor are missing ones and their defaults.
func TestValidatorsWithUnmarshalJSON(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(context.Context, bill) (string, error) { return "done", nil }, apidoc.ID("bill"))
	const body = `{"total":{"amount":1,"currency":"EUR"},"of":["a"],"by":{"5":{"from":3,"to":2}}}`
	if w := call(app, "POST", "/", "application/json", body); w.Code != 422 || !strings.Contains(w.Body.String(), `"pointer":"/by/5/to"`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	const valid = `{"total":{"amount":1,"currency":"EUR"},"of":["a"],"paid":{"At":{"from":3,"to":2}}}`
	if w := call(app, "POST", "/", "application/json", valid); w.Code != 200 {
		t.Errorf("values that are not validated: got %d %s", w.Code, w.Body)
	}
	apidoc.Get(api, "/", "", func(context.Context, struct {
		Rate rate `query:"rate" default:"1"`
	}) (string, error) {
		return "done", nil
	}, apidoc.ID("ask"))
	for target, want := range map[string]int{"/": 200, "/?rate=1": 422} {
		if w := call(app, "GET", target, "", ""); w.Code != want {
			t.Errorf("%s: got %d %s, want %d", target, w.Code, w.Body, want)
		}
	}
}

type misnamed struct{ A int }

func (misnamed) Validate() error { return nil }

type misplaced struct {
	A int `query:"a"`
}

func (misplaced) Validate() error { return nil }

type (
	Window struct {
		First int `query:"first"`
	}
	found struct {
		Window
		Word string `query:"word"`
	}
	own struct{ C routing.Context }
)

func (w Window) Validate(context.Context) ([]apidoc.InputError, error) {
	if w.First > 9 {
		return []apidoc.InputError{{Name: "first", Detail: "is too late"}}, nil
	}
	return nil, nil
}

func (f found) Validate(context.Context) ([]apidoc.InputError, error) {
	return []apidoc.InputError{{Name: "word", Detail: "is unknown"}}, nil
}

func (o own) Validate(context.Context) ([]apidoc.InputError, error) {
	return []apidoc.InputError{{Detail: "comes too late"}}, nil
}

// The Validate of an input is not called if a part of it has an error, but is called if the request
// has no values.
func TestValidatorsInForms(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/found", "", func(context.Context, found) (string, error) { return "done", nil }, apidoc.ID("found"))
	apidoc.Get(api, "/own", "", func(context.Context, own) (string, error) { return "done", nil }, apidoc.ID("own"))
	d := build(t, app, "")
	for target, want := range map[string]string{"/found?first=10": "first is too late", "/found": "word is unknown", "/own": "comes too late"} {
		w := call(app, "GET", target, "", "")
		if n := strings.Count(w.Body.String(), `"detail":`); w.Code != 422 || !strings.Contains(strings.ReplaceAll(w.Body.String(), `\"`, ""), want) || n != 2 {
			t.Errorf("%s: got %d %s, want a 422 with %q alone", target, w.Code, w.Body, want)
		}
	}
	if n := strings.Count(string(d.OpenAPI()), `"422"`); n != 2 {
		t.Errorf("got %d descriptions of a 422, want 2: %s", n, d.OpenAPI())
	}
}

type (
	stop  string
	stops []stop
)

func (s stop) Validate(context.Context) ([]apidoc.InputError, error) {
	return []apidoc.InputError{{Detail: "stop " + string(s)}}, nil
}

func (s stops) Validate(context.Context) ([]apidoc.InputError, error) {
	return []apidoc.InputError{{Detail: "all stops"}}, nil
}

// Inner values are validated first.
func TestValidatorsOfLists(t *testing.T) {
	_, api := newTyped()
	apidoc.Get(api, "/route", "", func(context.Context, struct {
		Stops stops `query:"stop"`
	}) (string, error) {
		return "", nil
	}, apidoc.ID("route"))
	apidoc.Post(api, "/route", "", func(context.Context, stops) (string, error) { return "", nil }, apidoc.ID("post"))
	c := apitest.New(t, api)
	for _, w := range []*apitest.Response{c.Get("/route?stop=a&stop=b"), c.Post("/route", stops{"a", "b"})} {
		var p apidoc.Problem
		w.Decode(&p)
		var details []string
		for _, e := range p.Errors {
			details = append(details, e.Detail)
		}
		if got := strings.Join(details, ", "); got != "stop a, stop b, all stops" {
			t.Errorf("errors %s, want those of the items first", got)
		}
	}
}

func TestMisusedValidators(t *testing.T) {
	for _, got := range []string{refusal[struct{ List []*misnamed }, struct{}]("POST"), refusal[misplaced, struct{}]("GET")} {
		if want := "write its method as Validate(context.Context) ([]apidoc.InputError, error)"; !strings.Contains(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

type (
	Counted struct {
		N int `json:"n"`
	}
	paged struct {
		N int `query:"n"`
	}
)

type amount int

func checkedOnce(n int) []apidoc.InputError {
	if n == 1 {
		return []apidoc.InputError{{Detail: "is too small"}}
	}
	return nil
}

func (p paged) Validate(context.Context) ([]apidoc.InputError, error) { return checkedOnce(p.N), nil }
func (c Counted) Validate(context.Context) ([]apidoc.InputError, error) {
	return checkedOnce(c.N), nil
}
func (a *amount) Validate(context.Context) ([]apidoc.InputError, error) {
	return checkedOnce(int(*a)), nil
}

type (
	promoted struct {
		Counted
		Own string `json:"own,omitempty"`
	}
	around struct {
		*Counted
		Further *promoted `json:"further,omitempty"`
	}
	queried struct {
		Paging paged    // a struct with request tags
		A      amount   `query:"a"`
		List   []amount `query:"list"`
	}
	parted struct {
		Part promoted `form:"part,required"`
		A    amount   `form:"a"`
	}
)

type (
	refusing    struct{ N int }
	unavailable int
	both        struct {
		N int `json:"n" query:"n"`
	}
	ranged struct {
		N     int         `query:"n"`
		F     unavailable `query:"f"`
		Extra refusing    `json:"-"` // not part of the request
	}
	placed struct {
		Body both `body:""` // its query tags are ignored in a body
	}
	within struct {
		holder
		List []string `query:"list"`
		Kept holder   `json:"-"`
	}
	hidden struct {
		Body struct {
			both
			*away
			Own string `json:"own,omitempty"`
		} `body:""`
	}
	away   struct{ both }
	holder struct {
		Body struct {
			N int `json:"n" max:"5"`
		} `body:""`
	}
)

func (refusing) Validate(context.Context) ([]apidoc.InputError, error) { return checkedOnce(1), nil }
func (b both) Validate(context.Context) ([]apidoc.InputError, error)   { return checkedOnce(b.N), nil }
func (h *holder) Validate(context.Context) ([]apidoc.InputError, error) {
	return checkedOnce(1 - h.Body.N), nil
}
func (r ranged) Validate(context.Context) ([]apidoc.InputError, error) {
	return checkedOnce(r.N), nil
}
func (unavailable) Validate(context.Context) ([]apidoc.InputError, error) {
	return nil, errors.New("the database is away")
}

func (around) Validate(context.Context) ([]apidoc.InputError, error) {
	return []apidoc.InputError{{Detail: "is around"}}, nil
}

// Validate is called once for each value, and not for nil.
func TestValidatorsRunOnce(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/body", "", func(context.Context, promoted) (string, error) { return "done", nil }, apidoc.ID("body"))
	apidoc.Post(api, "/around", "", func(context.Context, around) (string, error) { return "done", nil }, apidoc.ID("around"))
	apidoc.Get(api, "/query", "", func(context.Context, queried) (string, error) { return "done", nil }, apidoc.ID("query"))
	apidoc.Post(api, "/form", "", func(context.Context, parted) (string, error) { return "done", nil }, apidoc.ID("form"))
	apidoc.Get(api, "/ranged", "", func(context.Context, ranged) (string, error) { return "done", nil }, apidoc.ID("ranged"))
	apidoc.Post(api, "/placed", "", func(context.Context, placed) (string, error) { return "done", nil }, apidoc.ID("placed"))
	apidoc.Post(api, "/within", "", func(context.Context, within) (string, error) { return "done", nil }, apidoc.ID("within"))
	apidoc.Post(api, "/hidden", "", func(context.Context, hidden) (string, error) { return "done", nil }, apidoc.ID("hidden"))
	c := apitest.New(t, app)
	app.OnError(func(_ routing.Context, err error) (routing.Result, error) { return routing.Text(err.Error()), nil })
	if r := call(app, "GET", "/ranged?f=1", "", ""); r.Code != 500 || r.Body.String() != "the database is away" {
		t.Errorf("a check that fails: got %d %s", r.Code, r.Body)
	}
	app.OnError(nil)
	for _, r := range []struct {
		response *apitest.Response
		want     string
	}{
		{c.Post("/body", `{"n":1}`), `body is too small`},
		{c.Post("/body", `{"n":2}`), ""},
		{c.Post("/around", `{"own":"x"}`), `body is around`},
		{c.Post("/around", `{"n":1,"further":{"n":1}}`), `body /further is too small; body is too small; body is around`},
		{c.Get("/query?n=2&a=2&list=2"), ""},
		{c.Get("/query"), ""},
		{c.Get("/query?n=1&a=1&list=2&list=1"), `query "a" is too small; query "list" is too small; body is too small`},
		{c.Get("/ranged?n=2"), ""},
		{c.Get("/ranged?n=1"), `body is too small`},
		{c.Post("/placed", `{"n":1}`), `body is too small`},
		{c.Post("/within", `{"n":0}`), `body is too small`},
		{c.Post("/within", `{"n":9}`), `body /n must be at most 5`}, // a part of the struct is wrong
		{c.Post("/within", `{"n":1}`), ""},
		{c.Post("/hidden", `{"n":2}`), ""},
		{c.Post("/hidden", `{"n":1}`), `body is too small`},
		{c.Post("/form", apitest.Form{"part": Counted{1}, "a": 1}), `form "part" is too small; form "a" is too small`},
	} {
		var got struct{ Detail string }
		if r.response.Status != 200 {
			r.response.Decode(&got)
		}
		if got.Detail != r.want {
			t.Errorf("got %d %s, want %s", r.response.Status, r.response.Body, r.want)
		}
	}
}

// many is a value with many errors.
type many struct{}

func (many) Validate(context.Context) ([]apidoc.InputError, error) {
	return make([]apidoc.InputError, 300), nil
}

// A response has at most 100 errors from a body, from unknown names, and from one Validator.
func TestNumberOfErrors(t *testing.T) {
	type query struct {
		Q string   `query:"q"`
		_ struct{} `additionalProperties:"false"`
	}
	type list struct {
		List []many `json:"list"`
	}
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(context.Context, query) (string, error) { return "", nil }, apidoc.ID("query"))
	apidoc.Post(api, "/one", "", func(context.Context, *many) (string, error) { return "", nil }, apidoc.ID("one"))
	apidoc.Post(api, "/list", "", func(context.Context, list) (string, error) { return "", nil }, apidoc.ID("list"))
	var names strings.Builder
	for i := range 300 {
		fmt.Fprintf(&names, "&n%d=1", i)
	}
	c := apitest.New(t, app)
	for name, r := range map[string]*apitest.Response{
		"unknown names": c.Get("/?q=" + names.String()),
		"a Validator":   c.Post("/one", "{}"),
		"Validators":    c.Post("/list", `{"list":[{},{}]}`),
		"a body":        c.Post("/list", `{"list":[0`+strings.Repeat(",0", 299)+`]}`),
	} {
		var p apidoc.Problem
		if r.Want(422).Decode(&p); len(p.Errors) != 100 || !strings.HasSuffix(p.Detail, "; and 97 more") {
			t.Errorf("%s: got %d errors and detail %q, want 100 and 97 more", name, len(p.Errors), p.Detail)
		}
	}
	var p *apidoc.Problem
	if errors.As(apidoc.Invalid(make([]apidoc.InputError, 300)), &p); len(p.Errors) != 100 {
		t.Errorf("Invalid: got %d errors, want 100", len(p.Errors))
	}
}
