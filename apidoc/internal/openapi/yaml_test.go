package openapi_test

import (
	"testing"

	"example.com/flowercafe/apidoc/internal/openapi"
)

// Package conformance compares it with what a parser of YAML reads.
func TestYAML(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{`{"openapi":"3.1.0","paths":{"/trees/{id}":{"get":{"tags":["a","b c"],"deprecated":true}}}}`,
			"openapi: \"3.1.0\"\npaths:\n  \"/trees/{id}\":\n    get:\n      tags:\n        - a\n        - b c\n      deprecated: true\n"},
		{`{"list":[{"a":1,"b":[]},[2.50,{}],null]}`, "list:\n  -\n    a: 1\n    b: []\n  -\n    - 2.50\n    - {}\n  - null\n"},
		{`{"no":"Yes","200":"null","$ref":"#/a","e":"","s":" x","t":"x ","d":"a: b","c":"a #b"}`,
			"\"no\": \"Yes\"\n\"200\": \"null\"\n\"$ref\": \"#/a\"\ne: \"\"\ns: \" x\"\nt: \"x \"\nd: \"a: b\"\nc: \"a #b\"\n"},
		{`{"text":"one\ntwo\t\"<é>\" \u0007"}`, "text: \"one\\ntwo\\t\\\"<é>\\\" \\u0007\"\n"},
		{`["\u0000\u007f \u0085 \ufeff",1e9,-2.5E-7,0.5,1E+3]`, // older parsers refuse such characters, and read 1e9 as text
			"- \"\\u0000\\u007f \\u0085 \\ufeff\"\n- 1.0e+9\n- -2.5e-7\n- 0.5\n- 1.0e+3\n"},
		{`{}`, "{}\n"},
		{`7`, "7\n"},
	} {
		if got := string(openapi.YAML([]byte(c.json))); got != c.want {
			t.Errorf("%s: got\n%s, want\n%s", c.json, got, c.want)
		}
	}
}
