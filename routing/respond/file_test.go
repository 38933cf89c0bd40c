package respond_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// quiet returns an app and its log.
func quiet(options ...routing.Option) (*routing.App, *logged) {
	logs := new(logged)
	return routing.New(append(options, routing.WithLogger(logs.logger()))...), logs
}

// logged is a log that is safe for concurrent use.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// ask sends a request over a real server, without following redirects.
func ask(t *testing.T, server *httptest.Server, method, path string, header ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequest(method, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header) && header[i] != ""; i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

// get returns the status and the body.
func get(t *testing.T, h http.Handler, path string) string {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	response, body := ask(t, server, "GET", path)
	return response.Status[:4] + body
}

const secret = "what is outside"

// folders are several kinds of file systems with the same files.
func folders(t *testing.T) map[string]fs.FS {
	t.Helper()
	files := map[string]string{
		"index.html": "<p>home", "hello.txt": "hello world", "no extension": "<!doctype html><p>sniffed",
		"docs/index.html": "<p>docs", "empty/file.txt": "", "a:b/index.html": "<p>colon", "index/index.html/x": "x",
		".hidden": "dotted", "docs/%41?#ä.txt": "odd name",
	}
	outside := t.TempDir()
	dir := filepath.Join(outside, "public")
	timeless, times := fstest.MapFS{}, fstest.MapFS{}
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	modified := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for name, content := range files {
		timeless[name] = &fstest.MapFile{Data: []byte(content)}
		times[name] = &fstest.MapFile{Data: []byte(content), ModTime: modified}
		w, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified})
		path := filepath.Join(dir, filepath.FromSlash(name))
		_, err2 := io.WriteString(w, content)
		if err := errors.Join(err, err2, os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(content), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	reader := func() *zip.Reader {
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		r, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}()
	root, err := os.OpenRoot(dir)
	if err == nil {
		err = os.WriteFile(filepath.Join(outside, "secret.txt"), []byte(secret), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	return map[string]fs.FS{
		"directory": os.DirFS(dir), "root": root.FS(), "without times": timeless, "with times": times, "zip": reader,
	}
}

func TestFiles(t *testing.T) {
	for kind, files := range folders(t) {
		t.Run(kind, func(t *testing.T) {
			define := func(app *routing.App) *routing.App {
				app.NotFound(func(c routing.Context) (routing.Result, error) { return routing.Text("my own page"), nil })
				app.Get("/assets/*", respond.Files(files))
				return app
			}
			plain, logs := quiet()
			below, _ := quiet(routing.WithBasePath("/base"))
			inner, _ := quiet()
			outer, _ := quiet()
			outer.Mount("/mounted/:user", define(inner))
			for prefix, handler := range map[string]http.Handler{
				"": define(plain), "/base": define(below), "/mounted/ann": outer, "/cut": http.StripPrefix("/cut", plain),
			} {
				server := httptest.NewServer(handler)
				defer server.Close()
				for _, test := range []struct{ path, want, location string }{
					{"/hello.txt", "200 hello world", ""},
					{"/", "200 <p>home", ""},
					{"/index.html", "200 <p>home", ""},
					{"/docs/", "200 <p>docs", ""},
					{"/docs", "301 ", "docs/"},
					{"/docs?a=b", "301 ", "docs/?a=b"},
					{"/a:b", "301 ", "./a:b/"},
					{"/a:b/", "200 <p>colon", ""},
					{"/docs/%2541%3F%23%C3%A4.txt", "200 odd name", ""},
					{"/no%20extension", "200 <!doctype html><p>sniffed", ""},
					{"/empty/file.txt", "200 ", ""},
					{"/.hidden", "200 dotted", ""},
					// Directories are not listed.
					{"/empty/", "404 my own page", ""},
					{"/empty", "404 my own page", ""},
					{"/index/", "404 my own page", ""},
					// Names that no file can have.
					{"/none", "404 my own page", ""},
					{"/none/", "404 my own page", ""},
					{"/hello.txt/", "404 my own page", ""},
					{"/hello.txt/x", "404 my own page", ""},
					{"/Hello.txt", "404 my own page", ""},
					{"//hello.txt", "404 my own page", ""},
					{"/docs//index.html", "404 my own page", ""},
					{"//", "404 my own page", ""},
					{"/%00", "404 my own page", ""},
					{"/hello.txt%00", "404 my own page", ""},
					{"/" + strings.Repeat("x", 300), "404 my own page", ""},
					{"/" + strings.Repeat("x/", 10_000), "404 my own page", ""},
					{"/hello%3F.txt", "404 my own page", ""}, // not valid on Windows, nor are these
					{"/NUL", "404 my own page", ""},
					{"/con.txt", "404 my own page", ""},
					// No path leaves the directory.
					{"/../secret.txt", "404 my own page", ""},
					{"/..%2fsecret.txt", "404 my own page", ""},
					{"/%2e%2e/secret.txt", "404 my own page", ""},
					{"/docs/../../secret.txt", "404 my own page", ""},
					{"/docs/../hello.txt", "404 my own page", ""},
					{"/./", "404 my own page", ""},
					{"/./hello.txt", "404 my own page", ""},
					{"/..", "404 my own page", ""},
					{"/.", "404 my own page", ""},
					{`/..%5csecret.txt`, "404 my own page", ""},
				} {
					response, body := ask(t, server, "GET", prefix+"/assets"+test.path)
					if got := response.Status[:4] + body; got != test.want || response.Header.Get("Location") != test.location {
						t.Errorf("%s%s: got %.80q to %q, want %q to %q",
							prefix, test.path, got, response.Header.Get("Location"), test.want, test.location)
					}
				}
			}
			if logs.String() != "" {
				t.Errorf("a client can write to the log: %s", logs)
			}
		})
	}
}

// Conditions and ranges are the same for all kinds of file systems.
func TestFileConditions(t *testing.T) {
	for kind, files := range folders(t) {
		t.Run(kind, func(t *testing.T) {
			app, _ := quiet()
			app.Get("/one", func(routing.Context) (routing.Result, error) { return respond.File(files, "hello.txt") })
			app.Get("/all/*", respond.Files(files))
			app.Query("/one", func(routing.Context) (routing.Result, error) { return respond.File(files, "hello.txt") })
			app.Query("/all/*", respond.Files(files))
			app.Get("/typed", func(c routing.Context) (routing.Result, error) {
				c.SetContentType("text/x-own")
				c.Header().Set("ETag", `"own"`)
				return respond.File(files, "hello.txt")
			})
			server := httptest.NewServer(app)
			defer server.Close()
			for _, path := range []string{"/one", "/all/hello.txt"} {
				first, _ := ask(t, server, "GET", path)
				tag, modified := first.Header.Get("ETag"), first.Header.Get("Last-Modified")
				if len(tag) < 4 || (modified == "") != (kind == "without times") {
					t.Fatalf("%s: ETag %q, Last-Modified %q", path, tag, modified)
				}
				for _, test := range []struct {
					method, name, value string
					want                string
				}{
					{"GET", "If-None-Match", tag, "304 "},
					{"HEAD", "If-None-Match", tag, "304 "},
					{"GET", "If-None-Match", `"other"`, "200 hello world"},
					{"GET", "If-None-Match", `"other", W/` + tag, "304 "},
					{"GET", "If-Match", `"other"`, "412 "},
					{"GET", "If-Match", tag, "200 hello world"},
					{"GET", "Range", "bytes=6-", "206 world"},
					{"GET", "Range", "bytes=-3", "206 rld"},
					{"GET", "Range", "bytes=0-0", "206 h"},
					{"GET", "Range", "bytes=100-", "416 invalid range: failed to overlap\n"},
					{"GET", "Range", "furlongs=1-2", "416 invalid range\n"},
					{"HEAD", "Range", "bytes=6-", "206 "},
					{"QUERY", "If-None-Match", tag, "304 "},
					{"QUERY", "Range", "bytes=6-", "206 world"},
					{"HEAD", "", "", "200 "},
					{"POST", "", "", "404 "},
				} {
					response, body := ask(t, server, test.method, path, test.name, test.value)
					if test.method == "POST" {
						body = ""
					}
					if got := response.Status[:4] + body; got != test.want {
						t.Errorf("%s %s %s: %s: got %q, want %q", test.method, path, test.name, test.value, got, test.want)
					}
					if test.name == "" && test.method == "HEAD" && response.ContentLength != 11 {
						t.Errorf("HEAD %s: length %d, want 11", path, response.ContentLength)
					}
				}
				response, body := ask(t, server, "GET", path, "Range", "bytes=6-", "If-Range", tag)
				if response.StatusCode != 206 || body != "world" {
					t.Errorf("If-Range with its tag: got %d %q", response.StatusCode, body)
				}
				for header, want := range map[string]int{"If-None-Match": 304, "If-Match": 200} { // a list on two lines
					request, err := http.NewRequest("GET", server.URL+path, nil)
					if err != nil {
						t.Fatal(err)
					}
					request.Header[header] = []string{`"other"`, tag}
					response, err := server.Client().Do(request)
					if err != nil {
						t.Fatal(err)
					}
					if response.Body.Close(); response.StatusCode != want {
						t.Errorf("%s with %s on two lines: got %d, want %d", path, header, response.StatusCode, want)
					}
				}
				if response, _ := ask(t, server, "GET", path, "Range", "bytes=6-", "If-Range", `"other"`); response.StatusCode != 200 {
					t.Errorf("If-Range with another tag: got %d", response.StatusCode)
				}
				if modified != "" {
					if response, _ := ask(t, server, "GET", path, "If-Modified-Since", modified); response.StatusCode != 304 {
						t.Errorf("If-Modified-Since: got %d", response.StatusCode)
					}
				}
			}
			response, _ := ask(t, server, "GET", "/typed")
			if h := response.Header; h.Get("Content-Type") != "text/x-own" || h.Get("ETag") != `"own"` {
				t.Errorf("headers that were set: got %v", h)
			}
			if response, _ := ask(t, server, "GET", "/all/hello.txt"); response.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
				t.Errorf("Content-Type is %q", response.Header.Get("Content-Type"))
			}
			if response, _ := ask(t, server, "GET", "/all/no%20extension"); response.Header.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Errorf("the type of the content is %q", response.Header.Get("Content-Type"))
			}
		})
	}
}

// The ETag changes with the file.
func TestFileChanges(t *testing.T) {
	dir := t.TempDir()
	app, _ := quiet()
	app.Get("/*", respond.Files(os.DirFS(dir)))
	server := httptest.NewServer(app)
	defer server.Close()
	seen := make(map[string]bool)
	for i, content := range []string{"one", "two", "longer"} {
		file := filepath.Join(dir, "file")
		at := time.Unix(1e9, int64(i))
		if err := errors.Join(os.WriteFile(file, []byte(content), 0o666), os.Chtimes(file, at, at)); err != nil {
			t.Fatal(err)
		}
		response, body := ask(t, server, "GET", "/file")
		if tag := response.Header.Get("ETag"); seen[tag] || body != content {
			t.Errorf("got %q with the tag %s, want %q with another tag than before", body, tag, content)
		}
		seen[response.Header.Get("ETag")] = true
	}
}

// broken is a file system whose files fail when they are opened or read.
type broken struct {
	fs.FS
	stat, open error
}

func (b broken) Stat(name string) (fs.FileInfo, error) {
	if b.stat != nil {
		return nil, b.stat
	}
	return fs.Stat(b.FS, name)
}

func (b broken) Open(name string) (fs.File, error) {
	if b.open != nil {
		return nil, b.open
	}
	return b.FS.Open(name)
}

// A file that cannot be read is a 500 without details.
func TestFileThatCannotBeRead(t *testing.T) {
	files := fstest.MapFS{"file": {Data: []byte("x")}}
	secret := errors.New("/srv/secret: input/output error")
	for name, broken := range map[string]broken{
		"stat": {FS: files, stat: secret}, "open": {FS: files, open: secret}, "permission": {FS: files, open: fs.ErrPermission},
	} {
		app, logs := quiet()
		app.Get("/one", func(routing.Context) (routing.Result, error) { return respond.File(broken, "file") })
		app.Get("/all/*", respond.Files(broken))
		for _, path := range []string{"/one", "/all/file"} {
			before := len(logs.String())
			if got := get(t, app, path); !strings.HasPrefix(got, "500 ") || strings.Contains(got, "secret") {
				t.Errorf("%s, %s: got %q", name, path, got)
			}
			if !strings.Contains(logs.String()[before:], "respond: file: ") {
				t.Errorf("%s, %s: logged %q", name, path, logs)
			}
		}
	}
}

// After Pass, earlier routes are tried, such as the page of a single-page application.
func TestFilesPass(t *testing.T) {
	files := fstest.MapFS{"app.js": {Data: []byte("js")}, "app.html": {Data: []byte("the app")}}
	app, _ := quiet()
	app.Get("/*", func(routing.Context) (routing.Result, error) { return respond.File(files, "app.html") })
	app.Get("/*", respond.Files(files))
	for path, want := range map[string]string{"/app.js": "200 js", "/orders/7": "200 the app"} {
		if got := get(t, app, path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

// A route without a splat finds no file, even if the query has one. A warning is logged.
func TestFilesWithoutSplat(t *testing.T) {
	for _, pattern := range []string{"/assets/:name", "/assets/{+path}"} {
		app, logs := quiet()
		app.Get(pattern, respond.Files(fstest.MapFS{"app.js": {Data: []byte("js")}}))
		if got := get(t, app, "/assets/app.js?splat=app.js"); !strings.HasPrefix(got, "404 ") {
			t.Errorf("%s: got %q", pattern, got)
		}
		if want := "write a star without a name"; !strings.Contains(logs.String(), want) {
			t.Errorf("%s: logged %q, want %q", pattern, logs, want)
		}
	}
}

func TestFilesOfNil(t *testing.T) {
	defer func() {
		if v := recover(); v != "respond: Files: pass a file system, not nil" {
			t.Errorf("panicked with %v", v)
		}
	}()
	respond.Files(nil)
}

// With loose slashes, a folder is redirected to itself with a slash, once.
func TestFilesWithLooseSlashes(t *testing.T) {
	app := routing.New(routing.WithLooseSlashes())
	app.Get("/site/*", respond.Files(fstest.MapFS{"docs/index.html": {Data: []byte("docs")}, "index.html": {Data: []byte("home")}}))
	for path, want := range map[string]string{"/site/docs/": "200 ", "/site/docs": "301 docs/"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if got := fmt.Sprint(w.Code, " ", w.Header().Get("Location")); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// With formats, the name of the file has the format that the pattern takes.
func TestFilesWithFormatSuffix(t *testing.T) {
	files := fstest.MapFS{
		"a.css": {Data: []byte("css")}, "backup.tar.gz": {Data: []byte("tar")}, "plain": {Data: []byte("plain")}, "css/css": {Data: []byte("in css")},
		".env": {Data: []byte("env")}, "v1.2/index.html": {Data: []byte("index")}, "v1.2/b.js": {Data: []byte("js")},
	}
	rails := routing.New(routing.WithSyntax(routing.Rails), routing.WithFormatSuffix(), routing.WithLooseSlashes())
	rails.Get("/assets/*splat", respond.Files(files))
	rails.Get("/by/:format/*splat", respond.Files(files))
	sinatra := routing.New()
	sinatra.Get("/assets/*", respond.Files(files))
	sinatra.Get("/by/:format/*", respond.Files(files))
	for path, want := range map[string]string{
		"/assets/a.css": "200 css", "/assets/backup.tar.gz": "200 tar", "/assets/plain": "200 plain", "/assets/.env": "200 env",
		"/assets/v1.2/": "200 index", "/assets/v1.2": "301 v1.2/", "/assets/v1.2/b.js": "200 js", "/assets/a": "404 ", "/assets/a.gz": "404 ",
		"/by/css/plain": "200 plain", "/by/css/css/css": "200 in css",
	} {
		for name, app := range map[string]*routing.App{"rails": rails, "sinatra": sinatra} {
			w := httptest.NewRecorder()
			app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			if got := fmt.Sprint(w.Code, " ", w.Header().Get("Location"), w.Body); !strings.HasPrefix(got, want) {
				t.Errorf("%s, %s: got %s, want %s", name, path, got, want)
			}
		}
	}
}

// Redirects of directories keep what the client has encoded, since an encoded slash is no slash for
// it.
func TestRedirectsOfEncodedDirectories(t *testing.T) {
	files := fstest.MapFS{"foo/bar/index.html": {Data: []byte("bar")}, "a b:c/index.html": {Data: []byte("abc")}}
	app := routing.New()
	app.Get("/files/*", respond.Files(files))
	app.Use(respond.Static("/static", files))
	server := httptest.NewServer(app)
	defer server.Close()
	for path, want := range map[string]string{
		"/files/foo/bar": "bar", "/files/foo%2Fbar": "bar", "/static/foo%2fbar?a=b%20c": "bar", "/static/a%20b:c": "abc", "/files/a%20b%3Ac": "abc",
	} {
		response, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if got := response.Request.URL.RequestURI(); string(body) != want || got != strings.Replace(path+"?", "?", "/?", 1)[:len(path)+1] {
			t.Errorf("%s: got %s at %s, want %s", path, body, got, want)
		}
	}
}

// An empty path, as behind http.StripPrefix, is that of the root: there is no redirect to another
// folder.
func TestFilesOfEmptyPath(t *testing.T) {
	app := routing.New()
	app.Get("/*", respond.Files(fstest.MapFS{"index.html": {Data: []byte("home")}}))
	w := httptest.NewRecorder()
	http.StripPrefix("/cut", app).ServeHTTP(w, httptest.NewRequest("GET", "/cut", nil))
	if w.Code != 200 || w.Body.String() != "home" {
		t.Errorf("got %d %q to %q, want 200 home", w.Code, w.Body, w.Header().Get("Location"))
	}
}

// The ETag of a file without a time is made from its content: by File for each request, by Files
// for the first one.
func TestETagOfContent(t *testing.T) {
	files := fstest.MapFS{"a.txt": {Data: []byte("one")}}
	app := routing.New()
	app.Get("/file", func(routing.Context) (routing.Result, error) { return respond.File(files, "a.txt") })
	app.Get("/files/*", respond.Files(files))
	tag := func(path string) string {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		return w.Header().Get("ETag")
	}
	one, first := tag("/file"), tag("/files/a.txt")
	files["a.txt"].Data = []byte("two")
	if two, second := tag("/file"), tag("/files/a.txt"); one == two || first != one || second != first {
		t.Errorf("File: %s, then %s; Files: %s, then %s", one, two, first, second)
	}
}

// The status of a file is that of http.ServeContent, not one that was set before.
func TestFileHasItsOwnStatus(t *testing.T) {
	app := routing.New()
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		c.SetStatus(http.StatusAccepted)
		return respond.File(fstest.MapFS{"a.txt": {Data: []byte("a")}}, "a.txt")
	})
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 200 || w.Body.String() != "a" {
		t.Errorf("got %d %q, want 200 a", w.Code, w.Body)
	}
}
