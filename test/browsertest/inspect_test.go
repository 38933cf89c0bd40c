package browsertest

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/inspect"
	"example.com/flowercafe/test/browsertest/internal/browser"
)

// This file tests the route inspector.

// newInspected returns an app with routes of every kind and an inspector at /debug/routes that
// allows all requests.
func newInspected(base string) http.Handler {
	empty := func(routing.Context) (routing.Result, error) { return routing.Result{}, nil }
	pass := func(routing.Context) error { return nil }
	inner := routing.New()
	inner.Get("/items/:item", empty)
	app := routing.New(routing.WithBasePath(base))
	app.Before(pass)
	app.Before(pass, routing.On("/admin/*"), routing.When(func(*http.Request) bool { return true }).Named("is signed in"))
	app.After(pass)
	app.Get("/flowers/:slug", empty)
	app.Get("/flowers/a-name-that-is-long-enough-to-need-a-second-line-on-a-phone/:slug", empty)
	app.Post("/admin/users", empty, routing.When(func(*http.Request) bool { return false }).Named("has a token"))
	app.Route("GET", routing.Regexp(regexp.MustCompile(`^/year/(\d+)$`)), empty)
	app.Get("/hidden", empty)
	app.Get("/:page", empty)
	app.Mount("/users/:user", inner)
	app.Mount("/debug/routes", inspect.New(app, inspect.WithAccess(func(*http.Request) bool { return true })))
	return app
}

func TestInspector(t *testing.T) {
	for _, host := range hosts {
		t.Run(host.name, func(t *testing.T) {
			base := host.start(t, newInspected)
			inside := strings.TrimPrefix(strings.TrimPrefix(base, originOf(t, base)), "/outside")
			tab := newTab(t)
			tab.do(
				chromedp.Navigate(base+"/debug/routes"),
				chromedp.SendKeys(chromedp.CSS("#url"), inside+"/users/ann/items/7"+kb.Enter),
				chromedp.WaitVisible(chromedp.CSS(".explained")),
			)
			if text := ask(tab, chromedp.Text(chromedp.CSS(".explained .explained .good"))); !strings.Contains(text, "GET /items/:item") || !strings.Contains(text, "item") {
				t.Errorf("the page says %q", text)
			}
			if at := ask(tab, chromedp.Location()); !strings.HasPrefix(at, base+"/debug/routes?") {
				t.Errorf("the form leads to %s", at)
			}
			tab.do(
				chromedp.SendKeys(chromedp.CSS("#q"), "has a token"+kb.Enter),
				chromedp.WaitVisible(chromedp.CSS(`a[href="?"]`)),
			)
			if n := eval[int](tab, `document.querySelectorAll("td .POST").length + document.querySelectorAll("td .GET").length`); n != 1 {
				t.Errorf("the filter shows %d routes, want the one with the condition", n)
			}
			for _, finding := range tab.noise(originOf(t, base)) {
				t.Error(finding)
			}
		})
	}
}

func TestInspectorAudit(t *testing.T) {
	origin := serve(t, newInspected(""))
	for _, view := range views {
		t.Run(view.String(), func(t *testing.T) {
			for _, query := range []string{"", "?method=GET&url=/users/ann/items/7", "?url=nonsense", "?q=nothing+has+this", "?method=POST&url=/admin/users#hidden"} {
				tab := newTabIn(t, view)
				tab.do(chromedp.Navigate(origin+"/debug/routes"+query), chromedp.WaitVisible(chromedp.CSS("main")))
				tab.audit(origin)
				if view == browser.Desktop || view == browser.Phone {
					tab.checkKeyboard()
				}
			}
		})
	}
}

// With -debug, the example host serves the inspector at the URL that it prints.
func TestHostInspector(t *testing.T) {
	printed := runPrinting(t, "../../examples/host", "-addr", "127.0.0.1:0", "-base", "/shop", "-debug")
	_, opened, _ := strings.Cut(printed, "routes at ")
	page, _, _ := strings.Cut(opened, "?token=")
	base := strings.TrimSuffix(page, "/debug/routes")
	if response, err := http.Get(page); err != nil || response.StatusCode != 403 {
		t.Errorf("without the token: got %v, %v", response, err)
	}
	tab := newTab(t)
	tab.do(chromedp.Navigate(strings.TrimSpace(opened)), chromedp.WaitVisible(chromedp.CSS("#all")))
	if at := ask(tab, chromedp.Location()); strings.Contains(at, "token") {
		t.Errorf("the token stays in the address %s", at)
	}
	tab.do(chromedp.Navigate(base + "/"))
	if to := eval[string](tab, `[...document.links].find(a => a.textContent === "Route inspector").href`); to != base+"/debug/routes" {
		t.Errorf("the home page links %s", to)
	}
	tab.do(chromedp.Navigate(base+"/debug/routes?url=/shop/flowers/rose"), chromedp.WaitVisible(chromedp.CSS(".good")))
	if text := ask(tab, chromedp.Text(chromedp.CSS(".good"))); !strings.Contains(text, "GET /shop/flowers/:slug") {
		t.Errorf("the page says %q", text)
	}
	tab.audit(originOf(t, base))
}
