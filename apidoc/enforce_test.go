package apidoc_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// enforced returns an app with an enforced route that has these parameters.
func enforced(method, pattern string, parameters ...apidoc.Parameter) *routing.App {
	app := routing.New()
	app.Route(method, routing.Must(routing.Sinatra(pattern)), func(c routing.Context) (routing.Result, error) {
		return routing.Text("the action ran"), nil
	}, apidoc.Enforce(withResponse("one", apidoc.Type{}, parameters...)))
	return app
}

// wrong serves a request and returns the text of its problem, or "" if the action ran.
func wrong(t *testing.T, app http.Handler, r *http.Request) []apidoc.InputError {
	t.Helper()
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	if w.Code == 200 && w.Body.String() == "the action ran" {
		return nil
	}
	var problem apidoc.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil || w.Header().Get("Content-Type") != "application/problem+json" {
		t.Fatalf("status %d, body %q; want 200 or a problem: %v", w.Code, w.Body, err)
	}
	if problem.Title == "" || problem.Status != w.Code {
		t.Errorf("status %d, problem is %+v", w.Code, problem)
	}
	if w.Code != 422 {
		return []apidoc.InputError{{Detail: fmt.Sprint(w.Code, " ", problem.Detail)}}
	}
	return problem.Errors
}

func TestEnforceTypes(t *testing.T) {
	types := map[string]apidoc.Type{
		"text":     {},
		"bool":     apidoc.TypeOf[bool](),
		"int":      apidoc.TypeOf[int64](),
		"int8":     apidoc.TypeOf[int8](),
		"uint16":   apidoc.TypeOf[uint16](),
		"float32":  apidoc.TypeOf[float32](),
		"float64":  apidoc.TypeOf[float64](),
		"number":   apidoc.TypeOf[json.Number](),
		"time":     apidoc.TypeOf[time.Time](),
		"bytes":    apidoc.TypeOf[[]byte](),
		"int-list": apidoc.TypeOf[[]int](),
		"pointer":  apidoc.TypeOf[*int](),
	}
	for _, c := range []struct{ name, value, want string }{
		{"text", "", ""},
		{"text", "<anything> at all", ""},
		{"bool", "true", ""},
		{"bool", "false", ""},
		{"bool", "1", "must be true or false"},
		{"bool", "True", "must be true or false"},
		{"bool", "", "must be true or false"},
		{"int", "0", ""},
		{"int", "-12", ""},
		{"int", "007", ""},
		{"int", "9223372036854775807", ""},
		{"int", "9223372036854775808", "must be an integer of 64 bits"},
		{"int", "", "must be an integer"},
		{"int", "-", "must be an integer"},
		{"int", "+1", "must be an integer"},
		{"int", " 1", "must be an integer"},
		{"int", "1\n", "must be an integer"},
		{"int", "1.0", "must be an integer"},
		{"int", "1e3", "must be an integer"},
		{"int", "0x1", "must be an integer"},
		{"int", "1_000", "must be an integer"},
		{"int", "١", "must be an integer"},
		{"int8", "127", ""},
		{"int8", "-128", ""},
		{"int8", "128", "must be an integer of 8 bits"},
		{"uint16", "65535", ""},
		{"uint16", "65536", "must be an integer of 16 bits, without a sign"},
		{"uint16", "-0", "must be an integer of at least 0"},
		{"float64", "1", ""},
		{"float64", "-1.5e-3", ""},
		{"float64", "1e400", "must be a number of 64 bits"},
		{"float32", "1e39", "must be a number of 32 bits"},
		{"number", "1e400", ""},
		{"float64", "NaN", "must be a number"},
		{"float64", "Infinity", "must be a number"},
		{"float64", "1.", "must be a number"},
		{"float64", ".5", "must be a number"},
		{"float64", "1 ", "must be a number"},
		{"float64", "0x1p-2", "must be a number"},
		{"float64", "", "must be a number"},
		{"time", "2026-11-21T10:00:00Z", ""},
		{"time", "2026-11-21T10:00:00.5+01:00", ""},
		{"time", "2026-11-21", "must be a time as in RFC 3339, such as 2006-01-02T15:04:05Z"},
		{"time", "2026-02-30T10:00:00Z", "must be a time as in RFC 3339, such as 2006-01-02T15:04:05Z"},
		{"bytes", "", ""},
		{"bytes", "AQI=", ""},
		{"bytes", "AQI", "must be base64"},
		{"bytes", "_-8=", "must be base64"},
		{"int-list", "1", ""},
		{"int-list", "x", "must be an integer"},
		{"pointer", "1", ""},
		{"pointer", "null", "must be an integer"},
	} {
		t.Run(c.name+"="+c.value, func(t *testing.T) {
			app := enforced("GET", "/", apidoc.Parameter{Name: c.name, In: apidoc.InQuery, Type: types[c.name]})
			r := httptest.NewRequest("GET", "/?"+url.Values{c.name: {c.value}}.Encode(), nil)
			var want []apidoc.InputError
			if c.want != "" {
				want = []apidoc.InputError{{Name: c.name, In: "query", Detail: c.want}}
			}
			if diff := cmp.Diff(wrong(t, app, r), want); diff != "" {
				t.Errorf("got (-) and want (+) differ:\n%s", diff)
			}
		})
	}
}

func TestEnforcePlaces(t *testing.T) {
	type Line struct {
		Slug  string `json:"slug"`
		Count int    `json:"count,omitempty"`
	}
	type Order struct {
		Lines []Line            `json:"lines"`
		Note  *string           `json:"note"`
		Tags  map[string]string `json:"tags,omitempty"`
		Size  [2]int            `json:"size,omitempty"`
		Next  *Order            `json:"next,omitempty"`
		Any   any               `json:"any,omitempty"`
	}
	id := apidoc.Parameter{Name: "id", In: apidoc.InPath, Type: apidoc.TypeOf[int]()}
	must := apidoc.Parameter{Name: "n", In: apidoc.InQuery, Type: apidoc.TypeOf[int](), Required: true}
	list := apidoc.Parameter{Name: "n", In: apidoc.InQuery, Type: apidoc.TypeOf[[]int]()}
	header := apidoc.Parameter{Name: "X-Count", In: apidoc.InHeader, Type: apidoc.TypeOf[int](), Required: true}
	form := apidoc.Parameter{Name: "n", In: apidoc.InForm, Type: apidoc.TypeOf[int](), Required: true}
	body := apidoc.Parameter{Name: "order", In: apidoc.InBody, Type: apidoc.TypeOf[Order](), Required: true}
	maybe, whatever := body, body
	maybe.Required, whatever.Type = false, apidoc.Type{}
	const jsonType, formType = "application/json", "application/x-www-form-urlencoded"
	for _, c := range []struct {
		name      string
		parameter apidoc.Parameter
		target    string
		content   string // X-Count for a header, otherwise the body
		mediaType string
		want      string
	}{
		{"path", id, "/a/12", "", "", ""},
		{"path with text", id, "/a/x", "", "", "must be an integer"},
		{"path goes before query", id, "/a/12?id=x", "", "", ""},
		{"query missing", must, "/a", "", "", "is required"},
		{"query with another case", must, "/a?N=1", "", "", "is required"},
		{"query there", must, "/a?n=1", "", "", ""},
		{"query without a value", must, "/a?n", "", "", "must be an integer"},
		{"query, the second value", must, "/a?n=1&n=x", "", "", "must be an integer"},
		{"list missing", list, "/a", "", "", ""},
		{"list of two", list, "/a?n=1&n=2", "", "", ""},
		{"list of one wrong", list, "/a?n=1&n=x", "", "", "must be an integer"},
		{"header", header, "/a", "1", "", ""},
		{"header wrong", header, "/a", "x", "", "must be an integer"},
		{"header missing", header, "/a", "", "", "is required"},
		{"form", form, "/a", "n=1", formType, ""},
		{"form wrong", form, "/a", "n=x", formType, "must be an integer"},
		{"form missing", form, "/a", "", formType, "is required"},
		{"form of another type", form, "/a", "n=1", "text/plain", "is required"},

		{"body", body, "/a", `{"lines":[{"slug":"rose","count":2}],"note":null}`, jsonType, ""},
		{"body with more", body, "/a", `{"lines":[],"note":"x","more":1}`, jsonType, ""},
		{"body with everything", body, "/a", `{"lines":[],"note":"x","tags":{"a":"b"},"size":[1,2],"next":{"lines":[],"note":null},"any":[1]}`, jsonType + "; charset=utf-8", ""},
		{"body missing", body, "/a", "", jsonType, ": is required, with the content type application/json"},
		{"body of another type", body, "/a", "{}", "text/plain", "415 Send the body with the content type application/json"},
		{"body not required", maybe, "/a", "", "", ""},
		{"body not required, and wrong", maybe, "/a", "{", jsonType, "400 The body is not JSON"},
		{"body cut off", body, "/a", `{"lines":[`, jsonType, "400 The body is not JSON"},
		{"two bodies", body, "/a", `{"lines":[],"note":"x"}{}`, jsonType, "400 The body is not JSON"},
		{"body is a list", body, "/a", `[]`, jsonType, ": must be an object"},
		{"body is null", body, "/a", `null`, jsonType, ": must be an object"},
		{"member missing", body, "/a", `{"lines":[]}`, jsonType, "/note: is required"},
		{"member null", body, "/a", `{"lines":null,"note":null}`, jsonType, "/lines: must be an array"},
		{"member of a member", body, "/a", `{"note":null,"lines":[{"slug":"a"},{"slug":1}]}`, jsonType, "/lines/1/slug: must be a string"},
		{"member missing in a member", body, "/a", `{"note":null,"lines":[{}]}`, jsonType, "/lines/0/slug: is required"},
		{"number with a fraction", body, "/a", `{"note":null,"lines":[{"slug":"a","count":1.5}]}`, jsonType, "/lines/0/count: must be an integer"},
		{"map", body, "/a", `{"note":null,"lines":[],"tags":{"<b>":1}}`, jsonType, "/tags/<b>: must be a string"},
		{"array too long", body, "/a", `{"note":null,"lines":[],"size":[1,2,3]}`, jsonType, "/size: must have 2 items"},
		{"recursion", body, "/a", `{"note":null,"lines":[],"next":{"note":null,"lines":[],"next":{"note":1,"lines":[]}}}`, jsonType, "/next/next/note: must be a string"},
		{"any JSON", whatever, "/a", `[1]`, jsonType, ""},
		{"any JSON, no JSON", whatever, "/a", `[1`, jsonType, "400 The body is not JSON"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pattern := "/a"
			if c.parameter.In == apidoc.InPath {
				pattern = "/a/:id"
			}
			r := httptest.NewRequest("POST", c.target, nil)
			if c.parameter.In == apidoc.InHeader {
				if c.content != "" {
					r.Header.Set("X-Count", c.content)
				}
			} else if c.mediaType != "" {
				r = httptest.NewRequest("POST", c.target, strings.NewReader(c.content))
				r.Header.Set("Content-Type", c.mediaType)
			}
			var want []apidoc.InputError
			if c.want != "" {
				want = []apidoc.InputError{{Name: c.parameter.Name, In: c.parameter.In, Detail: c.want}}
				if c.parameter.In == apidoc.InBody {
					pointer, detail, _ := strings.Cut(c.want, ": ")
					want[0] = apidoc.InputError{In: apidoc.InBody, Pointer: pointer, Detail: detail}
				}
				if strings.HasPrefix(c.want, "4") {
					want[0] = apidoc.InputError{Detail: c.want}
				}
			}
			if diff := cmp.Diff(wrong(t, enforced("POST", pattern, c.parameter), r), want); diff != "" {
				t.Errorf("got (-) and want (+) differ:\n%s", diff)
			}
		})
	}
}

func TestEnforceNamesAllThatIsWrong(t *testing.T) {
	app := enforced("GET", "/:id",
		apidoc.Parameter{Name: "id", In: apidoc.InPath, Type: apidoc.TypeOf[int]()},
		apidoc.Parameter{Name: "from", In: apidoc.InQuery, Required: true},
		apidoc.Parameter{Name: "to", In: apidoc.InQuery, Type: apidoc.TypeOf[time.Time]()},
	)
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/x?to=%3Cscript%3E", nil))
	const want = `{"type":"about:blank","title":"The request is not as described","status":422,` +
		`"detail":"path \"id\" must be an integer; query \"from\" is required; query \"to\" must be a time as in RFC 3339, such as 2006-01-02T15:04:05Z",` +
		`"errors":[{"in":"path","name":"id","detail":"must be an integer"},{"in":"query","name":"from","detail":"is required"},` +
		`{"in":"query","name":"to","detail":"must be a time as in RFC 3339, such as 2006-01-02T15:04:05Z"}]}`
	if got := w.Body.String(); got != want {
		t.Errorf("body is %s\nwant %s", got, want)
	}
}

// Parameters that cannot be read are not reported as missing.
func TestEnforceKeepsLimits(t *testing.T) {
	app := routing.New(routing.WithBodyLimit(10))
	app.Post("/", nothing, apidoc.Enforce(withResponse("one", apidoc.Type{}, apidoc.Parameter{Name: "b", In: apidoc.InBody, Required: true})))
	r := httptest.NewRequest("POST", "/", strings.NewReader(`"more than ten bytes"`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	if w.Code != 413 {
		t.Errorf("status %d with %q, want 413", w.Code, w.Body)
	}
}

// The action can read the body again.
func TestEnforceLeavesTheBody(t *testing.T) {
	app := routing.New()
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		b, err := io.ReadAll(c.Request().Body)
		return routing.Bytes("text/plain", b), err
	}, apidoc.Enforce(withResponse("one", apidoc.Type{}, apidoc.Parameter{Name: "b", In: apidoc.InBody, Required: true})))
	r := httptest.NewRequest("POST", "/", strings.NewReader(`{"a": 1}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	if w.Body.String() != `{"a": 1}` {
		t.Errorf("the action read %q", w.Body)
	}
}

// An operation that describes its own response for 422 keeps it.
func TestEnforceDescribesItsResponse(t *testing.T) {
	own := withResponse("own", apidoc.Type{})
	own.Responses = append(own.Responses, apidoc.Response{Status: 422, Description: "Ours"})
	app := routing.New()
	app.Get("/own", nothing, apidoc.Enforce(own))
	app.Get("/added", nothing, apidoc.Enforce(withResponse("added", apidoc.Type{})))
	app.Get("/none", nothing, apidoc.Describe(withResponse("none", apidoc.Type{})))
	paths := decode(t, build(t, app, "").Swagger()).at("paths")
	for path, want := range map[string]any{"/own": "Ours", "/added": "The request is not as described", "/none": nil} {
		if got := paths.at(path, "get", "responses", "422")["description"]; got != want {
			t.Errorf("%s: 422 is described as %v, want %v", path, got, want)
		}
	}
}
