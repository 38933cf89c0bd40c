// Package browser runs a real Chromium for the tests and the pictures.
package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/chromedp/chromedp"
)

// Browser is a running headless Chromium. The caller must close it.
type Browser struct {
	ctx   context.Context
	close []func()
}

// Start starts Debian's Chromium, or the program that the environment variable CHROMIUM names.
func Start() (*Browser, error) {
	path := os.Getenv("CHROMIUM")
	if path == "" {
		path = "chromium"
	}
	path, err := exec.LookPath(path)
	if err != nil {
		return nil, fmt.Errorf("find Chromium: %w; install it (apt-get install chromium), or set CHROMIUM", err)
	}
	profile, err := os.MkdirTemp("", "browsertest")
	if err != nil {
		return nil, fmt.Errorf("make a profile directory: %w", err)
	}
	b := &Browser{close: []func(){func() { os.RemoveAll(profile) }}}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path),
		chromedp.UserDataDir(profile),
		chromedp.Headless,
		chromedp.NoSandbox, // CI runs as root
		chromedp.NoFirstRun,
		chromedp.NoDefaultBrowserCheck,
		chromedp.DisableGPU,
		chromedp.WSURLReadTimeout(2 * time.Minute), // only guards against hanging
	}
	// Chromium sends no requests of its own, which would fail without a network.
	for _, name := range []string{
		"disable-quic", "disable-background-networking", "disable-component-update", "disable-sync", "disable-dev-shm-usage",
		"hide-scrollbars",
	} {
		options = append(options, chromedp.Flag(name, true))
	}
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator)
	b.ctx = ctx
	b.close = append(b.close, cancel, stop)
	if err := chromedp.Do(ctx); err != nil {
		b.Close()
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	return b, nil
}

// Close ends the browser and removes its profile.
func (b *Browser) Close() {
	for i := len(b.close) - 1; i >= 0; i-- {
		b.close[i]()
	}
}
