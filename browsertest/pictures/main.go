// Pictures makes the screenshots of the README: the home page of examples/host, the viewer and the
// route inspector, each light and dark.
//
//	go run ./pictures -out ../docs
//
// It builds and runs the example host on a free port, and needs the same Chromium as the tests.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/flowercafe/browsertest/internal/browser"
)

func main() {
	out := flag.String("out", "../docs", "directory for the pictures")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// The width of the pictures in CSS pixels, and the number of device pixels for each.
const width, scale = 1100, 1.5

// picture is a page, and the actions before the screenshot.
type picture struct {
	name   string
	path   string
	height int64
	steps  []chromedp.Action[chromedp.Void]
}

var pictures = []picture{
	{"home", "/", 1040, []chromedp.Action[chromedp.Void]{
		chromedp.WaitVisible(chromedp.CSS(".names a")),
		chromedp.SendKeys(chromedp.CSS("#name"), "lily"),
		click("#steps li:nth-child(1) button"), wait(`document.querySelector(".coffees").textContent.includes("empty")`),
		click("#steps li:nth-child(2) button"), wait(`document.querySelector(".coffees").textContent.includes("Espresso")`),
		click("#steps li:nth-child(3) button"), wait(`document.querySelector("#told .body").textContent.includes("Espresso")`),
		chromedp.Blur(chromedp.CSS("#name")),
	}},
	{"viewer", "/api-docs/ui/", 1240, []chromedp.Action[chromedp.Void]{
		chromedp.WaitVisible(chromedp.CSS("#operations-Flowers-findBySlug")),
		click("#operations-Flowers-findBySlug .opblock-summary-control"),
		chromedp.WaitVisible(chromedp.CSS(".try-out__btn")),
		click(".try-out__btn"),
		chromedp.WaitVisible(chromedp.CSS("button.execute")),
		click("button.execute"),
		chromedp.WaitVisible(chromedp.CSS(".live-responses-table .highlight-code")),
	}},
	{"inspector", "/debug/routes?method=GET&url=/shop/db/load-data", 1040, []chromedp.Action[chromedp.Void]{
		chromedp.WaitVisible(chromedp.CSS(".good")),
	}},
}

// click clicks without the mouse pointer, which would stay over the button.
func click(selector string) chromedp.Action[chromedp.Void] {
	return wait(fmt.Sprintf("(document.querySelector(%q).click(), true)", selector))
}

// wait waits until an expression is true.
func wait(expression string) chromedp.Action[chromedp.Void] {
	poll := chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(20*time.Second))
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := poll(ctx, t)
		return err
	})
}

func run(out string) error {
	b, err := browser.Start()
	if err != nil {
		return err
	}
	defer b.Close()
	for _, p := range pictures {
		for _, dark := range []bool{false, true} {
			name := p.name + ".png"
			if dark {
				name = p.name + "-dark.png"
			}
			if err := p.take(b, dark, filepath.Join(out, name)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// take takes a picture of a new host.
func (p picture) take(b *browser.Browser, dark bool, file string) error {
	address, routes, stop, err := startHost()
	if err != nil {
		return err
	}
	defer stop()
	tab, closeTab, err := b.Open(browser.View{Width: width, Height: p.height, Dark: dark, Scale: scale})
	if err != nil {
		return err
	}
	defer closeTab()
	steps := []chromedp.Action[chromedp.Void]{chromedp.Navigate(routes), chromedp.Navigate(address + p.path)}
	if err := tab.Do(append(steps, p.steps...)...); err != nil {
		return err
	}
	png, err := browser.Run(tab, chromedp.CaptureScreenshot())
	if err != nil {
		return err
	}
	return os.WriteFile(file, png, 0o666)
}

// startHost runs examples/host below /shop, and returns its address, that of its routes with a
// token, and a function that ends it.
func startHost() (address, routes string, stop func(), err error) {
	dir, err := os.MkdirTemp("", "pictures")
	if err != nil {
		return "", "", nil, err
	}
	program := filepath.Join(dir, "host")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = "../examples/host"
	if output, err := build.CombinedOutput(); err != nil {
		return "", "", nil, errors.Join(fmt.Errorf("build the host: %w\n%s", err, output), os.RemoveAll(dir))
	}
	host := exec.Command(program, "-addr", "127.0.0.1:0", "-base", "/shop", "-debug")
	stdout, err := host.StdoutPipe()
	if err != nil {
		return "", "", nil, err
	}
	if err := host.Start(); err != nil {
		return "", "", nil, err
	}
	stop = func() {
		host.Process.Signal(os.Interrupt)
		host.Wait()
		os.RemoveAll(dir)
	}
	text := make([]byte, 4096)
	n, err := stdout.Read(text) // it is written at once
	first, rest, _ := strings.Cut(string(text[:n]), "/\n")
	address, ok := strings.CutPrefix(first, "listening on ")
	_, routes, hasRoutes := strings.Cut(strings.TrimSpace(rest), "routes at ")
	if err != nil || !ok || !hasRoutes {
		stop()
		return "", "", nil, fmt.Errorf("the host says %q, %v", text[:n], err)
	}
	return address + "/shop", routes, stop, nil
}
