package specification_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"example.com/flowercafe"
	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/routing"
)

// This file tests a running service against the specification, embedded in several ways. The number
// of a check is the specification's section.

// service is a running service.
type service struct {
	url     string // of the base path, without a slash at its end
	app     *flowercafe.App
	flowers []flowercatalog.Flower
}

// reply is a response that was read to its end.
type reply struct {
	status int
	header http.Header
	body   string
}

// send sends a request, with headers as pairs of name and value. Redirects are not followed.
func (s *service) send(t *testing.T, method, path, body string, headers ...string) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(text)}
}

func (s *service) get(t *testing.T, path string, headers ...string) reply {
	t.Helper()
	return s.send(t, "GET", path, "", headers...)
}

// list returns the flowers of a response.
func (s *service) list(t *testing.T, path string) []flowercatalog.Flower {
	t.Helper()
	got := s.get(t, path)
	var flowers []flowercatalog.Flower
	if err := json.Unmarshal([]byte(got.body), &flowers); err != nil || got.status != 200 {
		t.Fatalf("%s: got %d %.80s, %v", path, got.status, got.body, err)
	}
	return flowers
}

// want compares the status and, unless it is empty, the body.
func (got reply) want(t *testing.T, what string, status int, body string) {
	t.Helper()
	if got.status != status || body != "" && got.body != body {
		t.Errorf("%s: got %d %.200q, want %d %.200q", what, got.status, got.body, status, body)
	}
}

func (got reply) isJSON() bool {
	return strings.HasPrefix(got.header.Get("Content-Type"), "application/json")
}

// embedded starts the service in the ways in which hosts embed it.
var embedded = []struct {
	name  string
	start func(t *testing.T, options ...flowercafe.Option) *service
}{
	{"alone", func(t *testing.T, options ...flowercafe.Option) *service {
		app := newApp(t, options...)
		return &service{url: serve(t, app), app: app}
	}},
	{"ServeMux, one segment", func(t *testing.T, options ...flowercafe.Option) *service { return mounted(t, "/shop", options...) }},
	{"ServeMux, two segments", func(t *testing.T, options ...flowercafe.Option) *service { return mounted(t, "/a/shop", options...) }},
	{"StripPrefix", func(t *testing.T, options ...flowercafe.Option) *service {
		app := newApp(t, options...)
		return &service{url: serve(t, http.StripPrefix("/shop", app)) + "/shop", app: app}
	}},
	{"a proxy that strips", func(t *testing.T, options ...flowercafe.Option) *service {
		app := newApp(t, options...)
		behind, err := url.Parse(serve(t, app))
		if err != nil {
			t.Fatal(err)
		}
		return &service{url: serve(t, http.StripPrefix("/out", httputil.NewSingleHostReverseProxy(behind))) + "/out", app: app}
	}},
	{"a writer that holds a 404", func(t *testing.T, options ...flowercafe.Option) *service { // as gin's in NoRoute
		app := newApp(t, options...)
		return &service{app: app, url: serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			late := &lateWriter{ResponseWriter: w, status: 404}
			app.ServeHTTP(late, r)
			late.Write(nil)
		}))}
	}},
}

func serve(t *testing.T, handler http.Handler) string {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func mounted(t *testing.T, base string, options ...flowercafe.Option) *service {
	mux := http.NewServeMux()
	mux.Handle("/", respondWith("host"))
	app, err := flowercafe.Mount(mux, append(options, flowercafe.WithBasePath(base))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	return &service{url: serve(t, mux) + base, app: app}
}

func newApp(t *testing.T, options ...flowercafe.Option) *flowercafe.App {
	t.Helper()
	app, err := flowercafe.New(options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { app.Close() })
	return app
}

func respondWith(text string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "%s %s %s", text, r.Method, r.URL.Path) })
}

// lateWriter sends a status of its own unless another one is written.
type lateWriter struct {
	http.ResponseWriter
	status int
	sent   bool
}

func (w *lateWriter) WriteHeader(status int) { w.status = status }

func (w *lateWriter) Write(b []byte) (int, error) {
	if !w.sent {
		w.sent = true
		w.ResponseWriter.WriteHeader(w.status)
	}
	return w.ResponseWriter.Write(b)
}

// thousands returns n flowers. Some share a part of their names.
func thousands(n int) (flowers []flowercatalog.Flower) {
	for i := range n {
		flowers = append(flowers, flowercatalog.Flower{Slug: fmt.Sprint("flower-", i), Name: fmt.Sprintf("Gül %s No. %d", [...]string{"Rose", "Lily", "Straße"}[i%3], i)})
	}
	return flowers
}

func TestSpecification(t *testing.T) {
	many := 500
	if os.Getenv("FLOWERCAFE_LONG") == "1" {
		many = 20_000
	}
	next := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Error(w, "the chain", 404) })
	for name, options := range map[string][]flowercafe.Option{
		"by default": nil,
		"with all options": {
			flowercafe.WithHome(), flowercafe.WithHealth(), flowercafe.WithMethodNotAllowed(), flowercafe.WithPoolSize(50),
			flowercafe.WithAllowedOrigins("*"), flowercafe.WithLogger(slog.New(slog.DiscardHandler)), flowercafe.WithMount("/own", next),
			flowercafe.WithCoffee(coffeedemo.WithGuard()),
			flowercafe.WithCatalog(flowercatalog.WithCORSOnFlowers(), flowercatalog.WithPageSize(100_000), flowercatalog.WithViewer(viewer.New())),
		},
	} {
		for _, way := range embedded {
			for _, own := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/own flowers %v", way.name, name, own), func(t *testing.T) {
					options := slices.Clone(options)
					if own {
						options = append(options, flowercafe.WithFlowers(thousands(many)...))
					}
					s := way.start(t, options...)
					for _, c := range checks {
						t.Run(c.section, func(t *testing.T) { c.check(t, s) })
					}
				})
			}
		}
	}
}

var checks = []struct {
	section string
	check   func(t *testing.T, s *service)
}{
	{"2.1 flowers have a slug and a name", func(t *testing.T, s *service) {
		var err error
		s.flowers, err = flowercatalog.ReadJSON(strings.NewReader(s.get(t, "/flowers/").body)) // refuses other members
		if err != nil {
			t.Fatal(err)
		}
		if len(s.flowers) < 12 || s.flowers[0].Slug == "" || s.flowers[0].Name == "" {
			t.Errorf("got %d flowers", len(s.flowers))
		}
	}},
	{"4.1.1 responses are JSON", func(t *testing.T, s *service) {
		for _, path := range []string{"/flowers/", "/flowers", "/flowers/?name=e", "/flowers/?name=none%20of%20these", "/flowers/" + s.flowers[0].Slug, "/flowers/none"} {
			if got := s.get(t, path); !got.isJSON() || !json.Valid([]byte(got.body)) {
				t.Errorf("%s: got %q %.80s", path, got.header.Get("Content-Type"), got.body)
			}
		}
	}},
	{"4.1.2 without name all flowers, in the order of the catalog", func(t *testing.T, s *service) {
		if got := s.list(t, "/flowers"); !slices.Equal(got, s.flowers) {
			t.Errorf("got %d flowers, then %d", len(s.flowers), len(got))
		}
	}},
	{"4.1.3 with name those that contain it, in any letter case", func(t *testing.T, s *service) {
		for _, part := range []string{"ROSE", "rose", "GÜL", "gül", "no. 77", "li", "none of these"} {
			var want []flowercatalog.Flower
			for _, f := range s.flowers {
				if strings.Contains(strings.ToLower(f.Name), strings.ToLower(part)) {
					want = append(want, f)
				}
			}
			if got := s.list(t, "/flowers/?name="+url.QueryEscape(part)); !slices.Equal(got, want) {
				t.Errorf("%q: got %d flowers, want %d", part, len(got), len(want))
			}
		}
		s.get(t, "/flowers/?name=none%20of%20these").want(t, "none", 200, "[]")
	}},
	{"4.1.4 the flower whose slug is equal, or 404", func(t *testing.T, s *service) {
		for _, f := range []flowercatalog.Flower{s.flowers[0], s.flowers[len(s.flowers)-1]} {
			body, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			s.get(t, "/flowers/"+f.Slug).want(t, f.Slug, 200, string(body))
			s.get(t, "/flowers/"+strings.ToUpper(f.Slug)).want(t, "in capitals", 404, "")
			s.get(t, "/flowers/"+f.Slug[:3]).want(t, "the beginning", 404, "")
		}
	}},
	{"4.1.5 the first of several names", func(t *testing.T, s *service) {
		if got := s.list(t, "/flowers/?name=none%20of%20these&name=e"); len(got) > 0 {
			t.Errorf("got %d flowers of the second", len(got))
		}
	}},
	{"2.2 the description", func(t *testing.T, s *service) {
		got := s.get(t, "/api-docs/spec.json")
		var d map[string]map[string]any
		spec := regexp.MustCompile(`"spec": "2.0",`)
		if err := json.Unmarshal([]byte(spec.ReplaceAllString(got.body, "")), &d); err != nil || !got.isJSON() || !spec.MatchString(got.body) {
			t.Fatalf("got %s %.200s, %v", got.header.Get("Content-Type"), got.body, err)
		}
		if names := slices.Sorted(maps.Keys(d)); !slices.Equal(names, []string{"definitions", "info", "paths", "securityDefinitions"}) || len(d["securityDefinitions"]) > 0 {
			t.Errorf("the members are %v, security %v", names, d["securityDefinitions"])
		}
		for _, name := range []string{"title", "version", "description", "termsOfService"} {
			if text, ok := d["info"][name].(string); !ok || text == "" {
				t.Errorf("info.%s is %v", name, d["info"][name])
			}
		}
		license, _ := d["info"]["license"].(map[string]any)
		contact, _ := d["info"]["contact"].(map[string]any)
		if contact["name"] == nil || license["name"] == nil || license["url"] == nil {
			t.Errorf("the contact is %v, the license %v", contact, license)
		}
		text := map[string]any{"type": "string"}
		flower := map[string]any{"type": "object", "properties": map[string]any{"slug": text, "name": text}, "required": []any{"slug", "name"}}
		if !reflect.DeepEqual(d["definitions"]["Flower"], flower) {
			t.Errorf("Flower is %v", d["definitions"]["Flower"])
		}
	}},
	{"2.2, 4.2.1 the operations", func(t *testing.T, s *service) {
		type parameter struct {
			Name, In, Type string
			Required       bool
			Description    *string
		}
		var d struct {
			Paths map[string]map[string]struct {
				OperationID, Summary string
				Tags                 []string
				Deprecated           *bool
				Parameters           []parameter
				Responses            map[string]struct {
					Description string
					Schema      any
				}
			}
		}
		if err := json.Unmarshal([]byte(s.get(t, "/api-docs/spec.json").body), &d); err != nil {
			t.Fatal(err)
		}
		if names := slices.Sorted(maps.Keys(d.Paths)); !slices.Equal(names, []string{"/flowers/", "/flowers/{slug}"}) {
			t.Fatalf("the paths are %v", names)
		}
		reference := map[string]any{"$ref": "#/definitions/Flower"}
		for _, want := range []struct {
			path, id, summary, parameter, in string
			required                         bool
			schema                           any
		}{
			{"/flowers/", "getFlowers", "Show all flowers", "name", "query", false, map[string]any{"type": "array", "items": reference}},
			{"/flowers/{slug}", "findBySlug", "Find by a flower by its slug", "slug", "path", true, reference},
		} {
			op := d.Paths[want.path]["get"]
			if op.OperationID != want.id || op.Summary != want.summary || !slices.Equal(op.Tags, []string{"Flowers"}) || op.Deprecated == nil || *op.Deprecated {
				t.Errorf("%s: got %+v", want.path, op)
			}
			p := op.Parameters[0]
			if p.Description == nil || p.Name != want.parameter || p.In != want.in || p.Required != want.required || p.Type != "string" {
				t.Errorf("%s: got the parameter %+v", want.path, p)
			}
			if r := op.Responses["200"]; r.Description != "OK" || !reflect.DeepEqual(r.Schema, want.schema) {
				t.Errorf("%s: got the response %+v", want.path, r)
			}
		}
		if r := d.Paths["/flowers/{slug}"]["get"].Responses["404"]; r.Description != "Slug Not Found" || r.Schema != nil {
			t.Errorf("got the 404 %+v", r)
		}
	}},
	{"4.2.3 any page may load the description", func(t *testing.T, s *service) {
		got := s.get(t, "/api-docs/spec.json", "Origin", "https://viewer.example")
		if got.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("GET: got %v", got.header)
		}
		got = s.send(t, "OPTIONS", "/api-docs/spec.json", "", "Origin", "https://viewer.example",
			"Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "authorization,content-type,x-requested-with")
		if got.status != 204 || got.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("preflight: got %d %v", got.status, got.header)
		}
	}},
	{"4.3 the coffees", func(t *testing.T, s *service) {
		const list = "  Colombian supplied by Acme, Inc.<br />  Colombian_Decaf supplied by Acme, Inc.<br />  Espresso supplied by The High Ground<br />" +
			"  French_Roast supplied by Superior Coffee<br />  French_Roast_Decaf supplied by Superior Coffee"
		for _, step := range []struct {
			path   string
			status int
			body   string
		}{
			{"/coffees", 409, ""}, {"/db/load-data", 409, ""}, {"/db/drop-tables", 409, ""}, // changes nothing
			{"/db/create-tables", 200, ""}, {"/coffees", 200, ""}, {"/db/create-tables", 409, ""},
			{"/db/load-data", 200, ""}, {"/coffees", 200, list}, {"/db/load-data", 409, ""}, {"/coffees", 200, list},
			{"/db/drop-tables", 200, ""}, {"/coffees", 409, ""},
		} {
			got := s.get(t, step.path)
			got.want(t, step.path, step.status, step.body)
			if step.path == "/coffees" && step.status == 200 && (!strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || step.body == "" && got.body != "") {
				t.Errorf("%s: got %s %q", step.path, got.header.Get("Content-Type"), got.body)
			}
		}
	}},
	{"4.4.2 a slash at the end is optional only where the pattern says so", func(t *testing.T, s *service) {
		for _, path := range []string{"/flowers/" + s.flowers[0].Slug + "/", "/coffees/", "/api-docs/spec.json/", "/db/create-tables/"} {
			s.get(t, path).want(t, path, 404, "")
		}
	}},
	{"4.4.11, 7 the short page where no route matches", func(t *testing.T, s *service) {
		for _, path := range []string{"/none", "/flowers/a/b", "/api-docs/none", "/db", "/db/none"} {
			got := s.get(t, path)
			if got.status != 404 || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") || len(got.body) > 1000 {
				t.Errorf("%s: got %d %s %.80q", path, got.status, got.header.Get("Content-Type"), got.body)
			}
		}
		if got := s.get(t, "/flowers/a/b", "Accept", "application/json"); got.status != 404 || !got.isJSON() {
			t.Errorf("for a client of JSON: got %d %s", got.status, got.header.Get("Content-Type"))
		}
	}},
	{"4.4.7 a filter does not change the flowers' type", func(t *testing.T, s *service) {
		s.app.Catalog().Routes().Before(func(c routing.Context) error { c.SetContentType("text/plain"); return nil }, routing.On("/flowers/*"))
		for _, path := range []string{"/flowers/", "/flowers/" + s.flowers[0].Slug, "/flowers/none"} {
			if got := s.get(t, path); !got.isJSON() {
				t.Errorf("%s: got %s", path, got.header.Get("Content-Type"))
			}
		}
	}},
	{"7 metadata that was not initialised is a 503", func(t *testing.T, s *service) {
		var late *apidoc.Operation
		s.app.Catalog().Routes().Get("/flowers/own/late", func(routing.Context) (routing.Result, error) { return routing.Text("never"), nil }, apidoc.Describe(late))
		s.get(t, "/flowers/own/late").want(t, "late", 503, "")
	}},
	{"7 a halt and a redirect in a host's filter", func(t *testing.T, s *service) {
		routes := s.app.Coffee().Routes()
		routes.Before(func(c routing.Context) error {
			if c.Request().Header.Get("Authorization") == "" {
				return &routing.HaltError{Status: 401, Header: http.Header{"X-Why": {"login"}}, Body: routing.Text("who are you?")}
			}
			return routing.Redirect("/elsewhere")
		}, routing.On("/db/*"))
		got := s.get(t, "/db/create-tables")
		if got.want(t, "halt", 401, "who are you?"); got.header.Get("X-Why") != "login" {
			t.Errorf("got %v", got.header)
		}
		if got := s.get(t, "/db/create-tables", "Authorization", "me"); got.status != 302 || !strings.HasSuffix(got.header.Get("Location"), "/elsewhere") {
			t.Errorf("redirect: got %d to %q", got.status, got.header.Get("Location"))
		}
		s.get(t, "/coffees").want(t, "outside of the filter's pattern", 409, "")
	}},
}

// In the filter style, what no route matches goes to the next handler (4.4.11, 7).
func TestSpecificationFilterStyle(t *testing.T) {
	app := newApp(t, flowercafe.WithNext(respondWith("chain:")))
	s := &service{url: serve(t, app), app: app}
	for _, path := range []string{"/none", "/flowers/a/b", "/api-docs/none", "/db/none"} {
		s.get(t, path).want(t, path, 200, "chain: GET "+path)
	}
	s.get(t, "/flowers/none").want(t, "a slug that no flower has", 404, "")
}

// A page of another origin is refused if the origins are restricted (4.2.3).
func TestSpecificationOrigins(t *testing.T) {
	app := newApp(t, flowercafe.WithAllowedOrigins("https://docs.example"))
	s := &service{url: serve(t, app), app: app}
	for origin, want := range map[string]string{"https://docs.example": "https://docs.example", "https://other.example": ""} {
		if got := s.get(t, "/api-docs/spec.json", "Origin", origin); got.status != 200 || got.header.Get("Access-Control-Allow-Origin") != want {
			t.Errorf("%s: got %d, allowed %q", origin, got.status, got.header.Get("Access-Control-Allow-Origin"))
		}
	}
}

// The tables of 2.3 and 2.4, their rows (4.3), and the pool of 8.
func TestSpecificationDatabase(t *testing.T) {
	const limit = 50
	db, err := coffeedemo.OpenSQLite(limit, 50*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	app := newApp(t, flowercafe.WithCoffee(coffeedemo.WithStore(db)))
	s := &service{url: serve(t, app), app: app}
	s.get(t, "/db/create-tables").want(t, "create", 200, "")
	s.get(t, "/db/load-data").want(t, "load", 200, "")
	err = db.Read(t.Context(), func(_ context.Context, conn *sqlite.Conn) error {
		for query, want := range map[string]string{
			"SELECT group_concat(name || ' ' || type || ' ' || pk) FROM pragma_table_info('SUPPLIERS')": "SUP_ID INTEGER 1,SUP_NAME TEXT 0,STREET TEXT 0,CITY TEXT 0,STATE TEXT 0,ZIP TEXT 0",
			"SELECT group_concat(name || ' ' || pk) FROM pragma_table_info('COFFEES')":                  "COF_NAME 1,SUP_ID 0,PRICE 0,SALES 0,TOTAL 0",
			`SELECT "table" || ' ' || "from" || ' ' || "to" FROM pragma_foreign_key_list('COFFEES')`:    "SUPPLIERS SUP_ID SUP_ID",
			"SELECT sql LIKE '%CONSTRAINT SUP_FK%' FROM sqlite_schema WHERE name = 'COFFEES'":           "1",
			"SELECT count(*) FROM SUPPLIERS": "3",
			"SELECT count(*) || ' ' || sum(SALES) || ' ' || sum(TOTAL) FROM COFFEES JOIN SUPPLIERS USING (SUP_ID)": "5 0 0",
		} {
			got := ""
			err := sqlitex.Execute(conn, query, &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error { got = row.ColumnText(0); return nil }})
			if err != nil || got != want {
				t.Errorf("%s: got %q, %v, want %q", query, got, err, want)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if open := app.Coffee().Stats().Open; open != 1 {
		t.Errorf("8: %d connections at first, want 1", open)
	}
	release := make(chan struct{})
	var sessions sync.WaitGroup
	for n := 1; n <= limit; n++ {
		began := make(chan struct{})
		sessions.Go(func() {
			if err := db.Read(t.Context(), func(context.Context, *sqlite.Conn) error { close(began); <-release; return nil }); err != nil {
				t.Error(err)
			}
		})
		<-began
		if open := app.Coffee().Stats().Open; open != n {
			t.Errorf("8: %d connections for %d sessions", open, n)
		}
	}
	s.get(t, "/coffees").want(t, "8: one more session", 503, "")
	close(release)
	sessions.Wait()
	if err := app.Shutdown(t.Context()); err != nil || app.Coffee().Stats().Open != 0 {
		t.Errorf("8: after the shutdown %d connections, %v", app.Coffee().Stats().Open, err)
	}
}
