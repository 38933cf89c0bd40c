package reliability_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// Filters and routes see the same path, so re-encoding a path does not bypass the filter on
// /admin/*.

// guarded returns an app with that filter, routes of all kinds below /admin, and one route for
// everything. All routes that match run, and record whether the filter ran before.
func guarded(options ...routing.Option) *routing.App {
	app := routing.New(options...)
	app.Before(func(c routing.Context) error {
		c.Header().Set("X-Filter", "ran")
		return nil
	}, routing.On("/admin/*"))
	note := func(name string) routing.Action {
		return func(c routing.Context) (routing.Result, error) {
			c.Header().Add("X-Ran", name)
			return routing.Result{}, routing.Pass
		}
	}
	app.Get("/*", func(c routing.Context) (routing.Result, error) {
		c.Header().Add("X-Path", fmt.Sprintf("%q", c.Params().GetOr("splat", "none")))
		return routing.Text("everything"), nil
	})
	app.Get("/admin/*", note("sinatra splat"))
	app.Get("/admin/:x", note("sinatra parameter"))
	app.Get("/admin/?:x?", note("sinatra optional"))
	app.Route(http.MethodGet, routing.Must(routing.Rails("/admin/*rest")), note("rails splat"))
	app.Route(http.MethodGet, routing.Must(routing.Rails("/admin/:id(.:format)")), note("rails parameter"))
	app.Route(http.MethodGet, routing.Regexp(regexp.MustCompile(`^/admin/([^/?#]+)$`)), note("regexp"))
	app.Route(http.MethodGet, routing.Regexp(regexp.MustCompile(`(?s)^/admin/(.*)$`)), note("regexp of all"))
	app.Get("/admin/secret", note("text"))
	return app
}

// agrees checks a response of the guarded app.
func agrees(t *testing.T, mount, target string, response *http.Response) {
	t.Helper()
	filtered := response.Header.Get("X-Filter") != ""
	// "/admin" is not below /admin/, but the route with the optional parameter matches it, and also
	// /adminx.
	ran := slices.DeleteFunc(slices.Clone(response.Header["X-Ran"]), func(name string) bool { return name == "sinatra optional" })
	if len(ran) > 0 && !filtered {
		t.Errorf("%s: %q reached %v without the filter", mount, target, ran)
	}
	if path := response.Header.Get("X-Path"); strings.HasPrefix(path, `"admin/`) && !filtered {
		t.Errorf("%s: %q reached everything as %s without the filter", mount, target, path)
	}
}

// spellings are encodings of paths at or near /admin/x. strict reports whether strict mode refuses
// one as ambiguous.
var spellings = []struct {
	target string
	strict bool
}{
	{"/admin/x", false}, {"/admin/", false}, {"/admin", false}, {"/admin/x/y", false}, {"/admin/x.json", false}, {"/admin/x?y=/admin", false},
	{"/Admin/x", false}, {"/ADMIN/x", false}, {"/adm%69n/x", true}, {"/%61dmin/x", true}, {"/admin/%78", true}, {"/admin/%20", false},
	{"/admin/caf%C3%A9", false}, {"/admin/.x", false}, {"/admin/...", false}, {"/admin/x+y", false}, {"/admin/x:y", false}, {"/admin/a,b", false},
	{"//admin/x", true}, {"/admin//x", true}, {"/admin///", true}, {"///admin/x", true}, {"/x//admin/x", true}, {"//", true},
	{"/./admin/x", true}, {"/admin/./x", true}, {"/admin/.", true}, {"/admin/..", true}, {"/admin/../x", true}, {"/x/../admin/x", true},
	{"/%2e/admin/x", true}, {"/admin/%2e%2e/x", true}, {"/x/%2E%2E/admin/x", true}, {"/admin/.%2e", true}, {"/..%2fadmin/x", true},
	{"/admin%2Fx", true}, {"/admin%2fx", true}, {"/%2Fadmin/x", true}, {"/x%2F..%2Fadmin/x", true}, {"/admin/%2F", true},
	{"/admin%252Fx", true}, {"/admin/%252e%252e", true}, {"/%2561dmin/x", true}, {"/admin/%2500", true},
	{"/admin/%00", true}, {"/admin%00/x", true}, {"/admin/%0A", true}, {"/admin/%0Ax", true}, {"/admin%0A/x", true}, {"/%0Aadmin/x", true}, {"/admin/%0D%0Ax", true},
	{"/admin/x%0A", true}, {"/admin/%7F", true}, {"/admin/%09", true},
	{"/admin;/x", true}, {"/admin/;x", true}, {"/admin;x=1/y", true}, {"/admin/x;.json", true},
	{`/admin\x`, true}, {`/admin%5Cx`, true}, {`/\admin/x`, true}, {`/x/..\admin/x`, true},
	{"/admin/%c0%af", true}, {"/%c0%afadmin/x", true}, {"/admin/%ff", true}, {"/admin/%C3", true}, {"/\xc0\xafadmin/x", true},
	{"/admin/#x", false}, {"http://other/admin/x", false}, {"http://other//admin/x", true}, {"http://other", false},
}

func TestFilterAndRouteAgree(t *testing.T) {
	targets := make([]string, 0, len(spellings))
	for _, s := range spellings {
		targets = append(targets, s.target)
	}
	t.Run("own", func(t *testing.T) { replay(t, targets) })
	t.Run("public", func(t *testing.T) {
		var public []string
		payloads := inputLines(t, append([]string{"crlfinjection.txt"}, traversals...)...)
		pairs := decoded[struct {
			Untouched  []string
			Normalised map[string]string
		}](t, "rack-protection-paths.json")
		payloads = append(append(payloads, pairs.Untouched...), naughtyStrings(t)...)
		for path := range pairs.Normalised {
			payloads = append(payloads, path)
		}
		for _, p := range payloads {
			p = inTarget(strings.ReplaceAll(p, "{FILE}", "admin/secret"))
			p = strings.TrimPrefix(p, "/")
			public = append(public, "/"+p, "/admin/"+p, "/x/"+p+"/admin/secret")
		}
		t.Logf("%d targets of %d payloads", len(public), len(payloads))
		replay(t, public)
	})
}

// replay requests all targets from apps that are mounted in four ways.
func replay(t *testing.T, targets []string) {
	plain := http.NewServeMux()
	plain.Handle("/", guarded())
	stripping := http.NewServeMux()
	stripping.Handle("/site/", http.StripPrefix("/site", guarded()))
	for _, mount := range []struct {
		name, prefix string
		handler      http.Handler
	}{
		{"direct", "", guarded()},
		{"ServeMux", "", plain},
		{"StripPrefix", "/site", stripping},
		{"base path", "/site", guarded(routing.WithBasePath("/site"))},
	} {
		t.Run(mount.name, func(t *testing.T) {
			t.Parallel()
			w := wireTo(t, mount.handler)
			served := 0
			for _, target := range targets {
				if strings.HasPrefix(target, "/") {
					target = mount.prefix + target
				}
				response, _ := w.get(target)
				agrees(t, mount.name, target, response)
				if len(response.Header["X-Ran"]) > 0 {
					served++
				}
				if mount.name == "direct" && response.StatusCode/100 == 3 {
					t.Errorf("%q is served by a redirect to %q, which nobody asked for", target, response.Header.Get("Location"))
				}
			}
			if served == 0 {
				t.Error("no target has reached a route below /admin: the test tests nothing")
			}
		})
	}
	t.Run("HTTP 2", func(t *testing.T) {
		t.Parallel()
		server := httptest.NewUnstartedServer(guarded())
		server.EnableHTTP2 = true
		server.StartTLS()
		defer server.Close()
		transport := server.Client().Transport.(*http.Transport)
		address := server.Listener.Addr().String()
		served := 0
		for _, target := range targets {
			if !strings.HasPrefix(target, "/") {
				continue // HTTP/2 has no target in absolute form
			}
			if _, err := url.ParseRequestURI(target); err != nil {
				continue // the server closes the connection, and the client retries forever
			}
			r := &http.Request{Method: http.MethodGet, Header: http.Header{}, Host: address,
				URL: &url.URL{Scheme: "https", Host: address, Opaque: "//" + address + target}}
			response, err := transport.RoundTrip(r)
			if err != nil {
				continue // the client refuses to send it
			}
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if response.ProtoMajor != 2 {
				t.Fatalf("the response is of %s", response.Proto)
			}
			agrees(t, "HTTP/2", target, response)
			served++
		}
		if served < len(targets)/2 {
			t.Errorf("%d of %d targets were served", served, len(targets))
		}
	})
}

// Strict mode refuses exactly the paths that other programs may read differently.
func TestStrictPaths(t *testing.T) {
	w := wireTo(t, respond.StrictPaths(guarded()))
	for _, s := range spellings {
		response, _ := w.get(s.target)
		if refused := response.StatusCode == http.StatusBadRequest; refused != s.strict {
			t.Errorf("%q: status %d, want it refused: %v", s.target, response.StatusCode, s.strict)
		}
		agrees(t, "strict", s.target, response)
	}
}
