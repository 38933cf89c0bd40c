package apidoc_test

import (
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests that tags and types of other libraries are refused, not ignored.

// refusal returns the panic of defining an operation.
func refusal[I, O any](method string, options ...apidoc.Option) string {
	return panicOf(func() {
		_, api := newTyped()
		f := func(context.Context, I) (out O, err error) { return out, nil }
		apidoc.Route(api, method, routing.Must(routing.Sinatra("/")), "", f, append(options, apidoc.ID("one"))...)
	})
}

func TestTagsOfOtherLibraries(t *testing.T) {
	type (
		void  = struct{}
		paged struct {
			Limit int `query:"limit"`
		}
		own struct{ query int } // unexported fields are ignored
	)
	const noPlace = ": it needs a tag, since other fields have one: write one of the tags path, query, header, cookie, form, body, or json:"
	for _, c := range []struct{ got, want string }{
		// Pointers, as in huma.
		{refusal[*paged, void]("GET"), "write the struct, not a pointer to it"},
		{refusal[void, *struct {
			Location string `header:"Location"`
		}]("GET"), "write the struct, not a pointer to it"},
		{refusal[*Item, *Item]("POST"), ""},

		{refusal[struct{ Page *paged }, void]("POST"), "field Page: write the struct, not a pointer to it"},
		{refusal[struct {
			Page *paged `query:"page"`
		}, void]("GET"), "field Page: type *apidoc_test.paged: a query has no objects"},
		{refusal[struct{ *paged }, void]("GET"), "field paged: write the struct, not a pointer to it"},
		{refusal[struct {
			Page *paged `json:"page"`
			own  *paged
		}, void]("POST"), ""},

		// Fields without a tag among tagged fields.
		{refusal[struct {
			paged
			Body struct{ Name string }
		}, void]("POST"), "field Body" + noPlace},
		{refusal[struct {
			paged
			Offset int `param:"offset"`
		}, void]("GET"), "field Offset" + noPlace},
		{refusal[struct {
			paged
			Offset int `qeury:"offset"`
		}, void]("GET"), "field Offset" + noPlace},
		{refusal[void, struct {
			Status int
			Body   Item `body:""`
		}]("GET"), "field Status: it needs a tag, since other fields have one: write one of the tags header, status, body"},
		{refusal[struct {
			paged
			own
			routing.Context
			_    void
			seen bool
			User string `json:"-"`
		}, void]("GET"), ""},

		// The body in a field without a tag, as in huma.
		{refusal[void, struct{ Body Item }]("GET"), `output struct { Body apidoc_test.Item }: field Body: write the tag body:"", or its type in place of the struct`},
		{refusal[void, struct {
			Status int
			Body   []Item
		}]("GET"), `field Body: write the tag body:"", or its type in place of the struct`},
		{refusal[struct{ Body Item }, void]("POST"), `input struct { Body apidoc_test.Item }: field Body: write the tag body:"", or its type in place of the struct`},
		{refusal[void, *struct{ Body Item }]("GET"), `field Body: write the tag body:"", or its type in place of the struct`},
		{refusal[struct{ RawBody []byte }, void]("POST"), `field RawBody: write the tag body:"", or its type in place of the struct`},
		{refusal[void, struct {
			Body string `json:"body"`
		}]("GET"), ""},
		{refusal[void, struct{ Title, Body string }]("GET"), ""},

		// Fields for a form and for JSON.
		{refusal[struct {
			Name string `json:"name" form:"name"`
		}, void]("POST"), `field Name: it has tags for json and form: for a form, leave json out; for JSON, write the struct without form tags, or in a field with the tag body:""`},
		{refusal[struct {
			Name string `json:"-" form:"name"`
		}, void]("POST"), ""},
		{refusal[struct {
			Both struct {
				Name string `json:"name" form:"name"`
			} `body:""`
		}, void]("POST"), ""},

		// Names that are not tokens.
		{refusal[void, struct {
			Total int `header:"X-Total,required"`
		}]("GET"), `tag header:"X-Total,required": write the header's name alone`},
		{refusal[struct {
			Trace string `header:"X Trace"`
		}, void]("GET"), `tag header:"X Trace": write letters, digits and hyphens`},
		{refusal[struct {
			Session string `cookie:"a=b"`
		}, void]("GET"), `tag cookie:"a=b": write letters, digits and hyphens`},

		// Uploads that are not in a form.
		{refusal[struct {
			Photo apidoc.File `json:"photo"`
		}, void]("POST"), "an upload is a field of a form: write the tag form"},
		{refusal[[]apidoc.File, void]("POST"), "an upload is a field of a form: write the tag form"},
		{refusal[void, apidoc.File]("GET"), "to send a file, write an io.Reader with the tag body"},

		// The request and the response, cookies, and events without a sequence.
		{refusal[struct {
			Request *http.Request `json:"-"`
			Name    string        `json:"name"`
		}, void]("POST"), ""},
		{refusal[struct{ Request *http.Request }, void]("POST"), "type *http.Request: write a field of type routing.Context"},
		{refusal[struct {
			paged
			Writer http.ResponseWriter
		}, void]("GET"), "type http.ResponseWriter: write a field of type routing.Context"},
		{refusal[void, struct {
			Session string `cookie:"session"`
		}]("GET"), `field Session: a response sends a cookie with the tag header:"Set-Cookie", on a field of type http.Cookie`},
		{refusal[void, apidoc.Event[Item]]("GET"), "an Event is sent in a sequence: write an iter.Seq of apidoc.Event["},
		{refusal[void, routing.Result]("GET"), "type routing.Result: it has no exported fields, so its JSON is always {}"},
		{refusal[struct{ Nested own }, void]("POST"), "own: it has no exported fields"},
		{refusal[struct {
			_ void `additionalProperties:"false"`
		}, void]("POST"), ""},

		// Rules of other libraries.
		{refusal[struct {
			A int `query:"a" exclusiveMinimum:"1"`
		}, void]("GET"), "tag exclusiveMinimum: write exclusiveMin"},
		{refusal[struct {
			A int `json:"a" exclusiveMaximum:"1"`
		}, void]("POST"), "tag exclusiveMaximum: write exclusiveMax"},
		{refusal[struct {
			A int `json:"a" readOnly:"true" writeOnly:"true"`
		}, void]("POST"), "readOnly and writeOnly: write one of the two"},
		{refusal[struct {
			A int `query:"a" readOnly:"true"`
		}, void]("GET"), "readOnly and writeOnly are for members of JSON objects"},
		{refusal[struct {
			A int8 `json:"a" exclusiveMin:"127"`
		}, void]("POST"), "no number is within these limits"},
		{refusal[struct {
			A int `json:"a" exclusiveMin:"1" exclusiveMax:"1"`
		}, void]("POST"), "no number is within these limits"},
		{refusal[struct {
			A int `json:"a" dependentRequired:"b"`
		}, void]("POST"), `tag dependentRequired: "b" is not another member: write the names`},
		{refusal[struct {
			A int `json:"a" dependentRequired:"b"`
			B int `json:"b" readOnly:"true"`
		}, void]("POST"), `"b" is not in the same requests and responses: write readOnly or writeOnly on both`},
		{refusal[struct {
			A int `query:"a" dependentRequired:"a"`
		}, void]("GET"), `query parameter "a": tag dependentRequired: no other parameter has the name "a"`},
		{refusal[struct {
			A int `form:"a" dependentRequired:"b"`
			B int `query:"b"`
		}, void]("POST"), `form parameter "a": tag dependentRequired: no other parameter has the name "b"`},
		{refusal[struct {
			A int `header:"a" dependentRequired:"b"`
			B int `header:"b"`
		}, void]("GET"), "dependentRequired is for members of JSON objects, and for fields of forms and queries"},
		{refusal[struct {
			A int `json:"a" validate:"min=1"`
		}, void]("POST"), "tag validate: write rules such as min"},
		{refusal[struct {
			A int `form:"a" binding:"required"`
		}, void]("POST"), "tag binding: write rules such as min"},

		// Types of other libraries for files, and bodies that are not sent.
		{refusal[struct {
			A *multipart.FileHeader `form:"a"`
		}, void]("POST"), "type *multipart.FileHeader: write a File"},
		{refusal[struct {
			A []*multipart.FileHeader `form:"a"`
		}, void]("POST"), "type *multipart.FileHeader: write a File"},
		{refusal[struct {
			A io.Reader `form:"a"`
		}, void]("POST"), "type io.Reader: write a File"},
		{refusal[void, Item]("POST", apidoc.Status(http.StatusNoContent)), "a 204 has no body: write struct{}, or another status"},
		{refusal[void, struct {
			Status int  `status:"200,204"`
			Body   Item `body:""`
		}]("POST"), ""},

		// Bodies of GET.
		{refusal[struct {
			A int `json:"a"`
		}, void]("GET"), "a GET has no body: write the tag path, query, header or cookie on each field"},
		{refusal[struct {
			A int `form:"a"`
		}, void]("HEAD"), "a HEAD has no body"},
		{refusal[Item, void]("GET"), "a GET has no body"},
		{refusal[Item, void]("DELETE"), ""},
	} {
		if c.want == "" && c.got != "" || !strings.Contains(c.got, c.want) {
			t.Errorf("panic %q, want %q", c.got, c.want)
		}
	}
}

// A tag with a syntax error is refused: package reflect would ignore the rest of it.
func TestTagsThatAreNotRead(t *testing.T) {
	for tag, want := range map[string]string{
		`min: "1"`:                `tag min: "1": Go does not read this`,
		`min:"1", max:"2"`:        `tag , max:"2": Go does not read this`,
		`min:1`:                   `tag min:1: Go does not read this`,
		`min:"1" max`:             `tag max: Go does not read this`,
		`min:"1" :"2"`:            `tag :"2": Go does not read this`,
		"min:`1`":                 "tag min:`1`: Go does not read this",
		`  min:"1"   max:"2"  `:   "",
		`doc:"a \"quoted\" text"`: "",
		"":                        "",
	} {
		got := panicOf(func() {
			n := reflect.StructField{Name: "N", Type: reflect.TypeFor[int](), Tag: reflect.StructTag(`query:"n" ` + tag)}
			apidoc.OperationOfTypes("one", reflect.StructOf([]reflect.StructField{n}), reflect.TypeFor[struct{}]())
		})
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: panic %q, want %q", tag, got, want)
		}
	}
}
