package apidoc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/big"
	"net/http"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/routing"
)

// This file tests the tags of fields that are a whole body: their rules and their media types.

// The rules of a body are checked and described, both for JSON and for raw content.
func TestRulesOfBodies(t *testing.T) {
	app, api := newTyped()
	for _, c := range []struct {
		path              string
		define            func(path string, id apidoc.Option)
		media, good, bad  string
		refusal, describe string
	}{
		{
			"/text", bodyOf[struct {
				Note string `body:"" maxLength:"2" doc:"A note"`
			}](api),
			"application/json", `"ab"`, `"abc"`, "body must have at most 2 characters", "maxLength:2 type:string",
		},
		{
			"/list", bodyOf[struct {
				Sizes []int `body:"" minLength:"1" unique:"true" max:"9"`
			}](api),
			"application/json", `[1]`, `[1,10]`, "body /1 must be at most 9", "items:map[format:int64 maximum:9 type:integer] minItems:1 type:array uniqueItems:true",
		},
		{
			"/number", bodyOf[struct {
				Size *int `body:"" min:"3"`
			}](api),
			"application/json", "3", "2", "body must be at least 3", "format:int64 minimum:3 type:integer",
		},
		{
			"/raw", bodyOf[struct {
				Text string `body:"text/csv, application/json" pattern:"^[a-z,]+$"`
			}](api),
			"text/csv", "a,b", "a;b", "body must match the pattern ^[a-z,]+$", "pattern:^[a-z,]+$ type:string",
		},
		{
			"/bytes", bodyOf[struct {
				Photo []byte `body:"image/png" minLength:"2" maxLength:"3"`
			}](api),
			"image/png", "äx", "äöü", "body must have at most 3 bytes", "format:binary type:string x-maxBytes:3 x-minBytes:2",
		},
	} {
		c.define(c.path, apidoc.ID(c.path[1:]))
		if w := call(app, "POST", c.path, c.media, c.good); w.Code != 204 {
			t.Errorf("%s %s: got %d %s", c.path, c.good, w.Code, w.Body)
		}
		if w := call(app, "POST", c.path, c.media, c.bad); w.Code != 422 || !strings.Contains(w.Body.String(), `"detail":"`+c.refusal+`"`) {
			t.Errorf("%s %s: got %d %s, want %s", c.path, c.bad, w.Code, w.Body, c.refusal)
		}
		body := decode(t, build(t, app, "").OpenAPI()).at("paths", c.path, "post", "requestBody")
		if got := fmt.Sprint(body["content"]); !strings.Contains(got, c.media+":map[schema:map["+c.describe+"]]") {
			t.Errorf("%s is described as %s, want %s", c.path, got, c.describe)
		}
		if c.path == "/text" && body["description"] != "A note" {
			t.Errorf("the text for people is %v", body["description"])
		}
	}
}

// bodyOf defines an operation that reads a body.
func bodyOf[I any](api *apidoc.API) func(path string, id apidoc.Option) {
	return func(path string, id apidoc.Option) {
		apidoc.Post(api, path, "", func(context.Context, I) (struct{}, error) { return struct{}{}, nil }, id)
	}
}

// language is an enumeration. The text isbn has UnmarshalText and Validate.
type (
	language string
	isbn     string
)

func (language) Values() []language { return []language{"en", "de"} }

func (i *isbn) UnmarshalText(text []byte) error {
	if *i = isbn("ISBN " + string(text)); len(text) != 4 {
		return errors.New("it has four digits")
	}
	return nil
}

func (i isbn) Validate(context.Context) ([]apidoc.InputError, error) {
	if i == "ISBN 0000" {
		return []apidoc.InputError{{Detail: "is no book"}}, nil
	}
	return nil, nil
}

// Reading a long integer takes quadratic time, so the number of digits is limited.
func TestLongIntegers(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in struct {
		N *big.Int `query:"n"`
		B struct {
			N  *big.Int `json:"n"`
			N8 int8     `json:"n8,omitempty"`
		} `body:""`
	}) (string, error) {
		return strings.TrimLeft(in.N.String()+" "+in.B.N.String(), "<nil> "), nil
	}, apidoc.ID("add"))
	c := apitest.New(t, app)
	long := strings.Repeat("9", 4000)
	c.Post("/", `{"n":-`+long+`}`).Want(200, "-"+long)
	c.Post("/?n="+long, `{"n":1}`).Want(200, long+" 1")
	const want = "must have at most 4000 digits"
	c.Post("/?n="+long+"9", `{"n":`+long+`9}`).Want(422).WantText(`query \"n\" `+want, "body /n "+want)
	c.Post("/", `{"n":`+strings.Repeat("9", 900_000)+`}`).Want(422).WantText(want)
	c.Post("/", `{"n":1,"n8":`+long+`9}`).Want(422).WantText("must be at most 127")
}

// A raw text follows the rules of its type, and is decoded by it.
func TestBodiesOfTextTypes(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/language", "", func(_ context.Context, in struct {
		Body language `body:"text/plain"`
	}) (string, error) {
		return string(in.Body), nil
	}, apidoc.ID("language"))
	apidoc.Post(api, "/isbn", "", func(_ context.Context, in struct {
		Body isbn `body:"text/plain"`
	}) (string, error) {
		return string(in.Body), nil
	}, apidoc.ID("isbn"))
	for _, c := range []struct{ path, body, want string }{
		{"/language", "de", "de"},
		{"/language", "fr", `"errors":[{"in":"body","detail":"must be one of \"en\", \"de\"","code":"enum","limit":["en","de"]}]`},
		{"/isbn", "1234", "ISBN 1234"},
		{"/isbn", "123", "must be a valid isbn"},
		{"/isbn", "0000", "body is no book"},
	} {
		if w := call(app, "POST", c.path, "text/plain", c.body); !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: got %d %s, want %s", c.body, w.Code, w.Body, c.want)
		}
	}
	wantInForms(t, app, [][2]string{{"3.1", `"text/plain":{"schema":{"$ref":"#/components/schemas/language"}}`}})
}

// The rules of an output are described, and CheckResponses checks them.
func TestRulesOfOutputs(t *testing.T) {
	type output struct {
		Names []string `body:"" maxLength:"1" doc:"One name"`
	}
	type failure struct {
		Text string `body:"text/plain" maxLength:"20"`
	}
	app := routing.New()
	shape := apidoc.ErrorBody(func(_ routing.Context, p *apidoc.Problem) failure { return failure{p.Title} })
	api := apidoc.NewAPI(app, info, shape)
	apidoc.Get(api, "/", "", func(context.Context, struct{}) (output, error) { return output{[]string{"a", "b"}}, nil }, apidoc.ID("names"), notFound)
	var reported []string
	call(apidoc.CheckResponses(app, func(_ *http.Request, err error) { reported = append(reported, err.Error()) }), "GET", "/", "", "")
	if got := fmt.Sprint(reported); got != "[operation names: status 200: body must have at most 1 item]" {
		t.Errorf("reported %s", got)
	}
	responses := decode(t, build(t, app, "").OpenAPI()).at("paths", "/", "get", "responses")
	for status, want := range map[string]string{
		"200": "schema:map[description:One name items:map[type:string] maxItems:1 type:array]", "404": "text/plain:map[schema:map[maxLength:20 type:string]]",
	} {
		if got := fmt.Sprint(responses[status]); !strings.Contains(got, want) {
			t.Errorf("%s is described as %s, want %s", status, got, want)
		}
	}
}

func TestTagsOfBodies(t *testing.T) {
	type void = struct{}
	type body struct {
		Name string `json:"name"`
	}
	for _, c := range []struct{ name, got, want string }{
		{"maxLength of a struct", refusal[struct {
			A body `body:"" maxLength:"1"`
		}, void]("POST"), "this is not allowed on the type body: write it on the fields of that type"},
		{"maxLength of a stream", refusal[struct {
			A io.Reader `body:"text/csv" maxLength:"1"`
		}, void]("POST"), "field A: tag maxLength: a stream is not checked: read a []byte or a string, or limit its length with BodyLimit"},
		{"maxLength of a sequence", refusal[struct {
			A iter.Seq2[string, error] `body:"application/jsonl" maxLength:"1"`
		}, void]("POST"), "field A: tag maxLength: a sequence has no rules: write it on the fields of its elements"},
		{"max of a sent sequence", refusal[void, struct {
			A iter.Seq[int] `body:"" max:"1"`
		}]("POST"), "tag max: a sequence has no rules: write it on the fields of its elements"},
		{"a default of a pointer", refusal[struct {
			A *string `body:"" default:"a"`
		}, void]("POST"), "a whole body has no default: make it a pointer, which is nil without a body"},
		{"a default of a response", refusal[void, struct {
			A string `body:"" default:"a"`
		}]("POST"), "a whole body has no default"},
		{"readOnly", refusal[struct {
			A string `body:"" readOnly:"true"`
		}, void]("POST"), "readOnly and writeOnly are for members of JSON objects: leave them out"},
		{"writeOnly of a response", refusal[void, struct {
			A string `body:"" writeOnly:"true"`
		}]("POST"), "readOnly and writeOnly are for members of JSON objects: leave them out"},
		{"dependentRequired", refusal[struct {
			A string `body:"" dependentRequired:"b"`
		}, void]("POST"), "dependentRequired is for members of JSON objects"},
		{"a misspelled rule", refusal[struct {
			A string `body:"" maxlength:"1"`
		}, void]("POST"), "tag maxlength: write maxLength"},
		{"accept of a parameter", refusal[struct {
			A string `query:"a" accept:"image/png"`
		}, void]("GET"), "tag accept: this is for a File"},
		{"accept of bytes", refusal[struct {
			A []byte `body:"" accept:"image/png"`
		}, void]("POST"), `tag accept: this is for a File: write the media types of a body in its tag body`},
		{"accept of a header", refusal[void, struct {
			A string `header:"a" accept:"image/png"`
		}]("POST"), "tag accept: this is for a File"},
		{"accept of a member", refusal[struct {
			A string `json:"a" accept:"image/png"`
		}, void]("POST"), "tag accept: this is for a File, in a form"},
		{"dependentRequired of a response", refusal[void, struct {
			A []string `body:"" dependentRequired:"b"`
		}]("POST"), "dependentRequired is for members of JSON objects"},

		{"a media type twice", refusal[struct {
			A body `body:"application/json, application/json"`
		}, void]("POST"), `field A: the media type application/json occurs twice: write it once`},
		{"a media type twice, in another case", refusal[struct {
			A string `body:"text/csv,Text/CSV;header=present"`
		}, void]("POST"), `the media type text/csv occurs twice: write it once`},
		{"a media type twice, with a parameter", refusal[void, struct {
			A body `body:"application/json,application/json;charset=utf-8"`
		}]("POST"), `the media type application/json occurs twice: write it once`},
		{"a media type without a slash", refusal[struct {
			A string `body:"csv"`
		}, void]("POST"), `"csv" is not a media type: write one such as application/json`},
		{"an empty media type", refusal[void, struct {
			A string `body:"text/csv,"`
		}]("POST"), `"" is not a media type: write one such as application/json`},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

// Parameters of media types are ignored in requests, and sent in responses.
func TestParametersOfMediaTypes(t *testing.T) {
	type output struct {
		Page string `body:"text/html; charset=iso-8859-1"`
	}
	type names struct {
		List []string `body:"application/json; charset=utf-8"`
	}
	app, api := newTyped()
	apidoc.Put(api, "/json", "", func(_ context.Context, in names) (names, error) { return in, nil }, apidoc.ID("json"))
	apidoc.Put(api, "/text", "", func(_ context.Context, in struct {
		Text string `body:"text/csv; charset=utf-8"`
	}) (output, error) {
		return output{in.Text}, nil
	}, apidoc.ID("text"))
	checked := apidoc.CheckResponses(app, func(r *http.Request, err error) { t.Errorf("%s: %v", r.URL.Path, err) })
	for _, c := range []struct{ path, media, body, sent string }{
		{"/json", "application/json", `["rose"]`, "application/json; charset=utf-8"},
		{"/text", "text/csv; header=present", "a,b", "text/html; charset=iso-8859-1"},
	} {
		if w := call(checked, "PUT", c.path, c.media, c.body); w.Code != 200 || w.Header().Get("Content-Type") != c.sent {
			t.Errorf("%s: got %d %s %s, want %s", c.path, w.Code, w.Header(), w.Body, c.sent)
		}
	}
	d := decode(t, build(t, app, "").OpenAPI())
	for place, media := range map[string]string{
		"/json put requestBody": "application/json", "/json put responses 200": "application/json",
		"/text put requestBody": "text/csv", "/text put responses 200": "text/html; charset=iso-8859-1",
	} {
		if _, ok := d.at(append(append([]string{"paths"}, strings.Fields(place)...), "content")...)[media]; !ok {
			t.Errorf("%s: %s is not described", place, media)
		}
	}
}
