package routing

import (
	"net/http"

	"example.com/flowercafe/routing/internal/request"
	"example.com/flowercafe/routing/internal/response"
)

// This file passes requests to the next handler: those that no route matches, and those outside of
// the base path.

// serveNext passes a request to the next handler, with the captures of mount prefixes as path
// values. A panic becomes a 500, unless a part of the response was sent. Status is the one that an
// outer app has set, or 0. Encoded reports whether outer middleware encodes the body.
func (ix *index) serveNext(w http.ResponseWriter, r *http.Request, status int, encoded bool) {
	if ix.varies {
		values := request.PathValues{Request: r}
		ix.captures(r.URL.Path, values.Set)
		defer request.End(values.Request, r)
		r = values.Request
	}
	if !ix.nextIsApp { // an app handles panics itself
		checked := new(response.Writer)
		w = checked.Wrap(w, r, &ix.Sender, status, encoded)
		defer checked.End()
		if !checked.Enter() {
			ix.refuse(w, r, leadsBack)
			return
		}
	}
	serveWith(status, ix.next, w, r)
}

// serveOutside responds to a request outside of the base path. This app's filters and routes do
// not run.
func (ix *index) serveOutside(w http.ResponseWriter, r *http.Request, outer *outerCall) {
	switch {
	case ix.next != nil:
		status := 0
		if outer != nil {
			status = outer.status
		}
		ix.serveNext(w, r, status, outer.encoded(w.Header()))
	case ix.parent == nil:
		ix.warnOutside(r.URL.Path)
		ix.Error(w, r, http.StatusNotFound)
	default: // the outer app responds as if no route had matched; its after filters have run
		above := ix.parent.current()
		path, _ := above.cutBase(r.URL.Path)
		c := call{index: above, urlPath: r.URL.Path, path: path, fallback: outer.status, afterRan: true, w: w, r: r, header: w.Header()}
		c.keepType()
		c.encoded = outer.encoded(c.header)
		c.keepPath()
		c.respond(errNoRoute)
	}
}
