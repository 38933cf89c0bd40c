package apidoc_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file has the helpers that the tests share.

var update = flag.Bool("update", false, "rewrite the golden files")

var info = apidoc.Info{Title: "Test", Version: "1"}

func nothing(routing.Context) (routing.Result, error) { return routing.Result{}, nil }

// withResponse returns an operation with a response of the type, and the parameters.
func withResponse(id string, body apidoc.Type, parameters ...apidoc.Parameter) *apidoc.Operation {
	return &apidoc.Operation{
		ID:         id,
		Parameters: parameters,
		Responses:  []apidoc.Response{{Status: 200, Description: "OK", Body: body}},
	}
}

// panicOf returns the text of f's panic, or "".
func panicOf(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text, _ = v.(string)
		}
	}()
	f()
	return ""
}

func build(t *testing.T, app *routing.App, base string) *apidoc.Document {
	t.Helper()
	d, err := apidoc.Build(app, info, base)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// tree is a JSON value, decoded.
type tree map[string]any

func decode(t *testing.T, b []byte) tree {
	t.Helper()
	var v tree
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return v
}

// at returns the object at the keys, or nil.
func (v tree) at(keys ...string) tree {
	for _, key := range keys {
		inner, _ := v[key].(map[string]any)
		v = inner
	}
	return v
}

// golden compares a document with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := "testdata/" + name
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		line, lines := 0, strings.Split(string(want), "\n")
		for i, text := range strings.Split(string(got), "\n") {
			if line = i; i >= len(lines) || lines[i] != text {
				t.Errorf("%s, line %d: got %q; see the difference with -update", file, line+1, text)
				return
			}
		}
		t.Errorf("%s: got fewer lines", file)
	}
}

func TestNilAppsAndFunctionsPanic(t *testing.T) {
	api := apidoc.NewAPI(routing.New(), info)
	for want, f := range map[string]func(){
		"apidoc: NewAPI: pass an app, not nil": func() { apidoc.NewAPI(nil, info) },
		"apidoc: GET /trees: pass a function, not nil": func() {
			apidoc.Get[struct{}, string](api, "/trees", "List the trees", nil)
		},
	} {
		if got := panicOf(f); got != want {
			t.Errorf("panicked with %q, want %q", got, want)
		}
	}
}
