package coffeedemo

// This file writes the list of coffees as HTML.

// page collects the body of /coffees. It grows to the longest list and is used again.
type page struct {
	html []byte
	row  func(coffee, supplier []byte) error // add, made once, since making it allocates
}

func newPage() *page {
	p := new(page)
	p.row = p.add
	return p
}

// add adds a line.
func (p *page) add(coffee, supplier []byte) error {
	if len(p.html) > 0 {
		p.html = append(p.html, "<br />"...)
	}
	p.html = append(p.html, "  "...)
	p.html = appendEscaped(p.html, coffee)
	p.html = append(p.html, " supplied by "...)
	p.html = appendEscaped(p.html, supplier)
	return nil
}

// largestKept is the size up to which a page is kept for the next list.
const largestKept = 1 << 20

// release makes the page ready for the next list.
func (a *App) release(p *page) {
	if cap(p.html) > largestKept {
		return
	}
	p.html = p.html[:0]
	a.pages.Put(p)
}

// appendEscaped appends text with the characters escaped that [html.EscapeString] escapes. That
// takes a string.
func appendEscaped(html, text []byte) []byte {
	done := 0
	for i, b := range text {
		if b > '>' {
			continue // as most are
		}
		var entity string
		switch b {
		case '&':
			entity = "&amp;"
		case '<':
			entity = "&lt;"
		case '>':
			entity = "&gt;"
		case '"':
			entity = "&#34;"
		case '\'':
			entity = "&#39;"
		default:
			continue
		}
		html = append(html, text[done:i]...)
		html = append(html, entity...)
		done = i + 1
	}
	return append(html, text[done:]...)
}
