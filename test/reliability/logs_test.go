package reliability_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"example.com/flowercafe/routing"
)

// One event is one line of the log, with all paths, headers and forms. A client cannot forge a
// line, and no control characters reach a terminal that shows the log.

// discarding is a logger without output.
func discarding() routing.Option { return routing.WithLogger(slog.New(slog.DiscardHandler)) }

// failing returns an app that makes the router log each request, in one of its ways.
func failing(handler slog.Handler) *routing.App {
	app := routing.New(routing.WithLogger(slog.New(handler)))
	from := func(c routing.Context) string { return c.Params().GetOr("v", "") }
	app.Post("/error/*", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, fmt.Errorf("load %s: %w", from(c), errors.New(c.Request().Header.Get("X-V")))
	})
	app.Post("/panic/*", func(c routing.Context) (routing.Result, error) { panic(from(c)) })
	app.Post("/required/*", func(c routing.Context) (routing.Result, error) {
		_, err := c.Params().Require("no " + from(c))
		return routing.Result{}, err
	})
	app.Post("/name/*", func(c routing.Context) (routing.Result, error) {
		c.Header()["X \r\n"+from(c)] = []string{"1"}
		return routing.Result{}, nil
	})
	app.Post("/value/*", func(c routing.Context) (routing.Result, error) {
		c.Header().Set("X-A", "\r\n"+from(c))
		return routing.Result{}, nil
	})
	app.Post("/reason/*", func(c routing.Context) (routing.Result, error) {
		return routing.Result{}, &routing.HaltError{Status: 403, Reason: "\n" + from(c)}
	})
	app.Post("/handler/*", func(c routing.Context) (routing.Result, error) {
		v := from(c)
		return routing.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(v) }))(c)
	})
	app.Post("/stream/*", func(c routing.Context) (routing.Result, error) {
		return routing.Stream("text/plain", failingReader{errors.New(from(c))}), nil
	})
	app.OnError(func(c routing.Context, err error) (routing.Result, error) { return routing.Result{}, err })
	return app
}

type failingReader struct{ err error }

func (r failingReader) Read([]byte) (int, error) { return 0, r.err }

var logged = []string{"/error/", "/panic/", "/name/", "/value/", "/reason/", "/handler/", "/stream/"}

func TestOneLinePerEvent(t *testing.T) {
	t.Run("own", func(t *testing.T) { logAll(t, injections) })
	t.Run("public", func(t *testing.T) {
		payloads := append(naughtyStrings(t), inputLines(t, "crlfinjection.txt")...)
		for _, p := range payloads {
			if decoded := percentDecoded(p); decoded != p {
				payloads = append(payloads, decoded)
			}
		}
		t.Logf("%d payloads, logged in %d ways", len(payloads), len(logged))
		logAll(t, payloads)
	})
}

func logAll(t *testing.T, payloads []string) {
	var log bytes.Buffer
	for _, format := range []struct {
		name  string
		app   *routing.App
		raw   func(rune) bool // what must not be in a line
		check func(line string) error
	}{
		// slog quotes control characters, except for U+007F, which terminals ignore.
		{"text", failing(slog.NewTextHandler(&log, nil)), func(r rune) bool { return unicode.IsControl(r) && r != 0x7f }, func(string) error { return nil }},
		// JSON escapes the characters that RFC 8259 requires. These do not include U+007F to
		// U+009F.
		{"JSON", failing(slog.NewJSONHandler(&log, nil)), func(r rune) bool { return r < ' ' }, func(line string) error {
			var event map[string]any
			return json.Unmarshal([]byte(line), &event)
		}},
	} {
		for _, v := range payloads {
			for _, path := range logged {
				log.Reset()
				r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("v="+url.QueryEscape(v)))
				r.URL.Path = path + v
				r.Header.Set("Content-Type", urlencoded)
				r.Header["X-V"] = []string{v}
				w := httptest.NewRecorder()
				format.app.ServeHTTP(w, r)
				line, ended := strings.CutSuffix(log.String(), "\n")
				if w.Code != http.StatusInternalServerError || !ended || !strings.Contains(line, "request failed") {
					t.Errorf("%s: %s%q: got status %d and the log %q, want 500 and one event", format.name, path, v, w.Code, log.String())
				}
				if i := strings.IndexFunc(line, format.raw); i >= 0 {
					t.Errorf("%s: %s%q: the log has a raw %q", format.name, path, v, line[i])
				}
				if err := format.check(line); err != nil {
					t.Errorf("%s: %s%q: the line %q: %v", format.name, path, v, line, err)
				}
				if body := w.Body.String(); body != "Internal Server Error" {
					t.Errorf("%s: %s%q: the client reads %q", format.name, path, v, body)
				}
			}
		}
	}
}
