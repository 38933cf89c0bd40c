package apidoc_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
)

// This file tests exclusive limits, and members that are only in requests or only in responses.

type account struct {
	ID       int     `json:"id" readOnly:"true" min:"1"`
	Share    float64 `json:"share" exclusiveMin:"0" exclusiveMax:"1"`
	Count    uint8   `json:"count,omitzero" exclusiveMin:"0"`
	Password string  `json:"password" writeOnly:"true" minLength:"3"`
}

func TestExclusiveAndOneWay(t *testing.T) {
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
		{`{"share":0,"password":"abc"}`, "/share must be greater than 0"},
		{`{"share":1.0,"password":"abc"}`, "/share must be less than 1"},
		{`{"share":0.5,"count":0,"password":"abc"}`, "/count must be greater than 0"},
		{`{"id":5,"share":0.5}`, "/password is required"},
		{`{"id":5,"id":5,"share":0.5,"password":"abc"}`, "/id must not occur twice"},
	} {
		if w := call(handler, "POST", "/", "application/json", c.body); !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: got %d %s, want %s", c.body, w.Code, w.Body, c.want)
		}
	}
	doc := build(t, app, "")
	for _, c := range []struct {
		format string
		text   []byte
		want   string
	}{
		{"3.1", doc.OpenAPI(), `"exclusiveMinimum":0,"exclusiveMaximum":1}`},
		{"3.0", doc.OpenAPI30(), `"minimum":0,"exclusiveMinimum":true,"maximum":1,"exclusiveMaximum":true}`},
		{"2.0", doc.Swagger(), `"minimum":0,"exclusiveMinimum":true,"maximum":1,"exclusiveMaximum":true}`},
		{"3.1", doc.OpenAPI(), `"readOnly":true`},
		{"3.1", doc.OpenAPI(), `"writeOnly":true`},
		{"2.0", doc.Swagger(), `"required":["share","password"]`},
	} {
		if text := strings.NewReplacer(" ", "", "\n", "").Replace(string(c.text)); !strings.Contains(text, c.want) {
			t.Errorf("%s: %s is not in %s", c.format, c.want, text)
		}
	}
}
