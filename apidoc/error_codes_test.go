package apidoc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
)

// This file tests the codes, limits and texts of errors.

type coded struct {
	Byte    int8              `json:"byte,omitempty"`
	Whole   int64             `json:"whole,omitempty"`
	Count   uint64            `json:"count,omitempty"`
	Share   float32           `json:"share,omitempty" exclusiveMin:"0" exclusiveMax:"1.5"`
	Step    int               `json:"step,omitempty" min:"3" max:"30" multipleOf:"3"`
	Level   int               `json:"level,omitempty" enum:"1,2"`
	Name    string            `json:"name,omitempty" minLength:"2" maxLength:"3" pattern:"^a"`
	Colour  string            `json:"colour,omitempty" enum:"red,blue"`
	Email   string            `json:"email,omitempty" format:"email"`
	Tags    []string          `json:"tags,omitempty" minLength:"1" maxLength:"2" unique:"true"`
	Pair    [2]bool           `json:"pair,omitempty"`
	Labels  map[string]string `json:"labels,omitempty" minLength:"1" maxLength:"1"`
	Numbers map[int8]int      `json:"numbers,omitempty"`
	Quoted  uint16            `json:"quoted,omitempty,string"`
	Text    string            `json:"text,omitempty,string" pattern:"^a"`
	Large   *big.Int          `json:"large,omitempty"`
	Target  *target           `json:"target,omitempty"`
	Own     *odd              `json:"own,omitempty"`
	Must    *struct {
		A int      `json:"a"`
		_ struct{} `additionalProperties:"false"`
	} `json:"must,omitempty"`
}

// odd is a text whose UnmarshalText refuses even lengths.
type odd string

func (o *odd) UnmarshalText(text []byte) error {
	if *o = odd(text); len(text)%2 == 0 {
		return fmt.Errorf("%s: even", text)
	}
	return nil
}

func TestCodes(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(context.Context, coded) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("post"))
	for _, c := range []struct{ body, want string }{
		{`{"byte":128}`, `maximum 127`},
		{`{"byte":-129}`, `minimum -128`},
		{`{"byte":"1"}`, `type "integer"`},
		{`{"byte":1,"byte":1}`, `duplicate`},
		{`{"Byte":1}`, `letterCase "byte"`},
		{`{"whole":9223372036854775808}`, `maximum 9223372036854775807`},
		{`{"whole":-9223372036854775809}`, `minimum -9223372036854775808`},
		{`{"count":18446744073709551616}`, `maximum 18446744073709551615`},
		{`{"count":-1}`, `minimum 0`},
		{`{"share":0}`, `exclusiveMinimum 0`},
		{`{"share":1.5}`, `exclusiveMaximum 1.5`},
		{`{"share":1e99}`, `format "float"`},
		{`{"step":2}`, `minimum 3`},
		{`{"step":31}`, `maximum 30`},
		{`{"step":4}`, `multipleOf 3`},
		{`{"level":3}`, `enum [1,2]`},
		{`{"name":"a"}`, `minLength 2`},
		{`{"name":"abcd"}`, `maxLength 3`},
		{`{"name":"bc"}`, `pattern "^a"`},
		{`{"colour":"green"}`, `enum ["red","blue"]`},
		{`{"email":"ann"}`, `format "email"`},
		{`{"tags":[]}`, `minItems 1`},
		{`{"tags":["a","b","c"]}`, `maxItems 2`},
		{`{"tags":["a","a"]}`, `uniqueItems`},
		{`{"pair":[true]}`, `minItems 2`},
		{`{"pair":[true,true,false]}`, `maxItems 2`},
		{`{"labels":{}}`, `minProperties 1`},
		{`{"labels":{"a":"","b":""}}`, `maxProperties 1`},
		{`{"numbers":{"128":1}}`, `propertyNames 127`},
		{`{"numbers":{"1.0":1}}`, `propertyNames "integer"`}, // the names are text
		{`{"quoted":"x"}`, `type "integer"`},
		{`{"text":"\"b\""}`, `pattern "^a"`},
		{`{"quoted":"-1"}`, `minimum 0`},
		{`{"target":{}}`, `discriminator ["mail","hook"]`},
		{`{"target":1}`, `oneOf ["mailTarget","hookTarget"]`},
		{`{"own":"ab"}`, `invalid`},
		{`{"must":{}}`, `required`},
		{`{"must":{"a":1,"b":2}}`, `additionalProperties`},
		{``, `required`},
	} {
		first := call(app, "POST", "/", "application/json", c.body).Body.String()
		if got := codesOf(t, first); got != c.want {
			t.Errorf("%s: got %s, want %s", c.body, got, c.want)
		}
		if again := call(app, "POST", "/", "application/json", c.body).Body.String(); again != first {
			t.Errorf("%s: got %s, and the second time %s", c.body, first, again)
		}
	}
}

// codesOf returns the codes and limits of the errors in problem details.
func codesOf(t *testing.T, body string) string {
	t.Helper()
	var p apidoc.Problem
	if body == "" {
		return ""
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&p); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	var codes []string
	for _, e := range p.Errors {
		limit, _ := json.Marshal(e.Limit) // it was decoded from JSON
		codes = append(codes, strings.TrimSuffix(e.Code+" "+string(limit), " null"))
	}
	return strings.Join(codes, ", ")
}

// placesOf returns where the errors in problem details are, with their codes. It returns the body
// if it has no errors.
func placesOf(body string) string {
	var p apidoc.Problem
	if err := json.Unmarshal([]byte(body), &p); err != nil || len(p.Errors) == 0 {
		return body
	}
	return places(p.Errors)
}

// places is the text of errors, such as "body /name minLength; query limit maximum".
func places(errs []apidoc.InputError) string {
	texts := make([]string, len(errs))
	for i, e := range errs {
		words := []string{string(e.In)}
		if e.Line > 0 {
			words = append(words, "line", strconv.Itoa(e.Line))
		}
		words = append(words, e.Name, e.Pointer, e.Code)
		texts[i] = strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
	}
	return strings.Join(texts, "; ")
}

// The texts of errors may change between versions, so other tests check their places and codes.
func TestTexts(t *testing.T) {
	type tree struct {
		Name   string `json:"name"`
		Height int    `json:"height,omitempty" max:"130"`
		Card   string `json:"card,omitempty" dependentRequired:"zip"`
		Zip    string `json:"zip,omitempty"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/trees", "", func(context.Context, tree) (struct{}, error) { return struct{}{}, nil }, apidoc.ID("json"))
	apidoc.Post(api, "/photos", "", func(context.Context, struct {
		Photo apidoc.File `form:"photo,required"`
		Title string      `form:"title,required"`
	}) (struct{}, error) {
		return struct{}{}, nil
	}, apidoc.ID("form"))
	c := apitest.New(t, app)
	for _, row := range []struct {
		path   string
		body   any
		detail string
	}{
		{"/trees", ``, "body is required, with the content type application/json"},
		{"/trees", `{"height":200}`, "body /height must be at most 130; body /name is required"},
		{"/trees", `{"name":"Oak","card":"1"}`, `body /zip is required with "card"`},
		{"/photos", apitest.Form{"photo": apitest.File{}}, `form "photo" is required, as a file; form "title" is required`},
	} {
		var p apidoc.Problem
		c.Post(row.path, row.body).Want(422).Decode(&p)
		if p.Title != "The request is not as described" || p.Detail != row.detail {
			t.Errorf("%s %v: got %s: %s, want %s", row.path, row.body, p.Title, p.Detail, row.detail)
		}
	}
}

func TestCodesOfParameters(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/:id", "", func(context.Context, struct {
		ID    int8        `path:"id"`
		Words []int       `query:"word" maxLength:"2" unique:"true"`
		Flag  bool        `query:"flag"`
		Trace string      `header:"X-Trace,required"`
		File  apidoc.File `form:"file,required" accept:"image/png" minLength:"9" maxLength:"10"`
		_     struct{}    `additionalProperties:"false"`
	}) (struct{}, error) {
		return struct{}{}, nil
	}, apidoc.ID("post"))
	c := apitest.New(t, app)
	png := func(size int) apitest.File {
		return apitest.File{Name: "a.png", Content: append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, size-8)...)}
	}
	for _, row := range []struct {
		path string
		form apitest.Form
		want string
	}{
		{"/128", apitest.Form{"file": png(9)}, `maximum 127`},
		{"/1?word=1&word=2&word=3", apitest.Form{"file": png(9)}, `maxItems 2`},
		{"/1?word=1&word=01", apitest.Form{"file": png(9)}, `uniqueItems`},
		{"/1?flag=x", apitest.Form{"file": png(9)}, `type "boolean"`},
		{"/1?flag=%FF", apitest.Form{"file": png(9)}, `encoding`},
		{"/1", apitest.Form{}, `required`},
		{"/1", apitest.Form{"file": "text", "other": png(9)}, `type "file", additionalProperties`},
		{"/1", apitest.Form{"file": png(8)}, `minBytes 9`},
		{"/1", apitest.Form{"file": png(11)}, `maxBytes 10`},
		{"/1", apitest.Form{"file": apitest.File{Name: "a", Content: []byte("12345")}}, `contentMediaType ["image/png"]`},
		{"/1", apitest.Form{"file": png(9), "other": "1"}, `additionalProperties`},
	} {
		w := c.WithHeader("X-Trace", "a").Post(row.path, row.form)
		if got := codesOf(t, w.Body); got != row.want {
			t.Errorf("%s: got %s, want %s", row.path, got, row.want)
		}
	}
}

// Numbers in queries and forms are read as in bodies: an integer may be written as 1.0. They may
// also begin with zeros.
func TestNumbersInQueries(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(_ context.Context, in struct {
		N int     `query:"n"`
		F float64 `query:"f"`
	}) (string, error) {
		return fmt.Sprint(in.N, in.F), nil
	}, apidoc.ID("get"))
	for _, c := range []struct{ query, want string }{
		{"n=1.0&f=1.50", "1 1.5"}, {"n=007&f=00.5", "7 0.5"}, {"n=-007&f=-00.5", "-7 -0.5"}, {"n=2e1&f=2e1", "20 20"},
		{"n=1.5", "must be an integer"}, {"n=--1", "must be an integer"}, {"n=-", "must be an integer"}, {"f=1.", "must be a number"},
	} {
		if w := call(app, "GET", "/?"+c.query, "", ""); !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: got %s, want %s", c.query, w.Body, c.want)
		}
	}
}
