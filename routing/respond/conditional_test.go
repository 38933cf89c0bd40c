package respond_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

var changed = time.Date(2024, 5, 6, 7, 8, 9, 500, time.UTC)

const (
	atChange = "Mon, 06 May 2024 07:08:09 GMT"
	earlier  = "Mon, 06 May 2024 07:08:08 GMT"
)

// conditional is an app whose actions call one or two functions of the package.
func conditional(options ...routing.Option) *routing.App {
	app, _ := quiet(options...)
	for path, check := range map[string]func(routing.Context) error{
		"/strong": func(c routing.Context) error { return respond.ETag(c, "a") },
		"/weak":   func(c routing.Context) error { return respond.WeakETag(c, "a") },
		"/time":   func(c routing.Context) error { return respond.LastModified(c, changed) },
		"/both": func(c routing.Context) error {
			if err := respond.ETag(c, "a"); err != nil {
				return err
			}
			return respond.LastModified(c, changed)
		},
		"/undated": func(c routing.Context) error {
			if err := respond.ETag(c, "a"); err != nil {
				return err
			}
			return respond.LastModified(c, time.Time{})
		},
		"/never": func(c routing.Context) error { return respond.LastModified(c, time.Time{}) },
		"/bad":   func(c routing.Context) error { return respond.ETag(c, `a"b`) },
	} {
		action := func(c routing.Context) (routing.Result, error) {
			if err := check(c); err != nil {
				return routing.Result{}, err
			}
			return routing.Text("body"), nil
		}
		app.Get(path, action)
		app.Query(path, action)
		app.Put(path, action)
	}
	return app
}

func TestConditionalRequests(t *testing.T) {
	outer := routing.New()
	outer.Mount("/in", conditional())
	for _, handler := range map[string]http.Handler{"": conditional(), "/in": outer} {
		for _, test := range []struct {
			request string // method, path, and headers as pairs
			want    string // for GET, HEAD and QUERY, then PUT
		}{
			{"/strong", "200 200"},
			{`/strong|If-None-Match|"a"`, "304 412"},
			{`/strong|If-None-Match|W/"a"`, "304 412"},
			{`/strong|If-None-Match|"b", "a"`, "304 412"},
			{`/strong|If-None-Match|"b"`, "200 200"},
			{`/strong|If-None-Match|*`, "304 412"},
			{`/strong|If-Match|"a"`, "200 200"},
			{`/strong|If-Match|"b"`, "412 412"},
			{`/strong|If-Match|*`, "200 200"},
			{`/strong|If-Modified-Since|` + atChange, "200 200"},
			{`/weak|If-None-Match|"a"`, "304 412"},
			{`/weak|If-Match|W/"a"`, "412 412"},
			{"/time|If-Modified-Since|" + atChange, "304 200"},
			{"/time|If-Modified-Since|" + earlier, "200 200"},
			{"/time|If-Modified-Since|nonsense", "200 200"},
			{"/time|If-Unmodified-Since|" + atChange, "200 200"},
			{"/time|If-Unmodified-Since|" + earlier, "412 412"},
			{`/time|If-None-Match|"b"|If-Modified-Since|` + atChange, "200 200"},
			{`/both|If-None-Match|"b"|If-Modified-Since|` + atChange, "200 200"},
			{`/both|If-None-Match|"a"|If-Modified-Since|` + earlier, "304 412"},
			{`/both|If-Match|"a"|If-Unmodified-Since|` + earlier, "200 200"},
			{`/both|If-Match|"b"|If-Unmodified-Since|` + atChange, "412 412"},
			{`/both|If-Match|"a"|If-Modified-Since|` + atChange, "304 200"},
			{`/both|If-None-Match|"a"|If-Unmodified-Since|` + earlier, "412 412"},
			{`/both|If-None-Match|"a"|If-Unmodified-Since|` + atChange, "304 412"},
			{`/strong|If-None-Match|"a"|If-Match|"a"|If-Unmodified-Since|` + earlier, "200 412"}, // only LastModified returns the 304
			{`/both|If-None-Match|"a"|If-Match|"a"|If-Unmodified-Since|` + earlier, "304 412"},
			{`/undated|If-None-Match|"a"|If-Unmodified-Since|` + atChange, "304 412"},
			{`/undated|If-None-Match|"b"|If-Unmodified-Since|` + atChange, "200 200"},
			{`/time|If-Match|"a"|If-Modified-Since|` + atChange, "412 412"},
			{`/time|If-Match|*|If-Modified-Since|` + atChange, "304 200"},
			{"/never|If-Modified-Since|" + atChange, "200 200"},
			{"/strong|Range|bytes=0-1", "200 200"},
			{"/bad", "500 500"},
		} {
			parts := strings.Split(test.request, "|")
			safe, put, _ := strings.Cut(test.want, " ")
			for method, want := range map[string]string{"GET": safe, "HEAD": safe, "QUERY": safe, "PUT": put} {
				path := parts[0]
				if handler == http.Handler(outer) {
					path = "/in" + path
				}
				r := httptest.NewRequest(method, path, nil)
				for i := 1; i < len(parts); i += 2 {
					r.Header.Set(parts[i], parts[i+1])
				}
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, r)
				if got := fmt.Sprint(w.Code); got != want {
					t.Errorf("%s %s: got %s, want %s", method, test.request, got, want)
				}
				if tag := w.Header().Get("ETag"); w.Code == 304 && tag == "" && parts[0] != "/time" || w.Code == 412 && tag != "" {
					t.Errorf("%s %s: the ETag of a %d is %q", method, test.request, w.Code, tag)
				}
				if w.Code == 304 && w.Body.Len() > 0 {
					t.Errorf("%s %s: a 304 has a body", method, test.request)
				}
			}
		}
	}
}

func TestCacheControlAndAttachment(t *testing.T) {
	app := routing.New()
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		name, inQuery := c.Params().Get("name")
		switch {
		case inQuery:
			respond.Attachment(c, name)
		case c.Params().GetOr("cache", "") == "never":
			respond.CacheControl(c, -1, "no-store")
		case c.Params().GetOr("cache", "") == "unset":
			c.Header().Set("Cache-Control", "public") // as a before filter may
			if respond.CacheControl(c, -1); c.Header()["Cache-Control"] != nil {
				return routing.Text("x"), errors.New("CacheControl has left a header, or set an empty one")
			}
		default:
			respond.CacheControl(c, 90*time.Second+time.Millisecond, "public", "must-revalidate")
		}
		return routing.Text("x"), nil
	})
	for target, want := range map[string]string{
		"/":                                "public, must-revalidate, max-age=90 ",
		"/?cache=never":                    "no-store ",
		"/?cache=unset":                    " ",
		"/?name=":                          " attachment",
		"/?name=a.txt":                     ` attachment; filename=a.txt`,
		"/?name=dir/photos/":               ` attachment; filename=photos`,
		"/?name=../etc/a+b.txt":            ` attachment; filename="a b.txt"`,
		"/?name=C:%5Cdir%5Ca.txt":          ` attachment; filename=a.txt`,
		`/?name=a%22;filename=b%5C%22.txt`: ` attachment; filename="\".txt"`,
		"/?name=%C3%BC.txt":                ` attachment; filename*=utf-8''%C3%BC.txt`,
		"/?name=a%0D%0AX-Evil:1":           ` attachment; filename*=utf-8''a%0D%0AX-Evil%3A1`,
	} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
		if got := w.Header().Get("Cache-Control") + " " + w.Header().Get("Content-Disposition"); w.Code != 200 || got != want {
			t.Errorf("%s: got %d %s, want %s", target, w.Code, got, want)
		}
	}
}

func TestStatic(t *testing.T) {
	public := fstest.MapFS{"a.txt": {Data: []byte("file")}, "dir/index.html": {Data: []byte("index")}}
	app, _ := quiet(routing.WithBasePath("/shop"))
	app.Use(respond.Static("/shop", public))
	app.Before(func(c routing.Context) error { return &routing.HaltError{Status: 401, Body: routing.Text("login")} }, routing.On("/a.txt"))
	app.Before(func(c routing.Context) error { c.Header().Set("X-Filter", "yes"); return nil })
	show := func(c routing.Context) (routing.Result, error) {
		return routing.Text(c.Params().GetOr("k", "none")), nil
	}
	app.Get("/*", show)
	app.Post("/*", show)
	server := httptest.NewServer(app)
	defer server.Close()
	for request, want := range map[string]string{
		"GET /shop/a.txt":        "200 file",
		"HEAD /shop/a.txt":       "200 ",
		"GET /shop/%61.txt":      "200 file",
		"GET /shop/dir/":         "200 index",
		"GET /shop/dir":          "301 ",
		"POST /shop/a.txt":       "401 login",
		"GET /shop/none?k=1":     "200 1",
		"POST /shop/none k=2":    "200 2",
		"GET /shop/../a.txt?k=3": "200 3",
		"GET /shop":              "200 none",
	} {
		method, rest, _ := strings.Cut(request, " ")
		path, body, _ := strings.Cut(rest, " ")
		r, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		_, err = fmt.Fprint(&text, response.StatusCode, " ")
		if err == nil {
			err = copyBody(&text, response)
		}
		if got := text.String(); err != nil || got != want {
			t.Errorf("%s: got %q, %v; want %q", request, got, err, want)
		}
		if isFile := response.Header.Get("ETag") != ""; isFile && response.Header.Get("X-Filter") != "" {
			t.Errorf("%s: the filters ran for a file", request)
		}
	}
}

// Static is for apps with any options. In a mounted app, its prefix begins with that of the mount.
func TestStaticAndApps(t *testing.T) {
	static := respond.Static("/in/files", fstest.MapFS{"a.txt": {Data: []byte("file")}})
	for name, option := range map[string]routing.Option{
		"loose": routing.WithLooseSlashes(), "optional": routing.WithOptionalSlash(), "plain": routing.WithFirstMatch(),
	} {
		inner, front, outer := routing.New(option), routing.New(option, routing.WithBasePath("/in")), routing.New(option)
		inner.Use(static)
		outer.Mount("/in", inner)
		for _, app := range []*routing.App{inner, front} {
			app.Get("/page", func(routing.Context) (routing.Result, error) { return routing.Text("page"), nil })
		}
		for way, handler := range map[string]http.Handler{"used": outer, "in front": static(front)} {
			for path, want := range map[string]string{"/in/files/a.txt": "file", "/in/page": "page"} {
				w := httptest.NewRecorder()
				if handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil)); w.Body.String() != want {
					t.Errorf("%s, %s, %s: got %d %s, want %s", name, way, path, w.Code, w.Body, want)
				}
			}
		}
	}
}

func ExampleETag() {
	app := routing.New()
	app.Get("/users/:id", func(c routing.Context) (routing.Result, error) {
		respond.CacheControl(c, time.Minute, "private")
		if err := respond.ETag(c, "version7"); err != nil {
			return routing.Result{}, err
		}
		return routing.Text("a page that takes time to make"), nil
	})
	r := httptest.NewRequest("GET", "/users/1", nil)
	for range 2 {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Header().Get("ETag"), w.Header().Get("Cache-Control"), w.Body.Len())
		r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	}
	// Output:
	// 200 "version7" private, max-age=60 30
	// 304 "version7" private, max-age=60 0
}

func ExampleLastModified() {
	changed := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	app := routing.New()
	app.Get("/news", func(c routing.Context) (routing.Result, error) {
		if err := respond.LastModified(c, changed); err != nil {
			return routing.Result{}, err
		}
		return routing.Text("news"), nil
	})
	r := httptest.NewRequest("GET", "/news", nil)
	r.Header.Set("If-Modified-Since", "Mon, 06 May 2024 07:08:09 GMT")
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header().Get("Last-Modified"))
	// Output: 304 Mon, 06 May 2024 07:08:09 GMT
}

func ExampleAttachment() {
	app := routing.New()
	app.Get("/report", func(c routing.Context) (routing.Result, error) {
		respond.Attachment(c, "May 2024.csv")
		return routing.Bytes("text/csv", []byte("rose,2")), nil
	})
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/report", nil))
	fmt.Println(w.Header().Get("Content-Disposition"))
	// Output: attachment; filename="May 2024.csv"
}

// The files of a public folder are served before the filters of the app run.
func ExampleStatic() {
	public := fstest.MapFS{"logo.svg": {Data: []byte("<svg/>")}}
	app := routing.New()
	app.Use(respond.Static("", public))
	app.Before(func(routing.Context) error { return routing.Redirect("/login") })
	for _, path := range []string{"/logo.svg", "/secret"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Printf("%d %q\n", w.Code, w.Header().Get("Location"))
	}
	// Output:
	// 200 ""
	// 302 "/login"
}
