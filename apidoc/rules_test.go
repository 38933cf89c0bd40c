package apidoc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/routing"
)

// This file tests exclusive limits, members that require others, and members that are only in
// requests or only in responses.

type account struct {
	ID       int     `json:"id" readOnly:"true" min:"1"`
	Share    float64 `json:"share" exclusiveMin:"0" exclusiveMax:"1"`
	Count    uint8   `json:"count,omitzero" exclusiveMin:"0"`
	Password string  `json:"password" writeOnly:"true" minLength:"3"`
}

func TestExclusiveLimitsAndReadOnly(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in account) (account, error) {
		if in.ID != 0 || in.Password == "" {
			t.Errorf("got %v", in)
		}
		in.ID = 5
		return in, nil
	}, apidoc.ID("post"))
	handler := apidoc.CheckResponses(app, func(_ *http.Request, err error) { t.Error(err) })
	for _, c := range []struct{ body, want string }{
		{`{"share":0.5,"password":"abc"}`, `{"id":5,"share":0.5}`},
		{`{"id":"x","share":0.999999999,"count":1,"password":"abc"}`, `{"id":5,"share":0.999999999,"count":1}`},
		{`{"share":0,"password":"abc"}`, "body /share exclusiveMinimum"},
		{`{"share":1.0,"password":"abc"}`, "body /share exclusiveMaximum"},
		{`{"share":0.5,"count":0,"password":"abc"}`, "body /count exclusiveMinimum"},
		{`{"id":5,"share":0.5}`, "body /password required"},
		{`{"id":5,"id":5,"share":0.5,"password":"abc"}`, "body /id duplicate"},
	} {
		if w := call(handler, "POST", "/", "application/json", c.body); placesOf(strings.TrimSpace(w.Body.String())) != c.want {
			t.Errorf("%s: got %d %s, want %s", c.body, w.Code, w.Body, c.want)
		}
	}
	wantInForms(t, app, [][2]string{
		{"3.1", `"exclusiveMinimum":0,"exclusiveMaximum":1}`},
		{"3.0", `"minimum":0,"exclusiveMinimum":true,"maximum":1,"exclusiveMaximum":true}`},
		{"2.0", `"minimum":0,"exclusiveMinimum":true,"maximum":1,"exclusiveMaximum":true}`},
		{"3.1", `"account":{"type":"object","properties":{"id":{"type":"integer","format":"int64","minimum":1},"share"`},
		{"3.1", `"accountInput":{"type":"object","properties":{"share"`},
		{"3.1", `"password":{"type":"string","minLength":3}},"required":["share","password"]}`},
		{"2.0", `"required":["share","password"]`},
		{"2.0", `"required":["id","share"]`},
	})
}

// A type has two definitions if it has readOnly members. A readOnly member of the type does not
// count.
func TestNestedReadOnlyMembers(t *testing.T) {
	type keeper struct {
		Name string `json:"name"`
	}
	type cage struct {
		Keeper keeper `json:"keeper" readOnly:"true"`
		Size   int    `json:"size"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/cages", "", func(_ context.Context, in cage) (cage, error) { return in, nil }, apidoc.ID("cage"))
	apidoc.Post(api, "/keepers", "", func(_ context.Context, in keeper) (keeper, error) { return in, nil }, apidoc.ID("keeper"))
	apidoc.Post(api, "/import", "", func(context.Context, iter.Seq2[cage, error]) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("import"))
	wantInForms(t, app, [][2]string{
		{"3.1", `"schema":{"$ref":"#/components/schemas/keeper"}}},"required":true}`},
		{"3.0", `"JSONLines:eachlineisacageInput"`},
		{"2.0", `"JSONLines:eachlineisacageInput"`},
	})
}

type (
	payer struct {
		Name    string `json:"name"`
		Card    string `json:"card,omitempty" dependentRequired:"billing, zip"`
		Billing string `json:"billing,omitempty"`
		Zip     int    `json:"zip,omitempty"`
		City    string `json:"city,omitempty" dependentRequired:"zip"`
	}
	payerForm struct {
		Card    string      `form:"card" dependentRequired:"billing,scan"`
		Billing string      `form:"billing" doc:"Where to"`
		Scan    apidoc.File `form:"scan"`
		Since   string      `query:"since" dependentRequired:"until"`
		Until   string      `query:"until" minLength:"1"`
	}
)

func TestDependentRequired(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/json", "", func(context.Context, payer) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("json"))
	apidoc.Post(api, "/form", "", func(context.Context, payerForm) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("form"))
	for body, want := range map[string]string{
		`{"name":"a"}`:                               ``,
		`{"name":"a","billing":"b"}`:                 ``,
		`{"name":"a","zip":1,"city":"c"}`:            ``,
		`{"card":"1"}`:                               `required, dependentRequired "card", dependentRequired "card"`,
		`{"name":"a","card":"1","zip":1}`:            `dependentRequired "card"`,
		`{"name":"a","city":"c","billing":""}`:       `dependentRequired "city"`,
		`{"name":"a","card":1,"zip":1}`:              `type "string", dependentRequired "card"`,
		`{"card":"","billing":"","zip":0,"name":""}`: ``,
	} {
		if got := codesOf(t, call(app, "POST", "/json", "application/json", body).Body.String()); got != want {
			t.Errorf("%s: got %s, want %s", body, got, want)
		}
	}
	if got, want := call(app, "POST", "/json", "application/json", `{"name":"a","city":"c"}`).Body.String(),
		"body /zip dependentRequired"; placesOf(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	c := apitest.New(t, app)
	file := apitest.File{Name: "a", Content: []byte("x")}
	for _, row := range []struct {
		query string
		form  apitest.Form
		want  string
	}{
		{"", apitest.Form{}, ``},
		{"", apitest.Form{"card": "1", "billing": "b", "scan": file}, ``},
		{"", apitest.Form{"billing": "b"}, ``},
		{"", apitest.Form{"card": "1", "scan": file}, `dependentRequired "card"`},
		{"?since=1", apitest.Form{"card": "1", "scan": file}, `dependentRequired "card", dependentRequired "since"`},
		{"?until=1", apitest.Form{}, ``},
		{"?since=1&until=", apitest.Form{}, `dependentRequired "since"`}, // an empty value is missing
	} {
		if got := codesOf(t, c.Post("/form"+row.query, row.form).Body); got != row.want {
			t.Errorf("%s %v: got %s, want %s", row.query, row.form, got, row.want)
		}
	}
	wantInForms(t, app, [][2]string{
		{"3.1", `"required":["name"],"dependentRequired":{"card":["billing","zip"],"city":["zip"]}`},
		{"3.0", `"description":"Withcarditrequiresbilling,zip.\n\nWithcityitrequireszip."`},
		{"2.0", `"description":"Withcarditrequiresbilling,zip.\n\nWithcityitrequireszip."`},
		{"3.1", `"dependentRequired":{"card":["billing","scan"]}`},
		{"3.1", `"description":"Whereto\n\nRequiredwithcard."`},
		{"3.0", `"description":"Whereto\n\nRequiredwithcard."`},
		{"2.0", `"name":"until","in":"query","description":"Requiredwithsince."`},
	})
}

// wantInForms checks that texts are in the description, which has no white space.
func wantInForms(t *testing.T, app *routing.App, texts [][2]string) {
	t.Helper()
	doc := build(t, app, "")
	for _, c := range texts {
		form := map[string][]byte{"2.0": doc.Swagger(), "3.0": doc.OpenAPI30(), "3.1": doc.OpenAPI()}[c[0]]
		if text := strings.NewReplacer(" ", "", "\n", "").Replace(string(form)); !strings.Contains(text, c[1]) {
			t.Errorf("%s: %s is not in %s", c[0], c[1], form)
		}
	}
}

type (
	cat struct {
		ID     int    `json:"id" readOnly:"true"`
		Kind   string `json:"kind" enum:"cat"`
		Chip   string `json:"chip,omitempty" writeOnly:"true"`
		Lives  int    `json:"lives,omitempty" default:"7"`
		Mother *pet   `json:"mother,omitempty"`
	}
	dog struct {
		Kind string   `json:"kind" enum:"dog,puppy"`
		Chip string   `json:"chip" writeOnly:"true"`
		ID   int      `json:"id" readOnly:"true"`
		_    struct{} `additionalProperties:"false"`
	}
	pet struct{ of any }
)

func (pet) OneOf() []any                   { return []any{cat{}, dog{}} }
func (p pet) MarshalJSON() ([]byte, error) { return json.Marshal(p.of) }
func (p *pet) UnmarshalJSON(b []byte) error {
	var kind struct{ Kind string }
	if err := json.Unmarshal(b, &kind); err != nil {
		return err
	}
	if kind.Kind == "cat" {
		var c cat
		err := json.Unmarshal(b, &c)
		p.of = c
		return err
	}
	var d dog
	err := json.Unmarshal(b, &d)
	p.of = d
	return err
}

// Types that decode themselves neither read what is readOnly nor send what is writeOnly.
func TestReadOnlyMembersInUnions(t *testing.T) {
	app, api := newTyped()
	var got pet
	apidoc.Post(api, "/", "", func(_ context.Context, in pet) (pet, error) { got = in; return in, nil }, apidoc.ID("post"))
	handler := apidoc.CheckResponses(app, func(_ *http.Request, err error) { t.Error(err) })
	for _, c := range []struct {
		body string
		read any
		want string
	}{
		{`{"kind":"cat"}`, cat{Kind: "cat", Lives: 7}, `{"id":0,"kind":"cat","lives":7}`},
		{`{ "id":5 , "kind":"cat","chip":"a" }`, cat{Kind: "cat", Chip: "a", Lives: 7}, `{"id":0,"kind":"cat","lives":7}`},
		{`{"kind":"cat", "id":5}`, cat{Kind: "cat", Lives: 7}, `{"id":0,"kind":"cat","lives":7}`},
		{`{"kind":"cat","lives":1,"id":{"a":[1]},"chip":"a"}`, cat{Kind: "cat", Chip: "a", Lives: 1}, `{"id":0,"kind":"cat","lives":1}`},
		{`{"kind":"puppy","chip":"a"}`, dog{Kind: "puppy", Chip: "a"}, `{"kind":"puppy","id":0}`},
		{`{"kind":"dog","chip":"a","id":7}`, dog{Kind: "dog", Chip: "a"}, `{"kind":"dog","id":0}`}, // id is ignored, though unknown members are refused
		{`{"kind":"dog","chip":"a","ID":7}`, nil, `body /ID letterCase`},
		{`{"kind":"dog","chip":"a","age":7}`, nil, `body /age additionalProperties`},
		{`{"kind":"dog"}`, nil, `body /chip required`},
	} {
		w := call(handler, "POST", "/", "application/json", c.body)
		if !strings.Contains(placesOf(w.Body.String()), c.want) || c.read != nil && !reflect.DeepEqual(got.of, c.read) {
			t.Errorf("%s: read %+v, got %d %s, want %s", c.body, got.of, w.Code, w.Body, c.want)
		}
	}
	wantInForms(t, app, [][2]string{
		{"3.1", `"petInput":{"oneOf":[{"$ref":"#/components/schemas/catInput"},{"$ref":"#/components/schemas/dogInput"}],` +
			`"discriminator":{"propertyName":"kind","mapping":{"cat":"#/components/schemas/catInput","dog":"#/components/schemas/dogInput","puppy":"#/components/schemas/dogInput"}}}`},
		{"3.0", `"discriminator":{"propertyName":"kind","mapping":{"cat":"#/components/schemas/cat","dog":"#/components/schemas/dog","puppy":"#/components/schemas/dog"}}`},
		{"3.1", `"dogInput":{"type":"object","properties":{"kind":{"type":"string","enum":["dog","puppy"]},"chip":{"type":"string"},"id":{"description":"Ignoredinrequests","readOnly":true}},"required":["kind","chip"],"additionalProperties":false}`},
		{"3.1", `"dog":{"type":"object","properties":{"kind":{"type":"string","enum":["dog","puppy"]},"id":{"type":"integer","format":"int64"}},"required":["kind","id"],"additionalProperties":false}`},
	})
}

// CheckResponses reports writeOnly members.
func TestWriteOnlyIsNotSent(t *testing.T) {
	app := routing.New()
	app.Get("/", func(routing.Context) (routing.Result, error) {
		return routing.JSON(account{Share: 0.5, Password: "abc"})
	},
		apidoc.Describe(apidoc.NewOperation[struct{}, account]("get", "",
			apidoc.ResponseExample(200, map[string]any{"id": 5, "share": 0.5}))))
	var told []string
	call(apidoc.CheckResponses(app, func(_ *http.Request, err error) { told = append(told, err.Error()) }), "GET", "/", "", "")
	if got, want := strings.Join(told, ";"), "operation get: status 200: body /id must be at least 1; body /password must not be sent"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Rules of an API, a group and an operation are combined with the field's tag. The innermost option
// has precedence. A rule replaces the one of its name, also documentation.
func TestRulesOfOptions(t *testing.T) {
	type input struct {
		Limit int     `query:"limit" min:"1" max:"10" doc:"tag"`
		Kind  string  `query:"kind"`
		Tall  float64 `query:"tall" exclusiveMin:"0"`
	}
	app := routing.New()
	api := apidoc.NewAPI(app, info, apidoc.Rules(apidoc.InQuery, "limit", `max:"50" default:"9" doc:"chosen"`),
		apidoc.Rules(apidoc.InQuery, "tall", `min:"-5"`))
	list := func(_ context.Context, in input) (string, error) { return fmt.Sprint(in.Limit, " ", in.Kind), nil }
	api.Group("/small", func(g *apidoc.Group) {
		apidoc.Get(g, "/list", "", list, apidoc.ID("small"), apidoc.Rules(apidoc.InQuery, "kind", `enum:"oak,elm"`))
	}, apidoc.Rules(apidoc.InQuery, "limit", `default:"5"`))
	apidoc.Get(api, "/list", "", list, apidoc.ID("large"))
	for _, c := range []struct{ target, want string }{
		{"/list", "9"}, {"/list?limit=50&kind=ash", "50 ash"}, {"/list?limit=51", "must be at most 50"}, {"/list?limit=0", "must be at least 1"}, {"/list?tall=-1", "must be greater than 0"},
		{"/small/list", "5"}, {"/small/list?kind=elm", "5 elm"}, {"/small/list?limit=51", "must be at most 50"}, {"/small/list?kind=ash", "must be one of"},
	} {
		if w := call(app, "GET", c.target, "", ""); !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: got %s, want %s", c.target, w.Body, c.want)
		}
	}
	wantInForms(t, app, [][2]string{
		{"3.1", `"minimum":1,"maximum":50,"default":9`}, {"3.0", `"minimum":1,"maximum":50,"default":5`}, {"2.0", `"enum":["oak","elm"]`},
		{"3.1", `"description":"chosen"`}, {"3.0", `"description":"chosen"`}, {"2.0", `"description":"chosen"`},
	})
}

// The default of a list is values with commas between them, or JSON.
func TestDefaultsOfLists(t *testing.T) {
	type in struct {
		Plain []string `query:"plain" default:"a, b"`
		Texts []string `query:"texts" default:"[\"a, b\",\"c\"]"`
		Sizes []int    `query:"sizes" default:"[1,2]"`
		Rates []int    `query:"rates" default:"3,4"`
		None  []string `query:"none" default:"[]"`
	}
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(_ context.Context, in in) (string, error) {
		return fmt.Sprintf("%q %q %d %d %q", in.Plain, in.Texts, in.Sizes, in.Rates, in.None), nil
	}, apidoc.ID("read"))
	const want = `["a" "b"] ["a, b" "c"] [1 2] [3 4] []`
	if w := call(app, "GET", "/", "", ""); w.Body.String() != want {
		t.Errorf("got %d %s, want %s", w.Code, w.Body, want)
	}
	wantInForms(t, app, [][2]string{{"3.1", `"default":[1,2]`}, {"3.0", `"default":[3,4]`}, {"2.0", `"default":["a","b"]`}})
}
