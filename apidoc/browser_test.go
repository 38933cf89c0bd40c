package apidoc_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
)

// This file tests requests as browsers and middleware make them.

// pngStart is the signature of a PNG.
const pngStart = "\x89PNG\r\n\x1a\n"

const (
	urlencodedType = "application/x-www-form-urlencoded"
	boundaryType   = "multipart/form-data; boundary=x"
)

// sheet is a form with all kinds of fields.
type sheet struct {
	Title   string       `form:"title,required"`
	Note    *string      `form:"note"`
	Pages   *int         `form:"pages"`
	Weight  float64      `form:"weight" default:"1.5"`
	Printed time.Time    `form:"printed"`
	Day     string       `form:"day" format:"date"`
	Colour  Colour       `form:"colour"`
	From    netip.Prefix `form:"from"`
	Sizes   []int        `form:"size"`
	Bound   bool         `form:"bound"`
}

func (s sheet) String() string {
	return fmt.Sprintf("%s note:%t pages:%t %v printed:%t %q%q from:%t %d %t",
		s.Title, s.Note != nil, s.Pages != nil, s.Weight, !s.Printed.IsZero(), s.Day, s.Colour, s.From.IsValid(), s.Sizes, s.Bound)
}

// A browser sends all fields of a form: empty texts for empty fields, on for a checkbox, and a part
// with an empty filename if no file was selected.
func TestFormsOfBrowsers(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/sheet", "", func(_ context.Context, in sheet) (string, error) { return in.String(), nil }, apidoc.ID("print"))
	apidoc.Post(api, "/scan", "", func(_ context.Context, in struct {
		sheet
		Cover apidoc.File   `form:"cover" accept:"image/png"`
		Extra []apidoc.File `form:"extra"`
	}) (string, error) {
		return fmt.Sprintf("%s %q %d", in.sheet, in.Cover.Name, len(in.Extra)), nil
	}, apidoc.ID("scan"))
	apidoc.Post(api, "/must", "", func(_ context.Context, in struct {
		Cover apidoc.File `form:"cover,required"`
	}) (string, error) {
		return in.Cover.Name, nil
	}, apidoc.ID("must"))
	apidoc.Get(api, "/", "", func(_ context.Context, in struct {
		Pages *int   `query:"pages" min:"1"`
		Bound bool   `query:"bound"`
		Name  string `query:"name"`
		Must  int    `query:"must,required"`
	}) (string, error) {
		return fmt.Sprint(in.Pages != nil, in.Bound, in.Name == "", in.Must), nil
	}, apidoc.ID("find"))
	const blank = "title=A&note=&pages=&weight=&printed=&day=&colour=&from=&size="
	var parts strings.Builder
	for pair := range strings.SplitSeq(blank, "&") {
		name, value, _ := strings.Cut(pair, "=")
		fmt.Fprintf(&parts, "--x\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", name, value)
	}
	noFile := func(name string) string {
		return "--x\r\nContent-Disposition: form-data; name=\"" + name + "\"; filename=\"\"\r\nContent-Type: application/octet-stream\r\n\r\n\r\n"
	}
	for _, c := range []struct{ target, media, body, want string }{
		{"/sheet", urlencodedType, blank, "A note:true pages:false 1.5 printed:false \"\"\"\" from:false [] false"},
		{"/sheet", urlencodedType, blank + "&bound=on", "A note:true pages:false 1.5 printed:false \"\"\"\" from:false [] true"},
		{"/sheet", urlencodedType, blank + "&size=3&size=", "A note:true pages:false 1.5 printed:false \"\"\"\" from:false [3] false"},
		{"/sheet", urlencodedType, "title=A&pages=x&bound=1", "form pages type; form bound type"},
		{"/sheet", boundaryType, parts.String() + "--x--\r\n", "A note:true pages:false 1.5 printed:false \"\"\"\" from:false [] false"},
		{"/scan", boundaryType, parts.String() + noFile("cover") + noFile("extra") + "--x--\r\n", "A note:true pages:false 1.5 printed:false \"\"\"\" from:false [] false \"\" 0"},
		{"/scan", boundaryType, parts.String() + "--x\r\nContent-Disposition: form-data; name=\"cover\"\r\n\r\ntext\r\n--x--\r\n", "form cover type"},
		{"/must", boundaryType, noFile("cover") + "--x--\r\n", "form cover required"},
		{"/?must=1&pages=&bound=on&name=", "", "", "false true true 1"},
		{"/?must=&pages=0", "", "", "query pages minimum; query must required"},
	} {
		method := "POST"
		if c.media == "" {
			method = "GET"
		}
		if w := call(app, method, c.target, c.media, c.body); !strings.Contains(placesOf(w.Body.String()), c.want) {
			t.Errorf("%s %s: got %d %s, want %s", c.target, c.body, w.Code, w.Body, c.want)
		}
	}
}

// Operations use the form that middleware has parsed.
func TestParsedForms(t *testing.T) {
	for name, parse := range map[string]func(*http.Request){
		"ParseForm":          func(r *http.Request) { r.ParseForm() },
		"ParseMultipartForm": func(r *http.Request) { r.ParseMultipartForm(1 << 10) },
		"FormValue":          func(r *http.Request) { r.FormValue("csrf") },
		"without a body": func(r *http.Request) {
			r.ParseMultipartForm(1 << 10)
			r.Body = http.NoBody
		},
	} {
		for _, media := range []string{urlencodedType, boundaryType} {
			app, api := newTyped()
			app.Use(func(next http.Handler) http.Handler {
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					parse(r)
					next.ServeHTTP(w, r)
				})
			})
			apidoc.Post(api, "/", "", func(_ context.Context, in sheet) (string, error) { return in.String(), nil }, apidoc.ID("print"))
			body := "title=A&bound=on"
			if media == boundaryType {
				contentType, text := multipartBody(part{"title", "", "A"}, part{"bound", "", "on"})
				media, body = contentType, text
			}
			if w := call(app, "POST", "/?title=query", media, body); w.Body.String() != `A note:false pages:false 1.5 printed:false """" from:false [] true` {
				t.Errorf("%s of %s: got %d %s", name, media, w.Code, w.Body)
			}
		}
	}
}

// The type of a file is detected from its first bytes if possible, and else sent by the client.
func TestFilesAreOfAcceptedTypes(t *testing.T) {
	const zipStart, html = "PK\x03\x04", "<!DOCTYPE html><script>"
	const docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(context.Context, struct {
		PNG   apidoc.File `form:"png" accept:"image/png"`
		Image apidoc.File `form:"image" accept:"image/*"`
		SVG   apidoc.File `form:"svg" accept:"image/svg+xml"`
		Text  apidoc.File `form:"text" accept:"text/csv, text/markdown"`
		Plain apidoc.File `form:"plain" accept:"text/plain"`
		HTML  apidoc.File `form:"html" accept:"text/html"`
		Data  apidoc.File `form:"data" accept:"application/json,application/pdf"`
		Word  apidoc.File `form:"word" accept:"application/vnd.openxmlformats-officedocument.wordprocessingml.document"`
		Some  apidoc.File `form:"some" accept:"image/png,application/octet-stream"`
		Any   apidoc.File `form:"any" accept:"application/octet-stream"`
		Range apidoc.File `form:"range" accept:"*/*"`
	}) (string, error) {
		return "", nil
	}, apidoc.ID("post"))
	for _, c := range []struct {
		field, claim, content string
		status                int
	}{
		{"png", "image/png", pngStart, 200},
		{"png", "image/png", "text", 422},
		{"png", "image/png", "", 422},
		{"png", "image/png", html, 422},
		{"png", "application/octet-stream", pngStart, 200},
		{"png", "text/plain", pngStart, 200},
		{"image", "image/png", "GIF89a", 200},
		{"image", "image/png", html, 422},
		{"image", "image/avif", "\x00\x00\x00 ftypavif", 200},
		{"svg", "image/svg+xml", "<svg/>", 200},
		{"svg", "image/svg+xml", `<?xml version="1.0"?><svg/>`, 200},
		{"text", "text/csv", "a,b", 200},
		{"text", "text/csv", pngStart, 422},
		{"text", "text/csv", "BMI,age", 200},
		{"image", "image/bmp", "BM", 200},
		{"text", "application/octet-stream", "a,b", 422},
		{"text", "text/markdown", "<h1>A</h1>", 200},
		{"text", "Text/Markdown", "<h1>A</h1>", 200},
		{"svg", "image/svg+xml", "<!-- a tree --><svg/>", 422},
		{"html", "image/svg+xml", html, 200},
		{"plain", "application/octet-stream", "a,b", 200},
		{"plain", "application/octet-stream; padding=8", "a,b", 200},
		{"html", "text/html", "<section>", 200},
		{"data", "application/json", "{}", 200},
		{"data", "application/json", html, 422},
		{"data", "application/pdf", "%PDF-1.7", 200},
		{"data", "application/pdf", "{}", 422},
		{"word", docx, zipStart, 200},
		{"word", "application/zip", zipStart, 422},
		{"some", "image/png", "text", 422},
		{"some", "text/html", html, 422},
		{"some", "application/x-own", "\x00\x01", 422},
		{"some", "application/octet-stream", "\x00\x01", 200},
		{"any", "text/html", html, 200},
		{"range", "text/html", html, 200},
		{"range", "text/csv", "a,b", 200},
	} {
		contentType, body := multipartBody(part{c.field, c.claim, c.content})
		if w := call(app, "POST", "/", contentType, body); w.Code != c.status {
			t.Errorf("%s: %q as %s: got %d %s, want %d", c.field, c.content, c.claim, w.Code, w.Body, c.status)
		}
	}
}

// Bodies are not decoded, so an encoded one is refused (RFC 9110, 15.5.16).
func TestEncodedBodies(t *testing.T) {
	app, api := newTyped()
	apidoc.Post(api, "/form", "", func(context.Context, sheet) (string, error) { return "", nil }, apidoc.ID("form"))
	apidoc.Post(api, "/json", "", func(context.Context, Item) (string, error) { return "", nil }, apidoc.ID("json"))
	apidoc.Post(api, "/raw", "", func(context.Context, struct {
		Body []byte `body:"image/png"`
	}) (string, error) {
		return "", nil
	}, apidoc.ID("raw"))
	for _, c := range []struct{ target, media, body string }{
		{"/form", urlencodedType, "title=A"},
		{"/json", "application/json", `{"name":"Rose","tags":[],"labels":{}}`},
		{"/raw", "image/png", pngStart},
	} {
		for coding, status := range map[string]int{"": 200, "identity": 200, "gzip": 415, "Identity, br": 415} {
			r := httptest.NewRequest("POST", c.target, strings.NewReader(c.body))
			r.Header.Set("Content-Type", c.media)
			if coding != "" {
				r.Header.Set("Content-Encoding", coding)
			}
			w := httptest.NewRecorder()
			app.ServeHTTP(w, r)
			if w.Code != status || status == 415 && w.Header().Get("Accept-Encoding") != "identity" {
				t.Errorf("%s encoded with %q: got %d %s %v, want %d", c.target, coding, w.Code, w.Body, w.Header(), status)
			}
		}
	}
}

// Text is UTF-8. A NUL in a parameter is refused, because databases cannot store it.
func TestTextIsUTF8(t *testing.T) {
	app, api := newTyped()
	type place struct {
		Path   string   `path:"path"`
		Query  []string `query:"query"`
		Header string   `header:"X-Text"`
		Cookie string   `cookie:"text"`
	}
	apidoc.Get(api, "/:path", "", func(context.Context, place) (string, error) { return "", nil }, apidoc.ID("get"))
	apidoc.Post(api, "/form", "", func(context.Context, sheet) (string, error) { return "", nil }, apidoc.ID("form"))
	apidoc.Post(api, "/json", "", func(context.Context, map[string]string) (string, error) { return "", nil }, apidoc.ID("json"))
	for _, c := range []struct {
		method, target, media, body string
		headers                     []string
		status                      int
	}{
		{"GET", "/%C3%BC?query=%C3%BC", "", "", []string{"X-Text", "ü", "Cookie", "text=a"}, 200},
		{"GET", "/a%00", "", "", nil, 422},
		{"GET", "/%FF", "", "", nil, 422},
		{"GET", "/a?query=a&query=%00", "", "", nil, 422},
		{"GET", "/a?query=a&query=%FF", "", "", nil, 422},
		{"GET", "/a", "", "", []string{"X-Text", "\xFF"}, 422},
		{"GET", "/a", "", "", []string{"Cookie", "text=\xFF"}, 422},
		{"POST", "/form", urlencodedType, "title=%00", nil, 422},
		{"POST", "/form", urlencodedType, "title=\xFF", nil, 422},
		{"POST", "/json", "application/json", `{"a":"ü"}`, nil, 200},
		{"POST", "/json", "application/json", "{\"a\":\"\xFF\"}", nil, 400},
		{"POST", "/json", "application/json", "{\"a\":\"\x00\"}", nil, 400},
	} {
		if w := call(app, c.method, c.target, c.media, c.body, c.headers...); w.Code != c.status {
			t.Errorf("%s %s %q %q: got %d %s, want %d", c.method, c.target, c.body, c.headers, w.Code, w.Body, c.status)
		}
	}
}
