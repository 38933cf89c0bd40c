package reliability_test

import (
	"bytes"
	"context"
	"log/slog"
	mimeform "mime/multipart" // the package has a multipart of its own
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"example.com/flowercafe/routing"
)

// TestUploadsLeaveNoFiles sends large files. Parameters are read without temporary files, also where the request was copied, and an
// action that parses the form itself has its files removed by net/http, which needs the very request of the server: the app must not
// copy it. Where the host copies the request, an action that parses the form removes the files itself (golang/go#58809).
func TestUploadsLeaveNoFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var body bytes.Buffer
	form := mimeform.NewWriter(&body)
	form.WriteField("text", "x")
	part, err := form.CreateFormFile("file", "large")
	if err != nil {
		t.Fatal(err)
	}
	part.Write(make([]byte, 40<<20))
	form.Close()
	seen := 0
	app := routing.New(routing.WithMultipart(), routing.WithBodyLimit(64<<20), routing.WithLogger(slog.New(slog.DiscardHandler)))
	app.Post("/up", func(c routing.Context) (routing.Result, error) {
		if _, err := c.Params().Require("text"); err != nil {
			return nil, err
		}
		if c.Request().Header.Get("X-Parse") == "" {
			entries, err := os.ReadDir(os.TempDir())
			seen += len(entries)
			return nil, err
		}
		if err := c.Request().ParseMultipartForm(1 << 20); err != nil {
			return nil, err
		}
		entries, err := os.ReadDir(os.TempDir())
		seen += len(entries)
		return nil, err
	})
	type key struct{}
	for name, handler := range map[string]http.Handler{
		"direct":      app,
		"StripPrefix": http.StripPrefix("/x", app),
		"WithContext": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			app.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, 1)))
		}),
	} {
		seen = 0
		server := httptest.NewServer(handler)
		path := "/up"
		if name == "StripPrefix" {
			path = "/x/up"
		}
		request, err := http.NewRequest(http.MethodPost, server.URL+path, bytes.NewReader(body.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", form.FormDataContentType())
		if name == "direct" {
			request.Header.Set("X-Parse", "1")
		}
		response, err := server.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 200 || (seen > 0) != (name == "direct") {
			t.Errorf("%s: got %d with %d files meanwhile, want 200, with a file for the direct one only", name, response.StatusCode, seen)
		}
		server.Close()
		for end := time.Now().Add(time.Second); ; time.Sleep(5 * time.Millisecond) {
			left, _ := os.ReadDir(os.TempDir())
			if len(left) == 0 {
				break
			}
			if time.Now().After(end) {
				t.Errorf("%s: got %d files left, want 0", name, len(left))
				break
			}
		}
	}
}
