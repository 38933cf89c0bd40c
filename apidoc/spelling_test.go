package apidoc_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
)

// This file tests values that clients write in several ways.

// An integer in a path is written in one way, so that a filter or another route for /trees/7 sees
// each request that the operation reads as 7.
func TestIntegersInPaths(t *testing.T) {
	type number int
	app, api := newTyped()
	apidoc.Get(api, "/trees/:id", "", func(_ context.Context, in struct {
		ID int `path:"id"`
	}) (int, error) {
		return in.ID, nil
	}, apidoc.ID("trees"))
	apidoc.Get(api, "/named/:id", "", func(_ context.Context, in struct {
		ID number `path:"id"`
	}) (number, error) {
		return in.ID, nil
	}, apidoc.ID("named"))
	for _, path := range []string{"/trees/", "/named/"} {
		for text, want := range map[string]int{
			"7": 200, "0": 200, "-7": 200, "70": 200,
			"07": 422, "7.0": 422, "7e0": 422, "-07": 422, "-0": 422, "00": 422, "+7": 422, "-": 422, "%207": 422, "0x7": 422, "٧": 422,
		} {
			if w := call(app, "GET", path+text, "", ""); w.Code != want {
				t.Errorf("%s%s: got %d %s, want %d", path, text, w.Code, w.Body, want)
			}
		}
	}
}

// A boolean without a value and an equals sign is true. With the sign it is empty, as in the form
// of a browser, and treated as missing.
func TestFlagsInQueries(t *testing.T) {
	type input struct {
		DryRun bool                  `query:"dryRun"`
		Some   *bool                 `query:"some"`
		Maybe  apidoc.Optional[bool] `query:"maybe"`
		Name   *string               `query:"name"`
		On     bool                  `query:"on" default:"true"`
		All    []bool                `query:"all"`
	}
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(_ context.Context, in input) (string, error) {
		text := fmt.Sprint(in.DryRun, in.Maybe.Value, in.Maybe.Set, in.On)
		if in.Some != nil {
			text += fmt.Sprint(" some=", *in.Some)
		}
		if in.Name != nil {
			text += " name=" + *in.Name
		}
		if in.All != nil {
			text += fmt.Sprint(" all=", in.All)
		}
		return text, nil
	})
	for query, want := range map[string]string{
		"":                    "false false false true",
		"dryRun":              "true false false true",
		"dryRun=false&dryRun": "false false false true",
		"all=false&all":       "false false false true all=[false true]",
		"dryRun&some&maybe":   "true true true true some=true",
		"x=1&dryRun":          "true false false true",
		"dry%52un":            "true false false true",
		"dryRun=":             "false false false true",
		"dryRun=false&on=":    "false false false true",
		"dryRun=&some=":       "false false false true",
		"name":                "false false false true name=",
		"on":                  "false false false true",
		"dryRunner":           "false false false true",
		"maybe=true&some=on":  "false true true true some=true",
	} {
		if w := call(app, "GET", "/?"+query, "", ""); w.Body.String() != want {
			t.Errorf("?%s: got %d %s, want %s", query, w.Code, w.Body, want)
		}
	}
	if w := call(app, "GET", "/?dryRun=maybe", "", ""); w.Code != 422 {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

// stamp has text and JSON methods, from time.Time.
type stamp struct{ time.Time }

// A parameter and a header are text by the text methods of their type, whatever its JSON.
func TestTextMethodsOfParameters(t *testing.T) {
	type input struct {
		At    stamp   `query:"at"`
		Until *stamp  `header:"X-Until"`
		All   []stamp `query:"all"`
	}
	type output struct {
		At   stamp  `header:"X-At"`
		Body string `body:""`
	}
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(_ context.Context, in input) (output, error) {
		return output{in.At, fmt.Sprint(in.At.Year(), in.Until.Year(), len(in.All))}, nil
	})
	const at = "2030-01-02T03:04:05Z"
	w := call(app, "GET", "/?at="+at+"&all="+at+"&all="+at, "", "", "X-Until", "2031-01-02T03:04:05Z")
	if w.Body.String() != "2030 2031 2" || w.Header().Get("X-At") != at {
		t.Errorf("got %d %s %v", w.Code, w.Body, w.Header())
	}
	if w := call(app, "GET", "/?at=now", "", ""); w.Code != 422 {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if text := string(build(t, app, "").OpenAPI()); !strings.Contains(text, `"type": "string"`) {
		t.Errorf("described as %s", text)
	}
}
