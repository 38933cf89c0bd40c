package apidoc_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// The types of a shop that uses most features of a description.

type Flower struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
}

type Order struct {
	ID       int64             `json:"id"`
	Placed   time.Time         `json:"placed"`
	Lines    []Line            `json:"lines"`
	Note     *string           `json:"note"`
	Labels   map[string]string `json:"labels,omitempty"`
	Previous *Order            `json:"previous"`
	Secret   string            `json:"-"`
}

type Line struct {
	Flower Flower  `json:"flower"`
	Count  uint16  `json:"count"`
	Price  float64 `json:"price"`
	Gift   bool    `json:"gift,omitempty"`
}

// shop defines an app with most features of a description.
func shop() *routing.App {
	app := routing.New(routing.WithBasePath("/shop"))
	flowers, orders := apidoc.Tag{Name: "Flowers"}, apidoc.Tag{Name: "Orders"}
	type byName struct {
		Name string `query:"name" doc:"A part of the name"`
	}
	app.Get("/flowers/?", nothing, apidoc.Describe(apidoc.NewOperation[byName, []Flower]("getFlowers", "Show all flowers",
		apidoc.Description("Flowers in the order of the catalog."), flowers)))
	type bySlug struct {
		Slug string `path:"slug" doc:"The slug"`
	}
	app.Get("/flowers/:slug", nothing, apidoc.Describe(apidoc.NewOperation[bySlug, Flower]("findBySlug", "Find a flower by its slug",
		flowers, apidoc.Deprecated(), apidoc.Response[struct{}](404, "Slug Not Found"))))
	app.Get("/hidden", nothing)
	type byID struct {
		ID int64 `path:"id"`
	}
	type read struct {
		byID
		Field []string `query:"field"`
		Match string   `header:"If-Match" doc:"A tag"`
	}
	type text struct {
		Body string `body:"text/plain"`
	}
	app.Get("/orders/:id", nothing, apidoc.Describe(apidoc.NewOperation[read, Order]("getOrder", "", orders, flowers,
		apidoc.Response[text](0, "Anything else"))))
	type placed struct {
		Order Order `body:"" doc:"What to send"`
	}
	app.Post("/orders", nothing, apidoc.Describe(apidoc.NewOperation[placed, struct{}]("placeOrder", "", orders, apidoc.Status(201))))
	type change struct {
		byID
		Count uint      `form:"count,required" doc:"How many"`
		Until time.Time `form:"until"`
	}
	app.Put("/orders/:id", nothing, apidoc.Describe(apidoc.NewOperation[change, []Order]("changeOrder", "")))
	return app
}

var shopInfo = apidoc.Info{
	Title:          "The shop",
	Version:        "1.2.0",
	Description:    "Flowers & <orders>.",
	TermsOfService: "https://shop.example/terms",
	Contact:        apidoc.Contact{Name: "Ann", URL: "https://shop.example/ann", Email: "ann@shop.example"},
	License:        apidoc.License{Name: "Our own", URL: "https://shop.example/licence"},
}

func buildShop(t *testing.T) *apidoc.Document {
	t.Helper()
	d, err := apidoc.Build(shop(), shopInfo, "/shop/")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestFormats(t *testing.T) {
	d := buildShop(t)
	golden(t, "shop.swagger.json", d.Swagger())
	golden(t, "shop.openapi.json", d.OpenAPI())
	golden(t, "shop.openapi-3.0.json", d.OpenAPI30())
}

// The description in OpenAPI, converted to Swagger 2.0, is equal to the description in Swagger 2.0.
func TestOpenAPIAndSwaggerAgree(t *testing.T) {
	d := buildShop(t)
	swagger, open := decode(t, d.Swagger()), decode(t, d.OpenAPI())
	for _, item := range swagger.at("paths") {
		for _, op := range item.(map[string]any) {
			op := op.(map[string]any)
			slices.SortFunc(op["parameters"].([]any), byName)
			delete(op, "produces") // OpenAPI has the type of each response, Swagger those of all
		}
	}
	delete(swagger, "produces")
	if diff := cmp.Diff(asSwagger(open), map[string]any(swagger)); diff != "" {
		t.Errorf("OpenAPI (-) and Swagger (+) differ:\n%s", diff)
	}
}

func byName(a, b any) int {
	return strings.Compare(a.(map[string]any)["name"].(string), b.(map[string]any)["name"].(string))
}

// asSwagger writes a description in OpenAPI 3.1 as Swagger 2.0.
func asSwagger(open tree) map[string]any {
	swagger := map[string]any{
		"swagger":             "2.0",
		"info":                open["info"],
		"basePath":            open["servers"].([]any)[0].(map[string]any)["url"],
		"tags":                open["tags"],
		"definitions":         definitionsAsSwagger(open.at("components", "schemas")),
		"securityDefinitions": map[string]any{},
		"security":            open["security"],
	}
	paths := map[string]any{}
	for path, item := range open.at("paths") {
		operations := map[string]any{}
		for method, op := range item.(map[string]any) {
			operations[method] = operationAsSwagger(op.(map[string]any))
		}
		paths[path] = operations
	}
	swagger["paths"] = paths
	return swagger
}

func operationAsSwagger(op map[string]any) map[string]any {
	parameters := []any{}
	if list, ok := op["parameters"].([]any); ok {
		for _, p := range list {
			p := p.(map[string]any)
			for key, value := range schemaAsSwagger(p["schema"]).(map[string]any) {
				p[key] = value
			}
			if p["type"] == "array" {
				p["collectionFormat"] = "multi"
			}
			delete(p, "schema")
			parameters = append(parameters, p)
		}
	}
	if body, ok := op["requestBody"].(map[string]any); ok {
		for mediaType, content := range body["content"].(map[string]any) {
			op["consumes"] = []any{mediaType}
			schema := schemaAsSwagger(content.(map[string]any)["schema"]).(map[string]any)
			if mediaType == "application/json" {
				parameters = append(parameters, map[string]any{
					"name": "body", // OpenAPI has no name for a body
					"in":   "body", "required": body["required"], "description": body["description"], "schema": schema,
				})
				continue
			}
			for name, p := range schema["properties"].(map[string]any) {
				p := p.(map[string]any)
				p["name"], p["in"] = name, "formData"
				p["required"] = slices.Contains(schema["required"].([]any), any(name))
				parameters = append(parameters, p)
			}
		}
		delete(op, "requestBody")
	}
	slices.SortFunc(parameters, byName)
	op["parameters"] = parameters
	for _, r := range op["responses"].(map[string]any) {
		r := r.(map[string]any)
		if content, ok := r["content"].(map[string]any); ok {
			for _, body := range content {
				r["schema"] = schemaAsSwagger(body.(map[string]any)["schema"])
			}
			delete(r, "content")
		}
	}
	return op
}

// definitionsAsSwagger adds the definitions that may be null, which have names in Swagger 2.0.
func definitionsAsSwagger(schemas tree) any {
	definitions := schemaAsSwagger(map[string]any(schemas)).(map[string]any)
	text, _ := json.Marshal(definitions)
	for name := range schemas {
		if reference := "#/definitions/" + name; strings.Contains(string(text), `"`+reference+`OrNull"`) {
			definitions[name+"OrNull"] = map[string]any{"allOf": []any{map[string]any{"$ref": reference}}, "x-nullable": true}
		}
	}
	return definitions
}

// schemaAsSwagger moves references and writes null like Swagger 2.0.
func schemaAsSwagger(v any) any {
	o, ok := v.(map[string]any)
	if !ok {
		return v
	}
	written := map[string]any{}
	for key, value := range o {
		switch {
		case key == "$ref":
			written[key] = strings.Replace(value.(string), "#/components/schemas/", "#/definitions/", 1)
		case key == "anyOf":
			return map[string]any{"$ref": schemaAsSwagger(value.([]any)[0]).(map[string]any)["$ref"].(string) + "OrNull"}
		case key == "examples" && isList(value):
			written["example"] = value.([]any)[0]
		case key == "type" && isList(value):
			written["type"] = value.([]any)[0]
			written["x-nullable"] = true
		default:
			written[key] = schemaAsSwagger(value)
		}
	}
	return written
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}

func TestBasePath(t *testing.T) {
	app := routing.New()
	for _, c := range []struct{ base, want string }{
		{"", ""},
		{"/", ""},
		{"/shop", "/shop"},
		{"/shop/", "/shop"},
		{"/a/b", "/a/b"},
		{"/café au lait", "/caf%C3%A9%20au%20lait"},
	} {
		d := build(t, app, c.base)
		if got, _ := decode(t, d.Swagger())["basePath"].(string); got != c.want {
			t.Errorf("base path %q: basePath is %q, want %q", c.base, got, c.want)
		}
		var url string
		if servers, ok := decode(t, d.OpenAPI())["servers"].([]any); ok {
			url = servers[0].(map[string]any)["url"].(string)
		}
		if c.want == "" {
			c.want = "/" // relative to the description
		}
		if url != c.want {
			t.Errorf("base path %q: server is %q, want %q", c.base, url, c.want)
		}
	}
}

func TestEmptyDescription(t *testing.T) {
	app := routing.New()
	app.Get("/hidden", nothing)
	app.Before(func(routing.Context) error { return nil })
	d := build(t, app, "")
	const want = `{"swagger":"2.0","info":{"title":"Test","version":"1"},"produces":["application/json"],"security":[],` +
		`"paths":{},"definitions":{},"securityDefinitions":{}}`
	var got map[string]any
	if err := json.Unmarshal([]byte(want), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any(decode(t, d.Swagger())), got); diff != "" {
		t.Errorf("got (-) and want (+) differ:\n%s", diff)
	}
}

// Paths are in the order in which their routes are defined.
func TestOrderOfDefinition(t *testing.T) {
	app := routing.New()
	paths := []string{"/zebra", "/ape", "/monkey"}
	for i, path := range paths {
		app.Get(path, nothing, apidoc.Describe(withBody(string(rune('a'+i)), nil)))
	}
	app.Post("/zebra", nothing, apidoc.Describe(withBody("d", nil)))
	d := build(t, app, "")
	for _, form := range [][]byte{d.Swagger(), d.OpenAPI(), d.OpenAPI30(), d.OpenAPI32()} {
		last := -1
		for _, path := range paths {
			place := strings.Index(string(form), `"`+path+`"`)
			if place <= last {
				t.Errorf("%s is at %d, want behind %d", path, place, last)
			}
			last = place
		}
		if got := slices.Sorted(maps.Keys(decode(t, form).at("paths", "/zebra"))); !slices.Equal(got, []string{"get", "post"}) {
			t.Errorf("methods of /zebra are %q, want get and post", got)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	type Flower struct{ Petals int } // another one than the package's
	ok := withBody("one", nil)
	define := func(patterns map[string]*apidoc.Operation) func(*routing.App) {
		return func(app *routing.App) {
			for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
				app.Get(pattern, nothing, apidoc.Describe(patterns[pattern]))
			}
		}
	}
	for _, c := range []struct {
		name   string
		define func(*routing.App)
		info   apidoc.Info
		base   string
		want   string
	}{
		{"no title", nil, apidoc.Info{Version: "1"}, "", "info: the title is empty"},
		{"no version", nil, apidoc.Info{Title: "T"}, "", "info: the version is empty"},
		{"license without a name", nil, apidoc.Info{Title: "T", Version: "1", License: apidoc.License{URL: "https://a.example"}}, "", "the license has a URL but no name"},
		{"bad URL", nil, apidoc.Info{Title: "T", Version: "1", TermsOfService: "http://[::1"}, "", "info: terms of service: write a URL"},
		{"bad email", nil, apidoc.Info{Title: "T", Version: "1", Contact: apidoc.Contact{Email: "ann"}}, "", "info: contact: write an email address"},
		{"base path without a slash", nil, info, "shop", `must start with /: write "/shop"`},
		{"base path with a query", nil, info, "/shop?a", `must not contain a query or fragment: write "/shop"`},
		{"base path of another host", nil, info, "//evil", `"/evil"`},
		{
			"one ID twice", define(map[string]*apidoc.Operation{"/a": ok, "/b": ok}), info, "",
			"route GET /b: operation one: route GET /a has the same ID",
		},
		{
			"one path twice", func(app *routing.App) {
				always := routing.When(func(*http.Request) bool { return true }) // so that it hides nothing
				app.Get("/a", nothing, apidoc.Describe(ok))
				app.Get("/a", nothing, apidoc.Describe(withBody("two", nil)), always)
			}, info, "",
			"operations one (GET /a) and two (GET /a) are both described as GET /a",
		},
		{
			"paths that differ in names", func(app *routing.App) {
				app.Get("/a/:x", nothing, apidoc.Describe(withBody("one", nil, "x")))
				app.Put("/a/:y", nothing, apidoc.Describe(withBody("two", nil, "y")))
			}, info, "",
			"the paths /a/{x} and /a/{y} differ only in the names of their parameters",
		},
		{
			"name of a type", define(map[string]*apidoc.Operation{"/a": withBody("one", reflect.TypeFor[Flower]())}),
			apidoc.Info{Title: "T", Version: "1", TypeName: func(reflect.Type) string { return "my type" }}, "",
			`has the name "my type": write letters, digits`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			app := routing.New()
			if c.define != nil {
				c.define(app)
			}
			d, err := apidoc.Build(app, c.info, c.base)
			if err == nil || !strings.Contains(err.Error(), c.want) || d != nil {
				t.Errorf("error is %v, want %q", err, c.want)
			}
		})
	}
}

// Types with the same name have separate definitions, whose names can be set, and do not depend on
// the order of operations.
func TestTypesOfOneName(t *testing.T) {
	type Cookie struct{ Crumbs int }
	types := []reflect.Type{reflect.TypeFor[Cookie](), reflect.TypeFor[http.Cookie]()}
	for _, c := range []struct {
		typeName func(reflect.Type) string
		want     string
	}{
		{nil, "Apidoc_testCookie HttpCookie"},
		{func(t reflect.Type) string {
			if t.PkgPath() == "net/http" {
				return "BrowserCookie"
			}
			return ""
		}, "BrowserCookie Cookie"},
	} {
		for i := range types {
			app, named := routing.New(), info
			app.Get("/a", nothing, apidoc.Describe(withBody("one", types[i])))
			app.Get("/b", nothing, apidoc.Describe(withBody("two", types[1-i])))
			named.TypeName = c.typeName
			d, err := apidoc.Build(app, named, "")
			if err != nil {
				t.Fatal(err)
			}
			schemas := decode(t, d.OpenAPI()).at("components", "schemas")
			if got := strings.Join(slices.Sorted(maps.Keys(schemas)), " "); got != c.want {
				t.Errorf("schemas are %s, want %s", got, c.want)
			}
			if got := strings.Join(d.Warnings(), ""); strings.Contains(got, "Info.TypeName") != (c.typeName == nil) {
				t.Errorf("warnings are %q", got)
			}
		}
	}
}

// Info.TypeName gives a type its name, also one that another type would have, but not two types.
func TestTypeNameThatIsTaken(t *testing.T) {
	type (
		Apple struct{ A int }
		Zucca struct{ B int }
	)
	app, named := routing.New(), info
	app.Get("/a", nothing, apidoc.Describe(withBody("one", reflect.TypeFor[Apple]())))
	app.Get("/b", nothing, apidoc.Describe(withBody("two", reflect.TypeFor[Zucca]())))
	for _, c := range []struct{ apple, zucca, want string }{
		{"", "Apple", "Apple Apple2"}, {"Zucca", "", "Zucca Zucca2"}, {"Zucca", "Apple", "Apple Zucca"},
		{"Pear", "pear", `returns the name "pear" for the types apidoc_test.Apple and apidoc_test.Zucca: return different names`},
	} {
		named.TypeName = func(t reflect.Type) string {
			switch t {
			case reflect.TypeFor[Apple]():
				return c.apple
			case reflect.TypeFor[Zucca]():
				return c.zucca
			}
			return ""
		}
		d, err := apidoc.Build(app, named, "")
		got := fmt.Sprint(err)
		if err == nil {
			schemas := decode(t, d.OpenAPI()).at("components", "schemas")
			got = strings.Join(slices.Sorted(maps.Keys(schemas)), " ")
			of := func(path string) any {
				return decode(t, d.OpenAPI()).at("paths", path, "get", "responses", "200", "content", "application/json", "schema")["$ref"]
			}
			if c.apple != "" && of("/a") != "#/components/schemas/"+c.apple || c.zucca != "" && of("/b") != "#/components/schemas/"+c.zucca {
				t.Errorf("%v: the schemas are %v and %v", c, of("/a"), of("/b"))
			}
		}
		if !strings.HasSuffix(got, c.want) {
			t.Errorf("%v: got %s", c, got)
		}
	}
}

// Types of functions of one package get numbers, however often they are described.
func TestTypesOfOneNameInFunctions(t *testing.T) {
	type Plum struct{ A int }
	first := reflect.TypeFor[Plum]()
	second := func() reflect.Type {
		type Plum struct{ B int }
		return reflect.TypeFor[Plum]()
	}()
	app := routing.New()
	for i, one := range []reflect.Type{first, second, first} {
		app.Get(fmt.Sprint("/", i), nothing, apidoc.Describe(withBody(fmt.Sprint("plum", i), one)))
	}
	schemas := decode(t, build(t, app, "").OpenAPI()).at("components", "schemas")
	if got := strings.Join(slices.Sorted(maps.Keys(schemas)), " "); got != "Plum Plum2" {
		t.Errorf("schemas are %s", got)
	}
}

// Names and IDs that differ only in letter case or underscores get numbers, in alphabetical order.
func TestNamesInOtherLetterCase(t *testing.T) {
	type (
		Plum  struct{ A int }
		PLUM  struct{ B int }
		Pl_um struct{ C int } //nolint:revive,staticcheck // underscores are what is tested
	)
	operations := []*apidoc.Operation{
		withBody("getPlum", reflect.TypeFor[Plum]()), withBody("getplum", reflect.TypeFor[PLUM]()), withBody("get_plum", reflect.TypeFor[Pl_um]()),
	}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}} {
		app := routing.New()
		for _, i := range order {
			app.Get(fmt.Sprintf("/%d", i), nothing, apidoc.Describe(operations[i]))
		}
		d := build(t, app, "")
		var ids []any
		for _, path := range []string{"/0", "/1", "/2"} {
			ids = append(ids, decode(t, d.OpenAPI()).at("paths", path, "get")["operationId"])
		}
		names := slices.Sorted(maps.Keys(decode(t, d.OpenAPI()).at("components", "schemas")))
		if got := fmt.Sprint(ids, names); got != "[getPlum getplum3 get_plum2] [PLUM Pl_um2 Plum3]" {
			t.Errorf("in the order %v: got %s", order, got)
		}
	}
}
