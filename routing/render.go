package routing

import (
	"fmt"
	"net/http"
	"strconv"
)

// This file sends an answer: the last step of a request, and what all results have in common there.

// send renders the answer. A panic of it cuts the connection.
func (x *exchange) send() {
	x.step = rendering
	x.render()
	x.step = answering
}

// render seals the exchange and renders the answer.
func (x *exchange) render() {
	x.seal()
	if x.touched {
		x.check()
	}
	switch {
	case x.failed:
		x.drop(x.result)
		x.internalError()
	case x.result == nil:
		none.render(&x.output)
	default:
		x.result.render(&x.output)
	}
}

// check makes the answer the plain 500 if its status or a header is not legal, and sends the reason.
func (x *exchange) check() {
	if name, illegal := illegalHeader(x.w.Header()); illegal {
		x.report(fmt.Errorf("header %q is not legal", name))
		x.failed = true
	}
	if x.status != 0 && (x.status < 200 || x.status > 999) {
		x.report(fmt.Errorf("status %d is not one of 200 to 999", x.status))
		x.failed = true
	}
	x.sendReason()
}

// output is where a result is rendered to.
type output struct {
	w      http.ResponseWriter
	r      *http.Request
	status int       // 0 if none was set
	x      *exchange // nil outside of an app
}

// bodyAllowed reports whether an answer with that status has a body (RFC 9110, 6.4.1).
func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// The size from which on net/http no longer computes Content-Length by itself.
const bufferedByServer = 2048

// head writes the status, unless it is the 200 that writing the body implies, and reports whether there is a body to write. A
// HEAD request is told the length that the body of a GET has.
func (out *output) head(size int) bool {
	if !bodyAllowed(out.status) {
		header := out.w.Header()
		delete(header, "Content-Type")
		delete(header, "Content-Length")
		out.w.WriteHeader(out.status)
		return false
	}
	isHead := out.r.Method == http.MethodHead
	if isHead || size > bufferedByServer {
		if header := out.w.Header(); header["Content-Length"] == nil {
			header["Content-Length"] = []string{strconv.Itoa(size)}
		}
	}
	status := out.status
	if isHead && status == 0 {
		status = http.StatusOK
	}
	if status != 0 {
		out.w.WriteHeader(status)
	}
	return !isHead && (size > 0 || status == 0)
}

// internalError answers the plain 500, as long as nothing was sent. What described the answer that failed goes.
func (out *output) internalError() {
	header := out.w.Header()
	undescribe(header)
	for name, values := range header {
		if _, illegal := illegalHeader(http.Header{name: values}); illegal {
			delete(header, name)
		}
	}
	header["Content-Type"] = plainTextValue
	header["X-Content-Type-Options"] = noSniffValue
	internalErrorText.render(&output{w: out.w, r: out.r, status: http.StatusInternalServerError, x: out.x})
}

// descriptive are the headers that describe an answer.
var descriptive = [...]string{
	"Accept-Ranges", "Content-Disposition", "Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "Etag", "Expires",
	"Last-Modified", "Location",
}

// undescribe removes what describes an answer that another one takes the place of. Where caches were told something, they are told to keep
// nothing.
func undescribe(header http.Header) {
	for _, name := range descriptive {
		delete(header, name)
	}
	if header["Cache-Control"] != nil {
		header["Cache-Control"] = noStoreValue
	}
}

var internalErrorText = &content{kind: plainText, text: "Internal Server Error"}
