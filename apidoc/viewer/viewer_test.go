package viewer_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc/viewer"
)

func get(t *testing.T, h http.Handler, method, path string, header ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFiles(t *testing.T) {
	page := viewer.New()
	for _, c := range []struct {
		path, contentType, begins string
	}{
		{"/", "text/html; charset=utf-8", "<!DOCTYPE html>"},
		{"/page.css", "text/css; charset=utf-8", "/*"},
		{"/page.js", "text/javascript; charset=utf-8", "//"},
		{"/swagger-ui.css", "text/css; charset=utf-8", ".swagger-ui"},
		{"/swagger-ui-bundle.js", "text/javascript; charset=utf-8", ""},
		{"/favicon-32x32.png", "image/png", "\x89PNG"},
	} {
		t.Run(c.path, func(t *testing.T) {
			r := get(t, page, "GET", c.path)
			text := body(t, r)
			if r.StatusCode != 200 || !strings.HasPrefix(text, c.begins) || text == "" {
				t.Errorf("status %d and a body that begins %.40q, want 200 and %q", r.StatusCode, text, c.begins)
			}
			for name, want := range map[string]string{
				"Content-Type":           c.contentType,
				"X-Content-Type-Options": "nosniff",
				"Referrer-Policy":        "no-referrer",
				"Cache-Control":          "no-cache",
				"Content-Encoding":       "",
				"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
					"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			} {
				if got := r.Header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}

			again := get(t, page, "GET", c.path, "If-None-Match", r.Header.Get("ETag"))
			if again.StatusCode != 304 {
				t.Errorf("status %d for the tag %q, want 304", again.StatusCode, r.Header.Get("ETag"))
			}
			head := get(t, page, "HEAD", c.path)
			if head.StatusCode != 200 || body(t, head) != "" {
				t.Errorf("status %d for HEAD or a body, want 200 without one", head.StatusCode)
			}
		})
	}
}

func TestNoSuchFile(t *testing.T) {
	page := viewer.New()
	for _, c := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/swagger-ui.js", 404}, // Swagger UI's, and not used by the page
		{"GET", "/page/index.html", 404},
		{"GET", "/index.html", 404},
		{"GET", "", 404},
		{"GET", "//", 404},
		{"GET", "/../page.js", 404},
		{"POST", "/", 405},
		{"DELETE", "/page.js", 405},
	} {
		r := httptest.NewRequest(c.method, "/", nil)
		r.URL.Path = c.path
		w := httptest.NewRecorder()
		page.ServeHTTP(w, r)
		if w.Code != c.status {
			t.Errorf("%s %q: status %d, want %d", c.method, c.path, w.Code, c.status)
		}
		if allow := w.Header().Get("Allow"); c.status == 405 && allow != "GET, HEAD" {
			t.Errorf("%s %q: Allow is %q", c.method, c.path, allow)
		}
	}
}

func TestCompression(t *testing.T) {
	page := viewer.New()
	plain := get(t, page, "GET", "/swagger-ui.css")
	want := body(t, plain)
	for _, c := range []struct {
		accept     string
		compressed bool
	}{
		{"gzip", true},
		{"deflate, GZIP;q=0.5, br", true},
		{"*", true},
		{"*;q=0, gzip", true},
		{"x-gzip", true},
		{"", false},
		{"br", false},
		{"identity", false},
		{"gzip;q=0", false},
		{"gzip; q=0.000, *", false},
		{"gzip;q=nonsense", false},
	} {
		t.Run(c.accept, func(t *testing.T) {
			r := get(t, page, "GET", "/swagger-ui.css", "Accept-Encoding", c.accept)
			if got := r.Header.Get("Content-Encoding") == "gzip"; got != c.compressed {
				t.Fatalf("compressed is %t, want %t", got, c.compressed)
			}
			if vary := r.Header.Get("Vary"); vary != "Accept-Encoding" {
				t.Errorf("Vary is %q", vary)
			}
			if same := r.Header.Get("ETag") == plain.Header.Get("ETag"); same == c.compressed {
				t.Errorf("ETag %s for both encodings", r.Header.Get("ETag"))
			}
			content := r.Body
			if c.compressed {
				var err error
				if content, err = gzip.NewReader(r.Body); err != nil {
					t.Fatal(err)
				}
			}
			got, err := io.ReadAll(content)
			if err != nil || string(got) != want {
				t.Errorf("%d bytes and error %v, want the %d of the plain file", len(got), err, len(want))
			}
		})
	}
}

// The page must work wherever it is put, so nothing in it may begin with a slash or a scheme, and its policy forbids inline code.
func TestPageIsRelativeAndWithoutInlineCode(t *testing.T) {
	page := body(t, get(t, viewer.New(), "GET", "/"))
	for _, address := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		if strings.HasPrefix(address[1], "/") || strings.Contains(address[1], ":") {
			t.Errorf("address %q is not relative", address[1])
		}
	}
	for _, inline := range regexp.MustCompile(`<script>|<style|\sstyle=|\son[a-z]+=`).FindAllString(page, -1) {
		t.Errorf("the page has %q, which its policy forbids", inline)
	}
}

// New in a mux of the host's own.
func TestStripPrefix(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/docs/api-docs/ui/", http.StripPrefix("/docs/api-docs/ui", viewer.New()))
	if r := get(t, mux, "GET", "/docs/api-docs/ui/page.js"); r.StatusCode != 200 {
		t.Errorf("status %d, want 200", r.StatusCode)
	}
}
