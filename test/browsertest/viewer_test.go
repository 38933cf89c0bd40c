package browsertest

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/test/browsertest/internal/browser"
)

// Below every kind of prefix the page shows both operations and tries them out, without requests to
// other servers and without console messages.
func TestPage(t *testing.T) {
	for _, c := range []struct {
		name string
		at   string // the address of the app
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

			got := tryOut(tab, "Flowers-getFlowers", "name", "ros")
			if want := base + "/flowers/?name=ros"; got.address != want || !tab.Requested(want) {
				t.Errorf("the list was asked for at %s, want %s", got.address, want)
			}
			if got.status != "200" || !strings.Contains(got.body, `"slug": "rose"`) {
				t.Errorf("the list is %s %q, want 200 and the rose", got.status, got.body)
			}
			got = tryOut(tab, "Flowers-findBySlug", "slug", "rose")
			if got.address != base+"/flowers/rose" || got.status != "200" || !strings.Contains(got.body, `"slug": "rose"`) {
				t.Errorf("the flower is %+v, want the rose", got)
			}

			if heard := tab.Console(); len(heard) > 0 {
				t.Errorf("the console says %q", heard)
			}
			if outside := tab.Outside(origin); len(outside) > 0 {
				t.Errorf("the page asked elsewhere: %q", outside)
			}
		})
	}
}

// The page sends requests to the API, however long the path of the description is.
func TestPageFindsTheAPI(t *testing.T) {
	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Numbers", Version: "1"})
	apidoc.Get(api, "/numbers", "Read numbers", func(context.Context, struct{}) (int, error) { return 7, nil }, apidoc.ID("numbers"), apidoc.Tag{Name: "Numbers"})
	if _, err := api.ServeAt("/for/admins/docs", viewer.New()); err != nil {
		t.Fatal(err)
	}
	base := serve(t, stripped("/outer", app)) + "/outer"
	tab := newTab(t)
	tab.do(chromedp.Navigate(base+"/for/admins/docs"), chromedp.WaitVisible(chromedp.CSS("#operations-Numbers-numbers")))
	none := func(string) chromedp.Action[chromedp.Void] { return chromedp.Steps() }
	if got := execute(tab, "Numbers-numbers", none); got.address != base+"/numbers" || !strings.HasSuffix(got.body, "7") {
		t.Errorf("got %+v, want the number", got)
	}
}

// The page shows the text of JSON, indented: integers are not rounded, and members keep their
// order.
func TestPageShowsExactJSON(t *testing.T) {
	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Numbers", Version: "1"})
	const sent = `{"b":9007199254740993,"1":[1.0,"a\\\", {b}",{},[ ]]}`
	apidoc.Get(api, "/numbers", "Read numbers", func(context.Context, struct{}) (json.RawMessage, error) {
		return json.RawMessage(sent), nil
	}, apidoc.ID("numbers"), apidoc.Tag{Name: "Numbers"})
	if _, err := api.Serve(viewer.New()); err != nil {
		t.Fatal(err)
	}
	tab := newTab(t)
	tab.do(chromedp.Navigate(serve(t, app)+"/api-docs/ui/"), chromedp.WaitVisible(chromedp.CSS("#operations-Numbers-numbers")))
	none := func(string) chromedp.Action[chromedp.Void] { return chromedp.Steps() }
	const want = `{
  "b": 9007199254740993,
  "1": [
    1.0,
    "a\\\", {b}",
    {},
    []
  ]
}`
	if got := execute(tab, "Numbers-numbers", none); !strings.Contains(got.body, want) {
		t.Errorf("got %s, want %s", got.body, want)
	}
}

// For an unknown slug the page shows the 404. So does the console, as for every such response.
func TestPageShowsNotFound(t *testing.T) {
	base := serve(t, newHost(t, "/shop")) + "/shop"
	tab := newTab(t)
	tab.do(chromedp.Navigate(base+"/api-docs/ui/"), chromedp.WaitVisible(chromedp.CSS("#operations-Flowers-findBySlug")))
	got := tryOut(tab, "Flowers-findBySlug", "slug", "no such flower")
	if got.address != base+"/flowers/no%20such%20flower" || got.status != "404" || !strings.Contains(got.body, "Slug Not Found") {
		t.Errorf("got %+v, want 404 and Slug Not Found", got)
	}
}

// The addresses that redirect to the page.
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

// If the description cannot be loaded, the page shows an error.
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
	if want := "The description could not be loaded: the server responded with 503."; got != want {
		t.Errorf("the page says %q, want %q", got, want)
	}
}

// In both themes, both widths and all formats, with closed and open operations, axe-core finds
// nothing, the page fits the width, and the console is empty.
func TestViewerAudit(t *testing.T) {
	origin := serve(t, newGarden(t, ""))
	for _, view := range views {
		t.Run(view.String(), func(t *testing.T) {
			for _, format := range []string{"OpenAPI 3.1", "OpenAPI 3.0", "Swagger 2.0", "Spec 2.0"} {
				tab := newTabIn(t, view)
				tab.do(chromedp.Navigate(origin+"/api-docs/ui/?format="+url.QueryEscape(format)), chromedp.WaitVisible(chromedp.CSS(".opblock")))
				if got := ask(tab, chromedp.TextContent(chromedp.CSS(`nav [aria-current="page"]`))); got != format {
					t.Errorf("the page shows %q, want %q", got, format)
				}
				tab.audit(origin)
				openAll(tab)
				tab.audit(origin)
			}
		})
	}
}

// openAll opens every operation and the schemas, executes the operations without parameters, and
// shows the schemas of the others.
func openAll(tab *tab) {
	tab.t.Helper()
	eval[any](tab, `(async () => {
		const all = selector => [...document.querySelectorAll(selector)];
		const until = async f => {
			for (const end = Date.now() + 60000; !f();) {
				if (Date.now() > end) throw new Error("waits in vain for " + f);
				await new Promise(r => setTimeout(r, 20));
			}
		};
		all(".opblock:not(:has(.opblock-body)) .opblock-summary-control, .models-control[aria-expanded=false]").forEach(e => e.click());
		await until(() => all(".opblock").every(e => e.querySelector(".opblock-section-header")));
		all(".try-out__btn:not(.cancel)").forEach(e => e.click());
		await until(() => all(".try-out__btn.cancel").length > 0);
		document.querySelector("#operations-Flowers-getFlowers .execute").click();
		await until(() => all(".live-responses-table .highlight-code").length > 0);
		all(".tablinks[data-name=model]").forEach(e => e.click());
		all(".json-schema-2020-12-expand-deep-button").forEach(e => e.click());
		await new Promise(r => setTimeout(r, 100));
		return null;
	})()`)
}

// The keyboard reaches all elements, with closed and open operations, and the focus is visible.
func TestViewerKeyboard(t *testing.T) {
	origin := serve(t, newGarden(t, ""))
	tab := newTab(t)
	tab.do(chromedp.Navigate(origin+"/api-docs/ui/"), chromedp.WaitVisible(chromedp.CSS(".opblock")))
	tab.checkKeyboard()
	openAll(tab)
	tab.checkKeyboard()
}

// On a phone the buttons of a response do not cover it, and the choice of a media type is fully
// visible.
func TestViewerOnPhone(t *testing.T) {
	origin := serve(t, newGarden(t, ""))
	tab := newTabIn(t, browser.Phone)
	tab.do(chromedp.Navigate(origin+"/api-docs/ui/"), chromedp.WaitVisible(chromedp.CSS(".opblock")))
	openAll(tab)
	const covered = `[...document.querySelectorAll(".download-contents, .copy-to-clipboard")].filter(button => {
		const b = button.getBoundingClientRect();
		return [...button.parentElement.querySelectorAll("pre")].some(pre => {
			const p = pre.getBoundingClientRect();
			return b.bottom > p.top && b.top < p.bottom && b.right > p.left && b.left < p.right;
		});
	}).length`
	if n := eval[int](tab, covered); n > 0 {
		t.Errorf("%d buttons cover the text that they are for", n)
	}
	if cut := eval[[]string](tab, `[...document.querySelectorAll("select")].filter(e => e.checkVisibility() &&
		(e.getBoundingClientRect().right > innerWidth || e.scrollWidth > e.clientWidth + 1)).map(e => e.value)`); len(cut) > 0 {
		t.Errorf("the choices %q are cut", cut)
	}
}

// Title and theme are set by the options, or else by the description.
func TestViewerTitleAndTheme(t *testing.T) {
	description := `{"openapi": "3.1.0", "info": {"title": "From the document", "version": "1", "x-theme": "dark"}, "paths": {}}`
	versionless := strings.Replace(description, `"openapi": "3.1.0", `, "", 1)
	for _, c := range []struct {
		name        string
		description string
		options     []viewer.Option
		title       string
		dark        bool
	}{
		{"description", description, nil, "From the document", true},
		{"description without a version", versionless, nil, "From the document", true},
		{"automatic", description, []viewer.Option{viewer.WithTheme(viewer.Auto)}, "From the document", true},
		{"options", description, []viewer.Option{viewer.WithTitle("Mine"), viewer.WithTheme(viewer.Light)}, "Mine", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.HandleFunc("/api-docs/openapi.json", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(c.description)) })
			mux.Handle("/api-docs/ui/", http.StripPrefix("/api-docs/ui", viewer.New(c.options...)))
			tab := newTab(t)
			tab.do(chromedp.Navigate(serve(t, mux)+"/api-docs/ui/"), chromedp.WaitVisible(chromedp.CSS(".info .title")))
			if title := ask(tab, chromedp.Title()); title != c.title {
				t.Errorf("the title is %q, want %q", title, c.title)
			}
			if heading := ask(tab, chromedp.Text(chromedp.CSS(".info .title"))); !strings.HasPrefix(heading, c.title) {
				t.Errorf("the heading is %q, want %q", heading, c.title)
			}
			if dark := eval[bool](tab, `getComputedStyle(document.documentElement).colorScheme === "dark"`); dark != c.dark {
				t.Errorf("dark is %t, want %t", dark, c.dark)
			}
		})
	}
}

// The page loads at most 430 kB.
func TestViewerWeight(t *testing.T) {
	origin := serve(t, newHost(t, ""))
	tab := newTab(t)
	tab.do(chromedp.Navigate(origin+"/api-docs/ui/"), chromedp.WaitVisible(chromedp.CSS(".opblock")))
	eval[any](tab, `new Promise(r => setTimeout(() => r(null), 200))`) // the icon is loaded last
	t.Logf("%d bytes; loaded after %.0f ms", tab.Bytes(), eval[float64](tab, `performance.getEntriesByType("navigation")[0].loadEventEnd`))
	if n := tab.Bytes(); n > 430_000 {
		t.Errorf("the page comes in %d bytes, want 430,000 at most", n)
	}
}

// The dialog for credentials works by keyboard: it opens, all elements have names, and it closes.
func TestViewerDialog(t *testing.T) {
	origin := serve(t, newGarden(t, ""))
	for _, view := range views {
		t.Run(view.String(), func(t *testing.T) {
			tab := newTabIn(t, view)
			tab.do(
				chromedp.Navigate(origin+"/api-docs/ui/"),
				chromedp.WaitVisible(chromedp.CSS(".btn.authorize")),
				chromedp.Focus(chromedp.CSS(".btn.authorize")),
				chromedp.KeyEvent(kb.Enter),
				chromedp.WaitVisible(chromedp.CSS(".modal-ux[role=dialog]")),
			)
			tab.audit(origin)
			tab.do(
				chromedp.SendKeys(chromedp.CSS("#auth-bearer-value"), "secret"+kb.Enter),
				chromedp.WaitVisible(chromedp.CSS(".modal-ux h6")),
			)
			tab.audit(origin)
			tab.do(
				chromedp.KeyEvent(kb.Escape),
				chromedp.WaitNotPresent(chromedp.CSS(".modal-ux")),
			)
			got := execute(tab, "Flowers-plant", func(block string) chromedp.Action[chromedp.Void] {
				return replace(block+"textarea", `{"slug": "fern", "name": "Fern"}`)
			})
			if got.status != "201" {
				t.Errorf("got %+v, want 201", got)
			}
			if sent := ask(tab, chromedp.Text(chromedp.CSS("#operations-Flowers-plant .curl"))); !strings.Contains(sent, "Authorization: Bearer secret") {
				t.Errorf("the request was sent as %q, want the token in it", sent)
			}
		})
	}
}

// Callbacks, links, webhooks and examples are shown, and the keyboard reaches the tabs.
func TestViewerCallbacks(t *testing.T) {
	origin := serve(t, newGarden(t, ""))
	tab := newTab(t)
	tab.do(chromedp.Navigate(origin+"/api-docs/ui/"), chromedp.WaitVisible(chromedp.CSS("#operations-webhooks-wilted")))
	openAll(tab)
	eval[any](tab, `document.querySelector("#operations-Flowers-plant .tab-item:nth-child(2)").focus()`)
	tab.do(chromedp.KeyEvent(kb.Enter), chromedp.WaitVisible(chromedp.CSS("#operations-Flowers-plant .callbacks-container .opblock")))
	tab.audit(origin)
	if !eval[bool](tab, `document.body.innerText.includes("The flower's photo") && document.body.innerText.includes("A rose")`) {
		t.Error("the link or the example is missing")
	}
}
