package routing_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests that the request of the server stays as it was, except for its Pattern, context
// and parsed form.

// headWatcher is a writer of outer middleware that looks at its request when the status is sent.
type headWatcher struct {
	http.ResponseWriter
	look func()
}

func (w headWatcher) WriteHeader(status int) {
	w.look()
	w.ResponseWriter.WriteHeader(status)
}

// An app reads parameters and overrides the method on a copy. The request that it received keeps
// its body and method, and has the Pattern of the route while the response is written.
func TestReceivedRequestStaysAsItWas(t *testing.T) {
	show := func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Request().Method + " " + c.Params().GetOr("title", "none")), nil
	}
	inner := routing.New(quiet())
	inner.Post("/:id", show)
	app := routing.New(quiet(), routing.WithMethodOverride(), routing.WithBodyLimit(100))
	app.Post("/form", show)
	app.Put("/form", show)
	app.Post("/raw", func(c routing.Context) (routing.Result, error) {
		_, err := io.Copy(io.Discard, c.Request().Body)
		return routing.Text("read"), err
	})
	app.Mount("/inner/:x", inner)
	app.Post("/passed", show)
	app.Post("/passed", func(c routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass })
	app.Post("/used", show, routing.Use(func(next http.Handler) http.Handler { return next }))
	address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, method, pattern := r.Body, r.Method, r.Header.Get("X-Pattern")
		look := func() {
			if r.Body != body || r.Method != method || r.Pattern != pattern {
				t.Errorf("want %q: the request has body %T, method %s, pattern %q", pattern, r.Body, r.Method, r.Pattern)
			}
		}
		app.ServeHTTP(headWatcher{w, look}, r)
		look()
	}))
	for _, test := range []struct{ path, body, want, pattern string }{
		{"/form", "title=Rose", "200 POST Rose", "POST /form"},
		{"/form", "title=Rose&_method=put", "200 PUT Rose", "PUT /form"},
		{"/form", strings.Repeat("title=Rose&", 10), "413 Request Entity Too Large", "POST /form"},
		{"/raw", "title=Rose", "200 read", "POST /raw"},
		{"/passed", "title=Rose", "200 POST Rose", "POST /passed"},
		{"/used", "title=Rose", "200 POST Rose", "POST /used"},
		{"/inner/a/b", "title=Rose", "200 POST Rose", "POST /inner/:x/:id"},
	} {
		for _, body := range []io.Reader{strings.NewReader(test.body), unknownLength{strings.NewReader(test.body)}} {
			r, err := http.NewRequest("POST", address+test.path, body)
			r.Header = http.Header{"Content-Type": {urlencoded}, "X-Pattern": {test.pattern}}
			got := receive(t, r, err)
			if got := fmt.Sprint(got.status, " ", got.body); got != test.want {
				t.Errorf("%s %q: got %q, want %q", test.path, test.body, got, test.want)
			}
		}
	}
}

// A length of 0 may mean that the length is not known, as in requests of tests.
func TestReceivedBodyOfLengthZeroStaysAsItWas(t *testing.T) {
	app := routing.New(quiet())
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("title", "none")), nil
	})
	r := form("/", "title=Rose")
	r.ContentLength = 0
	body := r.Body
	if w := send(app, r); w.Body.String() != "Rose" || r.Body != body {
		t.Errorf("got %q, and the body became a %T", w.Body, r.Body)
	}
}
