package apidoc_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"net/http"
	"os"
	"reflect"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/routing"
)

// This file tests that plugins describe what they add, in any order, and that an API does not know
// them.

type quota struct {
	Left int `json:"left"`
}

// newShop returns an app with plugins, loaded in an order.
func newShop(t *testing.T, order ...int) (*routing.App, map[string]any) {
	t.Helper()
	tenant, closed, busy := apidoc.NewProblem(404, "No such tenant"), apidoc.NewProblem(503, "Closed"), apidoc.NewProblem(503, "Busy")
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	type byID struct {
		ID string `path:"id"`
	}
	apidoc.Get(api, "/trees/:id", "", func(_ context.Context, in byID) (string, error) { return in.ID, nil }, apidoc.ID("tree"), noTree)
	refuse := func(id string, err error) apidoc.Interceptor {
		return func(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
			if in, ok := call.Input.(*byID); ok && in.ID == id {
				return nil, err
			}
			return next(ctx)
		}
	}
	plugins := []func(){
		func() { api.Intercept(refuse("tenant", tenant), tenant) },
		func() { api.Intercept(refuse("closed", closed), closed) },
		func() { api.Intercept(refuse("busy", busy), busy) },
		func() {
			api.Intercept(nil, apidoc.Response[quota](429, "Too many requests"))
			app.Before(func(c routing.Context) error {
				if c.Request().Header.Get("X-Many") == "" {
					return nil
				}
				body := routing.Bytes("application/json", []byte(`{"left":0}`))
				return &routing.HaltError{Status: 429, Body: body}
			})
		},
		func() {
			type Tree struct{ A int }
			apidoc.Get(api, "/a", "", func(context.Context, struct{}) (Tree, error) { return Tree{}, nil }, apidoc.ID("getA"))
		},
		func() {
			apidoc.Get(api, "/b", "", func(context.Context, struct{}) (TREE, error) { return TREE{}, nil }, apidoc.ID("geta"))
		},
	}
	for _, i := range order {
		plugins[i]()
	}
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	var description map[string]any
	if err := json.Unmarshal(d.OpenAPI(), &description); err != nil {
		t.Fatal(err)
	}
	return app, description
}

// TREE has a name that differs from another type's only in letter case.
type TREE struct{ B int }

// permutations calls f with all orders of n numbers.
func permutations(n int, f func([]int)) {
	var choose func(chosen []int)
	choose = func(chosen []int) {
		if len(chosen) == n {
			f(chosen)
		}
		for i := range n {
			if !isIn(chosen, i) {
				choose(append(chosen[:len(chosen):len(chosen)], i))
			}
		}
	}
	choose(nil)
}

func isIn(list []int, wanted int) bool {
	for _, i := range list {
		if i == wanted {
			return true
		}
	}
	return false
}

// Plugins in any order make one description, and describe what they return.
func TestPluginsInAnyOrder(t *testing.T) {
	app, want := newShop(t, 0, 1, 2, 3, 4, 5)
	responses := tree(want).at("paths", "/trees/{id}", "get", "responses")
	for status, text := range map[string]string{"404": "No such tree; No such tenant", "503": "Busy; Closed", "429": "Too many requests"} {
		if got := responses.at(status)["description"]; got != text {
			t.Errorf("%s is described as %v, want %s", status, got, text)
		}
	}
	if len(responses.at("429", "content", "application/json")) == 0 || tree(want).at("components", "schemas", "quota") == nil {
		t.Errorf("the 429 is %v", responses["429"])
	}
	c := apitest.New(t, app) // which compares the responses with the description
	c.Get("/trees/tenant").Want(404)
	c.Get("/trees/closed").Want(503)
	c.Get("/trees/busy").Want(503)
	c.Get("/trees/oak").Want(200, "oak")
	c.WithHeader("X-Many", "1").Get("/trees/oak").Want(429, quota{})
	permutations(6, func(order []int) {
		if _, got := newShop(t, order...); !reflect.DeepEqual(got, want) {
			t.Fatalf("in the order %v: got %v, want %v", order, got, want)
		}
	})
}

// The order of plugins does not decide which response is described, even if the texts are the same.
func TestResponsesOfOneStatus(t *testing.T) {
	type other struct{ Seconds int }
	responses := []apidoc.ResponseOption{apidoc.Response[quota](429, "Too many"), apidoc.Response[other](429, "Too many")}
	var texts []string
	for i := range responses {
		app, api := newTyped()
		apidoc.Get(api, "/", "", answer("a"), apidoc.ID("a"))
		api.Intercept(nil, responses[i])
		api.Intercept(nil, responses[1-i])
		texts = append(texts, string(build(t, app, "").OpenAPI()))
	}
	if texts[0] != texts[1] {
		t.Errorf("the descriptions are %s and %s", texts[0], texts[1])
	}
}

// A plugin that is added after the description was read is described too.
func TestLatePlugin(t *testing.T) {
	_, api := newTyped()
	apidoc.Get(api, "/", "", answer("a"), apidoc.ID("a"))
	responses := func() tree {
		d, err := api.Document()
		if err != nil {
			t.Fatal(err)
		}
		return decode(t, d.OpenAPI()).at("paths", "/", "get", "responses")
	}
	before := responses()
	api.Intercept(nil, apidoc.NewProblem(409, "Late"))
	if after := responses(); before["409"] != nil || after["409"] == nil {
		t.Errorf("the responses are %v, and then %v", before, after)
	}
}

// API.Intercept describes responses alone.
func TestOptionsOfIntercept(t *testing.T) {
	_, api := newTyped()
	for _, other := range []reflect.Type{reflect.TypeFor[apidoc.Tag](), reflect.TypeOf(membersOnly), reflect.TypeOf(apidoc.Status).Out(0)} {
		if other.Implements(reflect.TypeFor[apidoc.ResponseOption]()) {
			t.Errorf("a %s is accepted", other)
		}
	}
	const want = "apidoc: Intercept: response 204, string: a 204 has no body: write struct{}"
	if got := panicOf(func() { api.Intercept(nil, apidoc.Response[string](204, "Gone")) }); got != want {
		t.Errorf("panicked with %q, want %s", got, want)
	}
}

// For a HEAD of events, interceptors run and versions are compared, but the function does not run.
func TestHeadOfEvents(t *testing.T) {
	for _, intercepts := range []bool{true, false} {
		app, api := newTyped()
		ran, around := false, 0
		apidoc.Get(api, "/:name", "", func(context.Context, entityName) (iter.Seq[int], error) {
			ran = true
			return func(func(int) bool) {}, nil
		}, apidoc.Versioned(versionOf), noTree)
		if intercepts {
			api.Intercept(func(ctx context.Context, _ *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
				around++
				return next(ctx)
			})
		}
		w := call(app, "HEAD", "/oak", "", "")
		if h := w.Header(); w.Code != 200 || h.Get("ETag") != `"7"` || h.Get("Content-Type") != "text/event-stream" {
			t.Errorf("got %d %v", w.Code, h)
		}
		if w := call(app, "HEAD", "/oak", "", "", "If-None-Match", `"7"`); w.Code != 304 {
			t.Errorf("got %d, want 304", w.Code)
		}
		if w := call(app, "HEAD", "/gone", "", ""); w.Code != 404 {
			t.Errorf("got %d, want 404", w.Code)
		}
		if ran || intercepts != (around == 3) {
			t.Errorf("the function ran: %t; interceptors ran %d times", ran, around)
		}
	}
}

type sack struct {
	Name  string   `json:"name" minLength:"1"`
	Kilos int      `json:"kilos" min:"1" max:"50"`
	Tags  []string `json:"tags,omitempty" unique:"true"`
	ID    int      `json:"id" readOnly:"true" max:"2"` // not checked, as no request has it
}

func (s sack) Validate(context.Context) ([]apidoc.InputError, error) {
	switch {
	case s.ID != 0:
		return nil, errors.New("a readOnly member was read")
	case s.Name == "heavy":
		return []apidoc.InputError{{Pointer: "/kilos", Detail: "is too much"}}, nil
	case s.Name == "away":
		return nil, errors.New("the database is away")
	}
	return nil, nil
}

// A Checker finds the errors that the body of a request would have.
func TestChecker(t *testing.T) {
	sacks := apidoc.NewChecker[sack]()
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(context.Context, sack) (struct{}, error) { return struct{}{}, nil })
	c := apitest.New(t, app)
	for _, v := range []sack{
		{"rye", 7, nil, 3}, {"", 0, []string{"a", "a"}, 0}, {"rye", 51, nil, 0}, {"heavy", 1, nil, 0},
	} {
		var got, want *apidoc.Problem
		if err := sacks.Check(t.Context(), v); err != nil && !errors.As(err, &got) {
			t.Errorf("%+v: %v", v, err)
		}
		if r := c.Post("/", v); r.Status == http.StatusUnprocessableEntity {
			r.Decode(&want)
		}
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if string(a) != string(b) {
			t.Errorf("%+v: got %s, want %s", v, a, b)
		}
	}
	for _, v := range []map[string]string{{"name": "M\xfcller"}, {"M\xfcller": "name"}} { // Latin-1
		const want = "body must be text in UTF-8"
		if err := apidoc.NewChecker[map[string]string]().Check(t.Context(), v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", v, err, want)
		}
	}
	if err := sacks.Check(t.Context(), sack{Name: "away", Kilos: 1}); err == nil || err.Error() != "the database is away" {
		t.Errorf("got %v", err)
	}
	const want = "apidoc: NewChecker[apidoc_test.entityName]: it reads JSON: write a struct without the tags"
	if got := panicOf(func() { apidoc.NewChecker[entityName]() }); !strings.HasPrefix(got, want) {
		t.Errorf("panicked with %q", got)
	}
	if err := apidoc.Invalid(nil); err != nil {
		t.Errorf("no errors: got %v", err)
	}
}

// The field Input of a Call is not for another input.
func TestInputOfCallIsNotSet(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/:name", "", func(_ context.Context, in entityName) (string, error) { return in.Name, nil })
	api.Intercept(func(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		if call.Input.(*entityName).Name == "set" {
			call.Input = &entityName{"other"}
		} else {
			call.Input.(*entityName).Name = "changed"
		}
		return next(ctx)
	})
	if w := call(app, "GET", "/oak", "", ""); w.Body.String() != "changed" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if w := call(app, "GET", "/set", "", ""); w.Code != 500 {
		t.Errorf("got %d %s, want 500", w.Code, w.Body)
	}
}

// A directory is an error for GET and HEAD.
func TestDirectoryAsReader(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(context.Context, struct{}) (io.Reader, error) { return os.Open(t.TempDir()) })
	for _, method := range []string{"GET", "HEAD"} {
		if w := call(app, method, "/", "", ""); w.Code != 500 || w.Header()["Content-Length"] != nil && w.Header().Get("Content-Length") > "999" {
			t.Errorf("%s: got %d %v", method, w.Code, w.Header())
		}
	}
}
