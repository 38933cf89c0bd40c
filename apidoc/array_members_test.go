package apidoc_test

import (
	"context"
	"net/netip"
	"testing"

	"example.com/flowercafe/apidoc"
)

// A member with an array whose zero value has no JSON is left out by omitempty.
func TestOmittedArraysWithoutAZeroValue(t *testing.T) {
	type hosts struct {
		One  [1]netip.Addr    `json:"one,omitempty"`
		Grid [2][1]netip.Addr `json:"grid,omitempty"`
		Two  [2]int           `json:"two,omitempty"` // written, as encoding/json does
	}
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in hosts) (hosts, error) { return in, nil })
	for _, c := range []struct{ body, want string }{
		{`{}`, `{"two":[0,0]}`},
		{`{"one":["::1"],"grid":[["::1"],["::2"]]}`, `{"one":["::1"],"grid":[["::1"],["::2"]],"two":[0,0]}`},
	} {
		if w := call(app, "POST", "/", "application/json", c.body); w.Body.String() != c.want {
			t.Errorf("%s: got %d %s, want %s", c.body, w.Code, w.Body, c.want)
		}
	}
}

// season is an enumeration of integers.
type season int

func (season) Values() []season { return []season{1, 2} }

// The names of a map with enumerated integers are as they are described.
func TestNamesOfEnumeratedIntegers(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in map[season]int) (int, error) { return in[1], nil })
	for body, want := range map[string]int{`{"1":7}`: 200, `{"01":7}`: 422, `{"1.0":7}`: 422, `{"3":7}`: 422} {
		if w := call(app, "POST", "/", "application/json", body); w.Code != want {
			t.Errorf("%s: got %d %s, want %d", body, w.Code, w.Body, want)
		}
	}
}
