package routing

import (
	"net/http"

	"example.com/flowercafe/routing/internal/accept"
	"example.com/flowercafe/routing/internal/form"
	"example.com/flowercafe/routing/internal/response"
)

// This file has the state of a request.

// call is a request in an [App]. It lives on the stack of the goroutine that serves the request;
// nothing keeps a pointer to it. The status that filters and actions set is in the response headers
// (internal/response/status.go).
type call struct {
	*index // the definitions when the request arrived

	r        *http.Request
	received *http.Request  // of which r is a copy; else nil
	body     *form.Body     // that r had first; nil without one
	line     requestLine    // of r after the before filters
	accepts  *accept.Header // parsed once; nil until a Provides condition reads it

	urlPath    string      // URL.Path when the request arrived; handlers may change the URL
	path       string      // the part of urlPath that patterns match
	matchedURL *matchedURL // set by keepPath; nil for most requests
	muxPattern string      // the request's original Pattern, set by a ServeMux for example

	ran            *indexedRoute    // the route that runs or ran; may be nil
	recorder       *recorder        // from RecordRoute, receives the route that runs; may be nil
	recordedBefore *routeVariant    // the route that RecordRoute had recorded before this app
	routeWriter    *response.Writer // the writer passed to the route's middleware if the call is inside it; else nil

	w          http.ResponseWriter
	header     http.Header // of w
	kept       int         // the status in the headers, restored if user code removes it; 0 for none
	fallback   int         // the status if nothing sets another, or 0
	result     Result
	noRoute    int        // 404 or 405 while the result is the default response to no route; else 0
	problem    *Problem   // in the error that caused the result; may be nil
	halt       *HaltError // the halt whose reason phrase is sent; may be nil
	typeBefore []string   // the Content-Type before the route ran, which errors keep

	remaining      []*indexedRoute // the routes to try next; nil until a route has passed
	notFoundPassed int             // number of NotFound actions that have returned Pass

	filtered  bool // a before filter has ended the request
	afterRan  bool // the after filters have run
	responded bool // the middleware of a route has sent the response
	encoded   bool // outer middleware has set Content-Encoding
}

// outerCall is the state of a request that an outer app passes to a mounted app.
type outerCall struct {
	status     int           // the status that was set, or 0
	appEncoded bool          // the outer app has set Content-Encoding
	received   *http.Request // the request of which the outer app serves a copy; may be nil

	urlPath string // the URL's path in the outer app; may be empty
	path    string // the part of urlPath that the outer app's patterns match
}

// encoded reports whether outer middleware has set Content-Encoding, and not the outer app. O may
// be nil.
func (o *outerCall) encoded(header http.Header) bool {
	return header["Content-Encoding"] != nil && (o == nil || !o.appEncoded)
}
