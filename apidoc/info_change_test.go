package apidoc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests Info.Change.

// Change adds a member for which there is no option.
func ExampleInfo_change() {
	changed := info
	changed.Change = func(version string, text []byte) ([]byte, error) {
		var document map[string]any
		if err := json.Unmarshal(text, &document); err != nil {
			return nil, err
		}
		document["info"].(map[string]any)["x-logo"] = map[string]string{"url": "https://example.com/" + version + ".svg"}
		return json.MarshalIndent(document, "", "  ")
	}
	app := routing.New()
	api := apidoc.NewAPI(app, changed)
	apidoc.Get(api, "/trees/:id", "Read a tree", getTree, noTree)
	if _, err := api.Serve(nil); err != nil {
		fmt.Println(err)
	}
	for _, file := range []string{"swagger.json", "openapi-3.0.json", "openapi.json", "openapi-3.2.json"} {
		text := call(app, "GET", "/api-docs/"+file, "", "").Body.String()
		fmt.Println(text[strings.Index(text, "https://example.com/"):][:27])
	}
	// Output:
	// https://example.com/2.0.svg
	// https://example.com/3.0.svg
	// https://example.com/3.1.svg
	// https://example.com/3.2.svg
}

func TestInvalidChanges(t *testing.T) {
	ok := func(context.Context, struct{}) (string, error) { return "ok", nil }
	for _, c := range []struct{ name, result, want string }{
		{"no JSON", `{`, "return its JSON"},
		{"nothing", ``, "return its JSON"},
		{"a list", `[]`, "return its JSON"},
		{"null", `null`, "return its JSON"},
		{"no version", `{}`, "return its JSON"},
		{"another version", `{"swagger":"2.1","openapi":"4.0.0"}`, "leave it as it is"},
		{"an error", "fail", "broken"},
	} {
		changed := info
		changed.Change = func(string, []byte) ([]byte, error) {
			if c.result == "fail" {
				return nil, errors.New("broken")
			}
			return []byte(c.result), nil
		}
		app := routing.New()
		api := apidoc.NewAPI(app, changed)
		apidoc.Get(api, "/", "", ok)
		if _, err := api.Serve(nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got the error %v, want %q", c.name, err, c.want)
		}
		if _, err := apidoc.Build(app, changed, ""); err == nil {
			t.Errorf("%s: Build returned no error", c.name)
		}
	}
	changed := info
	changed.Change = func(_ string, text []byte) ([]byte, error) {
		return bytes.ReplaceAll(text, []byte("Test"), []byte("Changed")), nil
	}
	inner, outer := routing.New(), routing.New(routing.WithBasePath("/base"))
	api := apidoc.NewAPI(inner, changed)
	apidoc.Get(api, "/", "", ok)
	if _, err := api.Serve(nil); err != nil {
		t.Fatal(err)
	}
	outer.Mount("/m", inner)
	for _, file := range []string{"swagger.json", "openapi-3.0.json", "openapi.json", "openapi-3.2.json"} {
		text := call(outer, "GET", "/base/m/api-docs/"+file, "", "").Body.String()
		if !strings.Contains(text, `"Changed"`) || !strings.Contains(text, `"/base/m"`) {
			t.Errorf("%s below another base path: %s", file, text)
		}
	}
}
