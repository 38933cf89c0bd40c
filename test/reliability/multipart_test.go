package reliability_test

import (
	"bytes"
	"context"
	"io"
	"log"
	"log/slog"
	mimeform "mime/multipart" // the package has a multipart of its own
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// TestUploadsLeaveNoFiles sends large files to code that parses the form itself: an action, a
// handler, and a handler behind middleware. If the request was copied, net/http would leave the
// files (golang/go#58809).
func TestUploadsLeaveNoFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	upload := func(size int) (body *bytes.Buffer, contentType string) {
		body = new(bytes.Buffer)
		form := mimeform.NewWriter(body)
		form.WriteField("text", "x")
		part, err := form.CreateFormFile("file", "large")
		if err != nil {
			t.Fatal(err)
		}
		part.Write(make([]byte, size))
		form.Close()
		return body, form.FormDataContentType()
	}
	var seen atomic.Int64
	parse := func(r *http.Request) error {
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			return err
		}
		entries, err := os.ReadDir(os.TempDir())
		seen.Add(int64(len(entries)))
		return err
	}
	app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
	app.Post("/action", func(c routing.Context) (routing.Result, error) { return routing.Result{}, parse(c.Request()) })
	app.Post("/cut", func(c routing.Context) (routing.Result, error) {
		if err := parse(c.Request()); err != nil {
			return routing.Result{}, err
		}
		panic(http.ErrAbortHandler)
	})
	app.Post("/cut/late", func(c routing.Context) (routing.Result, error) {
		if err := parse(c.Request()); err != nil {
			return routing.Result{}, err
		}
		return routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Write([]byte("beginning"))
			panic("too late for another response")
		}))(c)
	})
	app.Before(respond.Multipart(64<<20), routing.On("/params"), routing.On("/cut/parsed"))
	app.Post("/cut/parsed", func(c routing.Context) (routing.Result, error) {
		if err := parse(c.Request()); err != nil {
			return routing.Result{}, err
		}
		panic(http.ErrAbortHandler)
	})
	app.Post("/params", func(c routing.Context) (routing.Result, error) {
		if _, err := c.Params().Require("text"); err != nil {
			return routing.Result{}, err
		}
		return routing.Result{}, parse(c.Request())
	})
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := parse(r); err != nil {
			http.Error(w, "failed", http.StatusInternalServerError)
		}
	})
	app.Handle(http.MethodPost, "/handler/:x", handler)
	same := func(next http.Handler) http.Handler { return next }
	app.Handle(http.MethodPost, "/behind/:x", handler, routing.Use(same))
	patient := func(next http.Handler) http.Handler { return http.TimeoutHandler(next, time.Minute, "") }
	app.Post("/patient", func(c routing.Context) (routing.Result, error) { return routing.Result{}, parse(c.Request()) }, routing.Use(patient))
	filtered := routing.New()
	filtered.Before(func(c routing.Context) error { return parse(c.Request()) })
	filtered.Post("/behind", func(routing.Context) (routing.Result, error) { return routing.Result{}, nil }, routing.Use(patient))
	filtered.Post("/passes", func(routing.Context) (routing.Result, error) { return routing.Result{}, nil })
	filtered.Post("/passes", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }, routing.Use(patient))
	app.Mount("/filtered", filtered)
	wrapped := routing.New()
	wrapped.Use(same)
	wrapped.Post("/action", func(c routing.Context) (routing.Result, error) { return routing.Result{}, parse(c.Request()) })
	app.Mount("/mounted", wrapped)
	type key struct{}
	for name, handler := range map[string]http.Handler{
		"direct":      app,
		"StripPrefix": http.StripPrefix("/x", app),
		"WithContext": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			app.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, 1)))
		}),
	} {
		server := httptest.NewUnstartedServer(handler)
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.Start()
		for _, path := range []string{"/action", "/cut", "/cut/late", "/cut/parsed", "/params", "/handler/1", "/behind/1", "/patient", "/filtered/behind", "/filtered/passes", "/mounted/action"} {
			seen.Store(0)
			cut := strings.HasPrefix(path, "/cut")
			size := 2 << 20 // more than is kept in memory
			if path == "/params" || path == "/cut/parsed" {
				size = 9 << 20 // more than the filter keeps
			}
			body, contentType := upload(size)
			if name == "StripPrefix" {
				path = "/x" + path
			}
			response, err := server.Client().Post(server.URL+path, contentType, body)
			if cut != (err != nil) || seen.Load() == 0 {
				t.Fatalf("%s: %s: got %d files meanwhile and error %v, want a file, and an error where the connection is cut", name, path, seen.Load(), err)
			}
			if !cut {
				response.Body.Close()
				if response.StatusCode != http.StatusOK {
					t.Errorf("%s: %s: got %d, want 200", name, path, response.StatusCode)
				}
			}
			for end := time.Now().Add(hang); ; time.Sleep(5 * time.Millisecond) {
				left, err := os.ReadDir(os.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				if len(left) == 0 {
					break
				}
				if time.Now().After(end) {
					t.Fatalf("%s: %s: got %d files left, want 0", name, path, len(left))
				}
			}
		}
		server.Close()
	}
}
