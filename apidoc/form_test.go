package apidoc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests forms, uploads and raw bodies.

type upload struct {
	Title string        `form:"title,required" maxLength:"10"`
	Count int           `form:"count" default:"3" min:"1"`
	Tags  []string      `form:"tag"`
	Image apidoc.File   `form:"image,required" accept:"image/png,image/gif" maxLength:"100000"`
	More  []apidoc.File `form:"more" maxLength:"2"`
}

func takeUpload(_ context.Context, in upload) (string, error) {
	content, err := in.Image.Bytes()
	return fmt.Sprint(in.Title, in.Count, in.Tags, in.Image.Name, in.Image.Size, len(content), len(in.More)), err
}

// part is a field of a multipart form, a file if it has a type.
type part struct{ name, contentType, content string }

func multipartBody(parts ...part) (contentType, body string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		h := textproto.MIMEHeader{}
		h.Set("Content-Disposition", fmt.Sprintf("form-data; name=%q", p.name))
		if p.contentType != "" {
			h.Set("Content-Disposition", fmt.Sprintf("form-data; name=%q; filename=%q", p.name, p.name+".png"))
			h.Set("Content-Type", p.contentType)
		}
		f, _ := w.CreatePart(h)
		io.WriteString(f, p.content)
	}
	w.Close()
	return w.FormDataContentType(), b.String()
}

// An optional file is a *File or a File that may be zero. Both are described as a file.
func TestFilesThatMayBeMissing(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/trees", "", func(_ context.Context, in struct {
		Photo *apidoc.File `form:"photo" accept:"image/png" maxLength:"100"`
		Plan  apidoc.File  `form:"plan"`
	}) (string, error) {
		if in.Photo == nil {
			_, err := in.Plan.Open()
			return fmt.Sprint("none ", in.Plan.Name, " ", err), nil
		}
		content, err := in.Photo.Bytes()
		return fmt.Sprint(in.Photo.Name, " ", len(content), in.Plan.Name), err
	}, apidoc.ID("add"))
	apidoc.Post(api, "/photos", "", func(_ context.Context, in struct {
		Photo *apidoc.File `form:"photo,required"`
	}) (string, error) {
		return in.Photo.Name, nil
	}, apidoc.ID("must"))
	for _, c := range []struct {
		path  string
		parts []part
		want  string
	}{
		{"/trees", []part{{"photo", "image/png", pngStart}}, fmt.Sprint("200 photo.png ", len(pngStart))},
		{"/trees", []part{{"plan", "image/png", pngStart}}, "200 none plan.png <nil>"},
		{"/trees", []part{{"photo", "", ""}}, "200 none  " + http.ErrMissingFile.Error()},
		{"/trees", []part{{"photo", "image/gif", "GIF89a"}}, "422 form photo contentMediaType"},
		{"/trees", []part{{"photo", "image/png", pngStart + strings.Repeat("x", 100)}}, "422 form photo maxBytes"},
		{"/trees", []part{{"photo", "", "text"}}, "422 form photo type"},
		{"/photos", []part{{"photo", "image/png", pngStart}}, "200 photo.png"},
		{"/photos", []part{{"other", "", ""}}, "422 form photo required"},
	} {
		media, body := multipartBody(c.parts...)
		w := call(app, "POST", c.path, media, body)
		if got := fmt.Sprint(w.Code, " ", placesOf(w.Body.String())); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s with %q: got %s, want %s", c.path, c.parts, got, c.want)
		}
	}
	document, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	content := decode(t, document.OpenAPI30()).at("paths", "/trees", "post", "requestBody", "content", "multipart/form-data", "schema", "properties")
	if photo, plan := fmt.Sprint(content["photo"]), fmt.Sprint(content["plan"]); !strings.Contains(photo, "format:binary") || !strings.Contains(plan, "format:binary") {
		t.Errorf("described as %s and %s", photo, plan)
	}
}

func TestUploads(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/images", "Store an image", takeUpload, apidoc.BodyLimit(20<<20))
	png := part{"image", "image/png", pngStart}
	title := part{"title", "", "rose"}
	for _, c := range []struct {
		name   string
		parts  []part
		status int
		want   string
	}{
		{"all", []part{title, {"count", "", "2"}, {"tag", "", "a"}, {"tag", "", "b"}, png, {"more", "image/png", "1"}}, 200, "rose2 [a b]image.png8 8 1"},
		{"detected", []part{title, {"image", "application/octet-stream", "GIF89a"}}, 200, "rose3 []image.png6 6 0"},
		{"not detected", []part{title, {"image", "application/octet-stream", "text"}}, 422, "form image contentMediaType"},
		{"default", []part{title, png}, 200, "rose3 []image.png8 8 0"},
		{"nothing", nil, 422, "form title required; form image required"},
		{"wrong", []part{{"title", "", "longer than that"}, {"count", "", "0"}, {"image", "text/html", "<b>"}}, 422,
			"form title maxLength; form count minimum; form image contentMediaType"},
		{"long", []part{title, {"image", "image/png", pngStart + strings.Repeat("x", 100000)}}, 422, "form image maxBytes"},
		{"many", []part{title, png, {"more", "a/b", "1"}, {"more", "a/b", "1"}, {"more", "a/b", "1"}}, 422, "form more maxItems"},
		{"a file that is none", []part{title, {"image", "", "PNG"}}, 422, "form image type"},
		{"another field", []part{title, png, {"other", "", "1"}, {"file", "image/png", "1"}}, 200, "rose3"},
		{"too long", []part{title, {"image", "image/png", strings.Repeat("x", 21<<20)}}, 413, "larger than 20971520 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			contentType, body := multipartBody(c.parts...)
			w := call(app, "POST", "/images", contentType, body)
			if w.Code != c.status || !strings.Contains(placesOf(w.Body.String()), c.want) {
				t.Errorf("got %d %s, want %d with %s", w.Code, w.Body, c.status, c.want)
			}
		})
	}
	for contentType, status := range map[string]int{"application/json": 415, "multipart/form-data": 400, "multipart/form-data; boundary=x": 400} {
		if w := call(app, "POST", "/images", contentType, "{}"); w.Code != status {
			t.Errorf("%s: %d %s, want %d", contentType, w.Code, w.Body, status)
		}
	}
}

// A form with additionalProperties:"false" refuses unknown fields.
func TestClosedForms(t *testing.T) {
	app, api := newTyped()
	type closed struct {
		_    struct{} `additionalProperties:"false"`
		Name string   `form:"name"`
		Page []int    `form:"page"`
	}
	apidoc.Post(api, "/", "", func(ctx context.Context, in closed) (string, error) { return fmt.Sprint(in.Name, in.Page), nil })
	const want = `"errors":[{"in":"form","name":"other","detail":"is not a described field","code":"additionalProperties"}]`
	multi := func(parts ...part) [2]string {
		contentType, body := multipartBody(parts...)
		return [2]string{contentType, body}
	}
	for _, c := range []struct {
		request [2]string
		want    string
	}{
		{[2]string{"application/x-www-form-urlencoded", "name=a"}, "a[]"},
		{[2]string{"application/x-www-form-urlencoded", "page=1&page=2"}, "[1 2]"},
		{[2]string{"application/x-www-form-urlencoded", "page=1,2"}, "[1 2]"},
		{[2]string{"application/x-www-form-urlencoded", "page=1,,2,"}, "[1 2]"},
		{[2]string{"application/x-www-form-urlencoded", "page=,"}, "[]"},
		{[2]string{"application/x-www-form-urlencoded", "page=1,x"}, "must be an integer"},
		{[2]string{"application/x-www-form-urlencoded", "name=a&%6fther=b"}, want},
		{multi(part{"name", "", "a"}), "a"},
		{multi(part{"name", "", "a"}, part{"other", "", "b"}), want},
		{multi(part{"name", "", "a"}, part{"other", "image/png", "b"}), want},
	} {
		if w := call(app, "POST", "/", c.request[0], c.request[1]); !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%q: got %d %s, want %s", c.request, w.Code, w.Body, c.want)
		}
	}
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	form := decode(t, d.OpenAPI()).at("paths", "/", "post", "requestBody", "content")
	schema := form["application/x-www-form-urlencoded"].(map[string]any)["schema"].(map[string]any)
	if schema["additionalProperties"] != false {
		t.Errorf("the form is described as %v", schema)
	}
}

// Files on disk can be opened while the response is sent, and are removed then.
func TestUploadsLeaveNoFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	app, api := newTyped()
	type written struct {
		Write func(io.Writer) error `body:"text/plain"`
	}
	apidoc.Post(api, "/images", "", func(_ context.Context, in struct {
		Image apidoc.File `form:"image"`
	}) (written, error) {
		return written{func(w io.Writer) error {
			f, err := in.Image.Open()
			if err != nil {
				return err
			}
			defer f.Close()
			kept, err := os.ReadDir(os.TempDir())
			fmt.Fprint(w, len(kept))
			return err
		}}, nil
	}, apidoc.BodyLimit(20<<20))
	contentType, body := multipartBody(part{"image", "image/png", strings.Repeat("x", 12<<20)})
	if w := call(app, "POST", "/images", contentType, body); w.Code != 200 || w.Body.String() != "1" {
		t.Errorf("got %d %s, want one file during the response", w.Code, w.Body)
	}
	if kept, err := os.ReadDir(os.TempDir()); err != nil || len(kept) > 0 {
		t.Errorf("%d files are left: %v", len(kept), err)
	}
}

func TestFormsAndRawBodies(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/login", "", func(_ context.Context, in struct {
		User string `form:"user,required"`
		Page int    `query:"page"`
	}) (string, error) {
		return fmt.Sprint(in.User, in.Page), nil
	})
	apidoc.Put(api, "/raw/:id", "", func(_ context.Context, in struct {
		ID    int    `path:"id"`
		Image []byte `body:"image/png,image/*"`
	}) (string, error) {
		return fmt.Sprint(in.ID, string(in.Image)), nil
	})
	apidoc.Post(api, "/stream", "", func(_ context.Context, in struct {
		Body io.Reader `body:"application/octet-stream"`
	}) (string, error) {
		b, err := io.ReadAll(in.Body)
		return string(b), err
	}, apidoc.BodyLimit(10))
	apidoc.Post(api, "/lines", "", func(_ context.Context, in iter.Seq2[Item, error]) (n int, _ error) {
		for range in {
			n++
		}
		return n, nil
	})
	apidoc.Post(api, "/maybe", "", func(_ context.Context, in struct {
		Item *Item `body:""`
	}) (string, error) {
		return fmt.Sprint(in.Item == nil), nil
	})
	for _, c := range []struct {
		method, target, contentType, body string
		status                            int
		want                              string
	}{
		{"POST", "/login?page=2&user=query", "application/x-www-form-urlencoded", "user=a+b&page=3", 200, "a b2"},
		{"POST", "/login?user=query", "application/x-www-form-urlencoded", "", 422, "form user required"},
		{"POST", "/login", "application/x-www-form-urlencoded", "user=a" + strings.Repeat("&b=", 9_999), 200, "a0"},
		{"POST", "/login", "application/x-www-form-urlencoded", "user=a" + strings.Repeat("&b=", 10_000), 413, "more than 10000 fields"},
		{"POST", "/login", "text/plain", "user=a", 415, ""},
		{"PUT", "/raw/7", "image/png", "PNG", 200, "7PNG"},
		{"PUT", "/raw/7", "image/webp", "W", 200, "7W"},
		{"PUT", "/raw/7", "text/plain", "PNG", 415, ""},
		{"PUT", "/raw/7", "image/png", "", 422, "required"},
		{"PUT", "/raw/x", "image/png", "PNG", 422, "path id type"},
		{"POST", "/stream", "application/octet-stream", "ten bytes.", 200, "ten bytes."},
		{"POST", "/stream", "application/octet-stream", "eleven byte", 413, "larger than 10 bytes"},
		{"POST", "/stream", "", "", 200, ""},
		{"POST", "/lines", "", "", 200, "0"},
		{"POST", "/maybe", "", "", 200, "true"},
		{"POST", "/maybe", "application/json", `{"name":"a","tags":[],"labels":{}}`, 200, "false"},
		{"POST", "/maybe", "application/json", `{}`, 422, "body /name required"},
	} {
		w := call(app, c.method, c.target, c.contentType, c.body)
		if w.Code != c.status || !strings.Contains(placesOf(w.Body.String()), c.want) {
			t.Errorf("%s %s %q: got %d %s, want %d with %s", c.method, c.target, c.body, w.Code, w.Body, c.status, c.want)
		}
	}
}

// A typed operation reads the same text as a filter that checked it, even if its encoding is
// invalid or middleware has parsed the form before.
func TestOperationsReadWhatFiltersRead(t *testing.T) {
	padding := "&p=" + strings.Repeat("0123456789", 30)
	for _, text := range []string{"%61dmin%", "%zz", "a;b", "+%2b", "%c3%bc"} {
		for _, parses := range []bool{false, true} {
			if parses && text != "%c3%bc" && text != "+%2b" {
				continue // ParseForm drops it, so neither reads it
			}
			for _, padding := range []string{"", padding} {
				app, api := newTyped()
				app.Use(func(next http.Handler) http.Handler {
					return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
						if parses {
							r.ParseForm()
						}
						next.ServeHTTP(w, r)
					})
				})
				var filtered []string
				app.Before(func(c routing.Context) error {
					for _, key := range []string{"q", "r", "form"} {
						filtered = append(filtered, c.Params().GetOr(key, "none"))
					}
					return nil
				})
				var typed []string
				apidoc.Post(api, "/", "", func(_ context.Context, in struct {
					Q    string `query:"q"`
					R    string `query:"r"`
					Form string `form:"form"`
				}) (string, error) {
					typed = []string{in.Q, in.R, in.Form}
					return "", nil
				})
				w := call(app, "POST", "/?q="+text+"&r="+text+padding, "application/x-www-form-urlencoded", "form="+text+padding)
				if w.Code != 200 || !slices.Equal(filtered, typed) {
					t.Errorf("%q, parsed: %v: got %d, the filter read %q and the operation %q", text, parses, w.Code, filtered, typed)
				}
			}
		}
	}
}

// Filters, conditions and middleware apply to typed operations.
func TestRoutingRulesStay(t *testing.T) {
	app, api := newTyped()
	app.Before(func(c routing.Context) error {
		if c.Request().Header.Get("X-Halt") != "" {
			return &routing.HaltError{Status: 418}
		}
		return nil
	})
	admin := routing.When(func(r *http.Request) bool { return r.Header.Get("X-Admin") != "" })
	type in struct {
		routing.Context
		Name string `path:"name"`
	}
	apidoc.Get(api, "/:name", "The oldest", func(_ context.Context, in in) (string, error) {
		in.Header().Set("X-Path", in.Request().URL.Path)
		return "older " + in.Name, nil
	}, apidoc.ID("older"))
	app.Get("/:name", func(c routing.Context) (routing.Result, error) { return routing.Text("undescribed"), routing.Pass })
	apidoc.Get(api, "/:name/", "The newer", func(_ context.Context, in in) (string, error) {
		if in.Name == "home" {
			return "", routing.Redirect("/elsewhere")
		}
		return "", fmt.Errorf("wrapped: %w", routing.Pass)
	}, apidoc.ID("newer"), apidoc.RouteOptions(admin))
	for _, c := range []struct {
		target, header string
		status         int
		want           string
	}{
		{"/rose", "", 200, "older rose"},
		{"/rose", "X-Halt", 418, ""},
		{"/home/", "X-Admin", 302, ""},
		{"/rose/", "X-Admin", 404, ""},
		{"/home/", "", 404, ""},
	} {
		var headers []string
		if c.header != "" {
			headers = []string{c.header, "1"}
		}
		w := call(app, "GET", c.target, "", "", headers...)
		if w.Code != c.status || c.want != "" && w.Body.String() != c.want || c.want != "" && w.Header().Get("X-Path") != c.target {
			t.Errorf("%s %s: got %d %s, want %d %s", c.target, c.header, w.Code, w.Body, c.status, c.want)
		}
	}
}

// Invalid definitions panic. The message says what to write instead.
func TestDefinitionsThatPanic(t *testing.T) {
	type void = struct{}
	define := func(f func(*apidoc.API)) func() {
		return func() {
			_, api := newTyped()
			f(api)
		}
	}
	for want, f := range map[string]func(){
		`tag min:"1": this is for numbers, not for a string: write minLength`: define(func(a *apidoc.API) {
			apidoc.Post(a, "/", "", func(context.Context, struct {
				A string `json:"a" min:"1"`
			}) (void, error) {
				return void{}, nil
			})
		}),
		"tag minimum: write min": define(func(a *apidoc.API) {
			apidoc.Get(a, "/", "", func(context.Context, struct {
				A int `query:"a" minimum:"1"`
			}) (void, error) {
				return void{}, nil
			})
		}),
		"tag required: write": define(func(a *apidoc.API) {
			apidoc.Get(a, "/", "", func(context.Context, struct {
				A int `query:"a" required:"true"`
			}) (void, error) {
				return void{}, nil
			})
		}),
		"field Name: it needs a tag, since other fields have one: write one of the tags path, query": define(func(a *apidoc.API) {
			apidoc.Post(a, "/", "", func(context.Context, struct {
				Page int `query:"page"`
				Item
			}) (void, error) {
				return void{}, nil
			})
		}),
		"field B: it needs a tag, since other fields have one: write one of the tags header, status, body": define(func(a *apidoc.API) {
			apidoc.Get(a, "/", "", func(context.Context, void) (out struct {
				Location string `header:"Location"`
				B        string `json:"b"`
			}, err error) {
				return out, nil
			})
		}),
		`tag default:"0": must be at least 1`: define(func(a *apidoc.API) {
			apidoc.Get(a, "/", "", func(context.Context, struct {
				A int `query:"a" min:"1" default:"0"`
			}) (void, error) {
				return void{}, nil
			})
		}),
		"apidoc_test.shelf.Plants: type fmt.Stringer: JSON cannot be decoded into an interface: write a struct with the methods OneOf": define(func(a *apidoc.API) {
			apidoc.Post(a, "/", "", func(context.Context, []shelf) (void, error) { return void{}, nil })
		}),
		`the pattern's parameter "id" is not described`: define(func(a *apidoc.API) {
			apidoc.Get(a, "/:id", "", func(context.Context, void) (void, error) { return void{}, nil })
		}),
		"it has tags for path and query: write one": define(func(a *apidoc.API) {
			apidoc.Get(a, "/:id", "", func(context.Context, struct {
				A int `path:"id" query:"id"`
			}) (void, error) {
				return void{}, nil
			})
		}),
		"a request has only one body": define(func(a *apidoc.API) {
			apidoc.Post(a, "/", "", func(context.Context, struct {
				A string `form:"a"`
				B Item   `body:""`
			}) (void, error) {
				return void{}, nil
			})
		}),
		"other languages do not read": define(func(a *apidoc.API) {
			apidoc.Post(a, "/", "", func(context.Context, struct {
				A string `json:"a" pattern:"(?m)^x"`
			}) (void, error) {
				return void{}, nil
			})
		}),
		"a body of image/png is read into a []byte, a string or an io.Reader, not into apidoc_test.Item": define(func(a *apidoc.API) {
			apidoc.Post(a, "/", "", func(context.Context, struct {
				A Item `body:"image/png"`
			}) (void, error) {
				return void{}, nil
			})
		}),
		"a body of image/png is a string, a []byte, an io.Reader or a func(io.Writer) error, not apidoc_test.Item": define(func(a *apidoc.API) {
			apidoc.Get(a, "/", "", func(context.Context, void) (struct {
				A Item `body:"image/png"`
			}, error) {
				panic("not called")
			})
		}),
		"Status(404): write a status of 200 to 399": define(func(a *apidoc.API) {
			apidoc.Get(a, "/", "", whoami, apidoc.Status(404))
		}),
		"example of 201: there is no such body": define(func(a *apidoc.API) {
			apidoc.Get(a, "/", "", whoami, apidoc.ResponseExample(201, "x"))
		}),
		`ID(""): write a name, or leave the option out`:                             func() { apidoc.ID("") },
		`SeeAlso: the documentation "Guide" has no URL`:                             func() { apidoc.SeeAlso(apidoc.ExternalDocs{Description: "Guide"}) },
		"ResponseExample(0): write the status of a response, or use RequestExample": func() { apidoc.ResponseExample(0, "x") },
		`the request's example: body /name must have at least 1 character`: define(func(a *apidoc.API) {
			apidoc.Post(a, "/", "", createItem, apidoc.RequestExample(map[string]any{"name": "", "tags": []string{}, "labels": struct{}{}}))
		}),
		"the 200 response's example: body must be a string": define(func(a *apidoc.API) {
			apidoc.Get(a, "/", "", whoami, apidoc.ResponseExample(200, 7))
		}),
		`NewProblem(200, "")`: func() { apidoc.NewProblem(200, "") },
	} {
		if got := panicOf(f); !strings.Contains(got, want) {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
}

// Problems of the router and of this package have the same responses, whether an operation
// or another route returns them.
func TestProblemsOfTheRouter(t *testing.T) {
	app := routing.New(routing.WithProblemDetails())
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/typed", "", func(context.Context, struct{}) (string, error) {
		return "", fmt.Errorf("wrapped: %w", &routing.Problem{Status: 404, Title: "No such item", Members: map[string]any{"n": 7}})
	}, notFound)
	apidoc.Get(api, "/undescribed", "", func(context.Context, struct{}) (string, error) {
		return "", &routing.Problem{Status: 404}
	})
	app.Get("/hand", func(routing.Context) (routing.Result, error) { return routing.Result{}, notFound.Detailf("number 7") })
	for _, c := range []struct {
		target string
		status int
		want   string
	}{
		{"/typed", 404, `{"type":"about:blank","title":"No such item","status":404,"n":7}`},
		{"/undescribed", 404, `{"type":"about:blank","title":"Not Found","status":404}`},
		{"/hand", 404, `{"type":"about:blank","title":"No such item","status":404,"detail":"number 7"}`},
	} {
		w := call(app, "GET", c.target, "", "")
		if w.Code != c.status || w.Body.String() != c.want || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s: got %d %s, want %d %s", c.target, w.Code, w.Body, c.status, c.want)
		}
	}
}

func TestProblemsAreErrors(t *testing.T) {
	err := fmt.Errorf("read: %w", notFound.Detailf("number %d", 7))
	if !errors.Is(err, notFound) || errors.Is(err, conflict) {
		t.Error("a copy is not the problem that it was made of, or is another")
	}
	if got, want := err.Error(), "read: No such item: number 7"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A nil *Problem in an error is not nil. OnError gets an error with the operation's ID, not a
// panic.
func TestNilProblem(t *testing.T) {
	app, api := newTyped()
	apidoc.Get(api, "/", "", func(context.Context, struct{}) (string, error) { return "", (*apidoc.Problem)(nil) }, apidoc.ID("read"))
	secure := apidoc.Bearer("token", func(context.Context, apidoc.Credentials) (context.Context, error) { return nil, (*apidoc.Problem)(nil) })
	apidoc.Get(api, "/secure", "", func(context.Context, struct{}) (string, error) { return "", nil }, apidoc.ID("read"), secure)
	var handled error
	app.OnError(func(_ routing.Context, err error) (routing.Result, error) {
		handled = err
		return routing.Result{}, nil
	})
	const want = "apidoc: operation read failed with a nil *Problem: return nil instead"
	for _, target := range []string{"/", "/secure"} {
		handled = nil
		if call(app, "GET", target, "", "", "Authorization", "Bearer x"); handled == nil || handled.Error() != want {
			t.Errorf("%s: got %v, want %s", target, handled, want)
		}
	}
}
