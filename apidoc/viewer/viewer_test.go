package viewer_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
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
				"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
					"img-src 'self' blob: data:; media-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
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
		{"GET", "/swagger-ui.js", 404},  // a file of Swagger UI that the page does not use
		{"GET", "/swagger-ui.css", 404}, // likewise
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
	plain := get(t, page, "GET", "/swagger-ui-bundle.js")
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
			r := get(t, page, "GET", "/swagger-ui-bundle.js", "Accept-Encoding", c.accept)
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

// Middleware that compresses sets Content-Encoding before it calls the viewer, or at least Vary:
// Accept-Encoding. It gets an uncompressed file.
func TestMiddlewareThatCompresses(t *testing.T) {
	page := viewer.New()
	for _, header := range [][2]string{{"Content-Encoding", "gzip"}, {"Vary", "Origin, accept-encoding"}} {
		r := get(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set(header[0], header[1])
			page.ServeHTTP(w, r)
		}), "GET", "/", "Accept-Encoding", "gzip")
		if got := body(t, r); !strings.HasPrefix(got, "<!DOCTYPE html>") {
			t.Errorf("%s: got %.20q, want the plain page", header[0], got)
		}
		if length := r.Header.Get("Content-Length"); header[0] == "Content-Encoding" && length != "" {
			t.Errorf("got the length %s of an encoded page, want none", length)
		}
	}
}

// The page must work at any path, so its URLs must not begin with a slash or a scheme, and its
// policy forbids inline code.
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

func TestStripPrefix(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/docs/api-docs/ui/", http.StripPrefix("/docs/api-docs/ui", viewer.New()))
	if r := get(t, mux, "GET", "/docs/api-docs/ui/page.js"); r.StatusCode != 200 {
		t.Errorf("status %d, want 200", r.StatusCode)
	}
}

// The values of options are in the page, escaped.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name    string
		options []viewer.Option
		has     []string
		lacks   string
	}{
		{"none", nil, []string{"<html lang=\"en\">", "<title>API description</title>", `data-url="../openapi.json"`, `data-url="../swagger.json"`}, "data-title"},
		{"more formats", []viewer.Option{viewer.WithMoreFormats(viewer.Format{Name: "Mine", URL: "../mine.json"})}, []string{`data-url="../swagger.json"`, `data-url="../mine.json"`, ">Mine</a>"}, "data-title"},
		{"title", []viewer.Option{viewer.WithTitle("Roses & <tulips>")}, []string{"<title>Roses &amp; &lt;tulips&gt;</title>", `data-title="Roses &amp; &lt;tulips&gt;"`}, "<tulips>"},
		{"dark", []viewer.Option{viewer.WithTheme(viewer.Light), viewer.WithTheme(viewer.Dark)}, []string{`<html lang="en" data-theme="dark">`}, "light"},
		{"one format", []viewer.Option{viewer.WithFormats(viewer.Format{Name: "Mine", URL: "../mine.json?v=2"})}, []string{`data-url="../mine.json?v=2"`, ">Mine</a>"}, "openapi.json"},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := body(t, get(t, viewer.New(c.options...), "GET", "/"))
			for _, has := range c.has {
				if !strings.Contains(page, has) {
					t.Errorf("the page lacks %s:\n%s", has, page)
				}
			}
			if strings.Contains(page, c.lacks) {
				t.Errorf("the page has %s:\n%s", c.lacks, page)
			}
		})
	}
}

func TestInvalidOptions(t *testing.T) {
	for _, c := range []struct {
		name   string
		option viewer.Option
		says   string
	}{
		{"nil", nil, "option 0 is nil"},
		{"theme", viewer.WithTheme("sepia"), `theme "sepia"`},
		{"no format", viewer.WithFormats(), "name at least one"},
		{"a default name", viewer.WithMoreFormats(viewer.Format{Name: "Swagger 2.0", URL: "a"}), `format "Swagger 2.0"`},
		{"no name", viewer.WithFormats(viewer.Format{URL: "../a.json"}), `format ""`},
		{"a name twice", viewer.WithFormats(viewer.Format{Name: "A", URL: "a"}, viewer.Format{Name: "A", URL: "b"}), `format "A"`},
		{"no URL", viewer.WithFormats(viewer.Format{Name: "A"}), "the page's own server"},
		{"another server", viewer.WithFormats(viewer.Format{Name: "A", URL: "https://elsewhere.example/a.json"}), "elsewhere"},
		{"another server without a scheme", viewer.WithFormats(viewer.Format{Name: "A", URL: "//elsewhere.example/a.json"}), "elsewhere"},
		{"another server after backslashes", viewer.WithFormats(viewer.Format{Name: "A", URL: `/\elsewhere.example/a.json`}), "elsewhere"},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "viewer: ") || !strings.Contains(text, c.says) {
					t.Errorf("panic %q, want one of viewer's with %q", text, c.says)
				}
			}()
			viewer.New(c.option)
		})
	}
}

// The Content-Length of a response is the length of its body.
func TestLengths(t *testing.T) {
	server := httptest.NewServer(viewer.New())
	defer server.Close()
	for _, accept := range []string{"gzip", "identity"} {
		tag := get(t, viewer.New(), "GET", "/swagger-ui-bundle.js", "Accept-Encoding", accept).Header.Get("ETag")
		for _, c := range []struct {
			method, header, value string
			status                int
		}{
			{"GET", "X-None", "1", 200},
			{"HEAD", "X-None", "1", 200},
			{"GET", "If-None-Match", tag, 304},
			{"GET", "If-Match", tag, 200},
			{"GET", "If-Match", `"other"`, 412},
			{"GET", "Range", "bytes=0-9", 206},
			{"GET", "Range", "bytes=99999999-", 416},
		} {
			r, err := http.NewRequest(c.method, server.URL+"/swagger-ui-bundle.js", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", accept)
			r.Header.Set(c.header, c.value)
			response, err := server.Client().Do(r)
			if err != nil {
				t.Errorf("%s: %s %s: %s: %v", accept, c.method, c.header, c.value, err)
				continue
			}
			got, err := io.ReadAll(response.Body)
			response.Body.Close()
			if response.StatusCode != c.status || err != nil {
				t.Errorf("%s: %s %s: %s: status %d and error %v, want %d", accept, c.method, c.header, c.value, response.StatusCode, err, c.status)
			}
			if n := response.ContentLength; n >= 0 && c.method == "GET" && c.status != 304 && n != int64(len(got)) {
				t.Errorf("%s: %s: %s: length %d, and %d bytes", accept, c.header, c.value, n, len(got))
			}
		}
	}
}

// BenchmarkPlain measures a request of a client without gzip, which does not decompress again.
func BenchmarkPlain(b *testing.B) {
	page := viewer.New()
	r := httptest.NewRequest("HEAD", "/swagger-ui-bundle.js", nil)
	b.ReportAllocs()
	for b.Loop() {
		page.ServeHTTP(httptest.NewRecorder(), r)
	}
}

// Clients without gzip share one decompressed copy of a file.
func TestUnpackedOnce(t *testing.T) {
	page := viewer.New()
	r := httptest.NewRequest("HEAD", "/swagger-ui-bundle.js", nil)
	page.ServeHTTP(httptest.NewRecorder(), r)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		page.ServeHTTP(httptest.NewRecorder(), r)
	}
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1<<20 {
		t.Errorf("ten HEAD requests allocate %d bytes, want less than the file has", bytes)
	}
}

// The viewer adds little besides its files to a program: with html/template, the linker would keep
// all exported methods, some megabytes.
func TestSize(t *testing.T) {
	if os.Getenv("FLOWERCAFE_LONG") == "" {
		t.Skip("FLOWERCAFE_LONG=1 builds two programs")
	}
	size := func(use string) int64 {
		file := filepath.Join(t.TempDir(), "main.go")
		program := `package main
import ("net/http"; "example.com/flowercafe/apidoc"; "example.com/flowercafe/apidoc/viewer"; "example.com/flowercafe/routing")
var _ = viewer.New
func main() {
	app := routing.New()
	apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1"})
	` + use + `
	http.ListenAndServe("127.0.0.1:0", app)
}`
		if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
		if text, err := exec.Command("go", "build", "-o", file+".exe", file).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		info, err := os.Stat(file + ".exe")
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	if cost := size(`app.Mount("/viewer", viewer.New())`) - size(""); cost > 1<<20 {
		t.Errorf("the viewer costs %d KiB of a program", cost>>10)
	} else {
		t.Logf("the viewer costs %d KiB of a program", cost>>10)
	}
}
