package routing_test

import (
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file tests where parameters come from, and path values.

// The query must not replace a field of the form that an action checks.
func TestQueryAndFormDoNotMix(t *testing.T) {
	app := routing.New(quiet(), routing.WithBodyLimit(64))
	app.Before(respond.Multipart(1 << 10))
	app.OnError(func(c routing.Context, err error) (routing.Result, error) {
		var bad *routing.RequestError
		return routing.Text(fmt.Sprint(c.Status(), errors.As(err, &bad))), nil
	})
	app.Route("", routing.Must(routing.Sinatra("/a/:k")), func(c routing.Context) (routing.Result, error) {
		p := c.Params()
		form, err := p.Form()
		if err == nil {
			form["k"] = append(form["k"], "mine") // a copy
			form, err = p.Form()
		}
		p.Query()["k"] = nil
		return routing.Text(fmt.Sprint(p.Query(), form)), err
	})
	const urlencoded = "application/x-www-form-urlencoded"
	for _, c := range []struct{ method, target, contentType, body, want string }{
		{"GET", "/a/b", "", "", "map[] map[]"},
		{"GET", "/a/b?k=1&k=2+3&100%", "", "", "map[100%:[] k:[1 2 3]] map[]"},
		{"POST", "/a/b?k=q", "", "", "map[k:[q]] map[]"},
		{"POST", "/a/b?k=q", urlencoded, "k=1&k=2&l=", "map[k:[q]] map[k:[1 2] l:[]]"},
		{"PUT", "/a/b", urlencoded, "k[a]=1", "map[] map[k[a]:[1]]"},
		{"DELETE", "/a/b", urlencoded, "k=1", "map[] map[]"},
		{"POST", "/a/b?k=q", "application/json", `{"k":1}`, "map[k:[q]] map[]"},
		{"POST", "/a/b", "multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=k\r\n\r\n1\r\n--x--", "map[] map[k:[1]]"},
		{"POST", "/a/b?k=q", urlencoded, "k=" + strings.Repeat("1", 64), "413 true"},
	} {
		r := httptest.NewRequest(c.method, c.target, strings.NewReader(c.body))
		r.Header.Set("Content-Type", c.contentType)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		if w.Body.String() != c.want {
			t.Errorf("%s %s with %q: got %s, want %s", c.method, c.target, c.body, w.Body, c.want)
		}
	}
	empty := routing.Context{}.Params()
	if form, err := empty.Form(); form == nil || err != nil || empty.Query() == nil {
		t.Errorf("the zero Context: got %v, %v, %v", form, err, empty.Query())
	}
}

// Conditions see the captures of their own pattern and of mount prefixes. The path values of an
// outer ServeMux stay as they were.
func TestPathValuesInConditions(t *testing.T) {
	number := routing.When(func(r *http.Request) bool {
		id := r.PathValue("id")
		if id == "panic" {
			panic("in a condition")
		}
		return id != "" && strings.Trim(id, "0123456789") == ""
	})
	user := routing.When(func(r *http.Request) bool { return r.PathValue("user") == "ann" && r.PathValue("name") == "" })
	show := func(name string) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			r := c.Request()
			return routing.Text(name + " " + r.PathValue("id") + r.PathValue("name") + r.PathValue("splat") + "|" + r.PathValue("outer")), nil
		}
	}
	inner := routing.New()
	inner.Get("/*", show("other"), routing.Use(identity))
	inner.Get("/:id", show("number"), number, routing.Use(identity))
	inner.Get("/plain/:id", show("plain"), number)
	inner.Get("/:name/x", show("never"), number)
	app := routing.New(quiet())
	app.Mount("/u/:user", inner, user)
	app.Before(func(routing.Context) error { return &routing.HaltError{Status: 403} }, routing.On("/u/:user/9"), user)
	mux := http.NewServeMux()
	outside := ""
	mux.HandleFunc("/{outer}/", func(w http.ResponseWriter, r *http.Request) {
		app.ServeHTTP(w, r)
		outside = r.PathValue("outer") + r.PathValue("id") + r.PathValue("user")
	})
	for path, want := range map[string]string{
		"/u/ann/7":       "200 number 7|u",
		"/u/ann/x7":      "200 other x7|u",
		"/u/ann/7/x":     "200 other 7/x|u",
		"/u/ann/plain/7": "200 plain |u",
		"/u/bob/7":       "404",
		"/u/ann/9":       "403",
		"/u/bob/9":       "404",
		"/u/ann/panic":   "500",
	} {
		w := send(mux, withAccept(path))
		if got := strings.TrimSpace(fmt.Sprint(w.Code, " ", w.Body)); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
		if outside != "u" {
			t.Errorf("%s: outside, the path values are %q", path, outside)
		}
	}
	if got := fmt.Sprint(matchedBy(*app.Explain(httptest.NewRequest("GET", "/u/ann/7", nil)).Steps[0].Mounted)); got != "[GET /:id GET /*]" {
		t.Errorf("Explain says that %s match", got)
	}
}

// A before filter has the captures of its own pattern, an after filter those of the route too.
func TestParametersOfFilters(t *testing.T) {
	app := routing.New()
	var seen []string
	see := func(c routing.Context) error { seen = append(seen, c.Params().GetOr("id", "none")); return nil }
	app.Before(see)
	app.Before(see, routing.On("/u/:id"))
	app.After(see)
	app.Get("/u/:id", text(""))
	get(app, "/u/path?id=query")
	if got, want := fmt.Sprint(seen), "[query path path]"; got != want {
		t.Errorf("the filters saw %s, want %s", got, want)
	}
}

// withAccept makes a GET request with Accept headers.
func withAccept(path string, accept ...string) *http.Request {
	r := httptest.NewRequest("GET", path, nil)
	for _, line := range accept {
		r.Header.Add("Accept", line)
	}
	return r
}

// The order that is changed is the one in the path, even if the query has another id.
func ExampleParams_Path() {
	app := routing.New()
	app.Get("/orders/:id", func(c routing.Context) (routing.Result, error) {
		id, _ := c.Params().Path("id")
		_, inPath := c.Params().Path("page")
		page, _ := c.Params().Get("page")
		return routing.Text(fmt.Sprint(id, inPath, page)), nil
	})
	fmt.Println(get(app, "/orders/7?id=8&page=1&page=2").Body)
	// Output: 7false1
}

// A form may have as many fields as net/http reads, whether an action or middleware reads it.
func TestManyFields(t *testing.T) {
	encode := func(count int) (body, contentType string) {
		var text strings.Builder
		parts := multipart.NewWriter(&text)
		for range count {
			parts.WriteField("k", "v")
		}
		parts.Close()
		return text.String(), parts.FormDataContentType()
	}
	for _, test := range []struct {
		how   string
		count int
		want  int
	}{
		{"text", 10_000, 200}, {"text", 10_001, 413},
		{"multipart", 999, 200}, {"multipart", 1001, 413},
		{"parsed", 10_000, 200}, {"parsed", 10_001, 400},
	} {
		app := routing.New(quiet(), routing.WithBodyLimit(8<<20))
		app.Before(respond.Multipart(8 << 20))
		if test.how == "parsed" {
			app.Use(func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					r.PostFormValue("token")
					next.ServeHTTP(w, r)
				})
			})
		}
		app.Post("/", func(c routing.Context) (routing.Result, error) {
			return routing.Text(fmt.Sprint(len(c.Params().Values("k")))), nil
		})
		body, contentType := strings.TrimSuffix(strings.Repeat("k=v&", test.count), "&"), "application/x-www-form-urlencoded"
		if test.how == "multipart" {
			body, contentType = encode(test.count)
		}
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		if w.Code != test.want || w.Code == 200 && w.Body.String() != fmt.Sprint(test.count) {
			t.Errorf("%s, %d fields: got %d %s, want %d", test.how, test.count, w.Code, w.Body, test.want)
		}
	}
}

// A format is the text after the last dot. A path that begins or ends with its only dot has none.
func TestFormatAfterTheLastDot(t *testing.T) {
	app := routing.New(quiet())
	app.Get("/:id(.:format)?", values)
	for path, want := range map[string]string{
		"/a": "id=a", "/a.b": "format=b id=a", "/a.b.c": "format=c id=a.b", "/.a": "id=.a", "/.a.b": "format=b id=.a", "/a.": "id=a.", "/a.b.": "id=a.b.",
	} {
		if got := get(app, path).Body.String(); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
