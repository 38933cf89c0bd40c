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
	for _, c := range []struct{ name, got, want string }{
		// Pointers, as in huma.
		{"a pointer as the input", refusal[*paged, void]("GET"), "write the struct, not a pointer to it"},
		{"a pointer to an output of headers", refusal[void, *struct {
			Location string `header:"Location"`
		}]("GET"), "write the struct, not a pointer to it"},
		{"pointers to bodies", refusal[*Item, *Item]("POST"), ""},

		{"a pointer to tagged fields in a JSON member", refusal[struct{ Page *paged }, void]("POST"), "field Page: write the struct, not a pointer to it"},
		{"a pointer to a struct in a query", refusal[struct {
			Page *paged `query:"page"`
		}, void]("GET"), "field Page: type *apidoc_test.paged: a query has no objects"},
		{"an embedded pointer to tagged fields", refusal[struct{ *paged }, void]("GET"), "field paged: write the struct, not a pointer to it"},
		{"an unexported pointer beside a JSON member", refusal[struct {
			Page *paged `json:"page"`
			own  *paged
		}, void]("POST"), ""},

		// Fields without a tag among tagged fields.
		{"Body without a tag beside an embedded struct", refusal[struct {
			paged
			Body struct{ Name string }
		}, void]("POST"), "field Body" + noPlace},
		{"a parameter with the tag of another library", refusal[struct {
			paged
			Offset int `param:"offset"`
		}, void]("GET"), "field Offset" + noPlace},
		{"a parameter with a misspelled tag", refusal[struct {
			paged
			Offset int `qeury:"offset"`
		}, void]("GET"), "field Offset" + noPlace},
		{"Status without a tag", refusal[void, struct {
			Status int
			Body   Item `body:""`
		}]("GET"), "field Status: it needs a tag, since other fields have one: write one of the tags header, status, body"},
		{"fields that need no tag", refusal[struct {
			paged
			own
			routing.Context
			_    void
			seen bool
			User string `json:"-"`
		}, void]("GET"), ""},

		// The body in a field without a tag, as in huma.
		{"a response with the field Body alone", refusal[void, struct{ Body Item }]("GET"), `output struct { Body apidoc_test.Item }: field Body: write the tag body:"", or its type in place of the struct`},
		{"a response with the fields Status and Body", refusal[void, struct {
			Status int
			Body   []Item
		}]("GET"), `field Body: write the tag body:"", or its type in place of the struct`},
		{"a request with the field Body alone", refusal[struct{ Body Item }, void]("POST"), `input struct { Body apidoc_test.Item }: field Body: write the tag body:"", or its type in place of the struct`},
		{"a pointer to a response with the field Body", refusal[void, *struct{ Body Item }]("GET"), `field Body: write the tag body:"", or its type in place of the struct`},
		{"a request with the field RawBody", refusal[struct{ RawBody []byte }, void]("POST"), `field RawBody: write the tag body:"", or its type in place of the struct`},
		{"a member that is called body", refusal[void, struct {
			Body string `json:"body"`
		}]("GET"), ""},
		{"a member Body beside another", refusal[void, struct{ Title, Body string }]("GET"), ""},

		// Fields for a form and for JSON.
		{"a field for JSON and a form", refusal[struct {
			Name string `json:"name" form:"name"`
		}, void]("POST"), `field Name: it has tags for json and form: for a form, leave json out; for JSON, write the struct without form tags, or in a field with the tag body:""`},
		{"a form field that JSON omits", refusal[struct {
			Name string `json:"-" form:"name"`
		}, void]("POST"), ""},
		{"a whole body with tags for both", refusal[struct {
			Both struct {
				Name string `json:"name" form:"name"`
			} `body:""`
		}, void]("POST"), ""},

		// Names that are not tokens.
		{"a header with an option", refusal[void, struct {
			Total int `header:"X-Total,required"`
		}]("GET"), `tag header:"X-Total,required": write the header's name alone`},
		{"a header with a space", refusal[struct {
			Trace string `header:"X Trace"`
		}, void]("GET"), `header "X Trace": write a name of letters, digits and hyphens`},
		{"a cookie with an equals sign", refusal[struct {
			Session string `cookie:"a=b"`
		}, void]("GET"), `cookie "a=b": write a name of letters, digits and hyphens`},

		// Uploads that are not in a form.
		{"a File in JSON", refusal[struct {
			Photo apidoc.File `json:"photo"`
		}, void]("POST"), "an upload is a field of a form: write the tag form"},
		{"files as the body", refusal[[]apidoc.File, void]("POST"), "an upload is a field of a form: write the tag form"},
		{"a File as the response", refusal[void, apidoc.File]("GET"), "to send a file, write an io.Reader with the tag body"},

		// The request and the response, cookies, and events without a sequence.
		{"a request that JSON omits", refusal[struct {
			Request *http.Request `json:"-"`
			Name    string        `json:"name"`
		}, void]("POST"), ""},
		{"a request as a member", refusal[struct{ Request *http.Request }, void]("POST"), "type *http.Request: write a field of type routing.Context"},
		{"a response writer", refusal[struct {
			paged
			Writer http.ResponseWriter
		}, void]("GET"), "type http.ResponseWriter: write a field of type routing.Context"},
		{"a cookie in a response", refusal[void, struct {
			Session string `cookie:"session"`
		}]("GET"), `field Session: a response sends a cookie with the tag header:"Set-Cookie", on a field of type http.Cookie`},
		{"an event without a sequence", refusal[void, apidoc.Event[Item]]("GET"), "an Event is sent in a sequence: write an iter.Seq of apidoc.Event["},
		{"a routing.Result", refusal[void, routing.Result]("GET"), "type routing.Result: it has no exported fields, so its JSON is always {}"},
		{"a struct without exported fields", refusal[struct{ Nested own }, void]("POST"), "own: it has no exported fields"},
		{"only additionalProperties", refusal[struct {
			_ void `additionalProperties:"false"`
		}, void]("POST"), ""},

		// Rules of other libraries.
		{"exclusiveMinimum in a query", refusal[struct {
			A int `query:"a" exclusiveMinimum:"1"`
		}, void]("GET"), "tag exclusiveMinimum: write exclusiveMin"},
		{"exclusiveMaximum in a body", refusal[struct {
			A int `json:"a" exclusiveMaximum:"1"`
		}, void]("POST"), "tag exclusiveMaximum: write exclusiveMax"},
		{"readOnly and writeOnly", refusal[struct {
			A int `json:"a" readOnly:"true" writeOnly:"true"`
		}, void]("POST"), "readOnly and writeOnly: write one of the two"},
		{"readOnly in a query", refusal[struct {
			A int `query:"a" readOnly:"true"`
		}, void]("GET"), "readOnly and writeOnly are for members of JSON objects"},
		{"a limit above the type's range", refusal[struct {
			A int8 `json:"a" exclusiveMin:"127"`
		}, void]("POST"), "no number is within these limits"},
		{"limits that exclude all numbers", refusal[struct {
			A int `json:"a" exclusiveMin:"1" exclusiveMax:"1"`
		}, void]("POST"), "no number is within these limits"},
		{"a dependency on no member", refusal[struct {
			A int `json:"a" dependentRequired:"b"`
		}, void]("POST"), `tag dependentRequired: "b" is not another member: write the names`},
		{"a dependency on a read-only member", refusal[struct {
			A int `json:"a" dependentRequired:"b"`
			B int `json:"b" readOnly:"true"`
		}, void]("POST"), `"b" is not in the same requests and responses: write readOnly or writeOnly on both`},
		{"a query parameter that depends on itself", refusal[struct {
			A int `query:"a" dependentRequired:"a"`
		}, void]("GET"), `query parameter "a": tag dependentRequired: no other parameter has the name "a"`},
		{"a form field that depends on the query", refusal[struct {
			A int `form:"a" dependentRequired:"b"`
			B int `query:"b"`
		}, void]("POST"), `form parameter "a": tag dependentRequired: no other parameter has the name "b"`},
		{"a header that depends on another", refusal[struct {
			A int `header:"a" dependentRequired:"b"`
			B int `header:"b"`
		}, void]("GET"), "dependentRequired is for members of JSON objects, and for fields of forms and queries"},
		{"rules of validator", refusal[struct {
			A int `json:"a" validate:"min=1"`
		}, void]("POST"), "tag validate: write rules such as min"},
		{"rules of gin", refusal[struct {
			A int `form:"a" binding:"required"`
		}, void]("POST"), "tag binding: write rules such as min"},

		// Types of other libraries for files, and bodies that are not sent.
		{"a file header", refusal[struct {
			A *multipart.FileHeader `form:"a"`
		}, void]("POST"), "type *multipart.FileHeader: write a File"},
		{"several file headers", refusal[struct {
			A []*multipart.FileHeader `form:"a"`
		}, void]("POST"), "type *multipart.FileHeader: write a File"},
		{"a reader in a form", refusal[struct {
			A io.Reader `form:"a"`
		}, void]("POST"), "type io.Reader: write a File"},
		{"a body of a 204", refusal[void, Item]("POST", apidoc.Status(http.StatusNoContent)), "a 204 has no body: write struct{}, or another status"},
		{"a body of a 200 or 204", refusal[void, struct {
			Status int  `status:"200,204"`
			Body   Item `body:""`
		}]("POST"), ""},

		// Bodies of GET.
		{"JSON of a GET", refusal[struct {
			A int `json:"a"`
		}, void]("GET"), "a GET has no body: write the tag path, query, header or cookie on each field"},
		{"a form of a HEAD", refusal[struct {
			A int `form:"a"`
		}, void]("HEAD"), "a HEAD has no body"},
		{"a whole body of a GET", refusal[Item, void]("GET"), "a GET has no body"},
		{"a whole body of a DELETE", refusal[Item, void]("DELETE"), ""},
	} {
		if c.want == "" && c.got != "" || !strings.Contains(c.got, c.want) {
			t.Errorf("%s: panic %q, want %q", c.name, c.got, c.want)
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
