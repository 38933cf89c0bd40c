package browsertest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// hosts are servers with each kind of prefix: none, a base path, and one that only the proxy knows.
var hosts = []struct {
	name  string
	start func(*testing.T, func(base string) http.Handler) string // returns the address of the app
}{
	{"at the root", func(t *testing.T, h func(string) http.Handler) string { return serve(t, h("")) }},
	{"below /shop", func(t *testing.T, h func(string) http.Handler) string { return serve(t, h("/shop")) + "/shop" }},
	{"behind the proxy", func(t *testing.T, h func(string) http.Handler) string { return behindProxy(t, h("")) }},
}

// Each kind of operation can be tried out: a query, JSON, a form, an upload, and an image.
func TestTryItOut(t *testing.T) {
	upload := filepath.Join(t.TempDir(), "rose.png")
	if err := os.WriteFile(upload, []byte("ten bytes."), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, host := range hosts {
		t.Run(host.name, func(t *testing.T) {
			base := host.start(t, func(base string) http.Handler { return newGarden(t, base) })
			tab := newTab(t)
			tab.do(chromedp.Navigate(base+"/api-docs/ui/"), chromedp.WaitVisible(chromedp.CSS("#operations-Flowers-note")))

			got := tryOut(tab, "Flowers-getFlowers", "name", "ros")
			if got.address != base+"/flowers/?name=ros&order=catalog" || got.status != "200" || !strings.Contains(got.body, `"slug": "rose"`) {
				t.Errorf("GET: got %+v, want the rose", got)
			}
			got = execute(tab, "Flowers-plant", func(block string) chromedp.Action[chromedp.Void] {
				return chromedp.Steps(
					replace(block+"textarea", `{"slug": "fern", "name": "Fern"}`),
				)
			})
			if got.address != base+"/flowers/" || got.status != "201" || !strings.Contains(got.body, `"name": "Fern"`) {
				t.Errorf("POST: got %+v, want the fern", got)
			}
			got = execute(tab, "Flowers-note", func(block string) chromedp.Action[chromedp.Void] {
				return chromedp.Steps(
					replace(block+`[data-param-name="slug"] input`, "rose"),
					replace(block+`[data-property-name="text"] input`, "water it"),
				)
			})
			if got.address != base+"/flowers/rose/notes" || got.status != "200" || !strings.Contains(got.body, `noted "water it" of rose`) {
				t.Errorf("POST of a form: got %+v, want the note", got)
			}
			got = execute(tab, "Photos-upload", func(block string) chromedp.Action[chromedp.Void] {
				return chromedp.Steps(
					replace(block+`[data-param-name="slug"] input`, "rose"),
					chromedp.SetUploadFiles(chromedp.CSS(block+`input[type="file"]`), []string{upload}),
				)
			})
			if got.address != base+"/flowers/rose/photo" || got.status != "200" || !strings.Contains(got.body, "10 bytes of rose.png for rose") {
				t.Errorf("upload: got %+v, want what the server has read", got)
			}
			openOperation(tab, "Photos-photo", func(block string) chromedp.Action[chromedp.Void] {
				return replace(block+`[data-param-name="slug"] input`, "rose")
			})
			tab.do(chromedp.WaitVisible(chromedp.CSS("#operations-Photos-photo .live-responses-table img")))
			if width := eval[int](tab, `document.querySelector("#operations-Photos-photo .live-responses-table img").decode()
				.then(() => document.querySelector("#operations-Photos-photo .live-responses-table img").naturalWidth)`); width != 160 {
				t.Errorf("the image is %d px wide, want the photo's 160", width)
			}
			origin, err := url.Parse(base)
			if err != nil {
				t.Fatal(err)
			}
			for _, finding := range tab.noise("http://" + origin.Host) {
				t.Error(finding)
			}
		})
	}
}

// response is the response that the page shows after Execute.
type response struct{ address, status, body string }

// tryOut sets the only parameter of an operation and executes it.
func tryOut(tab *tab, operation, parameter, value string) response {
	tab.t.Helper()
	return execute(tab, operation, func(block string) chromedp.Action[chromedp.Void] {
		return replace(block+`[data-param-name="`+parameter+`"] input`, value)
	})
}

// execute opens an operation, fills it in, executes it, and reads what the page shows.
func execute(tab *tab, operation string, fill func(block string) chromedp.Action[chromedp.Void]) response {
	tab.t.Helper()
	openOperation(tab, operation, fill)
	block := "#operations-" + operation + " "
	tab.do(chromedp.WaitVisible(chromedp.CSS(block + ".live-responses-table .highlight-code")))
	return response{
		address: strings.TrimSpace(ask(tab, chromedp.Text(chromedp.CSS(block+".request-url pre")))),
		status:  strings.TrimSpace(ask(tab, chromedp.Text(chromedp.CSS(block+".live-responses-table .response .response-col_status")))),
		body:    ask(tab, chromedp.Text(chromedp.CSS(block+".live-responses-table .response .highlight-code"))),
	}
}

// openOperation opens an operation, fills it in, and presses Execute.
func openOperation(tab *tab, operation string, fill func(block string) chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	block := "#operations-" + operation + " "
	tab.do(
		chromedp.Click(chromedp.CSS(block+".opblock-summary-control")),
		chromedp.Click(chromedp.CSS(block+".try-out__btn"), chromedp.NodeVisible),
		fill(block),
		chromedp.Click(chromedp.CSS(block+"button.execute"), chromedp.NodeVisible),
	)
}

// replace replaces the text of a field by typing.
func replace(selector, text string) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		chromedp.WaitVisible(chromedp.CSS(selector)),
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := chromedp.Evaluate[any](fmt.Sprintf("document.querySelector(%q).select()", selector))(ctx, t)
			return err
		}),
		chromedp.SendKeys(chromedp.CSS(selector), text),
	)
}
