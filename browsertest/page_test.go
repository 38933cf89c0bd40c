package browsertest

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// The page under every kind of prefix: it shows both operations, tries them out, asks nobody else, and the console is silent.
func TestPage(t *testing.T) {
	for _, c := range []struct {
		name string
		at   string // where the browser finds the app
		host func(*testing.T) http.Handler
	}{
		{"no prefix", "", func(t *testing.T) http.Handler { return newHost(t, "") }},
		{"base path", "/shop", func(t *testing.T) http.Handler { return newHost(t, "/shop") }},
		{"base path with a slash at the end", "/shop", func(t *testing.T) http.Handler { return newHost(t, "/shop/") }},
		{"StripPrefix", "/outer", func(t *testing.T) http.Handler { return stripped("/outer", newHost(t, "")) }},
		{"StripPrefix and base path", "/outer/shop", func(t *testing.T) http.Handler { return stripped("/outer", newHost(t, "/shop")) }},
		{"proxy", "/far/away", func(t *testing.T) http.Handler { return proxied(t, "/far/away", newHost(t, "")) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			origin := serve(t, c.host(t))
			base := origin + c.at
			tab := newTab(t)

			tab.do(chromedp.Navigate(base+"/api-docs"), chromedp.WaitVisible(chromedp.CSS("#operations-Flowers-findBySlug")))
			if got, want := ask(tab, chromedp.Location()), base+"/api-docs/ui/"; got != want {
				t.Errorf("the page is at %s, want %s", got, want)
			}
			if ask(tab, chromedp.Evaluate[bool](`document.querySelector(".authorize, .auth-wrapper button") !== null`)) {
				t.Error("there is a button to authorize, and nothing to authorize for")
			}

			got := tryOut(tab, "getFlowers", "name", "ros")
			if want := base + "/flowers/?name=ros"; got.address != want || !tab.asked(want) {
				t.Errorf("the list was asked for at %s, want %s", got.address, want)
			}
			if got.status != "200" || !strings.Contains(got.body, `"slug": "rose"`) {
				t.Errorf("the list is %s %q, want 200 and the rose", got.status, got.body)
			}
			if *screenshot != "" && c.at == "/shop" {
				writeScreenshot(tab)
			}

			got = tryOut(tab, "findBySlug", "slug", "rose")
			if got.address != base+"/flowers/rose" || got.status != "200" || !strings.Contains(got.body, `"slug": "rose"`) {
				t.Errorf("the flower is %+v, want the rose", got)
			}

			if heard := tab.heard(); len(heard) > 0 {
				t.Errorf("the console says %q", heard)
			}
			if outside := tab.outside(origin); len(outside) > 0 {
				t.Errorf("the page asked elsewhere: %q", outside)
			}
		})
	}
}

// A slug that no flower has: the page shows the 404. The console tells it too, as browsers do of every such answer.
func TestPageShowsNotFound(t *testing.T) {
	base := serve(t, newHost(t, "/shop")) + "/shop"
	tab := newTab(t)
	tab.do(chromedp.Navigate(base+"/api-docs/ui/"), chromedp.WaitVisible(chromedp.CSS("#operations-Flowers-findBySlug")))
	got := tryOut(tab, "findBySlug", "slug", "no such flower")
	if got.address != base+"/flowers/no%20such%20flower" || got.status != "404" || !strings.Contains(got.body, "Slug Not Found") {
		t.Errorf("got %+v, want 404 and Slug Not Found", got)
	}
}

// The addresses that lead to the page.
func TestPageIsFound(t *testing.T) {
	base := serve(t, newHost(t, "/shop")) + "/shop"
	for _, path := range []string{"/api-docs", "/api-docs/", "/api-docs/ui", "/api-docs/ui/"} {
		tab := newTab(t)
		tab.do(chromedp.Navigate(base+path), chromedp.WaitVisible(chromedp.CSS(".opblock")))
		if got, want := ask(tab, chromedp.Location()), base+"/api-docs/ui/"; got != want {
			t.Errorf("%s leads to %s, want %s", path, got, want)
		}
	}
}

// Without a description the page tells why it is empty.
func TestPageWithoutDescription(t *testing.T) {
	host := newHost(t, "")
	origin := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, ".json") {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		host.ServeHTTP(w, r)
	}))
	tab := newTab(t)
	tab.do(chromedp.Navigate(origin+"/api-docs/ui/"), chromedp.WaitVisible(chromedp.CSS(".failure")))
	got := ask(tab, chromedp.Text(chromedp.CSS(".failure")))
	if want := "The description could not be loaded: the server answered 503."; got != want {
		t.Errorf("the page says %q, want %q", got, want)
	}
}

// The ear of the other tests hears: a page that its policy forbids something makes the console speak.
func TestConsoleIsHeard(t *testing.T) {
	origin := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(`<script>1</script><p>a page</p>`))
	}))
	tab := newTab(t)
	tab.do(chromedp.Navigate(origin), chromedp.WaitVisible(chromedp.CSS("p")))
	ask(tab, chromedp.PollFunction[bool](`() => true`)) // a round trip, so that the message has arrived
	if heard := tab.heard(); len(heard) == 0 || !strings.Contains(heard[0], "Content Security Policy") {
		t.Errorf("the console says %q, want the refused script", heard)
	}
	if outside := tab.outside("http://elsewhere.example"); len(outside) == 0 {
		t.Error("no request was seen")
	}
}

// answer is what the page shows after Execute.
type answer struct{ address, status, body string }

// tryOut opens an operation, fills in its one parameter, executes it, and reads what the page shows.
func tryOut(tab *tab, operation, parameter, value string) answer {
	tab.t.Helper()
	block := "#operations-Flowers-" + operation + " "
	tab.do(
		chromedp.Click(chromedp.CSS(block+".opblock-summary-control")),
		chromedp.Click(chromedp.CSS(block+".try-out__btn"), chromedp.NodeVisible),
		chromedp.SendKeys(chromedp.CSS(block+`[data-param-name="`+parameter+`"] input`), value, chromedp.NodeVisible),
		chromedp.Click(chromedp.CSS(block+"button.execute"), chromedp.NodeVisible),
		chromedp.WaitVisible(chromedp.CSS(block+".live-responses-table .response")),
	)
	return answer{
		address: strings.TrimSpace(ask(tab, chromedp.Text(chromedp.CSS(block+".request-url pre")))),
		status:  strings.TrimSpace(ask(tab, chromedp.Text(chromedp.CSS(block+".live-responses-table .response .response-col_status")))),
		body:    ask(tab, chromedp.Text(chromedp.CSS(block+".live-responses-table .response .highlight-code"))),
	}
}

func writeScreenshot(tab *tab) {
	tab.t.Helper()
	if err := os.WriteFile(*screenshot, ask(tab, chromedp.FullScreenshot(100)), 0o666); err != nil {
		tab.t.Fatal(err)
	}
}
