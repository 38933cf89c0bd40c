package apidoc_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests bodies, parameters and outputs of typed operations.

// UUID is a type like those of UUID libraries.
type UUID [16]byte

func (u *UUID) UnmarshalText(text []byte) error {
	b, err := hex.DecodeString(strings.ReplaceAll(string(text), "-", ""))
	if err != nil || len(b) != len(u) {
		return errors.New("not a UUID")
	}
	copy(u[:], b)
	return nil
}

func (u UUID) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:]), nil
}

type (
	ByID struct {
		ID UUID `path:"id" doc:"The item's id"`
	}
	Colour string
	Item   struct {
		Name   string            `json:"name" minLength:"1" maxLength:"20" example:"Rose"`
		Count  int               `json:"count" min:"0" max:"100" default:"1"`
		Colour Colour            `json:"colour,omitempty"`
		Tags   []string          `json:"tags" unique:"true" maxLength:"3" pattern:"^[a-z]+$"`
		Notes  *string           `json:"notes,omitempty"`
		Labels map[string]string `json:"labels"`
		Made   time.Time         `json:"made,omitzero"`
	}
	Created struct {
		Location string `header:"Location" doc:"Where the item is"`
		Item     Item   `body:""`
	}
	Search struct {
		Paging
		Words  []string  `query:"word" maxLength:"2"`
		Colour Colour    `query:"colour"`
		Since  time.Time `query:"since"`
		Trace  string    `header:"X-Trace" pattern:"^[0-9]+$"`
		User   string    `cookie:"user"`
	}
	Paging struct {
		Limit int `query:"limit" min:"1" max:"50" default:"10"`
	}
)

func (Colour) Values() []Colour { return []Colour{"red", "white"} }

var (
	notFound = apidoc.NewProblem(404, "No such item")
	conflict = apidoc.NewProblem(409, "There is one already")
)

func newTyped() (*routing.App, *apidoc.API) {
	app := routing.New()
	return app, apidoc.NewAPI(app, info)
}

// call sends a request. Headers are names, each followed by its value.
func call(app http.Handler, method, target, contentType, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	return w
}

func createItem(ctx context.Context, in Item) (Created, error) {
	if in.Name == "rose" {
		return Created{}, conflict.Detailf("the name %s is taken", in.Name)
	}
	return Created{"/items/1", in}, nil
}

func TestTypedBodies(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/items", "Create an item", createItem, apidoc.Status(201), conflict)
	for _, c := range []struct {
		name, contentType, body string
		status                  int
		want                    string // a part of the response
	}{
		{"as described", "application/json", `{"name":"a","count":2,"tags":["x"],"labels":{}}`, 201, `{"name":"a","count":2,"tags":["x"],"labels":{}}`},
		{"default", "application/json", `{"name":"a","tags":[],"labels":{}}`, 201, `"count":1`},
		{"integer with a point", "application/json", `{"name":"a","count":1.20e1,"tags":[],"labels":{}}`, 201, `"count":12`},
		{"null that may be", "application/json", `{"name":"a","tags":[],"labels":{},"notes":null}`, 201, `"labels":{}}`},
		{"problem", "application/json", `{"name":"rose","tags":[],"labels":{}}`, 409, `"detail":"the name rose is taken"`},
		{"all at once", "application/json", `{"name":"","count":101,"tags":["x","x","y","Z"],"labels":{"a/b~c":1},"colour":"blue","made":"2026-01-01T1:00:00Z"}`, 422,
			`[{"in":"body","pointer":"/name","detail":"must have at least 1 character","code":"minLength","limit":1},` +
				`{"in":"body","pointer":"/count","detail":"must be at most 100","code":"maximum","limit":100},` +
				`{"in":"body","pointer":"/tags/1","detail":"must not occur twice","code":"uniqueItems"},` +
				`{"in":"body","pointer":"/tags/3","detail":"must match the pattern ^[a-z]+$","code":"pattern","limit":"^[a-z]+$"},` +
				`{"in":"body","pointer":"/tags","detail":"must have at most 3 items","code":"maxItems","limit":3},` +
				`{"in":"body","pointer":"/labels/a~1b~0c","detail":"must be a string","code":"type","limit":"string"},` +
				`{"in":"body","pointer":"/colour","detail":"must be one of \"red\", \"white\"","code":"enum","limit":["red","white"]},` +
				`{"in":"body","pointer":"/made","detail":"must be a time as in RFC 3339, such as 2006-01-02T15:04:05Z","code":"format","limit":"date-time"}]`},
		{"twice", "application/json", `{"name":"a","name":"b","tags":[],"labels":{"x":"","x":""}}`, 422,
			`[{"in":"body","pointer":"/name","detail":"must not occur twice","code":"duplicate"},{"in":"body","pointer":"/labels/x","detail":"must not occur twice","code":"duplicate"}]`},
		{"another letter case", "application/json", `{"name":"a","NAME":"b","tags":[],"labels":{}}`, 422, `"pointer":"/NAME","detail":"must be written \"name\""`},
		{"no JSON", "application/json", `{"name":`, 400, `"detail":"The body is not JSON"`},
		{"two values", "application/json", `{} {}`, 400, `"detail":"The body is not JSON"`},
		{"no body", "application/json", ``, 422, `"errors":[{"in":"body","detail":`},
		{"another type", "text/plain", `{}`, 415, `application/json`},
		{"no type", "", `{}`, 415, `application/json`},
		{"too long", "application/json", strings.Repeat(" ", apidoc.DefaultBodyLimit+1), 413, "larger than 1048576 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := call(app, "POST", "/items", c.contentType, c.body)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
				t.Errorf("got %d %s, want %d with %s", w.Code, w.Body, c.status, c.want)
			}
			if got := w.Header().Get("Content-Type"); c.status >= 400 && got != "application/problem+json" {
				t.Errorf("type %q", got)
			}
		})
	}
	if w := call(app, "POST", "/items?="+`{"name":1}`, "application/json", `{"name":"a","tags":[],"labels":{}}`); w.Code != 201 {
		t.Errorf("a query stands in for the body: %d %s", w.Code, w.Body)
	}
	if w := call(app, "POST", "/items", "application/json", `{"name":"a","tags":[],"labels":{}}`); w.Header().Get("Location") != "/items/1" {
		t.Errorf("headers are %v", w.Header())
	}
}

func TestTypedParameters(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/items", "Search", func(ctx context.Context, in Search) ([]any, error) {
		return []any{in.Limit, in.Words, in.Colour, in.Trace, in.User}, nil
	})
	apidoc.Get(api, "/items/:id", "Read", func(ctx context.Context, in ByID) (Item, error) { return Item{}, notFound }, notFound)
	for _, c := range []struct {
		target  string
		headers []string
		status  int
		want    string
	}{
		{"/items", nil, 200, `[10,null,"","",""]`},
		{"/items?limit=5&word=a+b&word=%63&colour=red", []string{"X-Trace", "7", "Cookie", "user=ann"}, 200, `[5,["a b","c"],"red","7","ann"]`},
		{"/items?limit=0&word=a&word=b&word=c&colour=blue&since=today", []string{"X-Trace", "x"}, 422,
			`[{"in":"query","name":"limit","detail":"must be at least 1","code":"minimum","limit":1},` +
				`{"in":"query","name":"word","detail":"must have at most 2 items","code":"maxItems","limit":2},` +
				`{"in":"query","name":"colour","detail":"must be one of \"red\", \"white\"","code":"enum","limit":["red","white"]},` +
				`{"in":"query","name":"since","detail":"must be a time as in RFC 3339, such as 2006-01-02T15:04:05Z","code":"format","limit":"date-time"},` +
				`{"in":"header","name":"X-Trace","detail":"must match the pattern ^[0-9]+$","code":"pattern","limit":"^[0-9]+$"}]`},
		{"/items", []string{"Cookie", `a=b; user="ann"`}, 200, `"ann"]`},
		{"/items", []string{"Cookie", `user=a"b,c; a=b`}, 200, `"a\"b,c"]`}, // net/http drops it
		{"/items/1", nil, 422, `[{"in":"path","name":"id","detail":"must be a UUID","code":"format","limit":"uuid"}]`},
		{"/items/01234567-89ab-cdef-0123-456789abcdef", nil, 404, `{"type":"about:blank","title":"No such item","status":404}`},
	} {
		w := call(app, "GET", c.target, "", "", c.headers...)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: got %d %s, want %d with %s", c.target, w.Code, w.Body, c.status, c.want)
		}
	}
}

func TestTypedOutputs(t *testing.T) {
	app, api := newTyped()
	type image struct {
		ContentType string `header:"Content-Type"`
		Bytes       []byte `body:"image/png,image/gif"`
	}
	type stored struct {
		Status int    `status:"200,201,204"`
		Item   []Item `body:""`
	}
	apidoc.Get(api, "/text", "", func(context.Context, struct{}) (string, error) { return "hello", nil })
	apidoc.Get(api, "/bytes", "", func(context.Context, struct{}) (image, error) { return image{Bytes: []byte("PNG")}, nil })
	apidoc.Get(api, "/gif", "", func(context.Context, struct{}) (image, error) { return image{"image/gif", []byte("GIF")}, nil })
	apidoc.Get(api, "/tiff", "", func(context.Context, struct{}) (image, error) { return image{"image/tiff", nil}, nil })
	apidoc.Get(api, "/stream", "", func(context.Context, struct{}) (io.Reader, error) { return strings.NewReader("flow"), nil })
	apidoc.Get(api, "/none", "", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil })
	apidoc.Get(api, "/nil", "", func(context.Context, struct{}) ([]Item, error) { return nil, nil })
	type page struct {
		Items []int `json:"items"`
	}
	type book struct {
		Pages []page `json:"pages,omitempty"`
	}
	apidoc.Get(api, "/within", "", func(context.Context, struct{}) (book, error) { return book{[]page{{}}}, nil })
	apidoc.Get(api, "/created", "", func(context.Context, struct{}) (stored, error) { return stored{201, []Item{{}}}, nil })
	apidoc.Get(api, "/deleted", "", func(context.Context, struct{}) (stored, error) { return stored{Status: 204}, nil })
	apidoc.Get(api, "/odd", "", func(context.Context, struct{}) (stored, error) { return stored{Status: 202}, nil })
	apidoc.Get(api, "/events", "", func(context.Context, struct{}) (iter.Seq[apidoc.Event[Item]], error) {
		return func(yield func(apidoc.Event[Item]) bool) {
			_ = yield(apidoc.Event[Item]{ID: "1", Name: "new", Data: Item{Name: "a"}}) && yield(apidoc.Event[Item]{})
		}, nil
	})
	apidoc.Get(api, "/any", "", func(context.Context, struct{}) (iter.Seq[any], error) {
		return slices.Values([]any{1, apidoc.Event[int]{ID: "2"}}), nil // the type of the elements is not Event
	})
	for _, c := range []struct {
		target      string
		status      int
		contentType string
		body        string
	}{
		{"/text", 200, "text/plain; charset=utf-8", "hello"},
		{"/bytes", 200, "image/png", "PNG"},
		{"/gif", 200, "image/gif", "GIF"},
		{"/tiff", 500, "application/problem+json", ""},
		{"/stream", 200, "application/octet-stream", "flow"},
		{"/none", 204, "", ""},
		{"/nil", 200, "application/json", "[]"},
		{"/within", 200, "application/json", `{"pages":[{"items":[]}]}`},
		{"/created", 201, "application/json", `[{"name":"","count":0,"tags":[],"labels":{}}]`},
		{"/deleted", 204, "", ""},
		{"/odd", 500, "application/problem+json", ""},
		{"/events", 200, "text/event-stream",
			":\n\nid: 1\nevent: new\ndata: {\"name\":\"a\",\"count\":0,\"tags\":[],\"labels\":{}}\n\ndata: {\"name\":\"\",\"count\":0,\"tags\":[],\"labels\":{}}\n\n"},
		{"/any", 200, "text/event-stream", ":\n\ndata: 1\n\ndata: {\"ID\":\"2\",\"Name\":\"\",\"Data\":0,\"Retry\":0}\n\n"},
	} {
		w := call(app, "GET", c.target, "", "")
		if w.Code != c.status || w.Header().Get("Content-Type") != c.contentType || c.status != 500 && w.Body.String() != c.body {
			t.Errorf("%s: got %d %q %q, want %+v", c.target, w.Code, w.Header().Get("Content-Type"), w.Body, c)
		}
	}
}

// Slug is embedded below. Its field has the name of the struct, so Go does not promote it.
type Slug struct {
	Slug string `path:"slug"`
}

func TestEmbeddedStructsOfTheirFieldsName(t *testing.T) {
	app, api := newTyped()
	type located struct {
		Location string `header:"Location"`
	}
	type Location located
	apidoc.Get(api, "/flowers/:slug", "", func(_ context.Context, in struct{ Slug }) (struct{ Location }, error) {
		return struct{ Location }{Location{in.Slug.Slug}}, nil
	}, apidoc.ID("read"))
	if w := call(app, "GET", "/flowers/rose", "", ""); w.Code != 204 || w.Header().Get("Location") != "rose" {
		t.Errorf("got %d %s, location %q", w.Code, w.Body, w.Header().Get("Location"))
	}
}

// store has operations as methods.
type store[T any] struct{}

func (*store[T]) list(context.Context, struct{}) ([]T, error) { return nil, nil }

// tx is a decorator of operations.
func tx[I, O any](f func(context.Context, I) (O, error)) func(context.Context, I) (O, error) {
	return func(ctx context.Context, in I) (O, error) { return f(ctx, in) }
}

func listAll[T any](context.Context, struct{}) ([]T, error) { return nil, nil }

// The ID of a decorated or generic function is made from the method and the pattern.
func TestIDs(t *testing.T) {
	app, api := newTyped()
	trees := &store[int]{}
	apidoc.Get(api, "/one", "", tx(whoami))
	apidoc.Get(api, "/two/:n", "", tx(func(context.Context, struct {
		N int `path:"n"`
	}) (int, error) {
		return 0, nil
	}))
	apidoc.Post(api, "/three", "", tx(tx(whoami)))
	apidoc.Get(api, "/four", "", whoami)
	apidoc.Get(api, "/five", "", trees.list)
	apidoc.Get(api, "/six", "", listAll[int])
	apidoc.Get(api, "/seven", "", listAll[string])
	paths := decode(t, build(t, app, "").OpenAPI()).at("paths")
	for path, want := range map[string]string{
		"/one": "getOne", "/two/{n}": "getTwoN", "/three": "postThree", "/four": "whoami", "/five": "list", "/six": "getSix", "/seven": "getSeven",
	} {
		for _, op := range paths.at(path) {
			if got := op.(map[string]any)["operationId"]; got != want {
				t.Errorf("%s: the ID is %v, want %s", path, got, want)
			}
		}
	}
}

// Browsers send "on" for a checkbox. It is a boolean's true, and a text of other types.
func TestTextOn(t *testing.T) {
	type fields struct {
		Yes   bool   `query:"yes"`
		Texts string `query:"text"`
		Also  bool   `form:"also"`
		Light string `form:"light"`
		Bools []bool `form:"bool"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in fields) (fields, error) { return in, nil }, apidoc.ID("on"))
	apidoc.Get(api, "/number", "", func(_ context.Context, in struct {
		N int `query:"n"`
	}) (int, error) {
		return in.N, nil
	}, apidoc.ID("number"))
	got := call(app, "POST", "/?yes=on&text=on", "application/x-www-form-urlencoded", "also=on&light=on&bool=on&bool=false")
	if want := `{"Yes":true,"Texts":"on","Also":true,"Light":"on","Bools":[true,false]}`; got.Body.String() != want {
		t.Errorf("got %d %s, want %s", got.Code, got.Body, want)
	}
	if w := call(app, "GET", "/number?n=on", "", ""); w.Code != 422 {
		t.Errorf("a number: got %d %s, want 422", w.Code, w.Body)
	}
}
