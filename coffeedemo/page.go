package coffeedemo

import "html"

// page is the body of /coffees, as HTML.
type page []byte

// add adds a line.
func (p *page) add(coffee, supplier string) error {
	b := *p
	if len(b) > 0 {
		b = append(b, "<br />"...)
	}
	b = append(b, "  "...)
	b = append(b, html.EscapeString(coffee)...)
	b = append(b, " supplied by "...)
	*p = append(b, html.EscapeString(supplier)...)
	return nil
}
