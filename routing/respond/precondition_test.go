package respond_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"example.com/flowercafe/internal/precondition"
)

// If-Match compares strongly, If-None-Match weakly (RFC 9110, 13.1).

func TestPreconditionTags(t *testing.T) {
	const weakly, strongly, never = "weakly", "strongly", "never"
	for _, test := range []struct {
		tag   string
		lines []string
		want  string
	}{
		{`"a"`, []string{`"a"`}, strongly},
		{`"a"`, []string{`"b"`}, never},
		{`"a"`, nil, never},
		{`"a"`, []string{``}, never},
		{`"a"`, []string{`a`}, never},
		{`"a"`, []string{"\t*  "}, strongly},
		{`"a"`, []string{`"b", *`}, never},
		{`"a"`, []string{`W/"a"`}, weakly},
		{`W/"a"`, []string{`"a"`}, weakly},
		{`W/"a"`, []string{`W/"a"`}, weakly},
		{`"a"`, []string{`w/"a"`}, never},
		{`"a"`, []string{`W/"a", "a"`}, strongly},
		{`"a"`, []string{` , "b" ,"a"`}, strongly},
		{`"a"`, []string{`"b""a"`}, strongly},
		{`"a"`, []string{`"b`, `"a"`}, never}, // the lines are one list, and its first tag has no end
		{`"a"`, []string{`"b"`, `"a"`}, strongly},
		{`"a"`, []string{`"b" x "a"`}, never},
		{`"a,b"`, []string{`"a,b"`}, strongly},
		{`"a"`, []string{`"a,b"`}, never},
		{`""`, []string{`""`}, strongly},
		{``, []string{`"a"`}, never},
		{``, []string{`*`}, strongly},
	} {
		refused := func(name string) bool {
			r := httptest.NewRequest("GET", "/", nil)
			r.Header[name] = test.lines
			return precondition.Refuse(r, precondition.Version{Tag: test.tag}) != 0
		}
		got := never
		switch strong, weak := test.lines != nil && !refused("If-Match"), refused("If-None-Match"); {
		case weak && strong:
			got = strongly
		case weak:
			got = weakly
		case strong:
			got = "only strongly"
		}
		if got != test.want {
			t.Errorf("%s in %q: got %s, want %s", test.tag, test.lines, got, test.want)
		}
	}
}

// All headers together are evaluated as by http.ServeContent, except that a PUT is refused too.
func TestPreconditionOrder(t *testing.T) {
	changed := time.Date(2024, 5, 6, 7, 8, 9, 500, time.UTC)
	none, at, before := "", changed.Format(http.TimeFormat), changed.Add(-time.Second).Format(http.TimeFormat)
	tags, times := []string{none, `"a"`, `"b"`, `W/"a"`, "*"}, []string{none, at, before, "nonsense"}
	seen := make(map[int]int)
	for _, version := range []precondition.Version{{}, {Tag: `"a"`}, {Tag: `W/"a"`}, {Time: changed}, {Tag: `"a"`, Time: changed}} {
		for _, match := range tags {
			for _, noneMatch := range tags {
				for _, since := range times {
					for _, unmodified := range times {
						for _, method := range []string{"GET", "HEAD", "PUT"} {
							r := httptest.NewRequest(method, "/", nil)
							for name, value := range map[string]string{
								"If-Match": match, "If-None-Match": noneMatch, "If-Modified-Since": since, "If-Unmodified-Since": unmodified,
							} {
								if value != "" {
									r.Header.Set(name, value)
								}
							}
							w := httptest.NewRecorder()
							if version.Tag != "" {
								w.Header().Set("ETag", version.Tag)
							}
							http.ServeContent(w, r, "a.txt", version.Time, bytes.NewReader(nil))
							want := w.Code
							if want == 200 {
								want = 0
							}
							got := precondition.Refuse(r, version)
							if seen[got]++; got != want {
								t.Errorf("%s %v of %+v: got %d, want %d", method, r.Header, version, got, want)
							}
						}
					}
				}
			}
		}
	}
	if fmt.Sprint(len(seen)) != "3" {
		t.Errorf("got only %v", seen)
	}
}

// A resource that does not exist has no ETag, so no star matches.
func TestPreconditionOfMissingResource(t *testing.T) {
	for name, want := range map[string]int{"If-Match": 412, "If-None-Match": 0} {
		r := httptest.NewRequest("PUT", "/", nil)
		r.Header.Set(name, "*")
		if got := precondition.Refuse(r, precondition.Version{Missing: true}); got != want {
			t.Errorf("%s: *: got %d, want %d", name, got, want)
		}
	}
}
