package main

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file has the features of error responses.

type ordered struct {
	Limit int `query:"limit"`
	Order struct {
		Name string `json:"name" minLength:"2"`
		Sort string `json:"sort" minLength:"2"`
		In   struct {
			Zip string `json:"zip" pattern:"^[0-9]+$"`
		} `json:"in"`
	} `body:""`
}

type humaOrdered struct {
	Limit int `query:"limit"`
	Body  struct {
		Name string `json:"name" minLength:"2"`
		Sort string `json:"sort" minLength:"2"`
		In   struct {
			Zip string `json:"zip" pattern:"^[0-9]+$"`
		} `json:"in"`
	}
}

func orders() (o, h func() http.Handler) {
	return apidocAPI(func(api *apidoc.API) {
			apidoc.Put(api, "/tree", "Order", func(context.Context, ordered) (nothing, error) { return nothing{}, nil })
		}), humaAPI(func(api huma.API) {
			huma.Register(api, put("/tree"), func(context.Context, *humaOrdered) (*nothing, error) { return nil, nil })
		})
}

func orderFeature(key, name string, probes ...probe) feature {
	o, h := orders()
	return feature{key: key, name: name, apidoc: o, huma: h, probes: probes}
}

// bad has an error in a parameter, and three in the body.
const bad = "PUT /tree?limit=x\n\n" + `{"name":"","sort":"","in":{"zip":"x"}}`

// failing returns an API whose operations return errors.
func failing() (o, h func() http.Handler) {
	return apidocAPI(func(api *apidoc.API) {
			missing, busy := apidoc.NewProblem(404, "No such tree"), apidoc.NewProblem(429, "Too many trees")
			apidoc.Get(api, "/tree", "Read", func(context.Context, nothing) (open, error) { return open{}, missing.Detailf("no oak") }, missing)
			apidoc.Get(api, "/busy", "Busy", func(_ context.Context, in struct{ routing.Context }) (open, error) {
				in.Header().Set("Retry-After", "7")
				return open{}, busy
			}, busy)
			apidoc.Get(api, "/broken", "Broken", func(context.Context, nothing) (open, error) { return open{}, errors.New("SELECT secret") })
			apidoc.Get(api, "/panic", "Panic", func(context.Context, nothing) (open, error) { panic("secret") })
		}), humaAPI(func(api huma.API) {
			get := func(path string, status int) huma.Operation {
				return huma.Operation{Method: "GET", Path: path, OperationID: path[1:], Errors: []int{status}}
			}
			huma.Register(api, get("/tree", 404), func(context.Context, *nothing) (*body[open], error) { return nil, huma.Error404NotFound("no oak") })
			huma.Register(api, get("/busy", 429), func(context.Context, *nothing) (*body[open], error) {
				return nil, huma.ErrorWithHeaders(huma.Error429TooManyRequests("Too many trees"), http.Header{"Retry-After": {"7"}})
			})
			huma.Register(api, get("/broken", 500), func(context.Context, *nothing) (*body[open], error) { return nil, errors.New("SELECT secret") })
			huma.Register(api, get("/panic", 500), func(context.Context, *nothing) (*body[open], error) { panic("secret") })
		})
}

func failureFeature(key, name string, probes ...probe) feature {
	o, h := failing()
	return feature{key: key, name: name, apidoc: o, huma: h, probes: probes}
}

// failure is a custom error response.
type failure struct {
	Status  int      `json:"-"`
	Message string   `json:"message"`
	Fields  []string `json:"fields,omitempty"`
}

func (f *failure) Error() string  { return f.Message }
func (f *failure) GetStatus() int { return f.Status }

// withOwnErrors returns an API of huma whose error responses are failures. They are set in a
// variable of package huma.
func withOwnErrors(build func() http.Handler) func() http.Handler {
	return func() http.Handler {
		with := func(f func()) {
			before := huma.NewError
			defer func() { huma.NewError = before }()
			huma.NewError = func(status int, message string, errs ...error) huma.StatusError {
				f := &failure{Status: status, Message: message}
				for _, err := range errs {
					f.Fields = append(f.Fields, err.Error())
				}
				return f
			}
			f()
		}
		var inner http.Handler
		with(func() { inner = build() })
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { with(func() { inner.ServeHTTP(w, r) }) })
	}
}

var failures = []feature{
	orderFeature("all_errors", "All errors of a request at once, also of parameters and body together",
		responds(bad, anyRefusal, "name", "sort"),
		responds(bad, anyRefusal, "limit", "zip"),
		responds(bad, 422),
	),
	orderFeature("error_places", "The place of each error, for programs",
		responds("PUT /tree\n\n"+`{"name":"oak","sort":"oak","in":{"zip":"x"}}`, anyRefusal, `zip"`),
		responds("PUT /tree\n\n"+`{"name":"oak","sort":"oak"}`, anyRefusal, `in`),
		responds("PUT /tree?limit=x\n\n"+`{"name":"oak","sort":"oak","in":{"zip":"1"}}`, anyRefusal, "query", "limit"),
	),
	orderFeature("error_codes", "A code of each error, and its limits as data",
		func(s service) string { // each library has its own names
			request := "PUT /tree\n\n" + `{"name":"x","sort":"oak","in":{"zip":"1"}}`
			if ours := responds(request, anyRefusal, `"code":"minLength"`, `"limit":2`)(s); ours != "" &&
				responds(request, anyRefusal, `"type":"string_too_short"`, `"min_length":2`)(s) != "" {
				return "`PUT /tree`: an error without a code"
			}
			return ""
		},
	),
	failureFeature("problems", "Errors of operations: problem details, described, with headers",
		responds("GET /tree", 404, "no oak"),
		responds("GET /tree", 404, "Content-Type: application/problem+json"),
		responds("GET /busy", 429, "Retry-After: 7"),
		describes("paths /tree get responses 404 description", `"`),
		describes("paths /tree get responses 404 content * schema properties", `status`),
	),
	failureFeature("leaks", "Internal errors and panics are a 500 that tells nothing",
		responds("GET /broken", 500),
		responds("GET /panic", 500),
		func(s service) string {
			for _, target := range []string{"/broken", "/panic"} {
				if seen := lacks("GET "+target, "secret")(s); seen != "" {
					return seen
				}
			}
			return ""
		},
	),
	{
		key: "own_errors", name: "One shape of one's own for all error responses",
		apidoc: apidocAPI(func(api *apidoc.API) {
			apidoc.Put(api, "/tree", "Put", echo[texts])
			apidoc.Get(api, "/none", "None", func(context.Context, nothing) (open, error) { return open{}, apidoc.NewProblem(404, "No such tree") },
				apidoc.NewProblem(404, "No such tree"))
			apidoc.Get(api, "/broken", "Broken", func(context.Context, nothing) (open, error) { return open{}, errors.New("secret") })
		}, apidoc.ErrorBody(func(_ routing.Context, p *apidoc.Problem) failure {
			f := failure{Message: p.Title}
			for _, e := range p.Errors {
				f.Fields = append(f.Fields, e.Pointer+" "+e.Detail)
			}
			return f
		})),
		huma: withOwnErrors(humaAPI(func(api huma.API) {
			huma.Register(api, put("/tree"), humaEcho[texts])
			huma.Register(api, huma.Operation{Method: "GET", Path: "/none", OperationID: "none", Errors: []int{404}},
				func(context.Context, *nothing) (*body[open], error) {
					return nil, huma.Error404NotFound("No such tree")
				})
			huma.Get(api, "/broken", func(context.Context, *nothing) (*body[open], error) { return nil, errors.New("secret") })
		})),
		probes: []probe{
			responds(tree(`{"name":"","code":"RO1"}`), 422, `"message":`, `"fields":[`),
			responds("GET /none", 404, `{"message":"No such tree"}`),
			responds("GET /broken", 500, `"message":`),
			lacks("GET /broken", "secret"),
			describes("paths /none get responses 404 content * schema properties", `message`),
			describes("paths /tree put responses 422 content * schema properties", `fields`),
		},
	},
	{
		key: "seen_errors", name: "A function that sees every error, also refused requests, to count them",
		apidoc: func() http.Handler {
			app := routing.New(routing.WithLogger(quiet))
			count := 0
			api := apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0"}, apidoc.ErrorBody(func(_ routing.Context, p *apidoc.Problem) *apidoc.Problem {
				count++
				return p
			}))
			apidoc.Put(api, "/tree", "Put", echo[texts])
			app.Get("/count", func(routing.Context) (routing.Result, error) { return routing.Text(strconv.Itoa(count)), nil })
			return app
		},
		huma: func() http.Handler {
			count := 0
			api := humaAPIWith(func(c *huma.Config) {
				c.Transformers = append(c.Transformers, func(_ huma.Context, _ string, v any) (any, error) {
					if _, isError := v.(error); isError {
						count++
					}
					return v, nil
				})
			}, func(api huma.API) {
				huma.Register(api, put("/tree"), humaEcho[texts])
				huma.Get(api, "/count", func(context.Context, *nothing) (*text, error) { return &text{strconv.Itoa(count)}, nil })
			})
			return api()
		},
		probes: []probe{func(s service) string {
			if seen := responds(tree(`{"name":""}`), anyRefusal)(s); seen != "" {
				return seen
			}
			return responds("GET /count", 200, "1")(s)
		}},
	},
	{
		key: "not_found", name: "404 and 405 of the API in the shape of its errors",
		apidoc: func() http.Handler {
			app := routing.New(routing.WithMethodNotAllowed(), routing.WithLogger(quiet), routing.WithProblemDetails())
			apidoc.Put(apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0"}), "/tree", "Put", echo[texts])
			return app
		},
		huma: humaAPI(func(api huma.API) { huma.Register(api, put("/tree"), humaEcho[texts]) }),
		probes: []probe{
			responds("GET /none", 404, "Content-Type: application/"),
			responds("GET /tree", 405, "Allow: PUT"),
			responds("GET /tree", 405, "Content-Type: application/"),
		},
	},
}
