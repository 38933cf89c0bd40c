package routing

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// This file writes the response, the last step of a request.

// check removes the status from the headers and returns it. If the status or a header is not
// valid, the result becomes the plain 500.
func (x *call) check(header http.Header) int {
	status, reason := takeStatus(header), ""
	if len(header) > 0 {
		reason = takeReason(header, status)
		if name, illegal := illegalHeader(header); illegal {
			x.app.report(x.r, fmt.Errorf("header %q is not valid", name))
			x.replace(failure)
		}
	}
	if status != 0 && (status < 200 || status > 999) {
		x.app.report(x.r, errIllegalStatus)
		x.replace(failure)
	}
	if reason != "" && x.result.kind != failure.kind {
		sendReason(x.r.Context(), status, reason)
	}
	return status
}

// renderOther renders everything but texts. A panic here comes too late for another response, and
// closes the connection.
func (x *call) renderOther(header http.Header, status int) {
	defer x.cutOnPanic()
	switch kind := x.result.kind; {
	case kind == nil:
		x.setType(header, &htmlText.contentType)
		if writeHead(x.w, x.r, header, status, 0) {
			x.w.WriteHeader(http.StatusOK)
		}
	case kind == failure.kind:
		internalError(x.w, x.r, x.entry)
	case kind.stream != nil:
		x.renderStream(header, status)
	case kind.handler != nil:
		x.renderHandler(kind.handler, status)
	default: // bytes
		x.app.report(x.r, errIllegalType)
		internalError(x.w, x.r, x.entry)
	}
}

func (x *call) cutOnPanic() {
	if v := recover(); v != nil {
		cut(x.app, x.r, v)
	}
}

// cut closes the connection of a request whose response is broken.
func cut(a *App, r *http.Request, v any) {
	if v != http.ErrAbortHandler {
		a.report(r, newPanicError(v))
	}
	panic(http.ErrAbortHandler)
}

// setType sets the Content-Type if none was set.
func (x *call) setType(header http.Header, contentType *[1]string) {
	if len(header) == 0 || header["Content-Type"] == nil {
		header["Content-Type"] = x.value(contentType)
	}
}

var noSniff = [1]string{"nosniff"}

var errIllegalStatus = errors.New("the status must be 200 to 999")

// errIllegalType does not contain the type, which may hold anything.
var errIllegalType = errors.New("the content type of a result is not a valid header value")

// setOwnType is setType with the type of the result. If that is not valid, it responds with the
// plain 500 and reports false.
func (x *call) setOwnType(header http.Header) bool {
	contentType := &x.result.kind.contentType
	if contentType[0] == "" {
		x.app.report(x.r, errIllegalType)
		internalError(x.w, x.r, x.entry)
		return false
	}
	x.setType(header, contentType)
	return true
}

func writeBytes(w http.ResponseWriter, r *http.Request, header http.Header, status int, body []byte) {
	if isPlain(r, status, len(body)) || writeHead(w, r, header, status, len(body)) {
		w.Write(body)
	}
}

func writeText(w http.ResponseWriter, r *http.Request, header http.Header, status int, text string) {
	if isPlain(r, status, len(text)) || writeHead(w, r, header, status, len(text)) {
		io.WriteString(w, text)
	}
}

// bufferedByServer is the largest body for which net/http computes Content-Length itself.
const bufferedByServer = 2048

// isPlain reports whether writing a body of that size sends the right status and length by itself.
func isPlain(r *http.Request, status, size int) bool {
	return status == 0 && size > 0 && size <= bufferedByServer && r.Method != http.MethodHead
}

// writeHead writes the status, unless it is the 200 that writing the body implies. It reports
// whether there is a body to write. A response to HEAD has the Content-Length of the GET response.
func writeHead(w http.ResponseWriter, r *http.Request, header http.Header, status, size int) bool {
	if !bodyAllowed(status) {
		delete(header, "Content-Type")
		delete(header, "Content-Length")
		w.WriteHeader(status)
		return false
	}
	isHead := r.Method == http.MethodHead
	if (isHead || size > bufferedByServer) && header["Content-Length"] == nil {
		header["Content-Length"] = []string{strconv.Itoa(size)}
	}
	if isHead && status == 0 {
		status = http.StatusOK
	}
	if status != 0 {
		w.WriteHeader(status)
	}
	return !isHead && (size > 0 || status == 0)
}

// bodyAllowed reports whether a response with that status may have a body (RFC 9110, 6.4.1).
func bodyAllowed(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

const streamBuffer = 32 << 10

func (x *call) renderStream(header http.Header, status int) {
	stream := x.result.kind.stream
	defer closeStream(stream)
	if !x.setOwnType(header) {
		return
	}
	if !bodyAllowed(status) {
		writeHead(x.w, x.r, header, status, 0)
		return
	}
	if status == 0 {
		status = http.StatusOK
	}
	if x.r.Method == http.MethodHead {
		x.w.WriteHeader(status)
		return
	}
	// The first part is read before the status is sent, so that a failure can still become a 500.
	buffer := make([]byte, streamBuffer)
	n, err := stream.Read(buffer)
	if err != nil && err != io.EOF {
		x.app.report(x.r, fmt.Errorf("read stream: %w", err))
		internalError(x.w, x.r, x.entry)
		return
	}
	x.w.WriteHeader(status)
	controller := http.NewResponseController(x.w)
	for {
		if n > 0 {
			if _, failed := x.w.Write(buffer[:n]); failed != nil {
				return // the client has gone
			}
			controller.Flush() // if not supported, parts are sent when the writer's buffer is full
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			x.app.report(x.r, fmt.Errorf("read stream: %w", err))
			panic(http.ErrAbortHandler)
		}
		n, err = stream.Read(buffer)
	}
}

// internalError writes the plain 500, and removes the headers of the response that failed. Nothing
// may have been sent before.
func internalError(w http.ResponseWriter, r *http.Request, e *entry) {
	header := w.Header()
	clearBodyHeaders(header)
	for name, values := range header {
		if _, illegal := illegalHeader(http.Header{name: values}); illegal {
			delete(header, name)
		}
	}
	writeError(w, r, e, http.StatusInternalServerError)
}

// writeError writes a default response where there is no call.
func writeError(w http.ResponseWriter, r *http.Request, e *entry, status int) {
	header := w.Header()
	body := errorBody(r, header, e, status, nil)
	header["X-Content-Type-Options"] = []string{"nosniff"}
	header["Content-Type"] = []string{body.kind.contentType[0]}
	writeText(w, r, header, status, body.text)
}

// bodyHeaders are the headers that belong to one body or location.
var bodyHeaders = [...]string{
	"Accept-Ranges", "Content-Disposition", "Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "Etag", "Expires",
	"Last-Modified", "Location",
}

// clearBodyHeaders removes the headers of a response that another one replaces. A Cache-Control
// becomes no-store.
func clearBodyHeaders(header http.Header) {
	for _, name := range bodyHeaders {
		delete(header, name)
	}
	if header["Cache-Control"] != nil {
		header["Cache-Control"] = []string{"no-store"}
	}
}

// isToken reports whether text is a token (RFC 9110, 5.6.2), as methods and header names are.
func isToken(text string) bool {
	for i := range len(text) {
		if c := text[i]; !isAlphanumeric(c) && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return text != ""
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// isFieldValue reports whether text is a valid header value (RFC 9110, 5.5): without control
// characters except for the tab. A CR, LF or NUL could split one header into two.
func isFieldValue(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// illegalHeader returns the name of a header that is not valid. Trailers with [http.TrailerPrefix]
// are valid.
func illegalHeader(header http.Header) (name string, found bool) {
	for name, values := range header {
		if !isToken(strings.TrimPrefix(name, http.TrailerPrefix)) {
			return name, true
		}
		for _, value := range values {
			if !isFieldValue(value) {
				return name, true
			}
		}
	}
	return "", false
}
