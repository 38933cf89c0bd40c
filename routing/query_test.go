package routing_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
)

// This file tests QUERY (RFC 10008): a safe method with a body.

// trees returns an app with a QUERY and a GET route for the same path.
func trees() *routing.App {
	app := routing.New(routing.WithMethodNotAllowed(), quiet())
	app.Get("/trees", text("all"))
	app.Group("/trees", func(g *routing.Group) {
		g.Query("", func(c routing.Context) (routing.Result, error) {
			name, err := c.Params().Require("name")
			return routing.Text("those with " + name), err
		}, routing.AcceptQuery("application/x-www-form-urlencoded", "multipart/form-data"))
	})
	app.Query("/trees", func(routing.Context) (routing.Result, error) { return routing.Result{}, routing.Pass },
		routing.AcceptQuery("application/jsonpath", "multipart/form-data"))
	app.Post("/notes", text("added"), routing.AcceptQuery("text/plain"))
	return app
}

func TestQuery(t *testing.T) {
	origin := serve(t, trees())
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"QUERY", "/trees", "name=oak", 200, "those with oak"},
		{"GET", "/trees", "", 200, "all"},
		{"QUERY", "/trees", "", 400, ""},
		{"QUERY", "/notes", "", 405, ""},
		{"query", "/trees", "", 405, ""},
	} {
		got := fetch(t, test.method, origin+test.path, test.body, "Content-Type", "application/x-www-form-urlencoded")
		if got.status != test.status || got.status == 200 && got.body != test.want {
			t.Errorf("%s %s: got %d %s, want %d %s", test.method, test.path, got.status, got.body, test.status, test.want)
		}
	}
}

// If Allow contains QUERY, Accept-Query has the media types of all routes of QUERY, and no others.
func TestAcceptQuery(t *testing.T) {
	outer := routing.New(quiet())
	outer.Mount("/in", trees())
	for _, test := range []struct{ method, path, allow, accept string }{
		{"OPTIONS", "/in/trees", "GET, HEAD, OPTIONS, QUERY", `application/jsonpath, application/x-www-form-urlencoded, multipart/form-data`},
		{"PUT", "/in/trees", "GET, HEAD, OPTIONS, QUERY", `application/jsonpath, application/x-www-form-urlencoded, multipart/form-data`},
		{"OPTIONS", "/in/notes", "OPTIONS, POST", ""},
		{"GET", "/in/trees", "", ""},
	} {
		h := send(outer, httptest.NewRequest(test.method, test.path, nil)).Header()
		if h.Get("Allow") != test.allow || h.Get("Accept-Query") != test.accept {
			t.Errorf("%s %s: got %q, %q, want %q, %q", test.method, test.path, h.Get("Allow"), h.Get("Accept-Query"), test.allow, test.accept)
		}
	}
	media, app := []string{"text/plain"}, routing.New(routing.WithMethodNotAllowed())
	app.Query("/", text(""), routing.AcceptQuery(media...))
	media[0] = "text/csv"
	if got := get(app, "/").Header().Get("Accept-Query"); got != "text/plain" {
		t.Errorf("after the argument has changed: got %q", got)
	}
	for _, media := range []string{"", "json", "/json", "application/json;charset=utf-8", "a/", "text/plain, text/csv"} {
		func() {
			defer func() {
				if v, _ := recover().(string); !strings.Contains(v, "without parameters") {
					t.Errorf("AcceptQuery(%q): got %q, want a panic", media, v)
				}
			}()
			routing.AcceptQuery("*/*", media)
		}()
	}
}

// net/http does not parse the body of a QUERY. After middleware has called ParseForm, Params reads
// it.
func TestQueryAfterParseForm(t *testing.T) {
	app := trees()
	parse := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		app.ServeHTTP(w, r)
	})
	r := form("/trees", "name=oak")
	r.Method = "QUERY"
	if got := send(parse, r); got.Code != 200 || got.Body.String() != "those with oak" {
		t.Errorf("got %d %s", got.Code, got.Body)
	}
}

// A page of another origin may send a QUERY only after CORS has allowed it (RFC 10008, 4). Go's
// protection against forged requests is stricter: such an origin must be trusted, as for a POST.
func TestCrossOriginQuery(t *testing.T) {
	protection := http.NewCrossOriginProtection()
	if err := protection.AddTrustedOrigin("https://friend.example"); err != nil {
		t.Fatal(err)
	}
	app := trees()
	app.Use(protection.Handler)
	for origin, want := range map[string]int{"": 200, "https://friend.example": 200, "https://other.example": 403} {
		r := form("/trees", "name=oak")
		r.Method = "QUERY"
		if origin != "" {
			r.Header.Set("Origin", origin)
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		}
		if got := send(app, r).Code; got != want {
			t.Errorf("from %q: got %d, want %d", origin, got, want)
		}
	}
}
