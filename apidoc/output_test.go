package apidoc_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests how the fields of an output become a response.

func TestOutputs(t *testing.T) {
	type jsonText struct {
		Body string `body:"application/json"`
	}
	type noBody struct {
		Count int      `header:"X-Count"`
		Body  struct{} `body:""`
	}
	type cached struct {
		Status int    `status:"200,203"`
		Tag    string `header:"ETag"`
		Body   string `body:""`
	}
	type cookies struct {
		One  http.Cookie `header:"Set-Cookie"`
		Body string      `body:""`
	}
	app, api := newTyped()
	apidoc.Get(api, "/json", "", func(context.Context, struct{}) (jsonText, error) { return jsonText{`a "text"`}, nil }, apidoc.ID("json"))
	apidoc.Get(api, "/none", "", func(context.Context, struct{}) (noBody, error) { return noBody{Count: 3}, nil }, apidoc.ID("none"))
	apidoc.Get(api, "/empty", "", func(context.Context, struct{}) (none struct{}, _ error) { return none, nil }, apidoc.ID("empty"), apidoc.Status(200))
	apidoc.Get(api, "/cached", "", func(context.Context, struct{}) (cached, error) { return cached{0, `"7"`, "oak"}, nil }, apidoc.ID("cached"))
	apidoc.Get(api, "/transformed", "", func(context.Context, struct{}) (cached, error) { return cached{203, `"7"`, "oak"}, nil }, apidoc.ID("other"))
	apidoc.Get(api, "/cookies", "", func(context.Context, struct{}) (cookies, error) {
		return cookies{http.Cookie{Name: "a", Value: "1", HttpOnly: true}, "oak"}, nil
	}, apidoc.ID("cookies"))
	apidoc.Get(api, "/bad", "", func(context.Context, struct{}) (cookies, error) {
		return cookies{http.Cookie{Name: "a b", Value: "1"}, "oak"}, nil
	}, apidoc.ID("bad"))
	for path, want := range map[string]string{
		"/json": `200 "a \"text\""`, "/none": "204 X-Count: 3", "/empty": "200 ", "/cached": "304 ", "/transformed": "203 oak",
		"/cookies": "200 oakSet-Cookie: a=1; HttpOnly", "/bad": "500 ",
	} {
		w := call(app, "GET", path, "", "", "If-None-Match", `"7"`)
		got := fmt.Sprint(w.Code, " ", w.Body)
		for _, name := range []string{"X-Count", "Set-Cookie"} {
			if value := w.Header().Get(name); value != "" {
				got += name + ": " + value
			}
		}
		if got != want && (want != "500 " || w.Code != 500) {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// Structs that group fields may have the names of others.
func TestGroupedFieldsOfOneName(t *testing.T) {
	type input struct {
		ID     int `query:"id"`
		Client struct {
			ID int `header:"X-ID"`
		}
	}
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(_ context.Context, in input) ([]int, error) { return []int{in.ID, in.Client.ID}, nil }, apidoc.ID("get"))
	if w := call(app, "GET", "/?id=1", "", "", "X-ID", "2"); w.Body.String() != "[1,2]" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// All values of a header are as described, also those that others have added.
func TestAddedHeaderValues(t *testing.T) {
	type output struct {
		N int `header:"X-N"`
	}
	app, api := newTyped()
	app.After(func(c routing.Context) error { c.Header().Add("X-N", "many"); return nil }, routing.On("/added"))
	for path, want := range map[string]string{"/as-is": "", "/added": "header X-N must be an integer"} {
		apidoc.Get(api, path, "", func(context.Context, struct{}) (output, error) { return output{1}, nil }, apidoc.ID(path[1:]))
		got := ""
		call(apidoc.CheckResponses(app, func(_ *http.Request, err error) { got = err.Error() }), "GET", path, "", "")
		if !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

func TestHeadersOfOtherTypes(t *testing.T) {
	type output struct {
		Size map[string]int `header:"X-Size"`
	}
	if got := refusal[struct{}, output]("GET"); !strings.Contains(got, "Size") {
		t.Errorf("got %q, want what is wrong with the header", got)
	}
}
