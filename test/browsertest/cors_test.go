package browsertest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/flowercafe"
	"example.com/flowercafe/flowercatalog"
)

// A page of another origin reads the formats of the description and the flowers. It sends
// If-None-Match, which requires a preflight request.
func TestOtherOrigin(t *testing.T) {
	resources := []struct{ path, contains string }{
		{"/api-docs/spec.json", `"spec"`},
		{"/api-docs/swagger.json", `"swagger"`},
		{"/api-docs/openapi.json", `"openapi"`},
		{"/flowers/rose", `"rose"`},
	}
	open := flowercafe.WithCatalog(flowercatalog.WithCORSOnFlowers())
	for _, c := range []struct {
		name    string
		options func(page string) []flowercafe.Option
		forms   bool // whether the page may read the flowers
		flowers bool
	}{
		{"open", func(string) []flowercafe.Option { return []flowercafe.Option{open} }, true, true},
		{"restricted and allowed", func(page string) []flowercafe.Option {
			return []flowercafe.Option{open, flowercafe.WithAllowedOrigins("https://docs.example.com", page)}
		}, true, true},
		{"restricted and refused", func(page string) []flowercafe.Option {
			return []flowercafe.Option{open, flowercafe.WithAllowedOrigins("https://docs.example.com", strings.Replace(page, "127.0.0.1", "127.0.0.2", 1))}
		}, false, false},
		{"open, but not the routes", func(string) []flowercafe.Option { return nil }, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			page := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				w.Write([]byte("<!DOCTYPE html><link rel=icon href=data:,><p>a page of another origin"))
			}))
			host := serve(t, newHost(t, "/shop", c.options(page)...))
			tab := newTab(t)
			tab.do(chromedp.Navigate(page + "/"))
			for _, resource := range resources {
				allowed := c.forms
				if strings.HasPrefix(resource.path, "/flowers") {
					allowed = c.flowers
				}
				for _, method := range []string{"GET", "HEAD"} {
					got := ask(tab, chromedp.Evaluate[reading](fmt.Sprintf("(%s)(%q, %q)", read, host+"/shop"+resource.path, method), chromedp.EvalAwaitPromise))
					switch {
					case !allowed:
						if got.Error == "" {
							t.Errorf("%s %s: the page read %+v, want it refused", method, resource.path, got)
						}
					case got.Error != "" || got.Status != 200 || got.Again != 304 || got.Tag == "":
						t.Errorf("%s %s: got %+v, want 200, a tag, and 304 for it", method, resource.path, got)
					case method == "GET" && !strings.Contains(got.Body, resource.contains):
						t.Errorf("%s %s: the body is %q", method, resource.path, got.Body)
					}
				}
			}
		})
	}
}

// reading is what a page could read from another origin.
type reading struct {
	Status, Again int
	Tag, Body     string
	Error         string
}

// read requests an address twice: without a tag, and with the tag of the first response.
const read = `async (address, method) => {
	try {
		const first = await fetch(address, {method, cache: "no-store"});
		const tag = first.headers.get("ETag");
		const second = await fetch(address, {method, cache: "no-store", headers: {"If-None-Match": tag}});
		return {Status: first.status, Again: second.status, Tag: tag, Body: await first.text()};
	} catch (error) {
		return {Error: String(error)};
	}
}`
