package routing_test

import (
	"bytes"
	"crypto/rand"
	"errors"
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
)

// This file tests forms and uploads with a real server and Go's client.

// serve runs a handler on the loopback interface.
func serve(t *testing.T, handler http.Handler) string {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// received is the compared part of a response.
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

// Outer middleware or that of a route may parse the form, like nosurf does.
func TestFormsThatSomebodyHasParsed(t *testing.T) {
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
		app := routing.New(quiet(), routing.WithMethodOverride(), routing.WithMultipart())
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
func TestBodiesThatAreGone(t *testing.T) {
	app := routing.New(quiet())
	app.Post("/a", func(c routing.Context) (routing.Result, error) {
		if c.Params().Err() == nil {
			t.Error("Err tells nothing")
		}
		value, ok := c.Params().Get("title")
		return routing.Text(fmt.Sprint(value, ok)), nil
	})
	for name, read := range map[string]func(*http.Request){
		"all":  func(r *http.Request) { io.ReadAll(r.Body) },
		"half": func(r *http.Request) { io.ReadFull(r.Body, make([]byte, 5)) },
	} {
		for _, contentType := range []string{urlencoded, "application/json"} {
			address := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				read(r)
				app.ServeHTTP(w, r)
			}))
			if got := fetch(t, "POST", address+"/a", "title=Rose", "Content-Type", contentType); got.status != 500 {
				t.Errorf("%s %s: got %d %q, want 500", name, contentType, got.status, got.body)
			}
		}
	}
}

// Files have their own limit, and text fields have that of bodies, in any order of reading.
func TestUploads(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	app := routing.New(quiet(), routing.WithMultipart(), routing.WithUploadLimit(12<<20))
	file := func(r *http.Request) (string, error) {
		f, header, err := r.FormFile("file")
		if err != nil {
			return "", err
		}
		defer f.Close()
		n, err := io.Copy(io.Discard, f)
		return fmt.Sprintf("file %s %d", header.Filename, n), err
	}
	text := func(c routing.Context) string {
		return fmt.Sprint("text ", c.Params().GetOr("title", "?"), " ", c.Params().GetOr("behind", "?"))
	}
	app.Post("/params-first", func(c routing.Context) (routing.Result, error) {
		fields := text(c)
		f, err := file(c.Request())
		return routing.Text(fields + ", " + f), err
	})
	app.Post("/file-first", func(c routing.Context) (routing.Result, error) {
		f, err := file(c.Request())
		return routing.Text(text(c) + ", " + f), err
	})
	parts := func(c routing.Context) (string, error) {
		reader, err := c.Request().MultipartReader()
		if err != nil {
			return "", err
		}
		sizes := map[string]int64{}
		for {
			part, err := reader.NextPart()
			if err == io.EOF {
				return fmt.Sprint("parts ", sizes), nil
			} else if err != nil {
				return "", err
			}
			n, err := io.Copy(io.Discard, part)
			if err != nil {
				return "", err
			}
			sizes[part.FormName()] += n
		}
	}
	app.Post("/reader", func(c routing.Context) (routing.Result, error) {
		seen, err := parts(c)
		return routing.Text(seen), err
	})
	app.Post("/small", func(c routing.Context) (routing.Result, error) {
		seen, err := parts(c)
		return routing.Text(seen), err
	}, routing.UploadLimit(1<<20), routing.BodyLimit(1<<10))
	app.Post("/small-params", func(c routing.Context) (routing.Result, error) {
		return routing.Text(text(c)), nil
	}, routing.UploadLimit(1<<20), routing.BodyLimit(1<<10))
	app.Post("/large", func(c routing.Context) (routing.Result, error) {
		f, err := file(c.Request())
		return routing.Text(text(c) + ", " + f), err
	}, routing.UploadLimit(64<<20), routing.BodyLimit(4<<20))
	address := serve(t, app)
	for _, test := range []struct {
		path   string
		text   int
		sizes  []int
		status int
		want   string
	}{
		{"/params-first", 4, []int{2 << 20}, 200, "text xxxx last, file f0.bin 2097152"},
		{"/file-first", 4, []int{2 << 20}, 200, "text xxxx last, file f0.bin 2097152"},
		{"/reader", 4, []int{2 << 20}, 200, "parts map[behind:4 file:2097152 title:4]"},
		{"/params-first", 4, []int{5 << 20, 5 << 20}, 200, "text xxxx last, file f0.bin 5242880"},
		{"/file-first", 4, []int{5 << 20, 5 << 20}, 200, "text xxxx last, file f0.bin 5242880"},
		{"/reader", 4, []int{5 << 20, 5 << 20}, 200, "parts map[behind:4 file:10485760 title:4]"},
		{"/params-first", 4, []int{13 << 20}, 413, "Request Entity Too Large"},
		{"/file-first", 4, []int{14 << 20}, 413, "Request Entity Too Large"},
		{"/reader", 4, []int{14 << 20}, 413, "Request Entity Too Large"},
		{"/params-first", 2 << 20, []int{10}, 413, "Request Entity Too Large"},
		{"/small-params", 4, []int{900 << 10}, 200, "text xxxx last"},
		{"/small-params", 4, []int{1100 << 10}, 413, "Request Entity Too Large"},
		{"/small-params", 2 << 10, []int{10}, 413, "Request Entity Too Large"},
		{"/small", 4, []int{1100 << 10}, 413, "Request Entity Too Large"},
		{"/large", 4, []int{16 << 20}, 200, "text xxxx last, file f0.bin 16777216"},
		{"/large", 3 << 20, []int{10}, 200, "last, file f0.bin 10"},
	} {
		body, contentType := upload(strings.Repeat("x", test.text), test.sizes...)
		var got received
		if test.status == 413 { // over a network, a client may meet the closed connection first
			r := httptest.NewRequest("POST", test.path, bytes.NewReader(body))
			r.Header.Set("Content-Type", contentType)
			w := send(app, r)
			got = received{status: w.Code, body: w.Body.String()}
		} else {
			got = fetch(t, "POST", address+test.path, string(body), "Content-Type", contentType)
		}
		if got.status != test.status || !strings.HasSuffix(got.body, test.want) {
			t.Errorf("%s with %d bytes of text and files of %d: got %d %.80q, want %d %q",
				test.path, test.text, test.sizes, got.status, got.body, test.status, test.want)
		}
		if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
			t.Errorf("%s: left behind: %v", test.path, left)
			for _, name := range left {
				os.Remove(name)
			}
		}
	}
}

// A multipart form that was parsed for parameters is there for a handler and the next handler, like
// one that they have parsed themselves. Where nobody has asked, they get the raw body.
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
	app := routing.New(quiet(), routing.WithMultipart(), routing.WithNext(show))
	app.Before(func(c routing.Context) error {
		if !c.Request().URL.Query().Has("raw") {
			c.Params().GetOr("title", "")
		}
		return nil
	})
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

// Middleware may run the rest of a request twice: the files of an upload stay until the outermost
// middleware has returned, and are removed then.
func TestUploadsInMiddlewareThatCallsTwice(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	for name, change := range map[string]func(*http.Request) *http.Request{
		"the request": func(r *http.Request) *http.Request { return r },
		"a copy":      func(r *http.Request) *http.Request { return r.WithContext(r.Context()) },
		"a form that was parsed": func(r *http.Request) *http.Request {
			r = r.WithContext(r.Context())
			r.ParseMultipartForm(1 << 10)
			return r
		},
	} {
		twice := func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				changed := change(r)
				next.ServeHTTP(w, changed)
				next.ServeHTTP(w, changed)
			})
		}
		size := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.ParseMultipartForm(1 << 10) // keeps the file on disk
			file, head, err := r.FormFile("file")
			if err != nil {
				fmt.Fprint(w, err)
				return
			}
			n, err := io.Copy(io.Discard, file)
			fmt.Fprint(w, n == head.Size, err, r.FormValue("title"), " ")
			file.Close()
		})
		for _, withMultipart := range []bool{true, false} {
			options := []routing.Option{quiet()}
			if withMultipart {
				options = append(options, routing.WithMultipart())
			}
			app := routing.New(options...)
			app.Handle("POST", "/plain", size, routing.Use(twice))
			app.Handle("POST", "/with/:id", size, routing.Use(twice))
			app.Handle("POST", "/both", size, routing.Use(tag("outer"), twice))
			whole := routing.New(options...)
			whole.Use(tag("outer"), twice)
			whole.Handle("POST", "/with/:id", size)
			whole.Handle("POST", "/plain", size)
			app.Mount("/whole", whole)
			if withMultipart {
				app.Post("/action", func(c routing.Context) (routing.Result, error) {
					c.Params().GetOr("title", "")
					return routing.Handler(size)(c)
				}, routing.Use(twice))
			}
			address := serve(t, app)
			for _, path := range []string{"/plain", "/with/5", "/both", "/whole/with/5", "/whole/plain", "/action"} {
				if path == "/action" && !withMultipart {
					continue
				}
				size := 64 << 10 // more than the handler keeps in memory
				if path == "/action" {
					size = 9 << 20 // more than the router does
				}
				body, contentType := upload("Rose", size)
				got := fetch(t, "POST", address+path, string(body), "Content-Type", contentType)
				if want := "true <nil>Rose true <nil>Rose "; got.body != want {
					t.Errorf("%s, %s, %t: got %d %q, want %q", name, path, withMultipart, got.status, got.body, want)
				}
				if left, _ := filepath.Glob(filepath.Join(temp, "*")); len(left) > 0 {
					t.Errorf("%s, %s, %t: left behind: %v", name, path, withMultipart, left)
					for _, name := range left {
						os.Remove(name)
					}
				}
			}
		}
	}
}

// The files stay until the outermost of several middlewares has returned.
func TestUploadsInMiddlewareOfAppAndRoute(t *testing.T) {
	app := routing.New(quiet())
	var file *os.File
	app.Use(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			if _, err := os.Stat(file.Name()); err != nil {
				t.Errorf("in the outer middleware: %v", err)
			}
		})
	})
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

// The limits are those of the app: the next handler may get more.
func TestUploadsOfTheNextHandler(t *testing.T) {
	size := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n, err)
	})
	app := routing.New(quiet(), routing.WithMultipart(), routing.WithUploadLimit(1<<20), routing.WithNext(size))
	app.Post("/passes", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass }, routing.UploadLimit(1))
	address := serve(t, app)
	for _, path := range []string{"/other", "/passes"} {
		body, contentType := upload("Rose", 3<<20)
		got := fetch(t, "POST", address+path, string(body), "Content-Type", contentType)
		if want := fmt.Sprint(len(body), nil); got.body != want {
			t.Errorf("%s: got %d %q, want %q", path, got.status, got.body, want)
		}
	}
}

// Middleware may make an upload of a request that has no body, whose files are removed as well.
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

// Limits of one route do not affect others.
func TestBodyLimitOfARoute(t *testing.T) {
	app := routing.New(quiet(), routing.WithBodyLimit(1000))
	size := func(c routing.Context) (routing.Result, error) {
		return routing.Text(fmt.Sprint(len(c.Params().GetOr("k", "")))), nil
	}
	app.Post("/", size)
	app.Post("/less", size, routing.BodyLimit(10))
	app.Post("/more", size, routing.BodyLimit(3_000))
	address := serve(t, app)
	for _, test := range []struct {
		path         string
		size, status int
	}{{"/", 900, 200}, {"/", 1100, 413}, {"/less", 5, 200}, {"/less", 900, 413}, {"/more", 2900, 200}, {"/more", 3100, 413}} {
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

// The upload limit of a mount counts for the mounted app too, and the lower one wins.
func TestUploadLimitOfAMount(t *testing.T) {
	read := func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("title", "")), c.Params().Err()
	}
	sub := routing.New(quiet(), routing.WithMultipart())
	sub.Post("/params", read)
	sub.Post("/file", func(c routing.Context) (routing.Result, error) {
		_, _, err := c.Request().FormFile("file")
		return routing.Text("Rose"), err
	})
	sub.Post("/middleware", read, routing.Use(tag("m")))
	app := routing.New(quiet(), routing.WithMultipart())
	app.Mount("/small", sub, routing.UploadLimit(1<<10))
	app.Mount("/large", sub)
	address := serve(t, app)
	for _, path := range []string{"/params", "/file", "/middleware"} {
		for prefix, test := range map[string]struct{ size, want int }{
			// The limit of bodies comes to that of uploads. net/http reads up to 256 KiB of what is left:
			// a client that sends more may meet a closed connection.
			"/small": {1<<20 + 200<<10, 413},
			"/large": {3 << 20, 200},
		} {
			body, contentType := upload("Rose", test.size)
			if got := fetch(t, "POST", address+prefix+path, string(body), "Content-Type", contentType); got.status != test.want {
				t.Errorf("%s%s: got %d %q, want %d", prefix, path, got.status, got.body, test.want)
			}
		}
	}
}

// Handlers that respond to errors and to what was not found have the app's limits.
func TestUploadLimitOfOtherHandlers(t *testing.T) {
	size := routing.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		var limited *http.MaxBytesError
		fmt.Fprint(w, n, errors.As(err, &limited))
	}))
	app := routing.New(quiet(), routing.WithMultipart(), routing.WithBodyLimit(1000), routing.WithUploadLimit(1000))
	app.Before(func(c routing.Context) error {
		body, _ := size(c)
		return &routing.HaltError{Body: body}
	}, routing.On("/halts"))
	app.Get("/get", text(""))
	app.Post("/fails", func(routing.Context) (routing.Result, error) { return routing.Result{}, errors.New("broken") })
	app.NotFound(size)
	app.OnError(func(c routing.Context, _ error) (routing.Result, error) { return size(c) })
	for _, path := range []string{"/halts", "/get", "/fails", "/none"} {
		body, contentType := upload("Rose", 5000)
		r := httptest.NewRequest("POST", path, bytes.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		if got := send(app, r).Body.String(); got != "2000 true" {
			t.Errorf("%s: got %s, want 2000 bytes and the error of a limit", path, got)
		}
	}
}
