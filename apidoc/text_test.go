package apidoc_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
)

// This file tests that no text of a client is changed in silence.

// A text that is not UTF-8, such as the CSV of an older Excel, would lose its letters.
func TestTextBodiesAreUTF8(t *testing.T) {
	type table struct {
		Rows string `body:"text/csv"`
	}
	type bytes struct {
		Rows []byte `body:"text/csv"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/text", "", func(_ context.Context, in table) (string, error) { return in.Rows, nil }, apidoc.ID("text"))
	apidoc.Post(api, "/bytes", "", func(_ context.Context, in bytes) ([]byte, error) { return in.Rows, nil }, apidoc.ID("bytes"))
	for _, c := range []struct {
		path, contentType, body string
		status                  int
		want                    string
	}{
		{"/text", "text/csv", "Ährn", 200, "Ährn"},
		{"/text", "text/csv; charset=UTF-8", "\ufeffÄhrn", 200, "\ufeffÄhrn"},
		{"/text", "text/csv; charset=us-ascii", "ahorn", 200, "ahorn"},
		{"/text", "text/csv", "\xc4hrn", 422, `"code":"encoding"`},
		{"/text", "text/csv", "a\x00b", 422, `"code":"encoding"`},
		{"/text", "text/csv; charset=iso-8859-1", "ahorn", 415, "UTF-8"},
		{"/text", "text/csv; charset=utf-16", "a", 415, "UTF-8"},
		{"/bytes", "text/csv; charset=iso-8859-1", "\xc4hrn", 200, "\xc4hrn"},
	} {
		if w := call(app, "POST", c.path, c.contentType, c.body); w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s %s %q: got %d %q", c.path, c.contentType, c.body, w.Code, w.Body)
		}
	}
}

// An escape of half a surrogate pair is no text: encoding/json reads it as U+FFFD.
func TestLoneSurrogates(t *testing.T) {
	type lines struct {
		Lines iter.Seq2[string, error] `body:""`
	}
	type withPart struct {
		Part struct{ Text string } `form:"part,required"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/any", "", func(_ context.Context, in any) (any, error) { return in, nil }, apidoc.ID("any"))
	apidoc.Post(api, "/lines", "", func(_ context.Context, in lines) (texts []string, _ error) {
		for text, err := range in.Lines {
			if err != nil {
				return nil, err
			}
			texts = append(texts, text)
		}
		return texts, nil
	}, apidoc.ID("lines"))
	for body, want := range map[string]int{
		`"\ud83c\udf38"`: 200, `"\u0041"`: 200, `"\\ud800"`: 200, `"\\\\u"`: 200, `"\ud83c\udf38\ud83c\udf38x"`: 200, `"\ufffd"`: 200,
		`"\ud800"`: 400, `"\uD800"`: 400, `"a\udc00b"`: 400, `"\ud800\n"`: 400, `"\ud800\ud800"`: 400, `"\ud83c\udf38\udf38"`: 400,
		`{"\ud800":1}`: 400, `["a",{"b":"\\\ud800"}]`: 400, `"\udf38\ud83c"`: 400,
	} {
		w := call(app, "POST", "/any", "application/json", body)
		if w.Code != want || want == 400 && !strings.Contains(w.Body.String(), "has half of a surrogate pair, such as") {
			t.Errorf("%s: got %d %s, want %d", body, w.Code, w.Body, want)
		}
	}
	if w := call(app, "POST", "/lines", "application/jsonl", "\"a\"\n\"\\ud800\"\n"); w.Code != 400 || !strings.Contains(w.Body.String(), "Line 2 has half of") {
		t.Errorf("lines: got %d %s", w.Code, w.Body)
	}
	apidoc.Post(api, "/part", "", func(_ context.Context, in withPart) (string, error) { return in.Part.Text, nil }, apidoc.ID("part"))
	contentType, body := multipartBody(part{"part", "", `{"Text":"\ud800"}`})
	if w := call(app, "POST", "/part", contentType, body); w.Code != 422 || !strings.Contains(w.Body.String(), `"detail":"has half of`) {
		t.Errorf("a part: got %d %s", w.Code, w.Body)
	}
}
