package apidoc_test

import (
	"context"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/routing"
)

type (
	// place has types whose zero value has no text in their format.
	place struct {
		Addr    netip.Addr   `json:"addr,omitempty"`
		Net     netip.Prefix `json:"net,omitempty"`
		URL     url.URL      `json:"url,omitempty"`
		Gateway netip.Addr   `json:"gateway" default:"::1"`
		*Route
		Required netip.Addr `json:"required"`
	}
	Route struct {
		Via netip.Addr `json:"via"`
	}
)

// A zero address is omitted from a response, whether the tag has omitempty, omitzero or nothing. In
// place of a zero address with a default, the default is sent.
func TestZeroAddressesAreLeftOut(t *testing.T) {
	app, api := newTyped()
	var out place
	apidoc.Get(api, "/", "", func(context.Context, struct{}) (place, error) { return out, nil }, apidoc.ID("place"))
	one := netip.MustParseAddr("192.0.2.1")
	for want, value := range map[string]place{
		`{"gateway":"::1"}`:                        {},
		`{"gateway":"::1","required":"192.0.2.1"}`: {Route: &Route{}, Required: one},
		`{"addr":"192.0.2.1","net":"192.0.2.0/24","url":"https://example.com/","gateway":"192.0.2.1","via":"192.0.2.1"}`: {
			Addr: one, Net: netip.MustParsePrefix("192.0.2.0/24"), Gateway: one, Route: &Route{one},
			URL: url.URL{Scheme: "https", Host: "example.com", Path: "/"},
		},
	} {
		out = value
		if w := call(app, "GET", "/", "", ""); w.Code != 200 || w.Body.String() != want {
			t.Errorf("got %d %s, want %s", w.Code, w.Body, want)
		}
	}
}

// If one member requires another, both are sent, even if omitempty would omit the other.
func TestDependentMembersAreSentTogether(t *testing.T) {
	type card struct {
		Number string   `json:"number,omitempty" dependentRequired:"holder,codes,until"`
		Holder string   `json:"holder,omitempty"`
		Codes  []string `json:"codes,omitempty"`
		Until  *int     `json:"until,omitzero" dependentRequired:"note"`
		Note   string   `json:"note,omitempty"`
	}
	app, api := newTyped()
	var out card
	apidoc.Get(api, "/", "", func(context.Context, struct{}) (card, error) { return out, nil }, apidoc.ID("card"))
	for want, value := range map[string]card{
		`{}`: {},
		`{"number":"1","holder":"","codes":[],"until":null,"note":""}`: {Number: "1"},
		`{"until":7,"note":""}`: {Until: new(7)},
		`{"holder":"a"}`:        {Holder: "a"},
	} {
		out = value
		if w := call(app, "GET", "/", "", ""); w.Code != 200 || w.Body.String() != want {
			t.Errorf("got %d %s, want %s", w.Code, w.Body, want)
		}
	}
	for _, c := range []struct{ name, got, want string }{
		{"a zero value that is left out", refusal[struct{}, struct {
			Number string     `json:"number,omitempty" dependentRequired:"from"`
			From   netip.Addr `json:"from,omitempty"`
		}]("GET"), `tag dependentRequired: "from" is left out if it is zero: write a pointer`},
		{"a member of an embedded pointer", refusal[struct{}, struct {
			Number string `json:"number,omitempty" dependentRequired:"via"`
			*Route
		}]("GET"), `tag dependentRequired: "via" is left out if its embedded pointer is nil: embed the struct`},
		{"a member of an embedded pointer, in a request", refusal[struct {
			Number string `json:"number,omitempty" dependentRequired:"via"`
			*Route
		}, struct{}]("POST"), ""},
	} {
		if !strings.Contains(c.got, c.want) || c.want == "" && c.got != "" {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

// A member with a default is in each response, and so are the members that it requires. In an
// embedded pointer that is nil both are absent.
func TestDefaultsOfDependentMembers(t *testing.T) {
	type Tip struct {
		Percent int    `json:"percent,omitempty" default:"5" dependentRequired:"note"`
		Note    string `json:"note,omitempty"`
	}
	type bill struct {
		*Tip
		Sum int `json:"sum"`
	}
	app, api := newTyped()
	apidoc.Get(api, "/tip", "", func(context.Context, struct{}) (Tip, error) { return Tip{}, nil }, apidoc.ID("tip"))
	apidoc.Get(api, "/bill", "", func(context.Context, struct{}) (bill, error) { return bill{}, nil }, apidoc.ID("bill"))
	c := apitest.New(t, app) // which compares the responses with the description
	c.Get("/tip").Want(200, map[string]any{"percent": 0, "note": ""})
	c.Get("/bill").Want(200, map[string]any{"sum": 0})
}

// OnError gets the error of an encoder, wherever the value is.
func TestErrorsOfEncoders(t *testing.T) {
	late := time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	type dates struct {
		At   *time.Time           `json:"at"`
		List []time.Time          `json:"list"`
		Map  map[string]time.Time `json:"map"`
	}
	for name, out := range map[string]func(*apidoc.API){
		"a value":   returns(late),
		"a list":    returns([]time.Time{late, late}),
		"a map":     returns(map[string]time.Time{"a": late, "b": late}),
		"a pointer": returns(dates{At: &late}),
		"a member":  returns(dates{List: []time.Time{late}}),
		"maps":      returns(dates{Map: map[string]time.Time{"a": late, "b": late}}),
		"in lists":  returns([][]*time.Time{{&late}}),
	} {
		app, api := newTyped()
		var failed error
		app.OnError(func(_ routing.Context, err error) (routing.Result, error) {
			failed = err
			return routing.Result{}, err
		})
		out(api)
		w := call(app, "GET", "/", "", "")
		if w.Code != 500 || failed == nil || !strings.Contains(failed.Error(), "year outside of range") {
			t.Errorf("%s: got %d %v", name, w.Code, failed)
		}
	}
}

// returns defines an operation with an output.
func returns[O any](out O) func(*apidoc.API) {
	return func(api *apidoc.API) {
		apidoc.Get(api, "/", "", func(context.Context, struct{}) (O, error) { return out, nil }, apidoc.ID("get"))
	}
}
