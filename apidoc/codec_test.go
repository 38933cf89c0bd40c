package apidoc_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
)

// This file tests that the text of a type is the same everywhere: in queries, forms, headers,
// pages, addresses, examples, bodies and unions.

// light is a number whose JSON is a text, by MarshalJSON and UnmarshalJSON.
type light int

var lights = []string{"sun", "shade"}

func (light) Values() []light                { return []light{0, 1} }
func (l light) MarshalJSON() ([]byte, error) { return json.Marshal(lights[l]) }
func (l *light) UnmarshalJSON(b []byte) error {
	if *l = 0; string(b) == `"shade"` {
		*l = 1
	}
	return nil
}

type (
	inBody struct {
		Link  url.URL              `json:"link" format:"uri-reference"`
		Wait  time.Duration        `json:"wait" format:"duration"`
		Count sql.Null[int]        `json:"count"`
		Name  sql.NullString       `json:"name"`
		From  netip.Addr           `json:"from"`
		At    time.Time            `json:"at"`
		Day   time.Time            `json:"day" format:"date"`
		Key   []byte               `json:"key"`
		IDs   []int                `json:"ids"`
		Light light                `json:"light"`
		May   apidoc.Optional[int] `json:"may"`
	}
	inQuery struct {
		Link  url.URL              `query:"link" format:"uri-reference"`
		Wait  time.Duration        `query:"wait" format:"duration"`
		Count sql.Null[int]        `query:"count"`
		Name  sql.NullString       `query:"name"`
		From  netip.Addr           `query:"from"`
		At    time.Time            `query:"at"`
		Day   time.Time            `query:"day" format:"date"`
		Key   []byte               `query:"key"`
		IDs   []int                `query:"ids"`
		Light light                `query:"light"`
		May   apidoc.Optional[int] `query:"may"`
	}
	inForm struct {
		Link  url.URL              `form:"link" format:"uri-reference"`
		Wait  time.Duration        `form:"wait" format:"duration"`
		Count sql.Null[int]        `form:"count"`
		Name  sql.NullString       `form:"name"`
		From  netip.Addr           `form:"from"`
		At    time.Time            `form:"at"`
		Day   time.Time            `form:"day" format:"date"`
		Key   []byte               `form:"key"`
		IDs   []int                `form:"ids"`
		Light light                `form:"light"`
		May   apidoc.Optional[int] `form:"may"`
	}
	inHeaders struct {
		Link  url.URL              `header:"link" format:"uri-reference"`
		Wait  time.Duration        `header:"wait" format:"duration"`
		Count sql.Null[int]        `header:"count"`
		Name  sql.NullString       `header:"name"`
		From  netip.Addr           `header:"from"`
		At    time.Time            `header:"at"`
		Day   time.Time            `header:"day" format:"date"`
		Key   []byte               `header:"key"`
		IDs   []int                `header:"ids"`
		Light light                `header:"light"`
		May   apidoc.Optional[int] `header:"may"`
	}
	bodyOrText struct{ inBody } // a union, which encoding/json encodes and decodes
	plain      inBody
)

func (bodyOrText) OneOf() []any                    { return []any{inBody{}, ""} }
func (e bodyOrText) MarshalJSON() ([]byte, error)  { return json.Marshal(plain(e.inBody)) }
func (e *bodyOrText) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*plain)(&e.inBody)) }

func TestTextsOfTypes(t *testing.T) {
	some := inBody{
		Link: url.URL{Path: "/a b", RawQuery: "c=1"}, Wait: 90 * time.Second, Count: sql.Null[int]{Valid: true},
		Name: sql.NullString{String: "x", Valid: true}, From: netip.MustParseAddr("192.0.2.1"),
		At:  time.Date(2026, 11, 23, 1, 2, 3, 0, time.UTC),
		Day: time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC), Key: []byte{0xFB}, IDs: []int{0, 2}, Light: 1, May: apidoc.Some(0),
	}
	const text = `{"link":"/a%20b?c=1","wait":"PT1M30S","count":0,"name":"x","from":"192.0.2.1","at":"2026-11-23T01:02:03Z","day":"2026-11-24","key":"+w==",` +
		`"ids":[0,2],"light":"shade","may":0}`
	texts := map[string]string{
		"link": "/a%20b?c=1", "wait": "PT1M30S", "count": "0", "name": "x", "from": "192.0.2.1", "at": "2026-11-23T01:02:03Z", "day": "2026-11-24", "key": "+w==",
		"ids": "0", "light": "shade", "may": "0",
	}
	app, api := newTyped()
	query := func(_ context.Context, in inQuery) (inBody, error) { return inBody(in), nil }
	apidoc.Get(api, "/query", "", query)
	apidoc.Post(api, "/form", "", func(_ context.Context, in inForm) (inBody, error) { return inBody(in), nil })
	apidoc.Post(api, "/body", "", func(_ context.Context, in inBody) (inBody, error) { return in, nil }, apidoc.RequestExample(some))
	apidoc.Post(api, "/either", "", func(_ context.Context, in bodyOrText) (bodyOrText, error) { return in, nil })
	apidoc.Get(api, "/headers", "", func(_ context.Context, in inHeaders) (inHeaders, error) { return in, nil })
	build(t, app, "")

	const address = "/query?link=%2Fa%2520b%3Fc%3D1&wait=PT1M30S&count=0&name=x&from=192.0.2.1&at=2026-11-23T01%3A02%3A03Z&day=2026-11-24&key=%2Bw%3D%3D&ids=0&ids=2&light=shade&may=0"
	c := apitest.New(t, app)
	c.Get(address).Want(200, text)
	c.Post("/form", apitest.Form{
		"link": some.Link, "wait": "PT1M30S", "count": some.Count, "name": some.Name, "from": some.From, "at": some.At, "day": "2026-11-24", "key": some.Key,
		"ids": some.IDs, "light": some.Light, "may": some.May,
	}).Want(200, text)
	c.Post("/body", some).Want(200, text)
	c.Post("/either", some).Want(200, text)
	null := strings.Replace(text, `"count":0,"name":"x"`, `"count":null,"name":null`, 1)
	c.Post("/either", null).Want(200, strings.Replace(null, `,"may":0`, `,"may":0`, 1))
	texts["at"], texts["ids"] = "Mon, 23 Nov 2026 01:02:03 GMT", "0, 2"
	with := c
	for name, text := range texts {
		with = with.WithHeader(name, text)
	}
	r := with.Get("/headers")
	if ids := strings.Join(r.Header["Ids"], ", "); ids != "0, 2" {
		t.Errorf("got the header Ids %s", ids)
	}
	texts["ids"] = "0"
	for name, text := range texts {
		r.WantHeader(name, text)
	}
	texts["at"] = "2026-11-23T01:02:03Z"
	filled, err := apidoc.NewFormReader[inForm]().Fill(inForm(some))
	for name, text := range texts {
		if got := filled.Text(name); got != text || err != nil {
			t.Errorf("the form shows %s as %q %v, want %q", name, got, err, text)
		}
	}
}

// A time with the format date is written as the day in its own zone.
func TestDays(t *testing.T) {
	app, api := newTyped()
	type trip struct {
		From time.Time                      `json:"from" format:"date" example:"2026-11-23"`
		To   apidoc.Optional[time.Time]     `json:"to" format:"date"`
		Off  []time.Time                    `json:"off,omitempty" format:"date"`
		On   map[string]sql.Null[time.Time] `json:"on,omitempty"`
	}
	apidoc.Post(api, "/trips", "", func(_ context.Context, in trip) (trip, error) {
		in.From = in.From.Add(23 * time.Hour).In(time.FixedZone("", -1)) // in UTC it is the day after
		return in, nil
	})
	c := apitest.New(t, app)
	c.Post("/trips", `{"from":"2024-02-29","to":null,"off":["0000-01-01","9999-12-31"]}`).
		Want(200, `{"from":"2024-02-29","to":null,"off":["0000-01-01","9999-12-31"]}`)
	for _, day := range []string{"2026-02-29", "2026-11-23T00:00:00Z", "26-11-23", ""} {
		c.Post("/trips", `{"from":"`+day+`"}`).Want(422).WantText("/from must be a date, such as 2006-01-02")
	}
	wantInForms(t, app, [][2]string{{"3.1", `"from":{"type":"string","format":"date","examples":["2026-11-23"]}`}})
	apidoc.Get(api, "/far", "", func(context.Context, struct{}) (trip, error) {
		return trip{From: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}, nil
	}, apidoc.ID("far"))
	c.Get("/far").Want(500) // RFC 3339 cannot write the year
}

// A type whose texts have a fixed format cannot have another one, which no value would match.
func TestFormatsOfTypes(t *testing.T) {
	for want, got := range map[string]string{
		"write the format date or date-time or http-date": refusal[struct {
			At time.Time `json:"at" format:"time"`
		}, struct{}]("POST"),
		"write the format ip or ipv4 or ipv6": refusal[struct {
			From netip.Addr `query:"from" format:"cidr"`
		}, struct{}]("GET"),
		"write the format uri or uri-reference": refusal[struct{}, struct {
			Next url.URL `json:"next" format:"url"`
		}]("GET"),
		"write the format byte": refusal[struct {
			Key []byte `json:"key" format:"uuid"`
		}, struct{}]("POST"),
		"write the format duration": refusal[struct {
			Wait time.Duration `json:"wait" format:"seconds"`
		}, struct{}]("POST"),
		"": refusal[struct {
			Home *netip.Addr `json:"home" format:"ipv6"`
			Next *url.URL    `json:"next" format:"uri"`
		}, struct{}]("POST"),
	} {
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// An absent Optional is not sent.
func TestAbsentIsNotSent(t *testing.T) {
	app, api := newTyped()
	type change struct {
		Name apidoc.Optional[string] `json:"name"`
	}
	apidoc.Patch(api, "/", "", func(_ context.Context, in change) (bool, error) { return in.Name.Set, nil })
	apitest.New(t, app).Patch("/", change{}).Want(200, "false")
}

// The zero value of an address has no text that its format allows, so it is left out of responses,
// and required only in requests.
func TestZeroAddresses(t *testing.T) {
	type host struct {
		Home url.URL      `json:"home"`
		IP   netip.Addr   `json:"ip"`
		Net  netip.Prefix `json:"net"`
		Next url.URL      `json:"next" format:"uri-reference"`
		May  *netip.Addr  `json:"may"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/hosts", "", func(_ context.Context, in host) (host, error) { return in, nil }, apidoc.ID("add"))
	apidoc.Get(api, "/host", "", func(context.Context, struct{}) (host, error) { return host{}, nil }, apidoc.ID("get"))
	apidoc.Get(api, "/list", "", func(context.Context, struct{}) ([]netip.Addr, error) { return make([]netip.Addr, 1), nil }, apidoc.ID("list"))
	c := apitest.New(t, app)
	c.Get("/host").Want(200, `{"next":"","may":null}`)
	whole := `{"home":"https://a.example/","ip":"127.0.0.1","net":"10.0.0.0/8","next":"","may":null}`
	c.Post("/hosts", whole).Want(200, whole)
	missing := c.Post("/hosts", `{"next":"","may":null}`).Want(422)
	if got, want := placesOf(missing.Body), "body /home required; body /ip required; body /net required"; got != want {
		t.Errorf("without addresses: got %s, want %s", got, want)
	}
	c.Post("/hosts", `{"home":"","ip":"","net":"","next":"","may":null}`).Want(422).WantText("/ip must be an IP address")
	c.Get("/list").Want(500)
	wantInForms(t, app, [][2]string{
		{"3.1", `"hostInput":{"type":"object"`}, {"3.1", `"required":["home","ip","net","next","may"]`}, {"3.1", `"required":["next","may"]`},
	})
}
