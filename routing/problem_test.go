package routing_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// newProblemsApp returns an app with each kind of error, and a mounted app without options.
func newProblemsApp(options ...routing.Option) *routing.App {
	define := func(app *routing.App) *routing.App {
		app.Get("/fails", func(routing.Context) (routing.Result, error) { return routing.Result{}, errors.New("secret") })
		app.Get("/panics", func(routing.Context) (routing.Result, error) { panic("secret") })
		app.Handle("GET", "/handler", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret") }))
		app.Get("/missing", func(c routing.Context) (routing.Result, error) {
			_, err := c.Params().Require("q<")
			return routing.Result{}, err
		})
		app.Get("/own", func(routing.Context) (routing.Result, error) {
			return routing.Result{}, fmt.Errorf("find: %w", &routing.Problem{
				Type: "https://example.com/sold-out", Title: "Sold <out>", Status: 409, Detail: "No roses & tulips", Instance: "/7",
				Members: map[string]any{"left": 0, "status": "ignored", "code": "ignored", "errors": "ignored"},
			})
		})
		app.Get("/own500", func(routing.Context) (routing.Result, error) {
			return routing.Result{}, &routing.Problem{Status: 500, Detail: "Try again"}
		})
		app.Get("/own499", func(routing.Context) (routing.Result, error) { return routing.Result{}, &routing.Problem{Status: 499} })
		app.Get("/own200", func(routing.Context) (routing.Result, error) { return routing.Result{}, &routing.Problem{Status: 200} })
		app.Get("/bad", func(routing.Context) (routing.Result, error) {
			return routing.Result{}, &routing.Problem{Status: 409, Members: map[string]any{"f": func() {}}}
		})
		app.Get("/nil", func(routing.Context) (routing.Result, error) { return routing.Result{}, (*routing.Problem)(nil) })
		return app
	}
	app := define(routing.New(append(options, quiet())...))
	app.Mount("/sub", define(routing.New(quiet())))
	return app
}

func TestProblems(t *testing.T) {
	const (
		notFound = `{"type":"about:blank","title":"Not Found","status":404,"code":"not_found"}`
		failed   = `{"type":"about:blank","title":"Internal Server Error","status":500,"code":"internal_server_error"}`
		own      = `{"type":"https://example.com/sold-out","title":"Sold \u003cout\u003e","status":409,"detail":"No roses \u0026 tulips","instance":"/7","left":0}`
	)
	app := newProblemsApp(routing.WithProblemDetails(), routing.WithMethodNotAllowed())
	address := serve(t, app)
	for _, prefix := range []string{"", "/sub"} {
		for _, test := range []struct {
			method, path string
			status       int
			body         string
		}{
			{"GET", "/none", 404, notFound},
			{"POST", "/fails", 405, `{"type":"about:blank","title":"Method Not Allowed","status":405,"code":"method_not_allowed"}`},
			{"GET", "/fails", 500, failed},
			{"GET", "/panics", 500, failed},
			{"GET", "/handler", 500, failed},
			{"GET", "/missing", 400, `{"type":"about:blank","title":"Bad Request","status":400,"code":"bad_request","detail":"The parameter \"q\u003c\" is missing."}`},
			{"GET", "/own", 409, own},
			{"GET", "/own500", 500, `{"type":"about:blank","title":"Internal Server Error","status":500,"detail":"Try again"}`},
			{"GET", "/own499", 499, `{"type":"about:blank","title":"Bad Request","status":499}`},
			{"GET", "/own200", 500, `{"type":"about:blank","title":"Internal Server Error","status":500}`},
			{"GET", "/bad", 500, failed},
			{"GET", "/nil", 500, failed},
		} {
			for _, accept := range []string{"", "*/*", "application/json", "application/problem+json", "text/html;q=0.5, application/json", "image/png", "application/*, text/html;q=0.9"} {
				got := fetch(t, test.method, address+prefix+test.path, "", "Accept", accept)
				if got.status != test.status || got.header.Get("Content-Type") != "application/problem+json" || got.body != test.body {
					t.Errorf("%s %s%s for %q: got %d %s %s, want %d %s", test.method, prefix, test.path, accept,
						got.status, got.header.Get("Content-Type"), got.body, test.status, test.body)
				}
				if !json.Valid([]byte(got.body)) {
					t.Errorf("%s %s: got %s, want JSON", test.method, test.path, got.body)
				}
			}
			for _, accept := range []string{"text/html", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html, */*", "application/json;q=0.5,text/html"} {
				got := fetch(t, test.method, address+prefix+test.path, "", "Accept", accept)
				if got.status != test.status || got.header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(got.body, "<h1>") ||
					strings.Contains(got.body, "<out>") || strings.Contains(got.body, "secret") {
					t.Errorf("%s %s for %q: got %d %s %s, want a page", test.method, test.path, accept, got.status, got.header.Get("Content-Type"), got.body)
				}
			}
		}
	}
}

// Without WithProblemDetails, a Problem is still sent in the format that the client prefers.
func TestProblemByDefault(t *testing.T) {
	address := serve(t, newProblemsApp())
	for accept, want := range map[string]string{
		"":                 "Sold <out>: No roses & tulips",
		"application/json": `{"type":"https://example.com/sold-out"`,
		"text/html":        "<p>No roses &amp; tulips</p>",
	} {
		if got := fetch(t, "GET", address+"/own", "", "Accept", accept); got.status != 409 || !strings.Contains(got.body, want) {
			t.Errorf("for %q: got %d %s, want %s in it", accept, got.status, got.body, want)
		}
	}
	if got := fetch(t, "GET", address+"/missing", "", "Accept", "application/json"); got.body != `{"type":"about:blank","title":"Bad Request","status":400,"code":"bad_request","detail":"The parameter \"q\u003c\" is missing."}` {
		t.Errorf("got %s, want the name of the parameter", got.body)
	}
}

// If an after filter sets another status, the default response describes the status that is sent
// (RFC 9457, 3.1.4).
func TestDefaultResponseToStatusOfFilter(t *testing.T) {
	for status, want := range map[int]string{
		410: `{"type":"about:blank","title":"Gone","status":410,"code":"gone"}`,
		200: `{"type":"about:blank","title":"Not Found","status":404,"code":"not_found"}`, // a success has no problem of its own
		599: `{"type":"about:blank","title":"Internal Server Error","status":599,"code":"internal_server_error"}`,
		999: `{"type":"about:blank","title":"Not Found","status":404,"code":"not_found"}`,
	} {
		app := routing.New(routing.WithProblemDetails())
		app.After(func(c routing.Context) error {
			c.SetStatus(status)
			return nil
		})
		if got := fetch(t, "GET", serve(t, app)+"/none", ""); got.status != status || got.body != want {
			t.Errorf("got %d %s, want %d %s", got.status, got.body, status, want)
		}
	}
}

// The status in a problem is the status that is sent (RFC 9457, 3.1.2), unless that is no error.
func TestStatusOfProblemAndOfFilter(t *testing.T) {
	for status, want := range map[int]string{
		0:   `{"type":"about:blank","title":"Not Found","status":404,"detail":"No rose","n":1}`,
		410: `{"type":"about:blank","title":"Gone","status":410,"detail":"No rose","n":1}`,
		200: `{"type":"about:blank","title":"Not Found","status":404,"detail":"No rose","n":1}`,
	} {
		app := routing.New(routing.WithProblemDetails())
		app.Get("/", func(routing.Context) (routing.Result, error) {
			return routing.Result{}, &routing.Problem{Status: 404, Detail: "No rose", Members: map[string]any{"n": 1}}
		})
		app.After(func(c routing.Context) error {
			if status != 0 {
				c.SetStatus(status)
			}
			return nil
		})
		if got := fetch(t, "GET", serve(t, app)+"/", ""); got.body != want {
			t.Errorf("got %d %s, want %d %s", got.status, got.body, status, want)
		}
	}
}

// The example of App.ErrorBody shows the title, which a problem may leave out.
func TestErrorBodySeesTitle(t *testing.T) {
	empty := &routing.Problem{Status: 409}
	app := newProblemsApp()
	app.Get("/empty", func(routing.Context) (routing.Result, error) { return routing.Result{}, empty })
	app.ErrorBody(func(_ routing.Context, p *routing.Problem) (routing.Result, error) {
		return routing.Text(fmt.Sprint(p.Title, " ", errors.Is(p, empty))), nil
	})
	address := serve(t, app)
	for path, want := range map[string]string{"/empty": "Conflict true", "/missing": "Bad Request false", "/none": "Not Found false"} {
		if got := fetch(t, "GET", address+path, ""); got.body != want {
			t.Errorf("%s: got %q, want %q", path, got.body, want)
		}
	}
	if empty.Title != "" {
		t.Error("the problem was changed")
	}
}

// The app's own functions come first, and may use the default response. A next handler gets
// requests that were not found.
func TestProblemsWithOtherErrorHandlers(t *testing.T) {
	app := newProblemsApp(routing.WithProblemDetails(), routing.WithNext(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "next") })))
	app.OnError(func(c routing.Context, err error) (routing.Result, error) {
		if routing.StatusOf(c.Request(), err) < 500 {
			return routing.Result{}, err
		}
		return routing.Text("ours"), nil
	})
	address := serve(t, app)
	for path, want := range map[string]string{
		"/none": "200 next", "/fails": "500 ours", "/missing": `400 {"type":"about:blank","title":"Bad Request","status":400,"code":"bad_request","detail":"The parameter \"q\u003c\" is missing."}`,
	} {
		if got := fetch(t, "GET", address+path, ""); fmt.Sprint(got.status, " ", got.body) != want {
			t.Errorf("%s: got %d %s, want %s", path, got.status, got.body, want)
		}
	}
}

// Default responses follow the weights of Accept (RFC 9110, 12.5.1).
func TestAcceptIsFollowed(t *testing.T) {
	plain, problems := serve(t, routing.New(quiet())), serve(t, routing.New(quiet(), routing.WithProblemDetails()))
	for _, test := range []struct{ accept, plain, problems string }{
		{"text/*", "text/html", "text/html"},
		{"text/*;q=0.1, */*", "application/problem+json", "application/problem+json"},
		{"text/html;q=0.1, */*;q=0.2", "application/problem+json", "application/problem+json"},
		{"text/html;q=0, */*", "application/problem+json", "application/problem+json"},
		{"*/*;q=0.1, text/plain;q=0.2", "text/plain", "application/problem+json"},
		{"text/plain, text/html", "text/html", "text/html"},
		{"application/json, text/plain, */*", "application/json", "application/problem+json"},
		{"text/html;level=1;q=0.3, application/json;q=0.2", "text/html", "text/html"},
		{"text/html;q=2, application/json", "text/html", "application/problem+json"},
		{"text/html;q=NaN, application/json;q=0.001", "application/json", "application/problem+json"},
		{", ;q=1,text/html;;", "text/html", "text/html"},
	} {
		for address, want := range map[string]string{plain: test.plain, problems: test.problems} {
			got, _, _ := strings.Cut(fetch(t, "GET", address+"/none", "", "Accept", test.accept).header.Get("Content-Type"), ";")
			if got != want {
				t.Errorf("%q: got %s, want %s", test.accept, got, want)
			}
		}
	}
}

// A copy by Detailf is the same problem for errors.Is, but shares no values with it.
func TestDetailf(t *testing.T) {
	soldOut := &routing.Problem{Status: 409, Members: map[string]any{"left": 0}, Errors: []routing.InputError{{Name: "slug"}}}
	first, other := soldOut.Detailf("no %s", "rose"), &routing.Problem{Status: 409}
	second := first.Detailf("no lily")
	if !errors.Is(first, soldOut) || !errors.Is(second, first) || !errors.Is(soldOut, second) || errors.Is(first, other) {
		t.Error("a copy is another problem, or another problem is the same")
	}
	first.Members["left"], first.Errors[0].Name = 7, "name"
	if soldOut.Members["left"] != 0 || soldOut.Errors[0].Name != "slug" || soldOut.Detail != "" || second.Members["left"] != 0 {
		t.Errorf("a change of the copy has changed the problem to %+v", soldOut)
	}
	if got := first.Error() + ", " + soldOut.Error() + ", " + second.Error(); got != "Conflict: no rose, Conflict, Conflict: no lily" {
		t.Errorf("the errors are %s", got)
	}
}

// A problem has the same JSON as a value, a pointer and a member.
func TestJSONOfProblems(t *testing.T) {
	p := routing.Problem{Status: 409, Members: map[string]any{"left": 0}}
	const want = `{"type":"about:blank","title":"Conflict","status":409,"left":0}`
	for _, v := range []any{p, &p} {
		if got, err := json.Marshal(v); string(got) != want || err != nil {
			t.Errorf("%T: got %s, %v, want %s", v, got, err, want)
		}
	}
	if got, err := json.Marshal([]any{struct{ P routing.Problem }{p}, (*routing.Problem)(nil)}); string(got) != `[{"P":`+want+`},null]` || err != nil {
		t.Errorf("members: got %s, %v", got, err)
	}
	if p.Title != "" {
		t.Errorf("the problem was changed to %+v", p)
	}
}

func ExampleWithProblemDetails() {
	app := routing.New(routing.WithMethodNotAllowed(), routing.WithProblemDetails(), quiet())
	app.Get("/roses", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, &routing.Problem{Status: 409, Title: "Sold out", Detail: "The next roses come on Friday."}
	})
	fmt.Println(get(app, "/roses").Body)
	fmt.Println(get(app, "/none").Body)
	// Output:
	// {"type":"about:blank","title":"Sold out","status":409,"detail":"The next roses come on Friday."}
	// {"type":"about:blank","title":"Not Found","status":404,"code":"not_found"}
}
