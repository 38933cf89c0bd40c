package urlencoded_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"example.com/flowercafe/internal/urlencoded"
)

// The answers are those of Rack 2.2.22 (Rack::Utils.parse_nested_query), except where a comment
// says otherwise. An error is "error".
func TestNest(t *testing.T) {
	for query, want := range map[string]string{
		"a=1":                        `"1"`,
		"a=1&a=2":                    `"2"`,
		"b=1&ab=1&a%5B=1":            `null`,
		"a[]=1&a[]=2":                `["1","2"]`,
		"a[]=":                       `[""]`,
		"a[b]=1&a[c]=2&a[b]=3":       `{"b":"3","c":"2"}`,
		"a%5Bb%5D[c]=x+y&b=%zz":      `{"b":{"c":"x y"}}`,
		"a[][x]=1&a[][y]=2&a[][x]=3": `[{"x":"1","y":"2"},{"x":"3"}]`,
		"a[][b][]=1&a[][b][]=2":      `[{"b":["1","2"]}]`,
		"a[][b][c]=1&a[][b][d]=2":    `[{"b":{"c":"1","d":"2"}}]`,
		"a[][]=1":                    `[["1"]]`,
		"a[][x]=1&a[]=2&a[][x]=3":    `[{"x":"1"},"2",{"x":"3"}]`,
		"a[0][x]=1&a[1][x]=2":        `{"0":{"x":"1"},"1":{"x":"2"}}`,
		"a[b]=1&a=2":                 `"2"`,
		"a=1&a[b]=2":                 "error",
		"a[]=1&a[b]=2":               "error",
		"a[b]=1&a[]=2":               "error",
		"a[b][c]=1&a[b][]=2":         "error",
		"a[b]c=1":                    `{"b":{"c":"1"}}`,
		"a[b][=2":                    `{"[b][":"2"}`,
		"a[b=1":                      `{"[b":"1"}`, // as in Rack 3; {"b":…} in Rack 2
		"a[][id]=1&a[][t][]=x&a[][t][]=y&a[][id]=2&a[][t][]=z": `[{"id":"1","t":["x","y"]},{"id":"2","t":["z"]}]`,
		"a" + strings.Repeat("[b]", 31) + "=1":                 strings.Repeat(`{"b":`, 31) + `"1"` + strings.Repeat("}", 31),
		"a" + strings.Repeat("[b]", 32) + "=1":                 "error", // the limit of Rack 3; 100 in Rack 2
		"c[d]=1&c=2&a" + strings.Repeat("[]", 5000) + "=1":     "error",
	} {
		var index urlencoded.Index
		for how, fields := range map[string]urlencoded.Fields{
			"text": urlencoded.Of(query), "first": index.Fields(query), "again": index.Fields(query),
		} {
			if got := nested(fields, "a"); got != want {
				t.Errorf("%.80s, %s: got %.200s, want %.200s", query, how, got, want)
			}
		}
	}
}

// A form that was parsed by others has lost the order of its keys.
func TestNestParsed(t *testing.T) {
	for query, want := range map[string]string{
		"a[b]=1&a[c][]=2&a[c][]=3":              `{"b":"1","c":["2","3"]}`,
		"a[][x]=1&a[][y]=2&a[][x]=3&a[][y]=4":   `[{"x":"1","y":"2"},{"x":"3","y":"4"}]`,
		"a[b][][y]=2&a[b][][x]=1&a[c]=1&a[d]=1": `{"b":[{"x":"1","y":"2"}],"c":"1","d":"1"}`,
		"a[][x]=1&a[][y]=2&a[][x]=3":            "error",
		"b[][x]=1&b[][y]=2&b[][x]=3&a=1":        `"1"`,
	} {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if got := nested(urlencoded.Parsed(values), "a"); got != want {
			t.Errorf("%s: got %s, want %s", query, got, want)
		}
	}
}

// nested returns a value as JSON.
func nested(fields urlencoded.Fields, key string) string {
	node, err := fields.Nest(key)
	if err != nil {
		return "error"
	}
	text, err := json.Marshal(plain(node))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func plain(node *urlencoded.Node) any {
	switch {
	case node == nil:
		return nil
	case node.List != nil:
		list := []any{}
		for _, element := range node.List {
			list = append(list, plain(element))
		}
		return list
	case node.Map != nil:
		all := map[string]any{}
		for key, element := range node.Map {
			all[key] = plain(element)
		}
		return all
	}
	return node.Text
}
