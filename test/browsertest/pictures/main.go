// Pictures makes the screenshots of the README: a page of examples/with/service, and the home page
// and the route inspector of examples/host, each light and dark. The home page shows how long a
// response took: make the pictures on a machine at rest.
//
//	go run ./pictures -out ../docs
//
// It builds and runs the examples on free ports, and needs the same Chromium as the tests, and a
// font with Chinese characters.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/flowercafe/test/browsertest/internal/browser"
)

func main() {
	out := flag.String("out", "../../docs", "directory for the pictures")
	flag.Parse()
	if err := run(*out); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
}

// scale is the number of device pixels for each CSS pixel.
const scale = 1.5

// picture is a page of an example, and the actions before the screenshot.
type picture struct {
	name          string
	dir           string // of the example
	args          []string
	address       *regexp.Regexp // of the site in what the example prints, without a trailing slash
	paths         []string       // below it, in order
	width, height int64          // in CSS pixels
	steps         []chromedp.Action[chromedp.Void]
}

var pictures = []picture{
	{
		"home", "../../examples/host", nil, regexp.MustCompile(`home page +(\S+)/\n`),
		[]string{"/", "/", "/"}, 760, 640, []chromedp.Action[chromedp.Void]{chromedp.WaitVisible(chromedp.CSS(".names a"))},
	},
	{
		"service", "../../examples/with/service", []string{"-secure=false"}, regexp.MustCompile(`on (\S+)/\n`), []string{"/houses/mill/book"}, 760, 700,
		[]chromedp.Action[chromedp.Void]{
			chromedp.SendKeys(chromedp.CSS("#day"), "05042030"), chromedp.SendKeys(chromedp.CSS("#name"), "A"),
			chromedp.SendKeys(chromedp.CSS("#guests"), "many"), click("main button"), chromedp.WaitVisible(chromedp.CSS("[role=alert]")),
		},
	},
	{
		"inspector", "../../examples/host", []string{"-base", "/shop", "-debug"}, regexp.MustCompile(`routes at (\S+)`),
		[]string{"", "&method=GET&url=/shop/db/load-data"}, 1100, 1040, []chromedp.Action[chromedp.Void]{chromedp.WaitVisible(chromedp.CSS(".good"))},
	},
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

// take takes a picture of a new example.
func (p picture) take(b *browser.Browser, dark bool, file string) error {
	output, stop, err := start(p.dir, p.args...)
	if err != nil {
		return err
	}
	defer stop()
	address := p.address.FindStringSubmatch(output)
	if address == nil {
		return fmt.Errorf("%s prints %q", p.dir, output)
	}
	tab, closeTab, err := b.Open(browser.View{Width: p.width, Height: p.height, Dark: dark, Scale: scale})
	if err != nil {
		return err
	}
	defer closeTab()
	for _, path := range p.paths {
		if err := tab.Do(chromedp.Navigate(address[1] + path)); err != nil {
			return err
		}
	}
	if err := tab.Do(p.steps...); err != nil {
		return err
	}
	png, err := browser.Run(tab, chromedp.CaptureScreenshot())
	if err != nil {
		return err
	}
	return os.WriteFile(file, png, 0o666)
}

// start runs an example on a free port, and returns what it prints and a function that ends it.
func start(dir string, args ...string) (output string, stop func(), err error) {
	build, err := os.MkdirTemp("", "pictures")
	if err != nil {
		return "", nil, err
	}
	program := filepath.Join(build, "example")
	compile := exec.Command("go", "build", "-o", program, ".")
	compile.Dir = dir
	if messages, err := compile.CombinedOutput(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("build %s: %w\n%s", dir, err, messages), os.RemoveAll(build))
	}
	example := exec.Command(program, append([]string{"-addr", "127.0.0.1:0"}, args...)...)
	stdout, err := example.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := example.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		example.Process.Signal(os.Interrupt)
		example.Wait()
		os.RemoveAll(build)
	}
	text := make([]byte, 4096)
	n, err := stdout.Read(text) // it is written at once
	if err != nil {
		stop()
		return "", nil, err
	}
	return string(text[:n]), stop, nil
}
