package apidoc_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// pipe is a reader that cannot seek, although it has the method.
type pipe struct{ io.Reader }

func (pipe) Seek(int64, int) (int64, error) { return 0, errors.New("illegal seek") }

// A reader that can seek is sent from its current position, with the length of the rest.
func TestReadersWithALength(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte(strings.Repeat("a", 100_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	app, api := newTyped()
	app.After(func(c routing.Context) error {
		if encoding := c.Params().GetOr("encoding", ""); encoding != "" {
			c.Header().Set("Content-Encoding", encoding)
		}
		return nil
	})
	for path, open := range map[string]func() io.Reader{
		"/text":  func() io.Reader { return strings.NewReader("abc") },
		"/empty": func() io.Reader { return strings.NewReader("") },
		"/rest": func() io.Reader {
			r := strings.NewReader("abc")
			r.Seek(1, io.SeekStart)
			return r
		},
		"/pipe": func() io.Reader { return pipe{strings.NewReader("abc")} },
		"/file": func() io.Reader {
			f, err := os.Open(name)
			if err != nil {
				t.Error(err)
			}
			return f
		},
	} {
		apidoc.Get(api, path, "", func(context.Context, struct{}) (io.Reader, error) { return open(), nil }, apidoc.ID(path[1:]))
	}
	server := httptest.NewServer(app)
	defer server.Close()
	for _, c := range []struct {
		path         string
		length, size int64
	}{
		{"/text", 3, 3},
		{"/empty", 0, 0},
		{"/rest", 2, 2},
		{"/pipe", -1, 3},
		{"/file", 100_000, 100_000},
		{"/file?encoding=zip", -1, 100_000}, // the length of the encoded body is not known
	} {
		for _, method := range []string{"GET", "HEAD"} {
			request, _ := http.NewRequest(method, server.URL+c.path, nil)
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			n, err := io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if err != nil || response.ContentLength != c.length || method == "GET" && n != c.size {
				t.Errorf("%s %s: got Content-Length %d and %d bytes, %v; want %d and %d", method, c.path, response.ContentLength, n, err, c.length, c.size)
			}
			if response.StatusCode != 200 || response.Header.Get("Content-Type") != "application/octet-stream" {
				t.Errorf("%s %s: got %d %v", method, c.path, response.StatusCode, response.Header)
			}
		}
	}
}

// An action that reads parameters from an unreadable body fails, even if it reads them while it
// writes the response.
func TestParametersWhileWriting(t *testing.T) {
	type input struct{ Request routing.Context }
	app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)), routing.WithBodyLimit(10))
	api := apidoc.NewAPI(app, info)
	for path, first := range map[string]string{"/begun": "a", "/empty": ""} {
		apidoc.Post(api, path, "", func(_ context.Context, in input) (writtenBody, error) {
			return writtenBody{Body: func(w io.Writer) error {
				_, err := io.WriteString(flushed{w}, first)
				in.Request.Params().GetOr("name", "nobody")
				return err
			}}, nil
		}, apidoc.ID(path[1:]))
	}
	server := httptest.NewServer(app)
	defer server.Close()
	post := func(path string) (*http.Response, error) {
		response, err := http.Post(server.URL+path, "application/x-www-form-urlencoded", strings.NewReader("name="+strings.Repeat("a", 100)))
		if err == nil {
			_, err = io.Copy(io.Discard, response.Body)
			response.Body.Close()
		}
		return response, err
	}
	if response, err := post("/empty"); err != nil || response.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("before the first byte: got %v, %v; want a 413", response, err)
	}
	if response, err := post("/begun"); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("after it: got %v, %v; want a response that breaks off", response, err)
	}
}
