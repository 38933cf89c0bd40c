package apidoc_test

import (
	"context"
	"fmt"
	"iter"
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
	type counts struct {
		None  int  `header:"X-None"`
		Count *int `header:"X-Count"`
	}
	type cached struct {
		Status int    `status:"200,203,399"`
		Tag    string `header:"ETag"`
		Body   string `body:""`
	}
	type bare struct {
		Tag string `header:"ETag"`
	}
	type cookies struct {
		One  http.Cookie `header:"Set-Cookie"`
		Body string      `body:""`
	}
	type several struct {
		All []http.Cookie `header:"Set-Cookie"`
	}
	app, api := newTyped()
	apidoc.Get(api, "/json", "", func(context.Context, struct{}) (jsonText, error) { return jsonText{`a "text"`}, nil }, apidoc.ID("json"))
	apidoc.Get(api, "/none", "", func(context.Context, struct{}) (noBody, error) { return noBody{Count: 3}, nil }, apidoc.ID("none"))
	apidoc.Get(api, "/empty", "", func(context.Context, struct{}) (none struct{}, _ error) { return none, nil }, apidoc.ID("empty"), apidoc.Status(200))
	apidoc.Get(api, "/chosen", "", func(context.Context, struct{}) (cached, error) { return cached{Body: "oak"}, nil }, apidoc.ID("chosen"), apidoc.Status(202))
	apidoc.Get(api, "/zero", "", func(context.Context, struct{}) (counts, error) { return counts{Count: new(int)}, nil }, apidoc.ID("zero"))
	apidoc.Get(api, "/cached", "", func(context.Context, struct{}) (cached, error) { return cached{0, `"7"`, "oak"}, nil }, apidoc.ID("cached"))
	apidoc.Get(api, "/bare", "", func(context.Context, struct{}) (bare, error) { return bare{`"7"`}, nil }, apidoc.ID("bare"), apidoc.Status(200))
	apidoc.Get(api, "/transformed", "", func(context.Context, struct{}) (cached, error) { return cached{203, `"7"`, "oak"}, nil }, apidoc.ID("other"))
	apidoc.Get(api, "/highest", "", func(context.Context, struct{}) (cached, error) { return cached{399, `"7"`, "oak"}, nil }, apidoc.ID("highest"))
	apidoc.Get(api, "/cookies", "", func(context.Context, struct{}) (cookies, error) {
		return cookies{http.Cookie{Name: "a", Value: "1", HttpOnly: true}, "oak"}, nil
	}, apidoc.ID("cookies"))
	apidoc.Get(api, "/bad", "", func(context.Context, struct{}) (cookies, error) {
		return cookies{http.Cookie{Name: "a b", Value: "1"}, "oak"}, nil
	}, apidoc.ID("bad"))
	apidoc.Get(api, "/several", "", func(context.Context, struct{}) (several, error) {
		return several{[]http.Cookie{{Name: "a", Value: "1"}, {Name: "b", Value: "2"}}}, nil
	}, apidoc.ID("several"))
	apidoc.Get(api, "/one-bad", "", func(context.Context, struct{}) (several, error) {
		return several{[]http.Cookie{{Name: "a b"}, {Name: "b", Value: "2"}}}, nil
	}, apidoc.ID("oneBad"))
	for path, want := range map[string]string{
		"/json": `200 "a \"text\""`, "/none": "204 X-Count: 3", "/zero": "204 X-Count: 0", "/empty": "200 ", "/cached": "304 ", "/bare": "304 ", "/chosen": "202 oak", "/transformed": "203 oak", "/highest": "399 oak",
		"/cookies": "200 oakSet-Cookie: a=1; HttpOnly", "/bad": "500 ",
		"/several": "204 Set-Cookie: a=1 b=2", "/one-bad": "500 ",
	} {
		w := call(app, "GET", path, "", "", "If-None-Match", `"7"`)
		got := fmt.Sprint(w.Code, " ", w.Body)
		for _, name := range []string{"X-None", "X-Count", "Set-Cookie"} {
			if values := w.Header()[name]; values != nil {
				got += name + ": " + strings.Join(values, " ")
			}
		}
		if got != want && (want != "500 " || w.Code != 500) {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// A field of a nested struct may have the name of an outer field.
func TestNestedFieldsWithTheSameName(t *testing.T) {
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

// CheckResponses checks all values of a header, also the values that filters added.
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

func TestMisusedOutputs(t *testing.T) {
	type low struct {
		Status int `status:"100,200"`
	}
	type high struct {
		Status int `status:"200,600"`
	}
	type word struct {
		Status int `status:"ok"`
	}
	type wide struct {
		Status int64 `status:"200"`
	}
	type text struct {
		Size map[string]int `header:"X-Size"`
	}
	type revision struct {
		Revision int `header:"ETag"`
	}
	type media struct {
		Type int    `header:"Content-Type"`
		Body string `body:""`
	}
	type twice struct {
		A int `header:"X-A"`
		B int `header:"x-a"`
	}
	type ruled struct {
		Size int `header:"X-Size" min:"many"`
	}
	type preset struct {
		Size int `header:"X-Size" default:"3"`
	}
	type failed struct {
		Status int `status:"200,409"`
	}
	for _, c := range []struct{ name, got, want string }{
		{"a map as a header", refusal[struct{}, text]("GET"), "field Size"},
		{"a limit that is no number", refusal[struct{}, ruled]("GET"), `field Size: tag min:"many": write a number`},
		{"events without JSON", refusal[struct{}, iter.Seq[apidoc.Event[chan int]]]("GET"), "chan int"},
		{"a number as Content-Type", refusal[struct{}, media]("GET"), "a Content-Type is a string"},
		{"a number as ETag", refusal[struct{}, revision]("GET"), "an ETag is a string"},
		{"a status below 200", refusal[struct{}, low]("GET"), "write all statuses that it may have"},
		{"a status above 599", refusal[struct{}, high]("GET"), "write all statuses that it may have"},
		{"an int64 as status", refusal[struct{}, wide]("GET"), "a status is an int, not a int64"},
		{"a word as status", refusal[struct{}, word]("GET"), "write all statuses that it may have"},
		{"a status of an error", refusal[struct{}, failed]("GET"), "a 409 is an error, which rolls back a transaction: return a Problem"},
		{"a default of a header", refusal[struct{}, preset]("GET"), "a header of an output has no default"},
		{"a body of a 101", refusal[struct{}, string]("GET", apidoc.Response[string](101, "Upgrade")), "a 101 has no body: write struct{}"},
		{"a header twice", refusal[struct{}, twice]("GET"), "two fields have the header X-A: write one, which may be a slice"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

// A response without a body may have headers.
func TestResponsesOfHeadersAlone(t *testing.T) {
	type moved struct {
		To string `header:"X-Moved-To"`
	}
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(context.Context, struct{}) (string, error) { return "", nil }, apidoc.ID("get"), apidoc.Response[moved](410, "Moved"))
	gone := decode(t, build(t, app, "").OpenAPI()).at("paths", "/", "get", "responses", "410")
	type empty struct {
		Status int    `status:"200,204"`
		Body   string `body:""`
	}
	apidoc.Get(api, "/empty", "", func(context.Context, struct{}) (empty, error) { return empty{}, nil }, apidoc.ID("empty"))
	responses := decode(t, build(t, app, "").OpenAPI()).at("paths", "/empty", "get", "responses")
	if responses.at("200", "content") == nil || responses.at("204")["content"] != nil {
		t.Errorf("described as %v", responses)
	}
	if gone.at("headers", "X-Moved-To") == nil || gone.at("content") != nil {
		t.Errorf("described as %v", gone)
	}
}

// The status in an output, the option Status, and a 204 override the status that a filter has set;
// a 200 by default does not.
func TestStatusOverridesFilter(t *testing.T) {
	type output struct {
		Status int    `status:"201,200"`
		Body   string `body:""`
	}
	type fine struct {
		Status int `status:"200,201"`
	}
	app, api := newTyped()
	app.Before(func(c routing.Context) error { c.SetStatus(202); return nil })
	apidoc.Get(api, "/:status", "", func(_ context.Context, in struct {
		Status int `path:"status"`
	}) (output, error) {
		return output{in.Status, "oak"}, nil
	}, apidoc.ID("get"))
	for path, want := range map[string]int{"/0": 201, "/200": 200, "/201": 201} {
		if w := call(app, "GET", path, "", ""); w.Code != want || w.Body.String() != "oak" {
			t.Errorf("%s: got %d %s, want %d", path, w.Code, w.Body, want)
		}
	}
	apidoc.Get(api, "/set/:status", "", func(_ context.Context, in struct {
		Status int `path:"status"`
	}) (fine, error) {
		return fine{in.Status}, nil
	}, apidoc.ID("set"), apidoc.Status(203))
	for path, want := range map[string]int{"/set/0": 203, "/set/201": 201} {
		if w := call(app, "GET", path, "", ""); w.Code != want {
			t.Errorf("%s: got %d, want %d", path, w.Code, want)
		}
	}
	apidoc.Get(api, "/fine", "", func(context.Context, struct{}) (fine, error) { return fine{}, nil })
	if w := call(app, "GET", "/fine", "", ""); w.Code != 200 {
		t.Errorf("got %d, want the default 200", w.Code)
	}
	apidoc.Get(api, "/set", "", answer("oak"), apidoc.ID("asSet"))
	apidoc.Get(api, "/option", "", answer("oak"), apidoc.ID("option"), apidoc.Status(200))
	apidoc.Get(api, "/empty", "", func(context.Context, struct{}) (none struct{}, _ error) { return none, nil }, apidoc.ID("empty"))
	for path, want := range map[string]int{"/set": 202, "/option": 200, "/empty": 204} {
		if w := call(app, "GET", path, "", ""); w.Code != want {
			t.Errorf("%s: got %d, want %d", path, w.Code, want)
		}
	}
}

// A header of an output replaces a filter's. Cookies and Vary are added. If the body fails, the
// filter's headers are sent with the error.
func TestHeadersReplaceTheFilters(t *testing.T) {
	type output struct {
		Cache  string        `header:"Cache-Control"`
		Place  string        `header:"X-Place"`
		Vary   string        `header:"Vary"`
		Cookie []http.Cookie `header:"Set-Cookie"`
		Body   any           `body:""`
	}
	app, api := newTyped()
	app.Before(func(c routing.Context) error {
		h := c.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Place", "/filter")
		h.Add("Vary", "Origin")
		h.Add("Set-Cookie", "a=1")
		c.SetContentType("text/html")
		return nil
	})
	apidoc.Get(api, "/fine", "", func(context.Context, struct{}) (output, error) {
		return output{"max-age=60", "/output", "Accept", []http.Cookie{{Name: "a", Value: "1"}}, 1}, nil
	}, apidoc.ID("fine"))
	apidoc.Get(api, "/zero", "", func(context.Context, struct{}) (output, error) { return output{Body: 1}, nil }, apidoc.ID("zero"))
	apidoc.Get(api, "/fails", "", func(context.Context, struct{}) (output, error) {
		return output{"max-age=60", "/output", "Accept", []http.Cookie{{Name: "a", Value: "1"}}, func() {}}, nil
	}, apidoc.ID("fails"))
	const filters = "[no-store] [/filter] [Origin] [a=1] "
	for path, want := range map[string]string{
		"/fine":  "200 [max-age=60] [/output] [Origin Accept] [a=1 a=1] [application/json]",
		"/zero":  "200 " + filters + "[application/json]",
		"/fails": "500 " + filters + "[application/problem+json]",
	} {
		w := call(app, "GET", path, "", "")
		h := w.Header()
		got := fmt.Sprint(w.Code, h["Cache-Control"], h["X-Place"], h["Vary"], h["Set-Cookie"], h["Content-Type"])
		if got = strings.ReplaceAll(got, "[", " ["); strings.ReplaceAll(got, "  ", " ") != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
