package apidoc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests parts of forms with JSON.

type Plot struct {
	Name  string `json:"name" minLength:"2"`
	Trees []int  `json:"trees" maxLength:"2"`
}

func (p Plot) Validate(context.Context) ([]apidoc.InputError, error) {
	if p.Name == "unknown" {
		return nil, errors.New("the database is away")
	}
	if p.Name == "taken" {
		return []apidoc.InputError{{Pointer: "/name", Detail: "is taken", Code: "taken"}}, nil
	}
	return nil, nil
}

type PlotForm struct {
	Plot   Plot           `form:"plot,required"`
	More   *Plot          `form:"more"`
	Counts map[string]int `form:"counts" maxLength:"2"`
	Plan   apidoc.File    `form:"plan"`
	Title  string         `form:"title"`
}

// parts makes a form from texts: name=value is a field, name@value a file.
func parts(list ...string) (contentType, body string) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, part := range list {
		if name, value, ok := strings.Cut(part, "="); ok {
			w.WriteField(name, value)
			continue
		}
		name, value, _ := strings.Cut(part, "@")
		file, _ := w.CreateFormFile(name, "blob")
		io.WriteString(file, value)
	}
	w.Close()
	return w.FormDataContentType(), b.String()
}

func TestPartsWithJSON(t *testing.T) {
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Post(api, "/plots", "Add", func(_ context.Context, in PlotForm) (string, error) {
		return fmt.Sprint(in.Plot, in.More != nil, in.Counts, in.Plan.Size, in.Title), nil
	})
	for _, c := range []struct {
		name   string
		parts  []string
		status int
		want   string
	}{
		{"a field", []string{`plot={"name":"Oaks","trees":[1]}`, "plan@abc", "title=T"}, 200, "{Oaks [1]} false map[] 3T"},
		{"a Blob", []string{`plot@{"name":"Oaks","trees":[1]}`, `more@{"name":"Elms","trees":[]}`, `counts={"a":1}`}, 200, "{Oaks [1]} true map[a:1] 0"},
		{"empty, as of a field that nobody has filled in", []string{`plot={"name":"Oaks","trees":[1]}`, "more=", "counts="}, 200, "{Oaks [1]} false map[] 0"},
		{"a rule of the field", []string{`plot={"name":"Oaks","trees":[]}`, `counts={"a":1,"b":2,"c":3}`}, 422, "form counts maxProperties"},
		{"null, which is not described", []string{`plot={"name":"Oaks","trees":[]}`, `more=null`}, 422, "form more type"},
		{"empty, but required", []string{"plot="}, 422, "form plot required"},
		{"missing", []string{"title=T"}, 422, "form plot required"},
		{"no JSON", []string{"plot={"}, 422, "form plot type"},
		{"invalid", []string{`plot={"name":"O","trees":[1,"x",3]}`, `counts={"a":"b"}`}, 422, "form plot /name minLength"},
		{"invalid, all of it", []string{`plot={"name":"O","trees":[1]}`, `counts={"a":"b"}`}, 422, "form counts /a type"},
		{"another type", []string{`plot=[]`}, 422, "form plot type"},
		{"own check", []string{`plot={"name":"taken","trees":[]}`}, 422, "form plot /name taken"},
		{"own check that fails", []string{`plot={"name":"unknown","trees":[]}`}, 500, "Internal Server Error"},
		{"own check of another part", []string{`plot={"name":"","trees":[]}`, `more={"name":"taken","trees":[]}`}, 422,
			"form more /name taken"},
	} {
		contentType, body := parts(c.parts...)
		w := call(app, "POST", "/plots", contentType, body)
		if got := placesOf(w.Body.String()); w.Code != c.status || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %d %s, want %d %s", c.name, w.Code, w.Body, c.status, c.want)
		}
	}
	if w := call(app, "POST", "/plots", "application/x-www-form-urlencoded", "plot=%7B%7D"); w.Code != 415 {
		t.Errorf("an urlencoded form: got %d %s", w.Code, w.Body)
	}
	alone, aloneAPI := newTyped()
	apidoc.Post(aloneAPI, "/", "", func(context.Context, struct {
		Plot Plot `form:"plot,required"`
	}) (string, error) {
		return "", nil
	}, apidoc.ID("alone"))
	if w := call(alone, "POST", "/", "application/x-www-form-urlencoded", "plot=%7B%7D"); w.Code != 415 {
		t.Errorf("an urlencoded form for a part alone: got %d %s", w.Code, w.Body)
	}
	if got := string(build(t, alone, "").OpenAPI()); !strings.Contains(got, `"multipart/form-data"`) || strings.Contains(got, "urlencoded") {
		t.Errorf("OpenAPI of a part alone: got %s", got)
	}
	d := build(t, app, "")
	if got := string(d.OpenAPI()); !strings.Contains(got, `"$ref": "#/components/schemas/Plot"`) || strings.Contains(got, "urlencoded") {
		t.Errorf("OpenAPI: got %s", got)
	}
	if plot := decode(t, d.Swagger()).at("definitions")["Plot"]; plot != nil {
		t.Errorf("Swagger: got %v, which nothing refers to", plot)
	}
}

// What follows the end of a form counts for the limit, with and without a Content-Length.
func TestLimitAfterTheEndOfAForm(t *testing.T) {
	app := routing.New()
	api := apidoc.NewAPI(app, info, apidoc.BodyLimit(10_000))
	apidoc.Post(api, "/", "", func(_ context.Context, in struct {
		Name string `form:"name"`
	}) (string, error) {
		return in.Name, nil
	}, apidoc.ID("add"))
	contentType, form := parts("name=oak")
	for size, want := range map[int]int{0: 200, 5000: 200, 10_000: 413} {
		for _, hasLength := range []bool{true, false} {
			var body io.Reader = strings.NewReader(form + strings.Repeat("x", size))
			if !hasLength {
				body = struct{ io.Reader }{body}
			}
			r := httptest.NewRequest("POST", "/", body)
			r.Header.Set("Content-Type", contentType)
			w := httptest.NewRecorder()
			app.ServeHTTP(w, r)
			if w.Code != want {
				t.Errorf("%d bytes, length %t: got %d %s, want %d", size, hasLength, w.Code, w.Body, want)
			}
		}
	}
}

func TestInvalidParts(t *testing.T) {
	refused := func(want string, define func()) {
		t.Helper()
		if got := panicOf(define); !strings.Contains(got, want) {
			t.Errorf("panic %q, want %q", got, want)
		}
	}
	api := apidoc.NewAPI(routing.New(), info)
	refused("is a pointer", func() {
		apidoc.Post(api, "/", "", func(context.Context, struct {
			P Plot `form:"p"`
		}) (string, error) {
			return "", nil
		})
	})
	refused("a part with JSON has no default: write it on its members", func() {
		apidoc.Post(api, "/", "", func(context.Context, struct {
			P map[string]int `form:"p" default:"{}"`
		}) (string, error) {
			return "", nil
		})
	})
	refused("parameters are text", func() {
		apidoc.Post(api, "/", "", func(context.Context, struct {
			P []Plot `form:"p"`
		}) (string, error) {
			return "", nil
		})
	})
	refused("a page has no parts with JSON", func() {
		apidoc.NewFormReader[struct {
			P *Plot `form:"p"`
		}]()
	})
}

// dependentRequired ignores an empty file field, which browsers send if no file was chosen.
func TestDependentRequiredOfFiles(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(context.Context, struct {
		Plan  apidoc.File `form:"plan" dependentRequired:"title"`
		Title string      `form:"title" minLength:"1" dependentRequired:"plan"`
	}) (string, error) {
		return "", nil
	})
	for _, c := range []struct {
		parts  []string
		status int
	}{
		{[]string{"plan=", "title="}, 200}, {[]string{"plan@abc", "title=T"}, 200}, {nil, 200},
		{[]string{"plan@abc", "title="}, 422}, {[]string{"plan=", "title=T"}, 422},
	} {
		contentType, body := parts(c.parts...)
		if w := call(app, "POST", "/", contentType, body); w.Code != c.status {
			t.Errorf("%s: got %d %s, want %d", c.parts, w.Code, w.Body, c.status)
		}
	}
}

// A form over the limit is refused wherever the limit is reached: in a text, a file or the header
// of a part.
func TestFormLimit(t *testing.T) {
	contentType, body := parts("plot={}", "title=T", "plan@"+strings.Repeat("x", 50))
	step := 1
	if testing.Short() {
		step = 7
	}
	for limit := 1; limit < len(body); limit += step {
		app := routing.New()
		apidoc.Post(apidoc.NewAPI(app, info), "/", "", func(context.Context, struct {
			Plan apidoc.File `form:"plan"`
		}) (string, error) {
			return "", nil
		}, apidoc.BodyLimit(int64(limit)))
		if w := call(app, "POST", "/", contentType, body); w.Code != 413 && limit < len(body)-2 { // then only the end is missing
			t.Errorf("a limit of %d of %d bytes: got %d %s", limit, len(body), w.Code, w.Body)
		}
	}
}
