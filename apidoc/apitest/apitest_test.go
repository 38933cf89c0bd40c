package apitest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/routing"
)

// recorder is a T that records failures.
type recorder struct{ failures []string }

func (t *recorder) Helper() {}
func (t *recorder) Errorf(format string, args ...any) {
	t.failures = append(t.failures, fmt.Sprintf(format, args...))
}
func (t *recorder) Fatalf(format string, args ...any) { t.Errorf(format, args...) }

// responder responds with a content type and a body.
func responder(contentType, body string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, body)
	})
}

type account struct {
	Name     string `json:"name"`
	Password string `json:"password" writeOnly:"true"`
}

func TestWant(t *testing.T) {
	const isJSON = "application/json; charset=utf-8"
	for _, c := range []struct {
		contentType, body string
		check             func(*apitest.Response)
		want              string // failures, separated by |
	}{
		{isJSON, `{"id":7,"name":"Oak"}`, func(r *apitest.Response) { r.Want(200, Tree{7, "Oak"}) }, ""},
		{isJSON, `{ "name": "Oak", "id": 7 }`, func(r *apitest.Response) { r.Want(200, map[string]any{"id": 7, "name": "Oak"}) }, ""},
		{isJSON, `{"id":7}`, func(r *apitest.Response) { r.Want(200, json.RawMessage(`{"id": 7}`)) }, ""},
		{isJSON, `9007199254740993`, func(r *apitest.Response) { r.Want(200, int64(9007199254740992)) }, "GET /x: got 9007199254740993, want 9007199254740992"},
		{isJSON, `{"id":7}`, func(r *apitest.Response) { r.Want(200, Tree{}) }, `GET /x: got {"id":7}, want {"id":0,"name":""}`},
		{isJSON, `{"id":7} {}`, func(r *apitest.Response) { r.Want(200, map[string]int{"id": 7}) },
			`GET /x: decode the body: invalid character '{' after top-level value: {"id":7} {}|GET /x: got {"id":7} {}, want {"id":7}`},
		{isJSON, `{"id":7}}`, func(r *apitest.Response) { r.Want(200, map[string]int{"id": 7}) },
			`GET /x: decode the body: invalid character '}' after top-level value: {"id":7}}|GET /x: got {"id":7}}, want {"id":7}`},
		{isJSON, `[{"n":1.0,"m":[1e2]}]`, func(r *apitest.Response) { r.Want(200, []any{map[string]any{"n": 1, "m": []int{100}}}) }, ""},
		{isJSON, `{"name":"Ann"}`, func(r *apitest.Response) { r.Want(200, account{Name: "Ann"}) }, ""}, // as an operation responds
		{isJSON, `{`, func(r *apitest.Response) { r.Decode(new(Tree)) }, `GET /x: decode the body: unexpected end of JSON input: {`},
		{"text/plain", `7`, func(r *apitest.Response) { r.Want(200, 7) }, `GET /x: got the content type "text/plain", want JSON`},
		{"text/plain", `oak`, func(r *apitest.Response) { r.Want(201, "ash") },
			`GET /x: got status 200, want 201; the body is oak|GET /x: got "oak", want "ash"`},
		{"text/plain", `oak`, func(r *apitest.Response) {
			r.Want(200, "oak").WantText("o", "ash").WantHeader("Content-Type", "text/plain")
		},
			`GET /x: got "oak", want it to contain "ash"`},
		{"text/plain", ``, func(r *apitest.Response) { r.WantHeader("Content-Type", "").WantHeader("X-None", "") },
			`GET /x: got the header Content-Type "text/plain", want ""`},
		{"", ``, func(r *apitest.Response) { r.WantHeader("Content-Type", "") }, `GET /x: got the header Content-Type "", want it absent`},
	} {
		var test recorder
		c.check(apitest.New(&test, responder(c.contentType, c.body)).Get("/x"))
		if got := strings.Join(test.failures, "|"); got != c.want {
			t.Errorf("%s: got %s, want %s", c.body, got, c.want)
		}
	}
}

// Requests have the method, body and content type that the test passes.
func TestRequests(t *testing.T) {
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s [%s] %s", r.Method, r.Host, r.URL.RequestURI(), r.Header.Get("Content-Type"), body)
	})
	c := apitest.New(t, echo)
	c.Get("/a?b=1").Want(200, "GET example.com /a?b=1 [] ")
	c.Get("https://other.example/a").Want(200, "GET other.example /a [] ")
	c.Post("/a", nil).Want(200, "POST example.com /a [] ")
	c.Post("/a", Tree{7, "Oak"}).Want(200, `POST example.com /a [application/json] {"id":7,"name":"Oak"}`)
	c.Put("/a", `{`).Want(200, `PUT example.com /a [application/json] {`)
	c.WithHeader("Content-Type", "image/png").Put("/a", []byte("PNG")).Want(200, "PUT example.com /a [image/png] PNG")
	c.Patch("/a", apitest.Form{"n": 1, "m": []string{"x y", "z"}, "none": nil, "no": (*int)(nil), "nor": (*Tree)(nil)}).
		Want(200, "PATCH example.com /a [application/x-www-form-urlencoded] m=x+y&m=z&n=1")
	c.Delete("/a").Want(200, "DELETE example.com /a [] ")
	c.Send("QUERY", "/a", "x").Want(200, "QUERY example.com /a [application/json] x")
	c.Post("/a", strings.NewReader("text")).Want(200, "POST example.com /a [application/json] text")
	c.Post("/a", url.Values{"m": {"x y", "z"}}).Want(200, "POST example.com /a [application/x-www-form-urlencoded] m=x+y&m=z")
	c.Post("/a", apitest.Form{"at": time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)}).
		Want(200, "POST example.com /a [application/x-www-form-urlencoded] at=2026-11-22T10%3A00%3A00Z")
	var test recorder
	apitest.New(&test, echo).Post("/a", func() {})
	if want := []string{"POST /a: encode the body: json: unsupported type: func()"}; !slices.Equal(test.failures[:1], want) {
		t.Errorf("got %q, want %q", test.failures, want)
	}
}

// A handler may change the header that it gets.
func TestHeadersOfRequests(t *testing.T) {
	c := apitest.New(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Host, " ", r.Header["Host"], r.Header["X-Trace"])
		r.Header["X-Trace"][0] = "changed"
	})).WithHeader("X-Trace", "1").WithHeader("host", "trees.example")
	for range 2 {
		c.Get("/").Want(200, "trees.example [] [1]")
	}
}

// A response has the headers that a client receives, however the handler writes their names.
func TestHeadersOfResponses(t *testing.T) {
	c := apitest.New(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["ETag"] = []string{`"1"`}
		w.Header()["set-cookie"] = []string{"a=1"}
		fmt.Fprint(w, r.Header["Cookie"])
	}))
	c.Get("/").Want(200, "[]").WantHeader("ETag", `"1"`)
	c.Get("/").Want(200, "[a=1]")
}

// A target that is not a path fails the test, and so does a handler that closes the connection.
func TestBrokenRequests(t *testing.T) {
	for _, c := range []struct{ target, want string }{
		{"a", `GET a: write a path such as /trees?limit=2, or a whole URL`},
		{"/a b", `GET /a b: write a path such as /trees?limit=2, or a whole URL`},
		{"", `GET : write a path such as /trees?limit=2, or a whole URL`},
		{"/%zz", `GET /%zz: write a path such as /trees?limit=2, or a whole URL`},
		{"/cut", `GET /cut: the handler aborted the response`},
	} {
		var test recorder
		client := apitest.New(&test, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.WriteString(w, "half")
			panic(http.ErrAbortHandler)
		}))
		r := client.Get(c.target)
		if got := strings.Join(test.failures, "|"); !strings.HasPrefix(got, c.want) || strings.Contains(got, "|") {
			t.Errorf("%s: got %s, want %s", c.target, got, c.want)
		}
		if c.target == "/cut" && r.Body != "half" {
			t.Errorf("got the body %q", r.Body)
		}
	}
}

// A struct or a map in a form is a part with JSON.
func TestParts(t *testing.T) {
	c := apitest.New(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			t.Error(err)
		}
		fmt.Fprint(w, r.MultipartForm.Value)
	}))
	c.Post("/", apitest.Form{"photos": []apitest.File{}, "n": 1}).Want(200, `map[n:[1]]`)
	c.Post("/", apitest.Form{"tree": Tree{7, "Oak"}, "of": map[string]int{"a": 1}, "n": 1}).
		Want(200, `map[n:[1] of:[{"a":1}] tree:[{"id":7,"name":"Oak"}]]`)
}

func TestFiles(t *testing.T) {
	c := apitest.New(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseMultipartForm(1 << 20); err != nil {
			t.Error(err)
		}
		for _, h := range r.MultipartForm.File["photo"] {
			f, err := h.Open()
			if err != nil {
				t.Fatal(err)
			}
			content, _ := io.ReadAll(f)
			fmt.Fprintf(w, "%s %s %s; ", h.Filename, h.Header.Get("Content-Type"), content)
		}
		fmt.Fprint(w, r.MultipartForm.Value)
	}))
	c.Post("/", apitest.Form{"n": 1, "photo": []apitest.File{{Name: `a "b".png`, Content: []byte("1")}, {"é.gif", "image/gif", []byte("2")}}}).
		Want(200, `a "b".png application/octet-stream 1; é.gif image/gif 2; map[n:[1]]`)
	c.Post("/", apitest.Form{"n": 1, "photo": &apitest.File{Name: "a.png", Content: []byte("1")}, "none": (*apitest.File)(nil)}).
		Want(200, `a.png application/octet-stream 1; map[n:[1]]`)
}

// A client is like a browser with cookies: Secure ones are sent over HTTPS alone. Clients that
// WithHeader returns share them.
func TestCookies(t *testing.T) {
	c := apitest.New(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			http.SetCookie(w, &http.Cookie{Name: "user", Value: r.FormValue("name"), Path: "/", Secure: r.TLS != nil})
		}
		if r.URL.Path == "/logout" {
			http.SetCookie(w, &http.Cookie{Name: "user", Path: "/", MaxAge: -1})
		}
		cookie, err := r.Cookie("user")
		if err != nil {
			cookie = &http.Cookie{Value: "nobody"}
		}
		io.WriteString(w, cookie.Value+r.Header.Get("X-Trace"))
	}))
	c.Get("/").Want(200, "nobody")
	c.Post("/login", apitest.Form{"name": "ann"})
	c.Get("/").Want(200, "ann")
	c.WithHeader("X-Trace", "1").WithHeader("X-Trace", "2").Get("/").Want(200, "ann2")
	c.Get("https://other.example/").Want(200, "nobody")
	c.Get("/logout")
	c.Get("/").Want(200, "nobody")
	c.Get("https://example.com/login?name=ben")
	c.Get("/").Want(200, "nobody")
	c.Get("https://example.com/").Want(200, "ben")
}

// Responses are checked behind middleware, other routers and filters.
func TestDescriptions(t *testing.T) {
	type key struct{}
	app := trees()
	app.Before(func(c routing.Context) error {
		if c.Request().Header.Get("X-Stop") != "" {
			return &routing.HaltError{Status: http.StatusTeapot}
		}
		return nil
	})
	outer := routing.New()
	outer.Mount("/gardens/:garden", app)
	copies := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		outer.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), key{}, 1)))
	})
	var test recorder
	c := apitest.New(&test, copies)
	c.Get("/gardens/a/trees/7").Want(200, Tree{7, "Oak"})
	c.Get("/gardens/a/trees/x").Want(422)
	c.Get("/gardens/a/none").Want(404)
	c.Send("PUT", "/gardens/a/trees/7", nil).Want(404)
	c.WithHeader("X-Stop", "1").Get("/gardens/a/trees/7").Want(418)
	want := []string{"GET /gardens/a/trees/7: operation getTreesId: status 418 is not described"}
	if !slices.Equal(test.failures, want) {
		t.Errorf("got %q, want %q", test.failures, want)
	}
}

// A request that the test makes keeps its context and headers.
func TestDo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := apitest.New(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Context().Err(), r.Header["X-A"], r.Header["X-B"])
	}))
	r := httptest.NewRequestWithContext(ctx, "GET", "/", nil)
	r.Header.Set("X-A", "1")
	c.WithHeader("X-B", "2").Do(r).Want(200, "context canceled [1] [2]")
	c.Do(r).Want(200, "context canceled [1] []")
}

func TestNilHandler(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a nil handler was taken")
		}
	}()
	apitest.New(t, nil)
}
