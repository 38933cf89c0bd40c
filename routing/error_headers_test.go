package routing_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// OnError and NotFound do not send the headers of the action that failed or passed, such as the
// length of its body. Other headers stay.
func TestHeadersOfTheActionThatFailed(t *testing.T) {
	app := routing.New(quiet())
	for path, err := range map[string]error{"/fails": errors.New("no roses"), "/passes": routing.Pass} {
		app.Get(path, func(c routing.Context) (routing.Result, error) {
			h := c.Header()
			c.SetContentType("image/png")
			h.Set("Content-Length", "3")
			h.Set("Etag", `"1"`)
			h.Set("Location", "/roses")
			h.Set("Cache-Control", "max-age=31536000")
			h.Set("X-Other", "stays")
			return routing.Result{}, err
		})
	}
	app.OnError(func(routing.Context, error) (routing.Result, error) { return routing.Text("sorry for that"), nil })
	app.NotFound(text("nothing is here"))
	address := serve(t, app)
	for path, want := range map[string]string{"/fails": "500 sorry for that", "/passes": "404 nothing is here"} {
		got := fetch(t, "GET", address+path, "")
		h := got.header
		if fmt.Sprint(got.status, " ", got.body) != want || h.Get("Content-Type") != "text/plain; charset=utf-8" || h.Get("Etag")+h.Get("Location") != "" ||
			h.Get("Cache-Control") != "no-store" || h.Get("X-Other") != "stays" {
			t.Errorf("%s: got %d %q %v, want %s", path, got.status, got.body, h, want)
		}
	}
}

// The Content-Type of a before filter stays, also if the filter could not read a parameter.
func TestTypeOfTheFilterThatCouldNotRead(t *testing.T) {
	app := routing.New(quiet(), routing.WithBodyLimit(3))
	app.Before(func(c routing.Context) error {
		c.SetContentType("text/markdown")
		c.Params().Get("a")
		return nil
	})
	app.Post("/", text("read"))
	app.OnError(func(routing.Context, error) (routing.Result, error) { return routing.Text("sorry"), nil })
	r := httptest.NewRequest("POST", "/", strings.NewReader("a=too-long"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := send(app, r)
	if got := fmt.Sprint(w.Code, " ", w.Body, " ", w.Header().Get("Content-Type")); got != "413 sorry text/markdown" {
		t.Errorf("got %s", got)
	}
}

// An after filter changes the status, except of a default 500 without a problem, and the headers,
// except those of an error's body.
func TestChangesByAfterFilters(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/text", text("a rose"))
	app.Get("/closed", failsWith(&routing.Problem{Status: 503, Title: "Closed"}))
	app.Get("/broken", failsWith(errors.New("broken")))
	app.Get("/burst", failsWith(&routing.Problem{Status: 500, Title: "Burst"}))
	app.Get("/own", func(c routing.Context) (routing.Result, error) { c.SetStatus(500); return routing.Text("own"), nil })
	app.ErrorBody(func(routing.Context, *routing.Problem) (routing.Result, error) { return routing.Text("sorry"), nil })
	app.After(func(c routing.Context) error {
		c.SetStatus(410)
		c.Header().Set("Etag", `"1"`)
		c.Header().Set("Cache-Control", "max-age=60")
		c.Header().Set("X-Other", "set")
		return nil
	})
	for path, want := range map[string]string{
		"/text": `410 "1" max-age=60 set`, "/own": `410 "1" max-age=60 set`, "/none": "410  max-age=60 set", "/closed": "410  max-age=60 set", "/burst": "410  max-age=60 set", "/broken": "500  no-store set",
	} {
		w := get(app, path)
		h := w.Header()
		if got := fmt.Sprint(w.Code, " ", h.Get("Etag"), " ", h.Get("Cache-Control"), " ", h.Get("X-Other")); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// Pass that is joined with another error counts as that error. Wrapped, it stays Pass.
func TestJoinedPass(t *testing.T) {
	halt := &routing.HaltError{Status: http.StatusForbidden}
	for _, test := range []struct {
		name string
		err  error
		want int
	}{
		{"alone", routing.Pass, 200},
		{"wrapped", fmt.Errorf("w: %w", routing.Pass), 200},
		{"joined with itself", errors.Join(routing.Pass, nil, fmt.Errorf("w: %w", routing.Pass)), 200},
		{"joined with a halt", errors.Join(routing.Pass, halt), 403},
		{"joined behind a halt", fmt.Errorf("%w: %w", halt, routing.Pass), 403},
		{"joined and wrapped", fmt.Errorf("w: %w", errors.Join(routing.Pass, halt)), 403},
		{"joined with an error", errors.Join(routing.Pass, errors.New("broken")), 500},
	} {
		app := routing.New(quiet())
		app.Before(func(routing.Context) error { return test.err }, routing.On("/filter"))
		app.Get("/filter", text("guarded"))
		app.Get("/route", text("earlier"))
		app.Get("/route", func(routing.Context) (routing.Result, error) { return routing.Result{}, test.err })
		for _, path := range []string{"/filter", "/route"} {
			if w := get(app, path); w.Code != test.want {
				t.Errorf("%s, %s: got %d, want %d", test.name, path, w.Code, test.want)
			}
		}
		if failed := routing.IsFailure(test.err); failed != (test.want != 200) {
			t.Errorf("%s: IsFailure is %t", test.name, failed)
		}
	}
}

// Pass restores each part of the URL.
func TestPassRestoresTheWholeURL(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/a", func(c routing.Context) (routing.Result, error) { return routing.Text(c.Request().URL.String()), nil })
	app.Get("/a", func(c routing.Context) (routing.Result, error) {
		u := c.Request().URL
		u.Scheme, u.Opaque, u.Host, u.RawQuery, u.Fragment, u.ForceQuery = "ftp", "x", "other", "q=2", "f", true
		return routing.Result{}, routing.Pass
	})
	if w := get(app, "http://here/a?q=1"); w.Body.String() != "http://here/a?q=1" {
		t.Errorf("got %q", w.Body)
	}
}

// panickingReader panics after its text.
type panickingReader struct{ io.Reader }

func (r panickingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == io.EOF {
		panic("no more roses")
	}
	return n, err
}

// A stream that panics before its first byte is a plain 500. Later, the connection is closed.
func TestStreamThatPanics(t *testing.T) {
	var log logBuffer
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	for path, text := range map[string]string{"/first": "", "/later": "some roses"} {
		app.Get(path, func(routing.Context) (routing.Result, error) {
			return routing.Stream("text/plain", panickingReader{strings.NewReader(text)}), nil
		})
	}
	address := serve(t, app)
	if got := fetch(t, "GET", address+"/first", ""); got.status != 500 || got.body != "Internal Server Error" {
		t.Errorf("got %d %q", got.status, got.body)
	}
	if text := log.take(); strings.Count(text, "no more roses") < 1 || strings.Count(text, "request failed") != 1 || !strings.Contains(text, "stack") {
		t.Errorf("the log has %q, want one event with the stack", text)
	}
	response, err := http.Get(address + "/later")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err == nil || string(body) != "some roses" {
		t.Errorf("got %d %q, %v; want an incomplete response", response.StatusCode, body, err)
	}
}

// A response with status 204, 205 or 304 has no body (RFC 9110, 15.3.6).
func TestStatusesWithoutBody(t *testing.T) {
	for _, status := range []int{204, 205, 304} {
		app := routing.New(quiet())
		app.Get("/text", func(c routing.Context) (routing.Result, error) { c.SetStatus(status); return routing.Text("x"), nil })
		app.Get("/stream", func(c routing.Context) (routing.Result, error) {
			c.SetStatus(status)
			return routing.Stream("text/plain", strings.NewReader("x")), nil
		})
		app.Get("/none", func(c routing.Context) (routing.Result, error) { c.SetStatus(status); return routing.Result{}, nil })
		address := serve(t, app)
		for _, path := range []string{"/text", "/stream", "/none"} {
			got := fetch(t, "GET", address+path, "")
			length := got.header.Get("Content-Length")
			if got.status != status || got.body != "" || got.header.Get("Content-Type") != "" || (length != "" && length != "0") {
				t.Errorf("%d %s: got %d %q %v", status, path, got.status, got.body, got.header)
			}
		}
	}
}

// A nil pointer that is returned as an error is logged with advice.
func TestNilErrorsAreLoggedWithAdvice(t *testing.T) {
	for _, err := range []error{(*routing.HaltError)(nil), (*routing.Problem)(nil), (*nilError)(nil), fmt.Errorf("w: %w", (*routing.HaltError)(nil))} {
		var log logBuffer
		app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		app.Get("/", func(routing.Context) (routing.Result, error) { return routing.Result{}, err })
		w := send(app, httptest.NewRequest("GET", "/", nil))
		if text := log.take(); w.Code != 500 || !strings.Contains(text, "nil pointer of type *") {
			t.Errorf("%T: got %d and the log %q", err, w.Code, text)
		}
	}
}
