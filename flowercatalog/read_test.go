package flowercatalog_test

import (
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"example.com/flowercafe/flowercatalog"
)

// ReadJSON reads the response of /flowers/.
func TestReadJSON(t *testing.T) {
	for _, flowers := range [][]flowercatalog.Flower{{}, three, manyFlowers(1000, false)} {
		app := newApp(t, flowercatalog.WithFlowers(flowers...))
		body := ask(app, "GET", "/flowers/").Body.String()
		for name, reader := range map[string]io.Reader{"at once": strings.NewReader(body), "byte by byte": iotest.OneByteReader(strings.NewReader(body))} {
			got, err := flowercatalog.ReadJSON(reader)
			if err != nil || got == nil || !slices.Equal(got, flowers) {
				t.Errorf("%s: got %d flowers, %v; want the %d that were written", name, len(got), err, len(flowers))
			}
		}
	}
}

func TestReadJSONRefusals(t *testing.T) {
	for _, test := range []struct{ name, text, says string }{
		{"nothing", ``, "unexpected EOF"},
		{"no array", `{"slug":"a","name":"A"}`, "an array of flowers, found {"},
		{"null", `null`, "an array of flowers"},
		{"no object", `[{"slug":"a","name":"A"},7]`, "flower 2: expected an object with the members slug and name, found 7"},
		{"a number", `[{"slug":"a","name":7}]`, `flower 1: the member "name": write a string`},
		{"null for a text", `[{"slug":null,"name":"A"}]`, `flower 1: the member "slug": write a string`},
		{"an object for a text", `[{"slug":{},"name":"A"}]`, `flower 1: the member "slug": write a string`},
		{"a member missing", `[{"slug":"a","name":"A"},{"slug":"b"}]`, `flower 2: the member "name" is missing`},
		{"a member twice", `[{"slug":"a","slug":"b","name":"A"}]`, `flower 1: the member "slug" occurs twice`},
		{"another member", `[{"slug":"a","name":"A","nmae":""}]`, `flower 1: the member "nmae"`},
		{"another letter case", `[{"Slug":"a","name":"A"}]`, `flower 1: the member "Slug"`},
		{"not UTF-8", "[{\"slug\":\"a\",\"name\":\"\xff\"}]", `flower 1: the member "name": `},
		{"half a character", `[{"slug":"a","name":"\ud83c\udf39"},{"slug":"b","name":"A \ud83c"},{"slug":"c","name":"C"}]`, `flower 2: the member "name": \ud83c is half a character`},
		{"the other half", `[{"slug":"a","name":"\uDF39"}]`, `flower 1: the member "name": `},
		{"two first halves", `[{"slug":"a\ud83c\ud83c\udf39","name":""}]`, `flower 1: the member "slug": `},
		{"broken off in a text", `[{"slug":"a`, `flower 1: the member "slug": unexpected EOF`},
		{"broken off behind a flower", `[{"slug":"a","name":"A"}`, "unexpected EOF"},
		{"a comma too many", `[{"slug":"a","name":"A"},]`, "flower 2: "},
		{"something behind", `[] x`, "after the array"},
		{"two arrays", `[][]`, "after the array"},
	} {
		flowers, err := flowercatalog.ReadJSON(strings.NewReader(test.text))
		if err == nil || flowers != nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: got %v, %v; want an error that says %q", test.name, flowers, err, test.says)
		}
	}
}

// TestEachJSONEnds: an error ends EachJSON at once, even if more may come through a pipe.
func TestEachJSONEnds(t *testing.T) {
	enough := errors.New("enough")
	calls := 0
	pipe, w := io.Pipe()
	defer w.Close()
	go io.WriteString(w, `[{"slug":"rose","name":"Rose"}`)
	err := flowercatalog.EachJSON(pipe, func(flowercatalog.Flower) error { calls++; return enough })
	if !errors.Is(err, enough) || calls != 1 || !strings.Contains(err.Error(), "flower 1") {
		t.Errorf("got %d calls and %v, want 1 and the error", calls, err)
	}
}

func FuzzReadJSON(f *testing.F) {
	f.Add(threeJSON)
	f.Add(`[{"slug":"\ud800","name":"\u0000"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := flowercatalog.ReadJSON(strings.NewReader(text))
		if err != nil {
			return
		}
		var want []flowercatalog.Flower
		if err := json.Unmarshal([]byte(text), &want); err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q of %q, package json %q, %v", got, text, want, err)
		}
	})
}

// TestReadJSONEscapes: all escapes mean what package json says, wherever the reader's buffers end.
func TestReadJSONEscapes(t *testing.T) {
	for _, escapes := range []string{`\\ud800`, `\"\\\/\b\f\n\r\t\u0041`, `\ud83c\udf39\uD83C\uDF39`, `\\\ud83c\udf39`, `\ufffd\ue000\ud7ff`} {
		var want string
		if err := json.Unmarshal([]byte(`"`+escapes+`"`), &want); err != nil {
			t.Fatal(err)
		}
		for pad := 4090; pad < 4100; pad++ {
			text := strings.Repeat("x", pad)
			got, err := flowercatalog.ReadJSON(strings.NewReader(`[{"slug":"a","name":"` + text + escapes + `"}]`))
			if err != nil || len(got) != 1 || got[0].Name != text+want {
				t.Errorf("%s behind %d bytes: got %.20q, %v, want %q", escapes, pad, got, err, want)
			}
		}
	}
}
