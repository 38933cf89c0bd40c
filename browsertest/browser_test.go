package browsertest

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// This file starts the browser, once, and gives each test a tab with an ear on its console and its requests.

var screenshot = flag.String("screenshot", "", "write a picture of the page under /shop to this file")

// limit is how long a test may take; it only guards against hanging.
const limit = 60 * time.Second

var browser context.Context

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	path := os.Getenv("CHROMIUM")
	if path == "" {
		path = "chromium"
	}
	path, err := exec.LookPath(path)
	if err != nil {
		os.Stderr.WriteString("browsertest: there is no Chromium: " + err.Error() + "\n" +
			"Install it (apt-get install chromium), or name one by the environment variable CHROMIUM.\n")
		return 1
	}
	profile, err := os.MkdirTemp("", "browsertest")
	if err != nil {
		os.Stderr.WriteString("browsertest: make a directory for the browser: " + err.Error() + "\n")
		return 1
	}
	defer os.RemoveAll(profile)
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path),
		chromedp.UserDataDir(profile),
		chromedp.Headless,
		chromedp.NoSandbox, // CI runs as root
		chromedp.NoFirstRun,
		chromedp.NoDefaultBrowserCheck,
		chromedp.DisableGPU,
		chromedp.WindowSize(1200, 1000),
	}
	// The browser's own requests to its maker would fail where there is no network, and are nobody's business elsewhere.
	for _, name := range []string{
		"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync", "disable-dev-shm-usage",
	} {
		options = append(options, chromedp.Flag(name, true))
	}
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	var stop context.CancelFunc
	browser, stop = chromedp.NewContext(allocator)
	defer stop()
	if err := chromedp.Do(browser); err != nil {
		os.Stderr.WriteString("browsertest: start " + path + ": " + err.Error() + "\n")
		return 1
	}
	return m.Run()
}

// tab is one page of the browser.
type tab struct {
	t   *testing.T
	ctx context.Context

	mu       sync.Mutex
	console  []string // warnings, errors and exceptions
	requests []string // addresses
}

func newTab(t *testing.T) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	ctx, cancelTime := context.WithTimeout(ctx, limit)
	tab := &tab{t: t, ctx: ctx}
	messages := chromedp.Console(ctx)
	requests := chromedp.Events(ctx, network.RequestWillBeSent)
	var readers sync.WaitGroup
	readers.Go(func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning || m.IsException() {
				tab.mu.Lock()
				tab.console = append(tab.console, m.String())
				tab.mu.Unlock()
			}
		}
	})
	readers.Go(func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			tab.mu.Lock()
			tab.requests = append(tab.requests, r.Request.URL)
			tab.mu.Unlock()
		}
	})
	t.Cleanup(func() {
		cancelTime()
		cancel()
		readers.Wait()
	})
	return tab
}

// do runs steps, and ends the test if one fails.
func (tab *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	if err := chromedp.Do(tab.ctx, steps...); err != nil {
		tab.t.Fatalf("%v; the console says %q", err, tab.heard())
	}
}

// ask runs an action that has a result.
func ask[T any](tab *tab, action chromedp.Action[T]) T {
	tab.t.Helper()
	v, err := chromedp.Run(tab.ctx, action)
	if err != nil {
		tab.t.Fatalf("%v; the console says %q", err, tab.heard())
	}
	return v
}

// heard returns what the console said so far.
func (tab *tab) heard() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return append([]string(nil), tab.console...)
}

// outside returns the requests for addresses that don't begin with origin. Addresses with their data in them are none.
func (tab *tab) outside(origin string) []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	var outside []string
	for _, address := range tab.requests {
		if !strings.HasPrefix(address, origin+"/") && !strings.HasPrefix(address, "data:") {
			outside = append(outside, address)
		}
	}
	return outside
}

// asked reports whether there was a request for an address.
func (tab *tab) asked(address string) bool {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	for _, a := range tab.requests {
		if a == address {
			return true
		}
	}
	return false
}
