package apidoc_test

import (
	"bytes"
	"context"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file tests typed operations for QUERY (RFC 10008).

// filter is the body of a QUERY.
type filter struct {
	Names []string `json:"names" maxLength:"2"`
}

// queries is an app with a QUERY for each kind of body.
func queries() (*routing.App, *apidoc.API) {
	app := routing.New(routing.WithMethodNotAllowed())
	api := apidoc.NewAPI(app, info)
	apidoc.Query(api, "/json", "By names", func(_ context.Context, in filter) ([]string, error) { return in.Names, nil }, apidoc.ID("byNames"))
	apidoc.Get(api, "/json", "All", func(context.Context, struct{}) ([]string, error) { return nil, nil }, apidoc.ID("all"))
	apidoc.Query(api, "/form", "By a form", func(_ context.Context, in struct {
		Name string `form:"name,required"`
	}) (string, error) {
		return in.Name, nil
	}, apidoc.ID("byForm"))
	apidoc.Query(api, "/raw", "By bytes", func(_ context.Context, in struct {
		Body []byte `body:""`
	}) (string, error) {
		return string(in.Body), nil
	}, apidoc.ID("byBytes"))
	apidoc.Query(api, "/perhaps", "By a body that may be missing", func(_ context.Context, in struct {
		Filter *filter `body:""`
	}) (bool, error) {
		return in.Filter != nil, nil
	}, apidoc.ID("perhaps"))
	apidoc.Query(api, "/lines", "By lines", func(_ context.Context, in iter.Seq2[filter, error]) (n int, err error) {
		for _, err = range in {
			n++
		}
		return n, err
	}, apidoc.ID("byLines"))
	apidoc.Query(api, "/path", "By a path of two media types", func(_ context.Context, in struct {
		Path string `body:"application/jsonpath, application/sql"`
	}) (struct {
		Tag  string        `header:"ETag"`
		Body io.ReadSeeker `body:"text/plain"`
	}, error) {
		return struct {
			Tag  string        `header:"ETag"`
			Body io.ReadSeeker `body:"text/plain"`
		}{`"7"`, strings.NewReader(in.Path)}, nil
	}, apidoc.ID("byPath"))
	apidoc.Query(api, "/versions/:name", "With a version", func(_ context.Context, in struct {
		Name   string `path:"name"`
		Filter filter `body:""`
	}) ([]string, error) {
		return in.Filter.Names, nil
	}, apidoc.ID("versioned"), noTree, apidoc.Versioned(func(ctx context.Context, in struct {
		Name   string `path:"name"`
		Filter filter `body:""`
	}) (apidoc.Version, error) {
		return versionOf(ctx, entityName{in.Name})
	}))
	return app, api
}

func TestQuery(t *testing.T) {
	app, _ := queries()
	server := httptest.NewServer(apidoc.CheckResponses(app, func(r *http.Request, err error) { t.Errorf("%s %s: %v", r.Method, r.URL, err) }))
	defer server.Close()
	const form = "application/x-www-form-urlencoded"
	for _, c := range []struct {
		path, media, body string
		headers           string // lines
		status            int
		want              string
	}{
		{"/json", "application/json", `{"names":["oak"]}`, "", 200, `["oak"]`},
		{"/json", "application/vnd.x+json", `{"names":["oak"]}`, "", 200, `["oak"]`},
		{"/json", "application/json", `{"names":["a","b","c"]}`, "", 422, "/names"},
		{"/json", "application/json", `{`, "", 400, "not JSON"}, // inconsistent with its type (RFC 10008, 2)
		{"/json", "text/plain", `{"names":[]}`, "", 415, "application/json"},
		{"/json", "", `{"names":[]}`, "", 415, "content type"},
		{"/form", form, "name=oak", "", 200, "oak"},
		{"/form", form, "", "", 422, "name"},
		{"/form", "", "name=oak", "", 415, "content type"},
		{"/form", "", "", "", 422, "name"}, // without a body, a QUERY is like a POST
		{"/json", "", "", "", 422, "is required, with the content type application/json"},
		{"/raw", "image/png", "bytes", "", 200, "bytes"},
		{"/raw", "", "bytes", "", 415, "content type"}, // a POST may omit the content type
		{"/perhaps", "application/json", "", "", 200, "false"},
		{"/perhaps", "", "{}", "", 415, "content type"},
		{"/perhaps", "", "", "", 200, "false"},
		{"/lines", "application/jsonl", "{\"names\":[]}\n{\"names\":[]}\n", "", 200, "2"},
		{"/lines", "", "{}", "", 415, "content type"},
		{"/lines", "", "", "", 200, "0"},
		{"/path", "application/sql", "select 1", "", 200, "select 1"},
		{"/path", "application/jsonpath", "$.names", "If-None-Match: \"7\"", 304, ""},
		{"/path", "application/jsonpath", "$.names", "If-Match: \"8\"", 412, ""},
		{"/versions/oak", "application/json", `{"names":[]}`, "", 200, "[]"},
		{"/versions/oak", "application/json", `{"names":[]}`, "If-None-Match: \"7\"", 304, ""},
		{"/versions/oak", "application/json", `{"names":[]}`, "If-Modified-Since: " + changed.Format(http.TimeFormat), 304, ""},
		{"/versions/oak", "application/json", `{"names":[]}`, "If-Match: \"8\"", 412, ""},
		{"/versions/gone", "application/json", `{"names":[]}`, "If-None-Match: *", 404, ""},
	} {
		r, err := http.NewRequest("QUERY", server.URL+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(c.headers) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			r.Header.Set(name, value)
		}
		if c.media != "" {
			r.Header.Set("Content-Type", c.media)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != c.status || !strings.Contains(string(body), c.want) {
			t.Errorf("%s with %q %q %s: got %s %s, want %d %s", c.path, c.media, c.body, c.headers, response.Status, body, c.status, c.want)
		}
		if accept := response.Header.Get("Accept-Query"); (accept != "") != (c.status == 415) {
			t.Errorf("%s with %q: a %d has Accept-Query: %q", c.path, c.media, c.status, accept)
		}
		if tag := response.Header.Get("ETag"); strings.HasPrefix(c.path, "/versions/oak") && tag != `"7"` {
			t.Errorf("%s with %s: got the ETag %q", c.path, c.headers, tag)
		}
	}
}

// OPTIONS and 405 list the media types of the QUERY, without the media types of other methods.
func TestAcceptQuery(t *testing.T) {
	app, api := queries()
	apidoc.Post(api, "/path", "Add", func(context.Context, filter) (string, error) { return "", nil }, apidoc.ID("add"))
	app.Query("/hand", nothing, apidoc.Describe(apidoc.NewOperation[struct {
		Body string `body:"application/graphql"`
	}, string]("byHand", "By hand")))
	for path, want := range map[string]string{
		"/path": "application/jsonpath, application/sql", "/form": "application/x-www-form-urlencoded", "/lines": "application/jsonl, application/x-ndjson",
		"/hand": "application/graphql",
	} {
		for _, method := range []string{"OPTIONS", "PUT"} {
			h := call(app, method, path, "", "").Header()
			if got := h.Get("Accept-Query"); got != want || !strings.Contains(h.Get("Allow"), "QUERY") {
				t.Errorf("%s %s: got %q and Allow %q, want %q", method, path, got, h.Get("Allow"), want)
			}
		}
	}
}

// OpenAPI 3.0 and 3.1 have QUERY in the extension of OpenAPI's registry, and Swagger 2.0 lacks it.
func TestQueryInDescriptions(t *testing.T) {
	var logged bytes.Buffer
	app := routing.New(routing.WithLogger(slog.New(slog.NewTextHandler(&logged, nil))))
	api := apidoc.NewAPI(app, info)
	run := func(context.Context, filter) (string, error) { return "", nil }
	apidoc.Query(api, "/trees", "Search", run, apidoc.ID("search"))
	apidoc.Query(api, "/pears", "Search", run, apidoc.ID("searchPears"))
	apidoc.Post(api, "/trees", "Add", run, apidoc.ID("add"))
	d, err := api.Document()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"3.0": d.OpenAPI30(), "3.1": d.OpenAPI()} {
		path := decode(t, text).at("paths", "/trees")
		op := path.at("x-oai-additionalOperations", "QUERY")
		if op["operationId"] != "search" || op.at("requestBody", "content", "application/json") == nil || len(path) != 2 {
			t.Errorf("%s: got %v", name, path)
		}
	}
	path := decode(t, d.OpenAPI32()).at("paths", "/trees")
	if path.at("query")["operationId"] != "search" || path.at("post")["operationId"] != "add" || len(path) != 2 {
		t.Errorf("3.2: got %v", path)
	}
	if paths := decode(t, d.Swagger()).at("paths"); len(paths) != 1 || len(paths.at("/trees")) != 1 || paths.at("/trees", "post") == nil {
		t.Errorf("2.0: got the paths %v", paths)
	}
	want := []string{
		"QUERY /trees: Swagger 2.0 does not have the method: it is not in swagger.json",
		"QUERY /pears: Swagger 2.0 does not have the method: it is not in swagger.json",
	}
	if got := d.Warnings(); !slices.Equal(got, want) || strings.Count(logged.String(), "level=WARN") != 2 {
		t.Errorf("warnings are %q, logged %s", got, &logged)
	}
}

func TestQueryWithoutBodyPanics(t *testing.T) {
	const want = "the body of a QUERY holds the query"
	if got := refusal[struct{}, string]("QUERY"); !strings.Contains(got, want) {
		t.Errorf("typed: panicked with %q", got)
	}
	got := panicOf(func() { routing.New().Query("/", nothing, apidoc.Describe(withBody("one", nil))) })
	if !strings.Contains(got, want) {
		t.Errorf("by hand: panicked with %q", got)
	}
	if got := refusal[filter, string]("QUERY", apidoc.RequireIfMatch()); !strings.Contains(got, "RequireIfMatch") {
		t.Errorf("RequireIfMatch: panicked with %q", got)
	}
}
