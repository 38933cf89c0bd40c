package coffeedemo

// This file writes the list of coffees as HTML.

// page collects the body of /coffees. It is reused for further lists.
type page struct {
	html []byte
	row  func(coffee, supplier []byte) error // p.add, kept because each method value allocates
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

// largestKept is the maximum size of a page that is reused.
const largestKept = 1 << 20

// release makes the page ready for the next list.
func (a *App) release(p *page) {
	if cap(p.html) > largestKept {
		return
	}
	p.html = p.html[:0]
	a.pages.Put(p)
}

// appendEscaped is [html.EscapeString] for bytes.
func appendEscaped(html, text []byte) []byte {
	done := 0
	for i, b := range text {
		if b > '>' {
			continue // the common case
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
