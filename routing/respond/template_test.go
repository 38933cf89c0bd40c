package respond_test

import (
	"errors"
	"html/template"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// failing fails or panics when a template calls it, after some text.
type failing struct{}

func (failing) Panics() string         { panic("a secret") }
func (failing) Fails() (string, error) { return "", http.ErrBodyNotAllowed }
func (failing) Nothing() *failing      { return nil }

func TestTemplate(t *testing.T) {
	pages := template.Must(template.New("root").Parse(`<p>{{.}}</p>
{{define "page"}}<a href="/?q={{.}}">{{.}}</a>{{end}}
{{define "panics"}}text {{.Panics}}{{end}}
{{define "fails"}}text {{.Fails}}{{end}}
{{define "nothing"}}text {{.Nothing.Fails}}{{end}}
{{define "member"}}text {{.Missing}}{{end}}
{{define "large"}}{{range .}}<p>0123456789{{end}}{{end}}`))
	for _, test := range []struct {
		name     string
		template *template.Template
		page     string
		data     any
		status   int
		body     string
	}{
		{"by name", pages, "page", "a&b", 200, `<a href="/?q=a%26b">a&amp;b</a>`},
		{"itself", pages, "", "x", 200, "<p>x</p>\n\n\n\n\n\n"},
		{"beyond the server's buffer", pages, "large", make([]int, 5000), 200, strings.Repeat("<p>0123456789", 5000)},
		{"unknown", pages, "none", nil, 500, "Internal Server Error"},
		{"a function that panics", pages, "panics", failing{}, 500, "Internal Server Error"},
		{"a function that fails", pages, "fails", failing{}, 500, "Internal Server Error"},
		{"a nil value", pages, "nothing", failing{}, 500, "Internal Server Error"},
		{"no such member", pages, "member", failing{}, 500, "Internal Server Error"},
		{"an iterator that panics", pages, "large", iter.Seq[int](func(func(int) bool) { panic("a secret") }), 500, "Internal Server Error"},
		{"a nil iterator", pages, "large", iter.Seq[int](nil), 500, "Internal Server Error"},
		{"nil", nil, "page", nil, 500, "Internal Server Error"},
	} {
		t.Run(test.name, func(t *testing.T) {
			app, logs := quiet()
			app.Get("/page", func(c routing.Context) (routing.Result, error) {
				return respond.Template(test.template, test.page, test.data)
			})
			outer := routing.New()
			outer.Mount("/mounted", app)
			for path, handler := range map[string]http.Handler{
				"/page": app, "/mounted/page": outer, "/cut/page": http.StripPrefix("/cut", app),
			} {
				w := httptest.NewRecorder()
				handler.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
				ok := w.Body.String() == test.body || test.status == 500 && strings.Contains(w.Body.String(), test.body)
				if w.Code != test.status || !ok || strings.Contains(w.Body.String(), "secret") || strings.Contains(w.Body.String(), "text ") {
					t.Errorf("%s: got %d %.200q, want %d %.200q", path, w.Code, w.Body, test.status, test.body)
				}
				if got := w.Header().Get("Content-Type"); !strings.HasPrefix(got, "text/html; charset=utf-8") && test.status == 200 {
					t.Errorf("%s: Content-Type is %q", path, got)
				}
			}
			if failed := strings.Contains(logs.String(), "respond: template: "); failed != (test.status == 500) {
				t.Errorf("logged %q", logs)
			}
		})
	}
}

// The error handler sees that the data panicked, with the stack of the panic.
func TestTemplatePanicIsAnError(t *testing.T) {
	page := template.Must(template.New("").Parse(`{{range .}}{{.}}{{end}}`))
	_, err := respond.Template(page, "", iter.Seq[int](func(func(int) bool) { panic("a secret") }))
	var panicked *routing.PanicError
	if !errors.As(err, &panicked) || panicked.Value != "a secret" || !strings.Contains(string(panicked.Stack), "TestTemplatePanicIsAnError") {
		t.Errorf("got %v", err)
	}
	defer func() {
		if v := recover(); v != http.ErrAbortHandler {
			t.Errorf("got the panic %v, want http.ErrAbortHandler", v)
		}
	}()
	respond.Template(page, "", iter.Seq[int](func(func(int) bool) { panic(http.ErrAbortHandler) }))
}

// The status that was set stays, and the error handler gets errors.
func TestTemplateStatus(t *testing.T) {
	page := template.Must(template.New("").Parse(`{{.Name}}`))
	app, _ := quiet()
	app.NotFound(func(c routing.Context) (routing.Result, error) {
		return respond.Template(page, "", map[string]string{"Name": "nothing here"})
	})
	app.Get("/fails", func(c routing.Context) (routing.Result, error) { return respond.Template(page, "", 1) })
	app.OnError(func(c routing.Context, err error) (routing.Result, error) { return routing.Text("sorry"), nil })
	for path, want := range map[string]string{"/none": "404 nothing here", "/fails": "500 sorry"} {
		if got := get(t, app, path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
