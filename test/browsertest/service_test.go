package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// This file tests the pages of examples/with/service.

// The pages pass the audit in every view, including a form with errors. A user can book by keyboard
// alone.
func TestServicePages(t *testing.T) {
	base := runProgram(t, "../../examples/with/service", "-addr", "127.0.0.1:0", "-base", "/stay", "-secure=false")
	for i, view := range views {
		t.Run(view.String(), func(t *testing.T) {
			tab := newTabIn(t, view)
			for _, path := range []string{"/", "/login", "/houses/mill/", "/houses/pier/", "/houses/mill/rooms/attic", "/houses/mill/book"} {
				tab.do(chromedp.Navigate(base+path), chromedp.WaitVisible(chromedp.CSS("h1")))
				tab.audit(originOf(t, base))
				tab.checkKeyboard()
			}
			tab.do(chromedp.SendKeys(chromedp.CSS("#name"), "E"+kb.Enter), chromedp.WaitVisible(chromedp.CSS("[role=alert]")))
			for _, finding := range append(tab.violations(), tab.tooWide()...) {
				t.Errorf("with mistakes: %s", finding)
			}
			tab.checkKeyboard()
			const marked = `[...document.querySelectorAll("[aria-invalid]")].map(e => e.id + ": " + e.value + ", " +
				(document.getElementById(e.getAttribute("aria-describedby"))?.textContent ?? "no words")).join("; ")`
			const want = "day: , The day is required.; " +
				"name: E, Your name must have at least 2 characters.; guests: , The number of guests is required."
			if got := eval[string](tab, marked); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			day := []string{"02012031", "02022031", "02032031", "02042031"}[i] // as a browser in English reads keys
			tab.do(
				chromedp.SendKeys(chromedp.CSS("#day"), day), chromedp.SendKeys(chromedp.CSS("#guests"), "2"),
				chromedp.SendKeys(chromedp.CSS("#name"), "ve"+kb.Enter), chromedp.WaitVisible(chromedp.CSS("h1 + [role=status]")),
			)
			// The page that is open hears that somebody books.
			const book = `fetch("book", {method: "POST", body: new URLSearchParams({room: "hall", day: "203%d-07-01", name: "Eve", guests: 2})}).then(r => r.status)`
			if got := eval[int](tab, fmt.Sprintf(book, i+1)); got != 200 { // of the page after the redirect
				t.Errorf("booking: got %d", got)
			}
			tab.do(chromedp.WaitVisible(chromedp.CSS("#live")))
		})
	}
}
