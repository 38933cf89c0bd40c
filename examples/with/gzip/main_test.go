package main

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

func TestCompressed(t *testing.T) {
	var flowers []flowercatalog.Flower
	for _, name := range []string{"Rose", "Tulip"} {
		flowers = append(flowers, flowercatalog.Flower{Slug: name, Name: strings.Repeat(name+" ", 400)})
	}
	flowers = append(flowers, flowercatalog.Flower{Slug: "lily", Name: "Lily"})
	app, err := flowercafe.New(flowercafe.WithFlowers(flowers...))
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	handler, err := compressed(app)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	ask := func(method, path string, header ...string) (*http.Response, string) {
		t.Helper()
		request, err := http.NewRequest(method, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			request.Header.Add(header[i], header[i+1])
		}
		response, err := http.DefaultTransport.(*http.Transport).RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		var body io.Reader = response.Body
		if response.Header.Get("Content-Encoding") == "gzip" && method != http.MethodHead {
			if body, err = gzip.NewReader(body); err != nil {
				t.Fatal(err)
			}
		}
		content, err := io.ReadAll(body)
		if err != nil {
			t.Fatal(err)
		}
		return response, string(content)
	}
	encoding := func(r *http.Response) string { return r.Header.Get("Content-Encoding") }

	plain, plainBody := ask("GET", "/flowers/", "Accept-Encoding", "identity")
	small, smallBody := ask("GET", "/flowers/", "Accept-Encoding", "gzip")
	if encoding(plain) != "" || encoding(small) != "gzip" || smallBody != plainBody {
		t.Errorf("the list: encoded %q and %q, same content: %v", encoding(plain), encoding(small), smallBody == plainBody)
	}
	if !strings.Contains(strings.Join(small.Header["Vary"], ","), "Accept-Encoding") {
		t.Errorf("Vary is %q", small.Header["Vary"])
	}
	if plain.Header.Get("ETag") == small.Header.Get("ETag") {
		t.Errorf("both representations have the tag %s", plain.Header.Get("ETag"))
	}
	for _, r := range []*http.Response{plain, small} {
		if again, _ := ask("GET", "/flowers/", "Accept-Encoding", "gzip", "If-None-Match", `"another"`, "If-None-Match", r.Header.Get("ETag")); again.StatusCode != 304 {
			t.Errorf("asked with its tag %s: status %d, want 304", r.Header.Get("ETag"), again.StatusCode)
		}
		if same, _ := ask("GET", "/flowers/", "Accept-Encoding", "gzip", "If-Match", r.Header.Get("ETag")); same.StatusCode != 200 {
			t.Errorf("asked for the tag %s: status %d, want 200", r.Header.Get("ETag"), same.StatusCode)
		}
	}
	if short, body := ask("GET", "/flowers/lily", "Accept-Encoding", "gzip"); encoding(short) != "" || !strings.Contains(body, "Lily") {
		t.Errorf("a short response is encoded %q: %s", encoding(short), body)
	}
	if head, body := ask("HEAD", "/flowers/", "Accept-Encoding", "gzip"); head.StatusCode != 200 || body != "" {
		t.Errorf("HEAD: %d %q", head.StatusCode, body)
	}
	if page, _ := ask("GET", "/none", "Accept-Encoding", "gzip"); page.StatusCode != 404 {
		t.Errorf("/none: %d", page.StatusCode)
	}
}

// The headers and the first event of a stream are sent, compressed, before the next event exists.
func TestEvents(t *testing.T) {
	app := routing.New()
	app.Get("/events", func(routing.Context) (routing.Result, error) {
		return respond.Events(func(ctx context.Context, _ func(respond.Event) error) error {
			<-ctx.Done()
			return nil
		}), nil
	})
	handler, err := compressed(app)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	response, err := http.Get(server.URL + "/events") // hangs if no headers are sent
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	first := make([]byte, 3)
	if _, err := io.ReadFull(response.Body, first); err != nil || string(first) != ":\n\n" {
		t.Errorf("got %q, %v", first, err)
	}
}
