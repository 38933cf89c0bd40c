package routing_test

import (
	"bytes"
	"errors"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests where parameters come from, nested ones, and path values.

// look returns what an action reads of a key in each way.
func look(c routing.Context) (routing.Result, error) {
	p := c.Params()
	first, _ := p.Get("k")
	path, inPath := p.Path("k")
	last, _ := p.Last("k")
	nested, err := p.Nested("k")
	if err != nil {
		return routing.Result{}, err
	}
	return routing.Text(fmt.Sprintf("first=%s last=%s path=%s %v nested=%v", first, last, path, inPath, nested)), nil
}

// A check of a form must not be passed by the address.
func TestQueryAndFormAlone(t *testing.T) {
	app := routing.New(quiet(), routing.WithMultipart(), routing.WithBodyLimit(64))
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

func TestPathLastAndNested(t *testing.T) {
	inner := routing.New()
	inner.Get("/in", look)
	app := routing.New(quiet(), routing.WithMultipart())
	app.OnError(func(c routing.Context, err error) (routing.Result, error) {
		var bad *routing.RequestError
		return routing.Text(fmt.Sprint(c.Status(), errors.As(err, &bad))), nil
	})
	app.Get("/q", look)
	app.Post("/q", look)
	app.Group("/g/:k", func(g *routing.Group) { g.Get("/x", look) })
	app.Mount("/m/:k", inner)
	app.Route("GET", routing.Regexp(regexp.MustCompile(`^/re(?:/(?P<k>\d+))?$`)), look)
	for target, want := range map[string]string{
		"GET /q":                    "first= last= path= false nested={ [] map[]}",
		"GET /q?k=1&k=2":            "first=1 last=2 path= false nested={2 [] map[]}",
		"GET /q?k[a]=1&k[b][]=2":    "first= last= path= false nested={ [] map[a:{1 [] map[]} b:{ [{2 [] map[]}] map[]}]}",
		"GET /q?k=1&k[a]=2":         "400 true",
		"POST /q?k=1&k=2 k=3&k=4":   "first=1 last=4 path= false nested={4 [] map[]}",
		"POST /q?k[a]=1 k[b]=2":     "first= last= path= false nested={ [] map[b:{2 [] map[]}]}",
		"POST /q?k[a]=1 x=2":        "first= last= path= false nested={ [] map[a:{1 [] map[]}]}",
		"GET /g/p/x?k=q&k[a]=1":     "first=p last=p path=p true nested={p [] map[]}",
		"GET /m/p/in?k=q":           "first=p last=p path=p true nested={p [] map[]}",
		"GET /re/7?k=q":             "first=7 last=7 path=7 true nested={7 [] map[]}",
		"GET /re?k=q":               "first=q last=q path= false nested={q [] map[]}",
		"HEAD /q?k=1":               "",
		"POST /q " + bracketed(400): "400 true",
	} {
		method, rest, _ := strings.Cut(target, " ")
		address, body, _ := strings.Cut(rest, " ")
		r := form(address, body)
		r.Method = method
		if got := withoutBody(method, send(app, r)); got != want {
			t.Errorf("%s: got %s, want %s", target, got, want)
		}
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, field := range []string{"k[n]=1", "k[l][][x]=1", "k[l][][y]=2", "k[l][][x]=3", "k[l][][y]=4"} {
		key, value, _ := strings.Cut(field, "=")
		if err := w.WriteField(key, value); err != nil {
			t.Fatal(err)
		}
	}
	w.Close()
	r := httptest.NewRequest("POST", "/q", &body)
	r.Header.Set("Content-Type", w.FormDataContentType())
	const want = "first= last= path= false nested={ [] map[l:{ [{ [] map[x:{1 [] map[]} y:{2 [] map[]}]} { [] map[x:{3 [] map[]} y:{4 [] map[]}]}] map[]} n:{1 [] map[]}]}"
	if got := send(app, r).Body.String(); got != want {
		t.Errorf("multipart: got %s, want %s", got, want)
	}
}

func bracketed(n int) string { return "k" + strings.Repeat("[a]", n) + "=1" }

// withoutBody returns the body, which of a response to HEAD a server leaves out.
func withoutBody(method string, w *httptest.ResponseRecorder) string {
	if method == http.MethodHead {
		return ""
	}
	return w.Body.String()
}

// Conditions see the captures of their own pattern and of mount prefixes, and leave those of an
// outer ServeMux as they were.
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
	inner.Get("/*", show("other"), routing.PathValues())
	inner.Get("/:id", show("number"), number, routing.PathValues())
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
	if got := fmt.Sprint(app.Explain(httptest.NewRequest("GET", "/u/ann/7", nil)).Steps[0].Mounted.Matched()); got != "[GET /:id GET /*]" {
		t.Errorf("Explain says that %s match", got)
	}
}

// A multipart form overrides the method by a field before its files. Nothing else of it is read.
func TestMethodInMultipartForm(t *testing.T) {
	for _, test := range []struct {
		name   string
		fields []string // a name that ends in a colon is that of a file
		want   string
	}{
		{"first", []string{"_method=PUT", "k=1", "f:=x"}, "PUT 1 x"},
		{"behind text", []string{"k=1", "_method=delete", "f:=x"}, "DELETE 1 x"},
		{"behind a file", []string{"k=1", "f:=x", "_method=put"}, "POST 1 x"},
		{"behind a long text", []string{"z=" + strings.Repeat("z", 70_000), "_method=put", "k=1", "f:=x"}, "POST 1 x"},
		{"a file", []string{"_method:=put", "k=1", "f:=x"}, "POST 1 x"},
		{"long file", []string{"_method=put", "k=1", "f:=" + strings.Repeat("x", 200_000)}, "PUT 1 " + strings.Repeat("x", 200_000)},
		{"other", []string{"_method=GET", "k=1", "f:=x"}, "POST 1 x"},
	} {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		for _, field := range test.fields {
			key, value, _ := strings.Cut(field, "=")
			if name, isFile := strings.CutSuffix(key, ":"); isFile {
				part, _ := form.CreateFormFile(name, "a.txt")
				part.Write([]byte(value))
			} else {
				form.WriteField(key, value)
			}
		}
		form.Close()
		for _, options := range [][]routing.Option{{routing.WithMultipart()}, nil} {
			app := routing.New(append(options, quiet(), routing.WithMethodOverride())...)
			app.Route("", routing.Pattern{}, func(c routing.Context) (routing.Result, error) {
				k, _ := c.Params().Get("k")
				if options == nil {
					k = c.Request().FormValue("k")
				}
				file, _, err := c.Request().FormFile("f")
				if err != nil {
					return routing.Result{}, err
				}
				var content bytes.Buffer
				content.ReadFrom(file)
				return routing.Text(c.Request().Method + " " + k + " " + content.String()), nil
			})
			address := serve(t, app)
			got := fetch(t, "POST", address, body.String(), "Content-Type", form.FormDataContentType())
			if got.status != 200 || got.body != test.want {
				t.Errorf("%s: got %d %.80s, want %.80s", test.name, got.status, got.body, test.want)
			}
		}
	}
	// An upload that is larger than the limit is refused as without an override. net/http reads what
	// is left of such a body up to 256 KiB: a client that sends more may meet a closed connection.
	app := routing.New(quiet(), routing.WithMethodOverride(), routing.WithMultipart(), routing.WithUploadLimit(1000), routing.WithBodyLimit(1000))
	app.Post("/", look)
	large := "--b\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\n" + strings.Repeat("x", 200_000) + "\r\n--b--\r\n"
	if got := fetch(t, "POST", serve(t, app), large, "Content-Type", "multipart/form-data; boundary=b"); got.status != 413 {
		t.Errorf("got %d, want 413", got.status)
	}
	// The limits are those of parameters: without multipart forms the action alone reads the file.
	app = routing.New(quiet(), routing.WithMethodOverride(), routing.WithUploadLimit(1000), routing.WithBodyLimit(1000))
	large = "--b\r\nContent-Disposition: form-data; name=_method\r\n\r\nPUT\r\n" + large
	app.Put("/", func(c routing.Context) (routing.Result, error) {
		_, file, err := c.Request().FormFile("f")
		if err != nil {
			return routing.Result{}, err
		}
		return routing.Text(fmt.Sprint(file.Size)), nil
	}, routing.When(func(*http.Request) bool { return true }))
	if got := fetch(t, "POST", serve(t, app), large, "Content-Type", "multipart/form-data; boundary=b"); got.body != "200000" {
		t.Errorf("a file beside parameters: got %d %s, want 200,000 bytes", got.status, got.body)
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

// A form of Rails: the fields of a user, with a list.
func ExampleParams_Nested() {
	app := routing.New()
	app.Post("/users", func(c routing.Context) (routing.Result, error) {
		user, err := c.Params().Nested("user")
		if err != nil {
			return routing.Result{}, err
		}
		text := user.Map["name"].Text + " of " + user.Map["address"].Map["city"].Text
		for _, tag := range user.Map["tags"].List {
			text += ", " + tag.Text
		}
		return routing.Text(text), nil
	})
	r := httptest.NewRequest("POST", "/users", strings.NewReader("user[name]=Ann&user[address][city]=Bonn&user[tags][]=new&user[tags][]=vip"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	fmt.Println(send(app, r).Body)
	// Output: Ann of Bonn, new, vip
}

// The path says which order is changed, whatever else the client sends.
func ExampleParams_Path() {
	app := routing.New()
	app.Get("/orders/:id", func(c routing.Context) (routing.Result, error) {
		id, _ := c.Params().Path("id")
		_, inPath := c.Params().Path("page")
		page, _ := c.Params().Last("page")
		return routing.Text(fmt.Sprint(id, inPath, page)), nil
	})
	fmt.Println(get(app, "/orders/7?id=8&page=1&page=2").Body)
	// Output: 7false2
}

// A condition can look at a parameter, and an action can call a function that knows only requests.
func ExamplePathValues() {
	isOwn := func(r *http.Request) bool { return r.PathValue("user") == r.Header.Get("X-User") }
	title := func(r *http.Request) string { return "the page of " + r.PathValue("user") }

	app := routing.New()
	app.Get("/users/:user", text("not yours"))
	app.Get("/users/:user", func(c routing.Context) (routing.Result, error) {
		return routing.Text(title(c.Request())), nil
	}, routing.When(isOwn), routing.PathValues())
	r := httptest.NewRequest("GET", "/users/ann", nil)
	fmt.Println(send(app, r).Body)
	r.Header.Set("X-User", "ann")
	fmt.Println(send(app, r).Body)
	// Output:
	// not yours
	// the page of ann
}

// The keys of a long form are read twice, however often nested values are asked for.
func TestNestedReadsOnce(t *testing.T) {
	app := routing.New(quiet())
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		for range 2 {
			c.Params().Nested("a")
		}
		if !raceEnabled {
			if allocs := testing.AllocsPerRun(10, func() { c.Params().Nested("a") }); allocs > 20 { // a search would decode all the keys
				t.Errorf("%v allocations for a value of one key", allocs)
			}
		}
		value, err := c.Params().Nested("a[b]")
		return routing.Text(value.Text), err
	})
	r := httptest.NewRequest("POST", "/", strings.NewReader(strings.Repeat("user%5Bname%5D=Ann&", 1000)+"a%5Bb%5D=1"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	if got := w.Body.String(); got != "1" {
		t.Errorf("got %d %s", w.Code, got)
	}
}

// A value of many small maps takes some hundred times as much memory as the text that sends it.
func TestNestedIsLimited(t *testing.T) {
	const wide, deep = 1000, 29
	send := func(count int) (*httptest.ResponseRecorder, uint64) {
		var text strings.Builder
		for i := range count {
			fmt.Fprintf(&text, "&k[%d]%s=", i, strings.Repeat("[a]", deep))
		}
		app := routing.New(quiet())
		app.Post("/", look)
		r := httptest.NewRequest("POST", "/", strings.NewReader(text.String()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		app.ServeHTTP(w, r)
		runtime.ReadMemStats(&after)
		return w, after.TotalAlloc - before.TotalAlloc
	}
	if w, _ := send(wide); w.Code != 200 {
		t.Errorf("%d maps: got %d %s", wide*deep, w.Code, w.Body)
	}
	w, bytes := send(9 * wide)
	if w.Code != 400 || bytes > 40<<20 {
		t.Errorf("%d maps: got %d after %d MiB, want 400 and less than 40", 9*wide*deep, w.Code, bytes>>20)
	}
}

// A form has as many fields as net/http reads, whoever reads it.
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
		app := routing.New(quiet(), routing.WithMultipart(), routing.WithBodyLimit(8<<20))
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
