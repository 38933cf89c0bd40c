package browser

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// View is a way to view a page.
type View struct {
	Width, Height int64
	Dark          bool
	Scale         float64 // device pixels for each CSS pixel; 0 is 1
}

// The views that every page is tested in.
var (
	Desktop     = View{Width: 1280, Height: 900}
	DesktopDark = View{Width: 1280, Height: 900, Dark: true}
	Phone       = View{Width: 390, Height: 844}
	PhoneDark   = View{Width: 390, Height: 844, Dark: true}
)

// String returns a name of the view.
func (v View) String() string {
	theme := "light"
	if v.Dark {
		theme = "dark"
	}
	if v.Width < 600 {
		return "phone " + theme
	}
	return "desktop " + theme
}

// Tab is one tab with its own cache and cookies.
type Tab struct {
	ctx context.Context

	mu       sync.Mutex
	console  []string // warnings, errors and exceptions
	requests []string // addresses
	bytes    float64  // received, including headers
}

// limit only guards against hanging.
const limit = 5 * time.Minute

// Open opens an empty tab. The returned function closes it.
func (b *Browser) Open(view View) (*Tab, func(), error) {
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext())
	ctx, cancelTime := context.WithTimeout(ctx, limit)
	tab := &Tab{ctx: ctx}
	messages := chromedp.Console(ctx)
	requests := chromedp.Events(ctx, network.RequestWillBeSent)
	finished := chromedp.Events(ctx, network.LoadingFinished)
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
	readers.Go(func() {
		for r, err := range finished {
			if err != nil {
				return
			}
			tab.mu.Lock()
			tab.bytes += r.EncodedDataLength
			tab.mu.Unlock()
		}
	})
	closeTab := func() {
		cancelTime()
		cancel()
		readers.Wait()
	}
	if err := chromedp.Do(ctx, setView(view), chromedp.Func(recordViolations)); err != nil {
		closeTab()
		return nil, nil, err
	}
	return tab, closeTab, nil
}

func setView(view View) chromedp.Action[chromedp.Void] {
	scheme := "light"
	if view.Dark {
		scheme = "dark"
	}
	scale := view.Scale
	if scale == 0 {
		scale = 1
	}
	features := []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme},
		{Name: "prefers-reduced-motion", Value: "reduce"}, // otherwise colors are read during a transition
	}
	return chromedp.Steps(
		chromedp.EmulateViewport(view.Width, view.Height, chromedp.EmulateScale(scale)),
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features})
			return err
		}),
		// Only one tab has the window's focus, and gets it late. Without it, no element shows its
		// focus.
		chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			_, err := cdp.Call(ctx, t, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
			return err
		}),
	)
}

// recordViolations makes every page record the violations of its Content-Security-Policy in
// window.violations.
func recordViolations(ctx context.Context, t *chromedp.Target) error {
	const script = `window.violations = [];
		document.addEventListener("securitypolicyviolation", e => violations.push(e.violatedDirective + " " + e.blockedURI));`
	_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
	return err
}

// Do runs actions.
func (tab *Tab) Do(steps ...chromedp.Action[chromedp.Void]) error {
	return chromedp.Do(tab.ctx, steps...)
}

// Run runs an action that returns a result.
func Run[T any](tab *Tab, action chromedp.Action[T]) (T, error) { return chromedp.Run(tab.ctx, action) }

// Console returns the warnings, errors and exceptions so far.
func (tab *Tab) Console() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return append([]string(nil), tab.console...)
}

// Bytes returns the number of bytes received in responses.
func (tab *Tab) Bytes() int {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return int(tab.bytes)
}

// Outside returns the requests to other origins, except for data URLs.
func (tab *Tab) Outside(origin string) []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	var outside []string
	for _, address := range tab.requests {
		if !strings.HasPrefix(address, origin+"/") && !strings.HasPrefix(address, "data:") && !strings.HasPrefix(address, "blob:"+origin+"/") {
			outside = append(outside, address)
		}
	}
	return outside
}

// Requested reports whether there was a request for a URL.
func (tab *Tab) Requested(address string) bool {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	for _, a := range tab.requests {
		if a == address {
			return true
		}
	}
	return false
}
