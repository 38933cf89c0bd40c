package apidoc_test

import (
	"bytes"
	"context"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// Behind a writer without deadlines, each operation that streams logs one warning.
func TestStreamsWithoutDeadlinesWarnOnce(t *testing.T) {
	var log bytes.Buffer // written by one request at a time
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	api := apidoc.NewAPI(app, info)
	type upload struct {
		Body io.Reader `body:""`
	}
	apidoc.Post(api, "/upload", "", func(context.Context, upload) (string, error) { return "", nil }, apidoc.ID("upload"))
	apidoc.Get(api, "/reader", "", func(context.Context, struct{}) (io.Reader, error) { return strings.NewReader("a"), nil }, apidoc.ID("reader"))
	apidoc.Get(api, "/events", "", func(context.Context, struct{}) (iter.Seq[int], error) { return func(func(int) bool) {}, nil }, apidoc.ID("events"))
	apidoc.Get(api, "/text", "", func(context.Context, struct{}) (string, error) { return "a", nil }, apidoc.ID("text"))
	type outer struct {
		http.ResponseWriter
		http.Flusher // for events
	}
	hides := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if hides {
			w = outer{w, w.(http.Flusher)}
		}
		app.ServeHTTP(w, r)
	}))
	defer server.Close()
	send := func() {
		for _, path := range []string{"/reader", "/events", "/text"} {
			if r, err := server.Client().Get(server.URL + path); err != nil || r.StatusCode != 200 {
				t.Fatal(path, r, err)
			} else if _, err := io.ReadAll(r.Body); err != nil {
				t.Error(path, err)
			}
		}
		if r, err := server.Client().Post(server.URL+"/upload", "application/octet-stream", strings.NewReader("a")); err != nil || r.StatusCode != 200 {
			t.Fatal(r, err)
		}
	}
	hides = false
	send()
	app.ServeHTTP(struct{ http.ResponseWriter }{httptest.NewRecorder()}, httptest.NewRequest("GET", "/reader", nil))
	if log.Len() > 0 {
		t.Errorf("with deadlines, or without a server: %s", &log)
	}
	hides = true
	send()
	send()
	for name, want := range map[string]int{"upload": 1, "reader": 1, "events": 1, "text": 0} {
		if got := strings.Count(log.String(), "operation="+name+"\n"); got != want {
			t.Errorf("%s: %d warnings, want %d: %s", name, got, want, &log)
		}
	}
}
