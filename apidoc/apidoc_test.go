package apidoc_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file has the helpers that the tests share.

var update = flag.Bool("update", false, "rewrite the golden files")

var info = apidoc.Info{Title: "Test", Version: "1"}

func nothing(routing.Context) (routing.Result, error) { return routing.Result{}, nil }

// withBody returns an operation that responds with JSON of the type, or without a body if the type
// is nil. The parameters are path parameters.
func withBody(id string, body reflect.Type, parameters ...string) *apidoc.Operation {
	output := reflect.TypeFor[struct{}]()
	if body != nil {
		output = reflect.StructOf([]reflect.StructField{{Name: "Body", Type: body, Tag: `body:"application/json"`}})
	}
	var fields []reflect.StructField
	for i, name := range parameters {
		tag := reflect.StructTag(fmt.Sprintf("path:%q", name))
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: reflect.TypeFor[string](), Tag: tag})
	}
	return apidoc.OperationOfTypes(id, reflect.StructOf(fields), output)
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

// tree is a decoded JSON object.
type tree map[string]any

func decode(t *testing.T, b []byte) tree {
	t.Helper()
	var v tree
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return v
}

// at returns the object at a path of keys, or nil.
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
