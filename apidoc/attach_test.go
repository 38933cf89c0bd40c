package apidoc_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

func TestPaths(t *testing.T) {
	sinatra, rails := routing.Sinatra, routing.Rails
	for _, c := range []struct {
		read    func(string) (routing.Pattern, error)
		pattern string
		want    string // the path
		refused string // a part of the panic's text
	}{
		{sinatra, "/", "/", ""},
		{sinatra, "/flowers/?", "/flowers/", ""},
		{sinatra, "/flowers/:slug", "/flowers/{slug}", ""},
		{sinatra, "/flowers/:slug/?", "/flowers/{slug}/", ""},
		{sinatra, "/:a/:b", "/{a}/{b}", ""},
		{sinatra, "/file-:id.json", "/file-{id}.json", ""},
		{sinatra, "/:from-:to", "/{from}-{to}", ""},
		{sinatra, "/colou?r", "/colour", ""},
		{sinatra, "/:", "/:", ""},
		{sinatra, "/a:/:-b", "/a:/:-b", ""},
		{sinatra, "/:1", "/{1}", ""},
		{sinatra, "/café au lait", "/caf%C3%A9%20au%20lait", ""},
		{sinatra, "/100%", "/100%25", ""},
		{sinatra, `/\{id}`, "/%7Bid%7D", ""},
		{sinatra, "/{id}", "/{id}", ""},
		{sinatra, "/(a|b)", "", "define a route for each"},
		{sinatra, "/(a)", "/%28a%29", ""},
		{sinatra, "/list/?:page?", "", `the parameter "page" is optional, but those of described paths are required: define an operation with it, and one without it`},
		{sinatra, "/files/*", "", "a wildcard matches slashes"},
		{sinatra, "/:x/:x", "", `the parameter "x" occurs twice`},
		{sinatra, "/:a:b", "", `the parameters "a" and "b" have no text between them`},
		{sinatra, ":a", "", "patterns must start with /"},
		{sinatra, "", "", "the empty pattern matches no path"},

		{rails, "/doc/:id", "/doc/{id}", ""},
		{rails, "/doc/:id(.json)", "/doc/{id}.json", ""},
		{rails, "/a(/b(/c))", "/a/b/c", ""},
		{rails, `/a\(b\)`, "/a%28b%29", ""},
		{rails, `/\:a/\*b`, "/:a/%2Ab", ""},
		{rails, "/:1/*2", "/:1/%2A2", ""},
		{rails, "/what?", "/what%3F", ""},
		{rails, "/doc/:id(.:format)", "/doc/{id}", ""},
		{rails, "/doc/:id(.:type)", "", `the parameter "type" is optional`},
		{rails, "/tree/*path", "", "a wildcard matches slashes"},

		{func(s string) (routing.Pattern, error) { return routing.Regexp(regexp.MustCompile(s)), nil }, "^/a$", "", "a regular expression cannot be described"},
		{func(string) (routing.Pattern, error) { return routing.Pattern{}, nil }, "none", "", "a route without a pattern cannot be described"},
	} {
		t.Run(c.pattern, func(t *testing.T) {
			pattern := routing.Must(c.read(c.pattern))
			var names []string
			for _, name := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(c.want, -1) {
				names = append(names, name[1])
			}
			op := withBody("one", nil, names...)
			app := routing.New()
			message := panicOf(func() { app.Route("GET", pattern, nothing, apidoc.Describe(op)) })
			if c.refused != "" {
				if !strings.Contains(message, c.refused) {
					t.Errorf("panic %q, want %q", message, c.refused)
				}
				return
			}
			if message != "" {
				t.Fatalf("panic %q, want the path %q", message, c.want)
			}
			paths := decode(t, build(t, app, "").Swagger()).at("paths")
			if paths[c.want] == nil || len(paths) != 1 {
				t.Errorf("paths are %v, want %q", paths, c.want)
			}
		})
	}
}

// A described path whose parameters are replaced by values matches the pattern.
func FuzzPathsMatch(f *testing.F) {
	for _, seed := range []string{"/flowers/?", "/a/:b/c", "/:a.:b", "/colou?r", "/é/:x", "/%41", "/{a}/:b", "/doc/:id(.json)", `/\:a`, "/:1", "/*a", "/a/:b?"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, rails bool) {
		read := routing.Sinatra
		if rails {
			read = routing.Rails
		}
		pattern, err := read(text)
		if err != nil {
			t.Skip()
		}
		app := routing.New()
		ran := false
		if panicOf(func() {
			app.Route("GET", pattern, func(routing.Context) (routing.Result, error) {
				ran = true
				return routing.Result{}, nil
			}, apidoc.Describe(withBody("one", nil, pattern.Names()...)))
		}) != "" {
			t.Skip() // cannot be described
		}
		d, err := apidoc.Build(app, info, "")
		if err != nil {
			t.Fatal(err)
		}
		for path := range decode(t, d.Swagger()).at("paths") {
			target := regexp.MustCompile(`\{(\w+)\}`).ReplaceAllString(path, "x$1")
			if strings.HasPrefix(target, "//") {
				t.Skip() // httptest reads a host
			}
			app.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", target, nil))
			if !ran {
				t.Errorf("pattern %q is described as %q, and %q does not reach it", text, path, target)
			}
		}
	})
}

// one describes an operation with an input and an output.
func one[I, O any](options ...apidoc.DescribeOption) func() *apidoc.Operation {
	return func() *apidoc.Operation { return apidoc.NewOperation[I, O]("one", "", options...) }
}

func TestDescribeRefuses(t *testing.T) {
	type Bad struct {
		Stop chan int `json:"stop"`
	}
	type none = struct{}
	type slug struct {
		Slug string `path:"slug"`
	}
	for _, c := range []struct {
		name string
		op   func() *apidoc.Operation
		want string
	}{
		{"no ID", func() *apidoc.Operation { return apidoc.NewOperation[slug, none]("", "") }, "the operation has no ID"},
		{"ID with a space", func() *apidoc.Operation { return apidoc.NewOperation[slug, none]("find it", "") }, `operation ID "find it": write one word`},
		{"ID with a line break", func() *apidoc.Operation { return apidoc.NewOperation[slug, none]("a\nb", "") }, "write one word"},
		{"empty tag", one[slug, none](apidoc.Tag{}), "a Tag has no name: write one"},
		{"repeated tag", one[slug, none](apidoc.Tag{Name: "a"}, apidoc.Tag{Name: "b"}, apidoc.Tag{Name: "a"}), "tags must not be empty"},
		{"extension", one[slug, none](apidoc.Extension("y", 1)), "write a name that begins with x-"},

		{"parameter of the pattern not described", one[none, none](), `GET /flowers/:slug: apidoc: operation one: the pattern's parameter "slug" is not described`},
		{"in the pattern, described in the query", one[struct {
			Slug string `query:"slug"`
		}, none](), `the pattern's parameter "slug" is not described`},
		{"parameter without a name", one[struct {
			A string `query:""`
		}, none](), "write a name"},
		{"parameter twice", one[struct {
			A string `query:"a"`
			B string `query:"a"`
		}, none](), `query parameter "a" is described twice`},
		{"two bodies", one[struct {
			A string `body:""`
			B string `body:""`
		}, none](), "a request has only one body"},
		{"body and form", one[struct {
			A string `body:""`
			B string `form:"b"`
		}, none](), "a request has only one body"},
		{"body of a GET", one[struct {
			Slug string `path:"slug"`
			A    string `body:""`
		}, none](), "a GET has no body"},
		{"struct in a header", one[struct {
			A Flower `header:"A"`
		}, none](), "type apidoc_test.Flower"},
		{"anything in a query", one[struct {
			A any `query:"a"`
		}, none](), "type interface {}"},
		{"slice of slices in a query", one[struct {
			A [][]int `query:"a"`
		}, none](), "type []int"},
		{"slice in a cookie", one[struct {
			A []int `cookie:"a"`
		}, none](), "its type is []int"},
		{"body of a function", one[func(), none](), "type func(): JSON cannot represent it"},
		{"rules without a parameter", one[slug, none](apidoc.Rules(apidoc.InQuery, "n", `max:"5"`)), `Rules for the query parameter "n": the input has none`},
		{"rules that are wrong", one[slug, none](apidoc.Rules(apidoc.InPath, "slug", `max:"5"`)), "tag max"},

		{"zero Security", one[slug, none](&apidoc.Security{}), "an empty Security allows no request"},
		{"security scheme with a space", one[slug, none](apidoc.Basic("a b", apidoc.CheckedElsewhere)), `security scheme "a b": write letters`},
		{"status too low", func() *apidoc.Operation { apidoc.Response[none](99, "x"); return nil }, "write a status of 100 to 599"},
		{"status too high", func() *apidoc.Operation { apidoc.Response[none](600, "x"); return nil }, "write a status of 100 to 599"},
		{"response without a description", func() *apidoc.Operation { apidoc.Response[none](200, ""); return nil }, "and a description"},
		{"body without content", one[slug, none](apidoc.Response[string](304, "x")), "a 304 has no body"},
		{"status of a status", one[slug, none](apidoc.Response[struct {
			Status int `status:"200"`
		}](404, "x")), "leave out the tag status"},
		{"content type", one[slug, struct {
			Body string `body:"a b"`
		}](), `"a b" is not a media type`},
		{"channel in a struct", one[slug, []Bad](), "apidoc_test.Bad.Stop: type chan int: JSON cannot represent it"},
		{"map keys", one[slug, map[float64]int](), "JSON cannot have such keys"},
	} {
		t.Run(c.name, func(t *testing.T) {
			message := panicOf(func() { routing.New().Get("/flowers/:slug", nothing, apidoc.Describe(c.op())) })
			if !strings.Contains(message, c.want) {
				t.Errorf("panic %q, want %q", message, c.want)
			}
		})
	}
}

func TestMethods(t *testing.T) {
	for _, c := range []struct{ method, refused string }{
		{"GET", ""}, {"PUT", ""}, {"POST", ""}, {"DELETE", ""}, {"OPTIONS", ""}, {"HEAD", ""}, {"PATCH", ""}, {"TRACE", ""},
		{"", "a route for every method cannot be described"},
		{"PURGE", "OpenAPI does not have the method PURGE"},
		{"Purge", "OpenAPI does not have the method Purge"},
	} {
		app := routing.New()
		message := panicOf(func() {
			app.Route(c.method, routing.Must(routing.Sinatra("/")), nothing, apidoc.Describe(withBody("one", nil)))
		})
		if !strings.Contains(message, c.refused) || c.refused == "" && message != "" {
			t.Errorf("method %q: panic %q, want %q", c.method, message, c.refused)
		}
		if message != "" {
			continue
		}
		d, method := build(t, app, ""), strings.ToLower(c.method)
		if decode(t, d.OpenAPI()).at("paths", "/", method) == nil {
			t.Errorf("method %q is not described", c.method)
		}
		if got := decode(t, d.Swagger()).at("paths", "/", method); (got != nil) != (c.method != "TRACE") {
			t.Errorf("method %q in Swagger 2.0: got %v", c.method, got)
		}
	}
}

// The value of a package variable before it is initialized.
var notYet *apidoc.Operation

func TestNotInitialized(t *testing.T) {
	var logged bytes.Buffer
	app := routing.New(routing.WithBasePath("/shop"), routing.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
	app.OnError(func(c routing.Context, err error) (routing.Result, error) {
		t.Errorf("the error handler was asked: %v", err)
		return routing.Result{}, err
	})
	run := func(routing.Context) (routing.Result, error) {
		t.Error("the action ran")
		return routing.Result{}, nil
	}
	app.Get("/flowers/:slug", run, apidoc.Describe(notYet))
	app.Post("/flowers", run, apidoc.Describe(notYet))
	for _, c := range []struct{ method, target, route string }{
		{"GET", "/shop/flowers/rose", "GET /shop/flowers/:slug"},
		{"HEAD", "/shop/flowers/rose", "GET /shop/flowers/:slug"},
		{"POST", "/shop/flowers", "POST /shop/flowers"},
	} {
		logged.Reset()
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest(c.method, c.target, nil))
		if w.Code != 503 || strings.Contains(w.Body.String(), "/") {
			t.Errorf("%s %s: status %d with %q, want 503 that tells nothing", c.method, c.target, w.Code, w.Body)
		}
		if !strings.Contains(logged.String(), `route="`+c.route+`"`) || !strings.Contains(logged.String(), "nil operation") {
			t.Errorf("%s %s: logged %q, want the route %s", c.method, c.target, &logged, c.route)
		}
	}
	if paths := decode(t, build(t, app, "").Swagger()).at("paths"); len(paths) != 0 {
		t.Errorf("paths are %v, want none", paths)
	}
}

// A caller that changes the value of an extension, or a model, does not change the description.
func TestDescriptionIsCopied(t *testing.T) {
	_, api := newTyped()
	value := map[string]string{"a": "first"}
	apidoc.Post(api, "/", "", func(_ context.Context, in Item) (Item, error) { return in, nil }, apidoc.Tag{Name: "Trees"}, apidoc.Extension("x-a", value))
	value["a"] = "later"
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(d.OpenAPI()); !strings.Contains(text, "first") || strings.Contains(text, "later") {
		t.Errorf("the description is %s", text)
	}
	for range 2 {
		model, err := d.Model()
		if err != nil {
			t.Fatal(err)
		}
		op := model.Operations[0]
		tag, read, sent := &op.Tags[0], &op.Body.Media[0], &op.Responses[0].Body.Media[0]
		if *tag != "Trees" || *read != "application/json" || *sent != "application/json" {
			t.Errorf("got the tag %s, and the media types %s and %s", *tag, *read, *sent)
		}
		*tag, *read, *sent = "a", "b", "c"
	}
}

// A caller that changes the tags of an operation does not change the operation.
func TestTagsOfOperationAreCopied(t *testing.T) {
	op := apidoc.NewOperation[struct{}, string]("one", "", apidoc.Tag{Name: "Trees"})
	op.Tags()[0] = "changed"
	if got := op.Tags()[0]; got != "Trees" {
		t.Errorf("the tag is %q", got)
	}
}

// The same option may be passed to several routes.
func TestDescribeIsReusable(t *testing.T) {
	app := routing.New()
	option := routing.Combine(apidoc.Describe(withBody("one", nil)))
	for _, path := range []string{"/a", "/b"} {
		if op := apidoc.OperationOf(app.Get(path, nothing, option)); op == nil || op.ID() != "one" {
			t.Errorf("%s: the operation is %+v", path, op)
		}
	}
}
