package routing

import (
	"net/http"
)

// Context is what an action, a filter or a handler has of its request. It is a small value, to be passed on as it is.
//
// A Context is for the time from the beginning of the request to the rendering of its answer, and for one goroutine at a time.
// Kept beyond that it never shows or changes another request: parameters read as absent, Require and Err return [ErrRequestOver],
// and what it writes goes nowhere, which the app's logger tells once.
type Context struct {
	// Four words are what the compiler keeps in registers.
	x      *exchange
	ticket ticket // which of the requests of x this one is

	// These never change during a request, so that they are read without the guard and never from another request.
	r   *http.Request
	own *shape // what the own parameters are cut out of the path by
}

// Request returns the request: as the app received it, but for its method if that was overridden. Its URL holds the base path.
// Beyond the request's end it is still this one, with a context that has ended.
func (c Context) Request() *http.Request { return c.r }

// Params returns the parameters.
func (c Context) Params() Params { return Params{c} }

// Header returns the headers of the answer, to be changed until the answer is rendered. A name or value that is not legal makes
// the answer a 500.
func (c Context) Header() http.Header {
	if !c.take("Header") {
		return make(http.Header)
	}
	defer c.give()
	c.x.touched = true
	return c.x.w.Header()
}

// Status returns the status that was set so far, and 0 if none was: the answer is then 200. In an after filter it is the status
// that the answer will have, unless a handler or middleware writes that.
func (c Context) Status() int {
	if c.x == nil || !c.x.guard.take(c.ticket) {
		return 0
	}
	defer c.give()
	return c.x.status
}

// SetStatus sets the status of the answer, 200 to 999; with any other the answer is a 500.
func (c Context) SetStatus(status int) {
	if c.take("SetStatus") {
		c.x.status, c.x.touched = status, true
		c.give()
	}
}

// SetContentType sets the Content-Type header. It goes before the type of the result.
func (c Context) SetContentType(contentType string) {
	c.Header().Set("Content-Type", contentType)
}

// Text is [Text] without an allocation, as long as one such result is made in a request.
func (c Context) Text(text string) Result {
	if !c.claim() {
		return Text(text)
	}
	k := &c.x.room
	k.kind, k.text = plainText, text
	return k
}

// HTML is [HTML] without an allocation, as long as one such result is made in a request.
func (c Context) HTML(text string) Result {
	if !c.claim() {
		return HTML(text)
	}
	k := &c.x.room
	k.kind, k.text = htmlText, text
	return k
}

// Bytes is [Bytes] without an allocation, as long as one such result is made in a request and the content type is that of the last
// such request. The bytes must not be changed until they are sent.
func (c Context) Bytes(contentType string, body []byte) Result {
	if !c.claim() {
		return Bytes(contentType, body)
	}
	k := &c.x.room
	if len(c.x.typeValue) == 0 || c.x.typeValue[0] != contentType {
		c.x.typeValue = typeValue(contentType)
	}
	k.kind, k.header, k.bytes = typed, c.x.typeValue, body
	return k
}

// claim claims the exchange's room for a result.
func (c Context) claim() bool { return c.x != nil && c.x.guard.claim(c.ticket) }

// over reports whether the request is over, which may become true at any time if another goroutine serves it.
func (c Context) over() bool {
	return c.x == nil || c.x.guard.over(c.ticket)
}

// take takes the guard to write. It reports false, and logs so once, if the request is over.
func (c Context) take(method string) bool {
	if c.x == nil {
		return false
	}
	if c.x.guard.take(c.ticket) {
		return true
	}
	if !c.x.app.misused.Swap(true) {
		c.x.app.logger().Warn("a Context was used after its request: copy what you need of it before the action returns", "method", method)
	}
	return false
}

func (c Context) give() { c.x.guard.give() }
