package apidoc_test

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests that what a definition cannot mean is refused, with what to write instead.
func TestRefusedWhenDefined(t *testing.T) {
	type void = struct{}
	for _, c := range []struct{ name, got, want string }{
		{"a field _ with another tag", refusal[struct {
			A string   `query:"a"`
			_ struct{} `additionalProperties:"false" doc:"A query"`
		}, void]("GET"), "tag doc: a field _ has only the tag additionalProperties"},
		{"additionalProperties of a parameter", refusal[struct {
			A string `query:"a" additionalProperties:"false"`
		}, void]("GET"), "tag additionalProperties: write it on a field _ struct{}"},
		{"a header that net/http removes", refusal[struct {
			Host string `header:"host"`
		}, void]("GET"), "net/http removes the header Host: use Request().Host of a routing.Context"},
		{"a duration in a header of a request", refusal[struct {
			Wait time.Duration `header:"X-Wait"`
		}, void]("GET"), `write an int of seconds, or the tag format:"duration"`},
		{"a duration in a header of a response", refusal[void, struct {
			Wait time.Duration `header:"Retry-After"`
		}]("GET"), `write an int of seconds, or the tag format:"duration"`},
		{"a duration with a format", refusal[struct {
			Wait time.Duration `header:"X-Wait" format:"duration"`
		}, void]("GET"), ""},
		{"an optional parameter of the path", refusal[struct {
			Name apidoc.Optional[string] `path:"name"`
		}, void]("GET"), "a parameter of the path is always present: write the type of its value"},
		{"parameters of a type that reads JSON itself", refusal[struct {
			apidoc.Optional[int]
			Limit int `query:"limit"`
		}, void]("POST"), "its JSON or text methods would be called, so the tags of its fields would not be read"},
		{"headers of a type that writes text itself", refusal[void, struct {
			UUID
			ETag string `header:"ETag"`
		}]("GET"), "its JSON or text methods would be called, so the tags of its fields would not be read"},
		{"pattern of a File", refusal[struct {
			Photo apidoc.File `form:"photo" pattern:"^GIF"`
		}, void]("POST"), "tag pattern: a File is not text: write accept, minLength or maxLength"},
		{"enum of a File", refusal[struct {
			Photo *apidoc.File `form:"photo" enum:"a"`
		}, void]("POST"), "tag enum: a File is not text"},
		{"format of a File", refusal[struct {
			Photo apidoc.File `form:"photo" format:"uri"`
		}, void]("POST"), "tag format: a File is not text"},
		{"default null of a parameter", refusal[struct {
			N apidoc.Optional[int] `query:"n" default:"null"`
		}, void]("GET"), "tag default: a parameter is not null"},
		{"default null of a pointer", refusal[struct {
			N *int `form:"n" default:"null"`
		}, void]("POST"), "tag default: a parameter is not null"},
		{"default of a File", refusal[struct {
			Photo apidoc.File `form:"photo" default:"a"`
		}, void]("POST"), "tag default: a File is not text"},
		{"unique of files", refusal[struct {
			Photos []apidoc.File `form:"photos" unique:"true"`
		}, void]("POST"), "tag unique: a File is not text"},
		{"two examples of a request", refusal[string, Item]("POST", apidoc.RequestExample("a"), apidoc.RequestExample("b")), "two examples of one body"},
		{"null as an example of a request", refusal[Item, Item]("POST", apidoc.RequestExample(nil)), "the request's example: body must be an object"},
		{"two examples of a response", refusal[Item, *Item]("POST", apidoc.ResponseExample(200, nil), apidoc.ResponseExample(200, nil)), "two examples of one body"},
		{"links to nothing", panicOf(func() { apidoc.SeeAlso(apidoc.ExternalDocs{}) }), `SeeAlso: the documentation "" has no URL: write it`},
		{"an example of a form", refusal[struct {
			Name string `form:"name"`
		}, void]("POST", apidoc.RequestExample("a")), "RequestExample: the request has no body, or a form"},
		{"an example without a body", refusal[void, void]("DELETE", apidoc.ResponseExample(204, "x")), "example of 204: there is no such body"},
		{"an example of events", refusal[void, iter.Seq[string]]("GET", apidoc.ResponseExample(200, "x")), "a described response that has a body, other than events"},
		{"pointers to events", refusal[void, iter.Seq[*apidoc.Event[int]]]("GET"), "type *apidoc.Event[int]: write an Event, without a pointer or a struct around it"},
		{"structs around events", refusal[void, iter.Seq[struct{ apidoc.Event[int] }]]("GET"), "write an Event, without a pointer or a struct around it"},
		{"an empty problem", refusal[void, string]("GET", &apidoc.Problem{}), `a problem has the status 0 and the title "": make it with NewProblem`},
		{"a problem without a title", refusal[void, string]("GET", &apidoc.Problem{Status: 404}), `a problem has the status 404 and the title ""`},
		{"a limit that is not the operation's", panicOf(func() {
			apidoc.RouteOptions(routing.Provides("json"), routing.Combine(routing.BodyLimit(1)))
		}), "apidoc: RouteOptions: routing.BodyLimit limits only the parameters of untyped routes: write apidoc.BodyLimit"},
		{"other options of routes", panicOf(func() { apidoc.RouteOptions(routing.Provides("json"), routing.Meta("a", 1), apidoc.Public()) }), ""},
		{"a nil option of routes", panicOf(func() { apidoc.RouteOptions(nil) }), "routing: option 0 of a route is nil: leave it out"},
		{"two descriptions of a tag", panicOf(func() {
			_, api := newTyped()
			api.Tag("Trees", "What grows here")
			api.Tag("Trees", "What grows there")
		}), `apidoc: Tag Trees: it is described as "What grows here" and "What grows there": write one description`},
		{"a second description of a tag of Info", panicOf(func() {
			apidoc.NewAPI(routing.New(), apidoc.Info{Title: "A", Version: "1", Tags: []apidoc.Tag{{Name: "Trees", Description: "A"}}}).Tag("Trees", "B")
		}), `apidoc: Tag Trees: it is described as "A" and "B"`},
		{"a tag with one description", panicOf(func() {
			_, api := newTyped()
			for _, description := range []string{"", "What grows here", "", "What grows here"} {
				api.Tag("Trees", description)
			}
		}), ""},
		{"a tag without a name", refusal[void, string]("GET", apidoc.Tag{Description: "What grows"}), "a Tag has no name: write one"},
		{"an extension without JSON", panicOf(func() { apidoc.Extension("x-f", func() {}) }), `apidoc: Extension("x-f"): write a value that has JSON`},
		{"a callback without a URL", panicOf(func() { apidoc.Callback[Item]("planted", "", "") }), "apidoc: callback planted: write the expression of its URL"},
		{"nil as an option of a route", panicOf(func() { routing.New().Get("/", nothing, (*apidoc.Security)(nil)) }), "routing: option 0 of a route is nil: leave it out"},
		{"nil as an option of a group", panicOf(func() {
			routing.New().Group("/", func(*routing.Group) {}, (*apidoc.Security)(nil))
		}), "routing: option 0 of a route is nil: leave it out"},
	} {
		if isRefused := c.got != ""; isRefused != (c.want != "") || !strings.Contains(c.got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
	for _, url := range []string{"", "https://{region}.example.com/v1", "::"} {
		app, api := newTyped()
		apidoc.Get(api, "/", "", func(context.Context, void) (string, error) { return "", nil })
		with := info
		with.Servers = []apidoc.Server{{URL: url}}
		if _, err := apidoc.Build(app, with, ""); err == nil || !strings.Contains(err.Error(), "server ") {
			t.Errorf("%q: got %v", url, err)
		}
	}
}
