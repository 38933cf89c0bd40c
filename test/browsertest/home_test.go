package browsertest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"example.com/flowercafe"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/test/browsertest/internal/browser"
)

// This file tests the home page of examples/host, and the one of WithHome.

// homes are the hosts to test: at the root, below a base path, and behind a proxy.
var homes = []struct {
	name  string
	start func(*testing.T) string
}{
	{"at the root", func(t *testing.T) string { return startHost(t) }},
	{"below /shop", func(t *testing.T) string { return startHost(t, "-base", "/shop") + "/shop" }},
	{"behind the proxy", func(t *testing.T) string {
		return runProgram(t, "../../examples/proxy", "-addr", "127.0.0.1:0", "-target", startHost(t))
	}},
}

func startHost(t *testing.T, args ...string) string {
	t.Helper()
	return runProgram(t, "../../examples/host", append([]string{"-addr", "127.0.0.1:0"}, args...)...)
}

// originOf returns the origin of an address.
func originOf(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Scheme + "://" + u.Host
}

// A user searches and takes the four steps, below every prefix.
func TestHome(t *testing.T) {
	for _, c := range homes {
		t.Run(c.name, func(t *testing.T) {
			base := c.start(t)
			tab := newTab(t)
			tab.do(
				chromedp.Navigate(base+"/"),
				chromedp.WaitVisible(chromedp.CSS(".names a")),
				chromedp.SendKeys(chromedp.CSS("#name"), "LILY o"),
			)
			poll(tab, `document.querySelectorAll(".names a").length === 1 && document.querySelector(".names a").textContent === "Lily of the Valley"`)
			path := strings.TrimPrefix(base, originOf(t, base))
			poll(tab, `document.querySelector("#found .sent").textContent === "GET `+path+`/flowers/?name=LILY+o"`)
			if want := base + "/flowers/?name=LILY+o"; !tab.Requested(want) {
				t.Errorf("there was no request for %s", want)
			}
			poll(tab, `document.querySelector(".coffees").textContent.includes("There are no tables")`)
			for _, step := range []struct{ button, path, says, then string }{
				{"Create tables", "/db/create-tables", "load-data", "The tables are empty."},
				{"Load data", "/db/load-data", "coffees", "Espresso supplied by The High Ground"},
				{"List coffees", "/coffees", "Colombian supplied by Acme, Inc.<br />", "Espresso supplied by The High Ground"},
				{"Drop tables", "/db/drop-tables", "Tables dropped.", "There are no tables."},
			} {
				eval[any](tab, `[...document.querySelectorAll("#steps button")].find(b => b.textContent === "`+step.button+`").click()`)
				poll(tab, `document.querySelector("#told .sent").textContent === "GET `+path+step.path+`" &&
					document.querySelector("#told .status").textContent.startsWith("200 ") &&
					document.querySelector("#told .body").textContent.includes("`+step.says+`") &&
					document.querySelector(".coffees").textContent.includes("`+step.then+`")`)
			}
			poll(tab, `document.querySelector("[data-figure=open]").textContent === "1" && document.querySelector("[data-figure=limit]").textContent === "50"`)
			for _, finding := range tab.noise(originOf(t, base)) {
				t.Error(finding)
			}

			// Every link works.
			broken := eval[[]string](tab, `Promise.all([...document.links].map(async a => (await fetch(a.href)).ok ? "" : a.href)).then(a => a.filter(x => x))`)
			if len(broken) > 0 {
				t.Errorf("broken links: %q", broken)
			}
		})
	}
}

// poll waits until an expression is true.
func poll(tab *tab, expression string) {
	tab.t.Helper()
	tab.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(time.Minute))(ctx, t)
		if err != nil {
			return fmt.Errorf("wait for %s: %w", expression, err)
		}
		return nil
	}))
}

func TestHomeAudit(t *testing.T) {
	base := startHost(t, "-base", "/shop") + "/shop"
	for _, view := range views {
		t.Run(view.String(), func(t *testing.T) {
			tab := newTabIn(t, view)
			tab.do(chromedp.Navigate(base+"/"), chromedp.WaitVisible(chromedp.CSS("#live")), chromedp.WaitVisible(chromedp.CSS(".names a")))
			tab.audit(originOf(t, base))
			eval[any](tab, `document.querySelector("#steps button").click()`)
			tab.do(chromedp.WaitVisible(chromedp.CSS("#told")))
			tab.checkKeyboard()
		})
	}
}

// The Enter key in the search field and on a button works like a click.
func TestHomeByKeyboard(t *testing.T) {
	base := startHost(t)
	tab := newTab(t)
	tab.do(
		chromedp.Navigate(base+"/"),
		chromedp.WaitVisible(chromedp.CSS(".names a")),
		chromedp.SendKeys(chromedp.CSS("#name"), "tulip"+kb.Enter),
	)
	poll(tab, `document.querySelectorAll(".names a").length === 1`)
	tab.do(chromedp.Focus(chromedp.CSS("#steps button")), chromedp.KeyEvent(kb.Enter))
	poll(tab, `document.querySelector("#told .sent").textContent === "GET /db/create-tables"`)
	if at := ask(tab, chromedp.Location()); at != base+"/" {
		t.Errorf("the browser went to %s", at)
	}
}

// Other pages cannot show this page in a frame, and the guard refuses frames of the same origin.
func TestHomeInFrame(t *testing.T) {
	base := startHost(t)
	tab := newTab(t)
	tab.do(chromedp.Navigate(base+"/"), chromedp.WaitVisible(chromedp.CSS(".names a")))
	if status := eval[int](tab, `fetch("db/create-tables").then(r => r.status)`); status != 200 {
		t.Errorf("a script of the page gets %d, want 200", status)
	}
	framing := newTab(t)
	framing.do(chromedp.Navigate(base + "/flowers/rose"))
	eval[any](framing, `new Promise(resolve => {
		const frame = document.createElement("iframe");
		frame.onload = () => resolve(null);
		frame.src = "/db/drop-tables";
		document.body.append(frame);
	})`)
	if tables := eval[bool](tab, `fetch("live").then(r => r.json()).then(now => now.ok)`); !tables {
		t.Error("a frame has dropped the tables")
	}
	eval[any](framing, `new Promise(resolve => {
		const frame = document.createElement("iframe");
		frame.onload = () => resolve(null);
		frame.src = "/";
		document.body.append(frame);
	})`)
	if empty := eval[bool](framing, `(() => { try { return !frames[1].document.querySelector("#steps") } catch { return true } })()`); !empty {
		t.Error("the home page shows in a frame")
	}
}

// The page of WithHome, below every prefix and in every view.
func TestWithHome(t *testing.T) {
	for _, host := range hosts {
		t.Run(host.name, func(t *testing.T) {
			base := host.start(t, func(base string) http.Handler { return newHost(t, base, flowercafe.WithHome()) })
			for _, view := range views {
				tab := newTabIn(t, view)
				tab.do(chromedp.Navigate(base+"/"), chromedp.WaitVisible(chromedp.CSS("main")))
				tab.audit(originOf(t, base))
				if view == browser.Desktop {
					tab.checkKeyboard()
				}
			}
		})
	}
}

// A browser gets the default pages as HTML.
func TestDefaultPages(t *testing.T) {
	for _, host := range hosts {
		t.Run(host.name, func(t *testing.T) {
			base := host.start(t, func(base string) http.Handler {
				app := routing.New(routing.WithMethodNotAllowed(), routing.WithBasePath(base), routing.WithLogger(slog.New(slog.DiscardHandler)))
				app.Get("/fails", func(routing.Context) (routing.Result, error) { return routing.Result{}, errors.New("on purpose") })
				app.Post("/posted", func(routing.Context) (routing.Result, error) { return routing.Result{}, nil })
				return app
			})
			for path, heading := range map[string]string{"/a/b/none": "Not Found", "/posted": "Method Not Allowed", "/fails": "Internal Server Error"} {
				for _, view := range views {
					tab := newTabIn(t, view)
					tab.do(chromedp.Navigate(base+path), chromedp.WaitVisible(chromedp.CSS("main")))
					if got := ask(tab, chromedp.Text(chromedp.CSS("h1"))); got != heading {
						t.Errorf("%s: the heading is %q, want %q", path, got, heading)
					}
					for _, finding := range append(tab.violations(), tab.tooWide()...) {
						t.Errorf("%s, %s: %s", path, view, finding)
					}
					if dark := eval[bool](tab, `getComputedStyle(document.querySelector("h1")).color === "rgb(255, 255, 255)"`); dark != view.Dark {
						t.Errorf("%s, %s: dark is %t", path, view, dark)
					}
					if view == browser.Desktop {
						tab.checkKeyboard()
					}
				}
			}
		})
	}
}
