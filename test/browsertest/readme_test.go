package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/flowercafe"
)

// The pages that the README names open in the browser: those of its first command, in its order,
// and those of the program that mounts the app.
func TestREADMEPages(t *testing.T) {
	for _, c := range []struct {
		name  string
		start func(*testing.T) string
		paths []string
	}{
		{"go run ./examples/host", func(t *testing.T) string { return startHost(t) }, []string{
			"/", "/flowers/", "/api-docs/ui/", "/db/create-tables", "/db/load-data", "/coffees",
		}},
		{"go run ./examples/host -base /shop", func(t *testing.T) string { return startHost(t, "-base", "/shop") }, []string{
			"/shop", "/shop/", "/shop/api-docs", "/shop/api-docs/ui/",
		}},
		{"flowercafe.Mount", func(t *testing.T) string { return serve(t, newHost(t, "/shop", flowercafe.WithHome())) }, []string{
			"/shop", "/shop/", "/shop/flowers/", "/shop/api-docs", "/shop/api-docs/ui/",
			"/shop/api-docs/openapi.json", "/shop/api-docs/swagger.json", "/shop/api-docs/spec.json",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := c.start(t)
			tab := newTab(t)
			for _, path := range c.paths {
				tab.do(chromedp.Navigate(base + path))
				if status := eval[int](tab, `performance.getEntriesByType("navigation")[0].responseStatus`); status != 200 {
					t.Errorf("%s: got %d", path, status)
				}
				if text := eval[string](tab, `document.body.innerText.trim()`); text == "" {
					t.Errorf("%s: the page is empty", path)
				}
			}
		})
	}
}
