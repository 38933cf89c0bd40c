package browsertest

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"

	"example.com/flowercafe/test/browsertest/internal/browser"
)

// This file starts one browser and opens tabs for each test.

var chromium *browser.Browser

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if axe, err = loadAxe(); err != nil {
		os.Stderr.WriteString("browsertest: " + err.Error() + "\n")
		return 1
	}
	if programs, err = os.MkdirTemp("", "browsertest-programs-"); err != nil {
		os.Stderr.WriteString("browsertest: " + err.Error() + "\n")
		return 1
	}
	defer os.RemoveAll(programs)
	if chromium, err = browser.Start(); err != nil {
		os.Stderr.WriteString("browsertest: " + err.Error() + "\n")
		return 1
	}
	defer chromium.Close()
	return m.Run()
}

// tab is a browser tab whose methods fail the test if there is an error.
type tab struct {
	*browser.Tab
	t *testing.T
}

// views are the ways to view every page: two widths and two themes.
var views = []browser.View{browser.Desktop, browser.DesktopDark, browser.Phone, browser.PhoneDark}

func newTab(t *testing.T) *tab { return newTabIn(t, browser.Desktop) }

func newTabIn(t *testing.T, view browser.View) *tab {
	t.Helper()
	opened, closeTab, err := chromium.Open(view)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(closeTab)
	return &tab{opened, t}
}

// do runs steps.
func (tab *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	if err := tab.Do(steps...); err != nil {
		tab.t.Fatalf("%v; the console says %q", err, tab.Console())
	}
}

// ask runs an action that returns a result.
func ask[T any](tab *tab, action chromedp.Action[T]) T {
	tab.t.Helper()
	v, err := browser.Run(tab.Tab, action)
	if err != nil {
		tab.t.Fatalf("%v; the console says %q", err, tab.Console())
	}
	return v
}

// eval evaluates an expression, which may be a promise.
func eval[T any](tab *tab, expression string) T {
	tab.t.Helper()
	return ask(tab, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}
