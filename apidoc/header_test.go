package apidoc_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
)

// Times in headers of requests and responses are HTTP dates (RFC 9110, 5.6.7).
func TestTimesInHeaders(t *testing.T) {
	app, api := newTyped()
	type document struct {
		Modified time.Time `header:"Last-Modified"`
	}
	apidoc.Get(api, "/document", "", func(_ context.Context, in struct {
		Since *time.Time `header:"If-Modified-Since"`
	}) (document, error) {
		if in.Since == nil {
			return document{}, nil
		}
		return document{in.Since.Add(time.Hour)}, nil
	}, apidoc.ID("read"))
	for _, c := range []struct {
		since    string
		status   int
		modified string
	}{
		{"", 204, ""},
		{"Sun, 06 Nov 1994 08:49:37 GMT", 204, "Sun, 06 Nov 1994 09:49:37 GMT"},
		{"Sunday, 06-Nov-94 08:49:37 GMT", 204, "Sun, 06 Nov 1994 09:49:37 GMT"}, // obsolete, but must be accepted
		{"1994-11-06T08:49:37Z", 422, ""},
	} {
		r := httptest.NewRequest("GET", "/document", nil)
		if c.since != "" {
			r.Header.Set("If-Modified-Since", c.since)
		}
		w := httptest.NewRecorder()
		apidoc.CheckResponses(app, func(_ *http.Request, err error) { t.Errorf("since %q: %v", c.since, err) }).ServeHTTP(w, r)
		if w.Code != c.status || w.Header().Get("Last-Modified") != c.modified {
			t.Errorf("since %q: got %d, modified %q, want %d, %q", c.since, w.Code, w.Header().Get("Last-Modified"), c.status, c.modified)
		}
	}
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	// In OpenAPI 3.0, a 412 has no headers, because ogen does not accept them.
	for want, formats := range map[int][][]byte{4: {d.Swagger(), d.OpenAPI()}, 3: {d.OpenAPI30()}} {
		for _, format := range formats {
			if got := strings.Count(string(format), `"format": "http-date"`); got != want {
				t.Errorf("%d headers are described as HTTP dates, want %d:\n%s", got, want, format)
			}
		}
	}
}

// Defaults and examples of times in headers are HTTP dates too. Slices of times, and times with the
// tag format:"date-time", have the format of RFC 3339.
func TestRulesOfTimesInHeaders(t *testing.T) {
	app, api := newTyped()
	type output struct {
		Since time.Time   `header:"X-Since"`
		Until time.Time   `header:"X-Until" format:"date-time"`
		Times []time.Time `header:"X-Times"`
	}
	apidoc.Get(api, "/", "", func(_ context.Context, in struct {
		Since time.Time   `header:"X-Since" default:"Sun, 06 Nov 1994 08:49:37 GMT" example:"Sun, 06 Nov 1994 08:49:37 GMT"`
		Until time.Time   `header:"X-Until" format:"date-time"`
		Times []time.Time `header:"X-Times"`
	}) (output, error) {
		return output{in.Since, in.Until, in.Times}, nil
	}, apidoc.ID("read"))
	r := httptest.NewRequest("GET", "/", nil)
	r.Header.Set("X-Until", "2026-01-01T00:00:00Z")
	r.Header["X-Times"] = []string{"2026-01-01T00:00:00Z, 2026-01-02T00:00:00Z", "2026-01-03T00:00:00Z"}
	w := httptest.NewRecorder()
	apidoc.CheckResponses(app, func(_ *http.Request, err error) { t.Error(err) }).ServeHTTP(w, r)
	since, until, times := w.Header().Get("X-Since"), w.Header().Get("X-Until"), strings.Join(w.Header()["X-Times"], " ")
	if since != "Sun, 06 Nov 1994 08:49:37 GMT" || until != "2026-01-01T00:00:00Z" || times != "2026-01-01T00:00:00Z 2026-01-02T00:00:00Z 2026-01-03T00:00:00Z" {
		t.Errorf("got %d %s, since %q, until %q, times %q", w.Code, w.Body, since, until, times)
	}
	const refused = `leave format:"http-date" out`
	for name, got := range map[string]string{
		"an input": refusal[struct {
			Times []time.Time `header:"X-Times" format:"http-date"`
		}, struct{}]("GET"),
		"an output": refusal[struct{}, struct {
			Times []time.Time `header:"X-Times" format:"http-date"`
		}]("GET"),
	} {
		if !strings.Contains(got, refused) {
			t.Errorf("HTTP dates in a list of %s: got %q, want %q", name, got, refused)
		}
	}
}

// OpenAPI 3 describes three headers only by media types and security schemes. The operation reads
// them like other headers.
func TestHeadersThatAreNotParameters(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/notes", "", func(_ context.Context, in struct {
		Type   string `header:"content-type"`
		Accept string `header:"Accept"`
		Token  string `header:"Authorization"`
		Trace  string `header:"X-Trace"`
		Text   string `body:"text/plain, text/markdown"`
	}) (string, error) {
		return in.Type + in.Accept + in.Token + in.Trace, nil
	}, apidoc.ID("addNote"))
	r := httptest.NewRequest("POST", "/notes", strings.NewReader("a"))
	for _, name := range []string{"Accept", "Authorization", "X-Trace"} {
		r.Header.Set(name, " "+name)
	}
	r.Header.Set("Content-Type", "text/markdown")
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	if want := "text/markdown Accept Authorization X-Trace"; w.Body.String() != want {
		t.Errorf("got %q, want %q", w.Body, want)
	}
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range [][]byte{d.OpenAPI30(), d.OpenAPI()} {
		if got := strings.Count(string(format), `"in": "header"`); got != 1 {
			t.Errorf("%d headers are parameters, want X-Trace alone:\n%s", got, format)
		}
	}
}
