package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"example.com/flowercafe/internal/testenv"
)

// This file has the checks of every page: accessibility, width, console messages, and use by
// keyboard.

// axe is the script of axe-core.
var axe string

// loadAxe reads axe-core, which npm installs on the first run, in the version and with the hash of
// package-lock.json.
func loadAxe() (string, error) {
	const path = "node_modules/axe-core/axe.min.js"
	if _, err := os.Stat(path); err != nil {
		if err := testenv.Install(context.Background(), ".", "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"); err != nil {
			return "", fmt.Errorf("axe-core: %w", err)
		}
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// audit checks the current state of the page.
func (tab *tab) audit(origin string) {
	tab.t.Helper()
	for _, finding := range append(append(tab.violations(), tab.tooWide()...), tab.noise(origin)...) {
		tab.t.Error(finding)
	}
}

// violations runs all rules of axe-core, including best practices.
func (tab *tab) violations() []string {
	tab.t.Helper()
	eval[any](tab, axe+";null")
	const run = `axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations.flatMap(v =>
		v.nodes.map(n => "axe: " + v.id + " (" + v.impact + "): " + n.target.join(" ") + ": " + n.html.slice(0, 120)))))`
	var found []string
	if err := json.Unmarshal([]byte(eval[string](tab, run)), &found); err != nil {
		tab.t.Fatal(err)
	}
	return found
}

// tooWide returns a message if the page is wider than the screen.
func (tab *tab) tooWide() []string {
	tab.t.Helper()
	const widths = `[document.documentElement.scrollWidth, document.documentElement.clientWidth]`
	if w := eval[[]int](tab, widths); w[0] > w[1] {
		return []string{fmt.Sprintf("the page is %d px wide on a screen of %d px", w[0], w[1])}
	}
	return nil
}

// noise returns console messages, violations of the page's policy, and requests to other servers.
func (tab *tab) noise(origin string) []string {
	tab.t.Helper()
	var found []string
	for _, refused := range eval[[]string](tab, `window.violations`) {
		found = append(found, "the policy refused "+refused)
	}
	for _, message := range tab.Console() {
		found = append(found, "the console says "+message)
	}
	for _, address := range tab.Outside(origin) {
		found = append(found, "the page asked "+address)
	}
	return found
}

// checkKeyboard reports elements that the keyboard does not reach.
func (tab *tab) checkKeyboard() {
	tab.t.Helper()
	for _, finding := range tab.unreached() {
		tab.t.Error(finding)
	}
}

// unreached presses the Tab key until the focus has visited all elements. It returns the elements
// that never had the focus, and those that did not show it.
func (tab *tab) unreached() []string {
	tab.t.Helper()
	const begin = `(() => {
		window.reached = new Set();
		window.invisible = new Set();
		window.usable = () => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [onclick], [tabindex='0']")]
			.filter(e => !(e.getAttribute("tabindex") < 0) && !e.disabled && e.checkVisibility({visibilityProperty: true}));
		document.activeElement?.blur();
		return usable().length + 3 * document.querySelectorAll("input[type=date]").length; // which have parts
	})()`
	// On a busy machine, a page that has just been loaded may get the window's focus after the key:
	// until then, nothing matches :focus-visible.
	const look = `(async () => {
		const focused = document.activeElement;
		if (!focused || focused === document.body) return;
		reached.add(focused);
		for (let tries = 0; tries < 250; tries++) {
			const style = getComputedStyle(focused);
			if (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) return;
			await new Promise(resolve => setTimeout(resolve, 20));
		}
		invisible.add(focused);
	})()`
	for range eval[int](tab, begin) + 2 {
		tab.do(chromedp.KeyEvent(kb.Tab))
		eval[any](tab, look)
	}
	const end = `usable().filter(e => !reached.has(e)).map(e => "the keyboard does not reach " + e.outerHTML.slice(0, 120))
		.concat([...invisible].map(e => "the focus is not seen on " + e.outerHTML.slice(0, 120)))`
	return eval[[]string](tab, end)
}

// The checks can fail: this page has everything that they look for.
func TestChecks(t *testing.T) {
	origin := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(`<!DOCTYPE html><title>bad</title><script>1</script>
			<p style="width:2000px">wide</p><button></button><a href="#" style="outline:none">link</a><p onclick="">mouse only</p>`))
	}))
	tab := newTab(t)
	tab.do(chromedp.Navigate(origin), chromedp.WaitVisible(chromedp.CSS("p")))
	ask(tab, chromedp.PollFunction[bool](`() => true`)) // a round trip, so that earlier messages have arrived
	for name, c := range map[string]struct {
		found []string
		wants []string
	}{
		"axe":      {tab.violations(), []string{"button-name", "html-has-lang"}},
		"width":    {tab.tooWide(), []string{"wide on a screen of 1280"}},
		"noise":    {tab.noise("http://elsewhere.example"), []string{"the policy refused script-src", "the console says", "the page asked"}},
		"keyboard": {tab.unreached(), []string{"does not reach", "not seen"}},
	} {
		for _, want := range c.wants {
			if !strings.Contains(strings.Join(c.found, "\n"), want) {
				t.Errorf("%s: found %q, want %q among it", name, c.found, want)
			}
		}
	}
}
