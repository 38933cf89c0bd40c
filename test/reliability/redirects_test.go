package reliability_test

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"

	"example.com/flowercafe"
	"example.com/flowercafe/routing"
)

// Actions redirect to their target. A mounted handler gets clean paths, so other paths below its
// mount are redirected to the clean path, as by ServeMux. No other path causes a redirect, and no
// Host or forwarding header changes one.

// hosts are request headers with a false host.
var hosts = []string{
	"Host: evil.example", "Host: evil.example:80", "Host: evil.example@localhost", "Host: localhost.evil.example", "Host: ", "Host: [::1]:99999",
	"Host: evil.example#", "Host: LOCALHOST", "Host: xn--evil.example",
	"X-Forwarded-Host: evil.example", "X-Forwarded-Host: evil.example, localhost", "X-Forwarded-Server: evil.example", "X-Host: evil.example",
	"X-Forwarded-Proto: https", "X-Forwarded-Scheme: javascript", "X-Forwarded-Port: 8443", "X-Forwarded-Prefix: //evil.example", "X-Forwarded-Prefix: /evil.example",
	"Forwarded: host=evil.example;proto=https", "X-Original-URL: /go", "X-Rewrite-URL: //evil.example", "Referer: https://evil.example/", "Origin: https://evil.example",
	"X-Original-Host: evil.example", "True-Client-IP: evil.example",
}

func TestResponsesDoNotDependOnHost(t *testing.T) {
	app := routing.New(discarding())
	app.Get("/go", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.Redirect("/next?a=%2F#b")
	})
	app.Get("/local", func(routing.Context) (routing.Result, error) {
		return routing.Result{}, routing.Redirect(routing.LocalURL("/next", "/"))
	})
	app.Get("/dir/", func(c routing.Context) (routing.Result, error) { return routing.Text("dir"), nil })
	app.Get("/broken", func(routing.Context) (routing.Result, error) { panic("broken") })
	whole, err := flowercafe.New(flowercafe.WithBasePath("/shop"), flowercafe.WithNext(app))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { whole.Close() })
	w := wireTo(t, whole)
	locations := map[string]string{"/go": "/next?a=%2F#b", "/local": "/next"}
	for _, line := range hosts {
		for _, target := range []string{"/go", "/local", "/dir", "/dir/", "/missing", "/broken", "//go", "/shop", "/shop/", "/shop/flowers", "/shop/flowers/x", "/shop/coffees", "/shop/api-docs", "/shop/api-docs/spec.json", "/shop/api-docs/openapi.json"} {
			head := "Host: localhost\r\n" + line + "\r\n\r\n"
			if strings.HasPrefix(line, "Host:") {
				head = line + "\r\n\r\n"
			}
			response, body := w.ask("GET " + target + " HTTP/1.1\r\n" + head)
			if response.StatusCode == http.StatusBadRequest && strings.HasPrefix(line, "Host:") {
				continue // net/http refuses the Host
			}
			if got := response.Header.Get("Location"); got != locations[target] || (response.StatusCode/100 == 3) != (got != "") {
				t.Errorf("%s with %q: got %d, Location %q, want %q", target, line, response.StatusCode, got, locations[target])
			}
			for name, values := range response.Header {
				if all := strings.Join(values, " "); strings.Contains(all, "evil") {
					t.Errorf("%s with %q: got the header %s: %s", target, line, name, all)
				}
			}
			if strings.Contains(body, "evil") {
				t.Errorf("%s with %q: got the body %.200q", target, line, body)
			}
		}
	}
	t.Logf("%d heads", len(hosts))
}

func TestOnlyUncleanPathsBelowMountsAreRedirected(t *testing.T) {
	t.Run("own", func(t *testing.T) {
		var targets []string
		for _, s := range spellings {
			targets = append(targets, s.target)
		}
		askAll(t, targets)
	})
	t.Run("public", func(t *testing.T) {
		payloads := inputLines(t, append(append([]string{"crlfinjection.txt"}, redirects...), traversals...)...)
		askAll(t, append(payloads, naughtyStrings(t)...))
	})
}

func askAll(t *testing.T, payloads []string) {
	app := routing.New(routing.WithMethodNotAllowed(), discarding(), routing.WithBasePath("/shop"))
	app.Get("/", func(c routing.Context) (routing.Result, error) { return routing.Text("home"), nil })
	app.Get("/dir/", func(c routing.Context) (routing.Result, error) { return routing.Text("dir"), nil })
	app.Get("/file", func(c routing.Context) (routing.Result, error) { return routing.Text("file"), nil })
	app.Post("/*", func(c routing.Context) (routing.Result, error) { return routing.Text("posted"), nil })
	app.Mount("/sub", http.NotFoundHandler())
	w := wireTo(t, app)
	asked := 0
	for _, p := range payloads {
		p = inTarget(p)
		below := strings.TrimPrefix(p, "/")
		for _, target := range []string{"/" + below, "/shop/" + below, "/shop/dir/" + below, "/shop/sub/" + below, "/" + p} {
			response, _ := w.get(target)
			location := response.Header.Get("Location")
			if response.StatusCode/100 != 3 && location == "" {
				continue
			}
			if !strings.HasPrefix(target, "/shop/sub/") {
				t.Errorf("%q: got %d to %q, want no redirect", target, response.StatusCode, location)
			}
			// A browser reads // and /\ at the beginning as a host.
			if u, err := url.Parse(location); err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(location, "/") || strings.HasPrefix(location, `/\`) {
				t.Errorf("%q: got a redirect to %q, want a path on this host", target, location)
			} else if got := path.Clean(u.Path); got != strings.TrimSuffix(u.Path, "/") && got != u.Path {
				t.Errorf("%q: got a redirect to %q, want a clean path", target, location)
			}
		}
		asked += 5
	}
	t.Logf("%d targets of %d payloads", asked, len(payloads))
}
