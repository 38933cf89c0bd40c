package apidoc_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests the bodies of error responses.

type failure struct {
	Trace string `header:"X-Trace" doc:"The request's number"`
	Body  struct {
		Message string   `json:"message"`
		Fields  []string `json:"fields"`
	} `body:"application/vnd.failure+json"`
}

func newFailure(c routing.Context, p *apidoc.Problem) (f failure) {
	f.Trace = c.Request().Header.Get("X-Trace")
	f.Body.Message = cmp.Or(p.Code, p.Title)
	for _, e := range p.Errors {
		f.Body.Fields = append(f.Body.Fields, e.Name+e.Pointer)
	}
	return f
}

// defineFailing defines operations that fail in each way.
func defineFailing(d apidoc.Registrar) {
	token := apidoc.Bearer("token", func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
		if c.Token != "ann" {
			return nil, apidoc.ErrForbidden
		}
		return ctx, nil
	})
	apidoc.Post(d, "/trees", "", plantTree, apidoc.BodyLimit(30))
	apidoc.Get(d, "/trees/:id", "", getTree, noTree)
	apidoc.Get(d, "/secret", "", func(context.Context, struct{}) (string, error) { return "secret", nil }, token)
	apidoc.Get(d, "/fail/:how", "", func(_ context.Context, in struct {
		How string `path:"how"`
	}) (string, error) {
		switch in.How {
		case "error":
			return "", errors.New("the password is rose")
		case "problem":
			return "", apidoc.NewProblem(410, "It is gone")
		case "panic":
			panic("the password is rose")
		case "halt":
			return "", &routing.HaltError{Status: 418, Body: routing.Text("teapot")}
		case "nil":
			return "", (*apidoc.Problem)(nil)
		case "pass":
			return "", routing.Pass
		case "abort":
			panic(http.ErrAbortHandler)
		}
		return "", tooEarly{}
	})
}

var failing = []struct {
	method, target, media, body, token string
	status                             int
	want                               string
}{
	{"POST", "/trees", "application/json", `{"name":""}`, "", 422, `{"message":"unprocessable_entity","fields":["/name"]}`},
	{"POST", "/trees", "application/json", `{"name"`, "", 400, `{"message":"bad_request","fields":[]}`},
	{"POST", "/trees", "text/plain", `tree`, "", 415, `{"message":"unsupported_media_type","fields":[]}`},
	{"POST", "/trees", "application/json", `{"name":"a long, long name of a tree"}`, "", 413, `{"message":"request_entity_too_large","fields":[]}`},
	{"GET", "/trees/7", "", "", "", 404, `{"message":"No such tree","fields":[]}`},
	{"GET", "/trees/oak", "", "", "", 422, `{"message":"unprocessable_entity","fields":["id"]}`},
	{"GET", "/secret", "", "", "", 401, `{"message":"unauthorized","fields":[]}`},
	{"GET", "/secret", "", "", "Bearer bob", 403, `{"message":"forbidden","fields":[]}`},
	{"GET", "/fail/error", "", "", "", 500, `{"message":"internal_server_error","fields":[]}`},
	{"GET", "/fail/panic", "", "", "", 500, `{"message":"internal_server_error","fields":[]}`},
	{"GET", "/fail/nil", "", "", "", 500, `{"message":"internal_server_error","fields":[]}`},
	{"GET", "/fail/problem", "", "", "", 410, `{"message":"It is gone","fields":[]}`},
	{"GET", "/fail/early", "", "", "", 425, `{"message":"too_early","fields":[]}`},
	{"GET", "/fail/halt", "", "", "", 418, `teapot`},
}

func TestErrorBodies(t *testing.T) {
	quiet := routing.WithLogger(slog.New(slog.DiscardHandler))
	inner := routing.New(quiet)
	api := apidoc.NewAPI(inner, info)
	api.Group("/in", func(g *apidoc.Group) { defineFailing(g) }, apidoc.ErrorBody(newFailure))
	plain := routing.New(quiet)
	defineFailing(apidoc.NewAPI(plain, info, apidoc.ErrorBody(newFailure)))
	outer := routing.New(quiet, routing.WithBasePath("/base"))
	outer.Mount("/m", inner)
	told := 0
	asked := routing.New(quiet)
	defineFailing(apidoc.NewAPI(asked, info, apidoc.ErrorBody(newFailure)))
	asked.OnError(func(c routing.Context, err error) (routing.Result, error) {
		told++
		return routing.Result{}, fmt.Errorf("seen: %w", err)
	})
	for _, app := range []struct {
		http.Handler
		prefix string
	}{{inner, "/in"}, {plain, ""}, {outer, "/base/m/in"}, {asked, ""}} {
		for _, c := range failing {
			w := call(app, c.method, app.prefix+c.target, c.media, c.body, "Authorization", c.token, "X-Trace", "t1")
			media := w.Header().Get("Content-Type")
			if w.Code != c.status || w.Body.String() != c.want {
				t.Errorf("%s %s%s: got %d %s, want %d %s", c.method, app.prefix, c.target, w.Code, w.Body, c.status, c.want)
			}
			if c.status != 418 && (media != "application/vnd.failure+json" || w.Header().Get("X-Trace") != "t1") {
				t.Errorf("%s %s%s: the headers are %v", c.method, app.prefix, c.target, w.Header())
			}
		}
	}
	if told != 4 {
		t.Errorf("OnError was called %d times, want 4, for errors other than problems and the halt", told)
	}
	if w := call(inner, "GET", "/in/fail/pass", "", ""); w.Code != 404 {
		t.Errorf("a pass: got %d", w.Code)
	}
	if v := recovered(func() { call(inner, "GET", "/in/fail/abort", "", "") }); v != http.ErrAbortHandler {
		t.Errorf("an abort became the panic %v", v)
	}
	d := build(t, outer, "")
	for name, text := range map[string][]byte{"2.0": d.Swagger(), "3.0": d.OpenAPI30(), "3.1": d.OpenAPI()} {
		if strings.Contains(string(text), "problem+json") || !strings.Contains(string(text), "application/vnd.failure+json") ||
			!strings.Contains(string(text), `"X-Trace"`) || !strings.Contains(string(text), `"message"`) {
			t.Errorf("%s describes other errors:\n%s", name, text)
		}
	}
	checked := apidoc.CheckResponses(inner, func(r *http.Request, err error) { t.Errorf("%s: %v", r.URL, err) })
	for _, c := range failing[:8] {
		call(checked, c.method, "/in"+c.target, c.media, c.body, "Authorization", c.token, "X-Trace", "t1")
	}
}

// recovered returns the value with which f panics, or nil.
func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func TestInvalidErrorBodies(t *testing.T) {
	for _, c := range []struct {
		want string
		f    func(api *apidoc.API)
	}{
		{"ErrorBody: pass a function", func(*apidoc.API) { apidoc.ErrorBody[string](nil) }},
		{"leave out the tag status", func(api *apidoc.API) {
			apidoc.Get(api, "/", "", whoami, apidoc.ErrorBody(func(routing.Context, *apidoc.Problem) (s struct {
				Status int `status:"200"`
			}) {
				return s
			}))
		}},
		{"error body chan int", func(api *apidoc.API) {
			apidoc.Get(api, "/", "", whoami, apidoc.ErrorBody(func(routing.Context, *apidoc.Problem) chan int { return nil }))
		}},
	} {
		_, api := newTyped()
		if got := panicOf(func() { c.f(api) }); !strings.Contains(got, c.want) {
			t.Errorf("the panic is %q, want %q", got, c.want)
		}
	}
}

type shortFailure struct {
	Text string `json:"text"`
}

// An operation of a mounted app has its error body also for a filter of the outer app.
func TestErrorBodyOfOuterFilters(t *testing.T) {
	none := func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }
	refuse := func(routing.Context) error { return &routing.Problem{Status: 429} }
	for name, add := range map[string]func(*routing.App){
		"before": func(outer *routing.App) { outer.Before(refuse) },
		"after":  func(outer *routing.App) { outer.After(refuse) },
	} {
		app := routing.New()
		api := apidoc.NewAPI(app, info, apidoc.ErrorBody(func(routing.Context, *apidoc.Problem) string { return "operation" }))
		apidoc.Get(api, "/inner", "", none)
		outer := routing.New()
		outer.ErrorBody(func(routing.Context, *routing.Problem) (routing.Result, error) { return routing.Text("outer"), nil })
		outer.Mount("/mount", app)
		add(outer)
		for path, want := range map[string]string{"/mount/inner": "operation", "/mount/missing": "outer"} {
			w := httptest.NewRecorder()
			outer.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
			if w.Code != 429 || w.Body.String() != want {
				t.Errorf("%s filter, %s: got %d %q, want the body of the %s", name, path, w.Code, w.Body, want)
			}
		}
	}
}

// All errors of an operation have the body of ErrorBody, also those of before filters.
func TestErrorBodyEverywhere(t *testing.T) {
	shape := apidoc.ErrorBody(func(c routing.Context, p *apidoc.Problem) shortFailure {
		return shortFailure{fmt.Sprint(p.Status, " ", p.Code)}
	})
	wrapped := func(err error) apidoc.Option {
		return apidoc.RouteOptions(routing.Wrap(func(routing.Action) routing.Action {
			return func(routing.Context) (routing.Result, error) { return routing.Result{}, err }
		}))
	}
	app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
	api := apidoc.NewAPI(app, info, shape)
	none := func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }
	apidoc.Get(api, "/wrap", "", none, wrapped(errors.New("broken")))
	apidoc.Get(api, "/problem", "", none, wrapped(&apidoc.Problem{Status: 409, Code: "taken"}))
	apidoc.Get(api, "/panics", "", func(context.Context, struct{}) (o struct{}, _ error) { panic("in an operation") })
	apidoc.Post(api, "/input", "", func(context.Context, struct {
		Name string `json:"name"`
	}) (o struct{}, _ error) {
		return
	}, apidoc.BodyLimit(20))
	version := func(context.Context, struct{}) (apidoc.Version, error) { return apidoc.Version{Tag: "a"}, nil }
	apidoc.Put(api, "/versioned", "", none, apidoc.Versioned(version), apidoc.RequireIfMatch())
	check := func(method, path, body, header, want string) {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		if name, value, ok := strings.Cut(header, ": "); ok {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		if got := w.Body.String(); !strings.Contains(got, `"`+want+`"`) {
			t.Errorf("%s %s: got %d %s, want %s", method, path, w.Code, got, want)
		}
	}
	check("GET", "/wrap", "", "", "500 internal_server_error")
	check("GET", "/problem", "", "", "409 taken")
	check("GET", "/panics", "", "", "500 internal_server_error")
	check("POST", "/input", "{}", "", "422 unprocessable_entity")
	check("POST", "/input", "{", "", "400 bad_request")
	check("POST", "/input", "{}", "Content-Type: text/plain", "415 unsupported_media_type")
	check("POST", "/input", `{"name":"`+strings.Repeat("a", 30)+`"}`, "", "413 request_entity_too_large")
	check("PUT", "/versioned", "", "", "428 precondition_required")
	check("PUT", "/versioned", "", `If-Match: "b"`, "412 precondition_failed")
	app.Before(func(routing.Context) error { return &routing.Problem{Status: 429, Code: "too_many"} })
	check("GET", "/wrap", "", "", "429 too_many")
	check("POST", "/input", "", "", "429 too_many")
}

// The media type of Provides is the output's. A problem and a body of ErrorBody have their own.
func TestProvidesLeavesErrorsTheirType(t *testing.T) {
	provides := apidoc.RouteOptions(routing.Provides("application/vnd.plum+json", "json"))
	for want, option := range map[string]apidoc.Option{
		"application/problem+json":     provides,
		"application/vnd.failure+json": apidoc.ErrorBody(newFailure),
	} {
		app := routing.New()
		apidoc.Get(apidoc.NewAPI(app, info, provides, option), "/trees/:id", "", getTree, noTree)
		handler := apidoc.CheckResponses(app, func(r *http.Request, err error) {
			if !strings.HasSuffix(r.URL.Path, "1") { // its type is not described
				t.Errorf("%s: %v", r.URL, err)
			}
		})
		for path, want := range map[string]string{"/trees/1": "application/vnd.plum+json", "/trees/2": want, "/trees/oak": want} {
			if w := call(handler, "GET", path, "", ""); w.Header().Get("Content-Type") != want {
				t.Errorf("%s: %d of the type %s, want %s", path, w.Code, w.Header().Get("Content-Type"), want)
			}
		}
	}
}

// A filter of an outer app that refuses a request for an operation gets the operation's error body,
// with the parameters of the operation and of the mount.
func TestFiltersHaveTheErrorBodyOfTheOperation(t *testing.T) {
	inner, app := routing.New(), routing.New(routing.WithLooseSlashes())
	api := apidoc.NewAPI(inner, info, apidoc.ErrorBody(func(c routing.Context, p *apidoc.Problem) shortFailure {
		return shortFailure{fmt.Sprint(p.Status, c.Params().GetOr("id", "-"), c.Params().GetOr("house", "-"))}
	}))
	apidoc.Get(api, "/trees/:id", "", func(context.Context, PlumByID) (o struct{}, _ error) { return })
	app.Before(func(routing.Context) error { return &routing.Problem{Status: 429} })
	app.Mount("/:house", inner)
	for path, want := range map[string]string{
		"/rose/trees/7": `{"text":"4297rose"}`, "/rose//trees//7": `{"text":"4297rose"}`, "/rose/none": "Too Many Requests",
	} {
		if w := call(app, "GET", path, "", ""); w.Code != 429 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %d %s, want %s", path, w.Code, w.Body, want)
		}
	}
}
