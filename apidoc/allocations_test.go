//go:build !race

package apidoc_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
)

// The race detector makes sync.Pool drop values at random, so this test runs without it.

// An ETag adds few allocations to a GET, and none to a 204.
func TestAllocationsOfHeaders(t *testing.T) {
	type input struct {
		ID string `path:"id"`
	}
	type tagged struct {
		Tag  string `header:"ETag"`
		Body Plum   `body:""`
	}
	type timed struct {
		Tag  string    `header:"ETag"`
		At   time.Time `header:"Last-Modified"`
		Body Plum      `body:""`
	}
	app, api := newTyped()
	apidoc.Get(api, "/plain/:id", "", func(context.Context, input) (Plum, error) { return Plum{Name: "Oak"}, nil }, apidoc.ID("plain"))
	apidoc.Get(api, "/tagged/:id", "", func(context.Context, input) (tagged, error) { return tagged{"7", Plum{Name: "Oak"}}, nil }, apidoc.ID("tagged"))
	apidoc.Get(api, "/timed/:id", "", func(context.Context, input) (timed, error) {
		return timed{"7", time.Unix(1, 0), Plum{Name: "Oak"}}, nil
	}, apidoc.ID("timed"))
	apidoc.Get(api, "/none/:id", "", func(context.Context, input) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("none"))
	w := discarding{make(http.Header)}
	for path, most := range map[string]float64{"/none/1": 4, "/plain/1": 4, "/tagged/1": 6, "/timed/1": 8} {
		r := httptest.NewRequest("GET", path, nil)
		got := testing.AllocsPerRun(200, func() {
			clear(w.header)
			app.ServeHTTP(w, r)
		})
		if got > most {
			t.Errorf("%s: %v allocations, want at most %v", path, got, most)
		}
	}
}

// discarding is a writer without a body.
type discarding struct{ header http.Header }

func (d discarding) Header() http.Header         { return d.header }
func (d discarding) Write(b []byte) (int, error) { return len(b), nil }
func (d discarding) WriteHeader(int)             {}
