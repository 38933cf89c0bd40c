package routing_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file tests forms and uploads with a real server and Go's client.

// serve runs a handler on the loopback interface.
func serve(t *testing.T, handler http.Handler) string {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// received has the fields of a response that tests compare.
type received struct {
	status int
	body   string
	header http.Header
}

func receive(t *testing.T, request *http.Request, err error) received {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request) // follows no redirects
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return received{response.StatusCode, string(body), response.Header}
}

// fetch sends a request with headers, given as pairs.
func fetch(t *testing.T, method, address, body string, headers ...string) received {
	t.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	request, err := http.NewRequest(method, address, content)
	for i := 0; err == nil && i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return receive(t, request, err)
}

const urlencoded = "application/x-www-form-urlencoded"

// upload makes a form with a text field and files of these sizes.
func upload(text string, sizes ...int) (body []byte, contentType string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	w.WriteField("title", text)
	for i, size := range sizes {
		part, _ := w.CreateFormFile("file", fmt.Sprintf("f%d.bin", i))
		block := make([]byte, 64<<10)
		rand.Read(block)
		for ; size > 0; size -= len(block) {
			part.Write(block[:min(size, len(block))])
		}
	}
	w.WriteField("behind", "last")
	w.Close()
	return b.Bytes(), w.FormDataContentType()
}

// Outer middleware or middleware of a route may parse the form, as nosurf does.
func TestFormsParsedByMiddleware(t *testing.T) {
	parse := map[string]func(*http.Request){
		"ParseForm":          func(r *http.Request) { r.ParseForm() },
		"FormValue":          func(r *http.Request) { r.FormValue("x") },
		"PostFormValue":      func(r *http.Request) { r.PostFormValue("x") },
		"ParseMultipartForm": func(r *http.Request) { r.ParseMultipartForm(1 << 20) },
		"Form alone": func(r *http.Request) {
			r.ParseForm()
			r.PostForm = nil
		},
		"nobody": func(*http.Request) {},
	}
	for name, parse := range parse {
		app := routing.New(quiet(), routing.WithMethodOverride())
		app.Before(respond.Multipart(1 << 20))
		show := func(kind string) routing.Action {
			return func(c routing.Context) (routing.Result, error) {
				p := c.Params()
				return routing.Text(fmt.Sprint(kind, " ", p.GetOr("title", "?"), " ", p.Values("both"), " ", p.Keys(), " ", p.Err())), nil
			}
		}
		app.Post("/a", show("post"))
		app.Delete("/a", show("delete"))
		use := routing.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				parse(r) // reads no body if the method was overridden with DELETE
				next.ServeHTTP(w, r)
			})
		})
		app.Post("/inside", show("post"), use)
		app.Delete("/inside", show("delete"), use)
		address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/a" {
				parse(r)
			}
			app.ServeHTTP(w, r)
		}))
		for _, test := range []struct{ body, want string }{
			{"title=Rose&both=f", "post Rose [q f] [both title] <nil>"},
			{"_method=delete&title=Rose&both=f", "delete Rose [q f] [_method both title] <nil>"},
		} {
			for _, path := range []string{"/a", "/inside"} {
				got := fetch(t, "POST", address+path+"?both=q", test.body, "Content-Type", urlencoded)
				if got.status != 200 || got.body != test.want {
					t.Errorf("%s, %s, %s: got %d %q, want %q", name, path, test.body, got.status, got.body, test.want)
				}
			}
		}
		if name == "ParseForm" || name == "PostFormValue" || name == "Form alone" {
			continue // these methods have no form
		}
		body, contentType := upload("Rose", 10)
		got := fetch(t, "POST", address+"/a?both=q", string(body), "Content-Type", contentType)
		if want := "post Rose [q] [behind both title] <nil>"; got.status != 200 || got.body != want {
			t.Errorf("%s, multipart: got %d %q, want %q", name, got.status, got.body, want)
		}
	}
}

// If the body was read without parsing a form, Err returns an error with status 500, since it is
// not the client's fault.
func TestBodiesReadByMiddleware(t *testing.T) {
	app := routing.New(quiet())
	app.Post("/a", func(c routing.Context) (routing.Result, error) {
		if c.Params().Err() == nil {
			t.Error("Err tells nothing")
		}
		value, ok := c.Params().Get("title")
		return routing.Text(fmt.Sprint(value, ok)), nil
	})
	for _, contentType := range []string{urlencoded, "application/json"} {
		address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.ReadAll(r.Body)
			app.ServeHTTP(w, r)
		}))
		if got := fetch(t, "POST", address+"/a", "title=Rose", "Content-Type", contentType); got.status != 500 {
			t.Errorf("%s: got %d %q, want 500", contentType, got.status, got.body)
		}
	}
}

// A handler and the next handler get the form that a filter has parsed. Without the filter they get
// the raw body.
func TestParsedUploads(t *testing.T) {
	show := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Has("raw") {
			io.Copy(w, r.Body)
			return
		}
		file, head, err := r.FormFile("file")
		if err != nil {
			fmt.Fprint(w, err)
			return
		}
		defer file.Close()
		n, err := io.Copy(io.Discard, file)
		fmt.Fprint(w, r.FormValue("title"), r.MultipartForm.Value["behind"], n == head.Size, err)
	})
	app := routing.New(quiet(), routing.WithNext(show))
	app.Before(respond.Multipart(32<<20), routing.When(func(r *http.Request) bool { return !r.URL.Query().Has("raw") }))
	app.Handle("POST", "/own", show)
	app.Handle("POST", "/with/:id", show)
	address := serve(t, app)
	size := 9 << 20 // more than is kept in memory
	if testing.Short() {
		size = 1 << 20
	}
	for _, path := range []string{"/own", "/with/1", "/other"} {
		body, contentType := upload("Rose", size)
		if got := fetch(t, "POST", address+path, string(body), "Content-Type", contentType); got.body != "Rose[last] true <nil>" {
			t.Errorf("%s: got %d %.100q", path, got.status, got.body)
		}
		if got := fetch(t, "POST", address+path+"?raw", string(body), "Content-Type", contentType); got.body != string(body) {
			t.Errorf("%s: got %d and %d bytes, want the %d bytes that were sent", path, got.status, len(got.body), len(body))
		}
	}
}

// Middleware may parse an upload and run the rest of the request twice. The files stay until it
// returns, and are removed then.
func TestUploadsInMiddlewareThatCallsTwice(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	twice := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r = r.WithContext(r.Context())
			r.ParseMultipartForm(1 << 10) // keeps the file on disk
			defer r.MultipartForm.RemoveAll()
			next.ServeHTTP(w, r)
			next.ServeHTTP(w, r)
		})
	}
	size := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		file, head, err := r.FormFile("file")
		if err != nil {
			fmt.Fprint(w, err)
			return
		}
		n, err := io.Copy(io.Discard, file)
		fmt.Fprint(w, n == head.Size, err, r.FormValue("title"), " ")
		file.Close()
	})
	app := routing.New(quiet())
	app.Handle("POST", "/plain", size, routing.Use(twice))
	app.Handle("POST", "/with/:id", size, routing.Use(twice))
	app.Handle("POST", "/both", size, routing.Use(tag("outer"), twice))
	app.Post("/action", func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("title", "") + " "), nil
	}, routing.Use(twice))
	whole := routing.New(quiet())
	whole.Use(tag("outer"), twice)
	whole.Handle("POST", "/with/:id", size)
	whole.Handle("POST", "/plain", size)
	app.Mount("/whole", whole)
	address := serve(t, app)
	for _, path := range []string{"/plain", "/with/5", "/both", "/whole/with/5", "/whole/plain", "/action"} {
		body, contentType := upload("Rose", 64<<10)
		want := "true <nil>Rose true <nil>Rose "
		if path == "/action" {
			want = "Rose Rose "
		}
		if got := fetch(t, "POST", address+path, string(body), "Content-Type", contentType); got.body != want {
			t.Errorf("%s: got %d %q, want %q", path, got.status, got.body, want)
		}
		if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
			t.Fatalf("%s: left behind: %v", path, left)
		}
	}
}

// The files that an action inside of middleware has parsed are removed.
func TestUploadsInMiddlewareOfAppAndRoute(t *testing.T) {
	app := routing.New(quiet())
	var file *os.File
	app.Use(tag("outer"))
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		r := c.Request()
		r.ParseMultipartForm(1 << 10)
		part, _, err := r.FormFile("file")
		if err != nil {
			return routing.Result{}, err
		}
		file = part.(*os.File)
		return routing.Text(fmt.Sprint(r.Context().Value("none"))), file.Close()
	}, routing.Use(tag("inner")))
	body, contentType := upload("Rose", 64<<10)
	r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	if w := send(app, r); w.Body.String() != "<nil>" {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if _, err := os.Stat(file.Name()); !os.IsNotExist(err) {
		t.Errorf("the file is left behind: %v", err)
	}
}

// Middleware may turn a request without a body into an upload. Its files are removed too.
func TestUploadsThatMiddlewareMakes(t *testing.T) {
	app := routing.New(quiet())
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, contentType := upload("Rose", 1<<20)
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
			r.Header.Set("Content-Type", contentType)
			next.ServeHTTP(w, r)
		})
	})
	var file *os.File
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		if err := c.Request().ParseMultipartForm(1 << 10); err != nil {
			return routing.Result{}, err
		}
		part, head, err := c.Request().FormFile("file")
		if err != nil {
			return routing.Result{}, err
		}
		defer part.Close()
		file, _ = part.(*os.File)
		return routing.Text(fmt.Sprint(head.Size)), nil
	})
	if w := send(app, httptest.NewRequest("POST", "/", nil)); w.Body.String() != fmt.Sprint(1<<20) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	if file == nil {
		t.Fatal("the file is in memory")
	}
	if _, err := os.Stat(file.Name()); !os.IsNotExist(err) {
		t.Errorf("the file is left behind: %v", err)
	}
}

// The files of a form that an action parses are removed, for every copy of the request, and after a
// panic.
func TestFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var end func()
	parse := func(c routing.Context) (routing.Result, error) {
		if err := c.Request().ParseMultipartForm(1 << 10); err != nil {
			return routing.Result{}, err
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("got %d files, want one", len(files))
		}
		end()
		return routing.Text("parsed"), nil
	}
	copies := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(w, r.WithContext(r.Context())) })
	}
	parses := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := r.ParseMultipartForm(1 << 10); err != nil {
				t.Error(err)
			}
			end()
			next.ServeHTTP(w, r)
		})
	}
	for name, define := range map[string]func(app *routing.App){
		"Use that parses":            func(app *routing.App) { app.Post("/", empty, routing.Use(parses)) },
		"Use of the app that parses": func(app *routing.App) { app.Use(parses) },
		"a route":                    func(app *routing.App) { app.Post("/", parse) },
		"an overridden route":        func(app *routing.App) { app.Put("/", parse) },
		"Use":                        func(app *routing.App) { app.Post("/", parse, routing.Use(identity)) },
		"Use with a copy":            func(app *routing.App) { app.Post("/", parse, routing.Use(copies)) },
		"Use of the app":             func(app *routing.App) { app.Use(identity); app.Post("/", parse) },
		"Use of the app with a copy": func(app *routing.App) {
			app.Use(copies)
			app.Post("/", parse)
		},
		"Use of a route that passes": func(app *routing.App) {
			app.Post("/", parse)
			app.Post("/", func(c routing.Context) (routing.Result, error) {
				c.Request().URL = &url.URL{Path: "/other"}
				return routing.Result{}, routing.Pass
			}, routing.Use(identity))
		},
		"a mounted app": func(app *routing.App) {
			inner := routing.New(quiet(), routing.WithMethodOverride())
			inner.Put("/", parse)
			inner.Post("/", parse)
			app.Mount("", inner, routing.Use(copies))
		},
		"a handler": func(app *routing.App) {
			app.Handle("POST", "/*", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				if err := r.ParseMultipartForm(1 << 10); err != nil {
					t.Error(err)
				}
				end()
			}))
		},
	} {
		for how, panics := range map[string]func(){
			"a response": func() {},
			"a panic":    func() { panic("no more roses") },
			"an abort":   func() { panic(http.ErrAbortHandler) },
		} {
			end = panics
			app := routing.New(quiet(), routing.WithMethodOverride())
			define(app)
			body, contentType := upload("Rose", 1<<20)
			r := httptest.NewRequest("POST", "/", bytes.NewReader(body))
			r.Header.Set("Content-Type", contentType)
			if name == "an overridden route" {
				r.Header.Set("X-HTTP-Method-Override", "PUT")
			}
			func() {
				defer func() { recover() }() // http.ErrAbortHandler
				app.ServeHTTP(httptest.NewRecorder(), r)
			}()
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("%s, %s: left behind: %v, %v", name, how, left, err)
				for _, file := range left {
					os.Remove(filepath.Join(dir, file.Name()))
				}
			}
		}
	}
}

// Limits of one route do not affect others. That of a mount is not for the routes of the mounted
// app.
func TestBodyLimitOfARoute(t *testing.T) {
	app := routing.New(quiet(), routing.WithBodyLimit(1000))
	size := func(c routing.Context) (routing.Result, error) {
		return routing.Text(fmt.Sprint(len(c.Params().GetOr("k", "")))), nil
	}
	app.Post("/", size)
	app.Post("/less", size, routing.BodyLimit(10))
	app.Post("/more", size, routing.BodyLimit(3_000))
	mounted := routing.New(quiet())
	mounted.Post("/", size)
	app.Mount("/mounted", mounted, routing.BodyLimit(10))
	address := serve(t, app)
	for _, test := range []struct {
		path         string
		size, status int
	}{{"/", 900, 200}, {"/", 1100, 413}, {"/less", 5, 200}, {"/less", 900, 413}, {"/more", 2900, 200}, {"/more", 3100, 413}, {"/mounted", 900, 200}} {
		body := url.Values{"k": {strings.Repeat("x", test.size)}}.Encode()
		if got := fetch(t, "POST", address+test.path, body, "Content-Type", urlencoded); got.status != test.status {
			t.Errorf("%s with %d bytes: got %d, want %d", test.path, test.size, got.status, test.status)
		}
	}
}

func TestKeysOfParsedForms(t *testing.T) { // the keys of a form are listed once, even if it was parsed before
	app := routing.New(quiet())
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		before := c.Params().Keys()
		c.Request().ParseForm()
		if after := c.Params().Keys(); !slices.Equal(before, after) {
			t.Errorf("got keys %q, want %q as before the form was parsed", after, before)
		}
		return routing.Text(c.Request().FormValue("a")), nil
	})
	if got := fetch(t, "POST", serve(t, app)+"/?q=1", "a=b%20c&d", "Content-Type", urlencoded); got.body != "b c" {
		t.Errorf("got %d %q, want the form's value", got.status, got.body)
	}
}
