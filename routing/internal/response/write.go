package response

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// This file writes a Body.

// bufferedByServer is the largest body for which net/http computes Content-Length itself.
const bufferedByServer = 2048

// IsWhole reports whether the body is a text or bytes with a valid type.
func (b Body) IsWhole() bool { return b.Kind != nil && b.Kind.isWhole }

// Write writes a whole body. The Content-Type is already set. A status of 0 is none.
func (b Body) Write(w http.ResponseWriter, r *http.Request, header http.Header, status int) {
	size := len(b.text)
	isPlain := status == 0 && size > 0 && size <= bufferedByServer && r.Method != http.MethodHead
	switch {
	case !isPlain && !writeHead(w, r, header, status, size):
	case b.Kind.isBytes:
		w.Write(b.bytes())
	default:
		io.WriteString(w, b.text)
	}
}

// writeHead writes the status, unless it is the 200 that writing the body implies. It reports
// whether there is a body to write. A response to HEAD has the Content-Length of the GET response.
// As with net/http's files, a body that may be encoded has no Content-Length.
func writeHead(w http.ResponseWriter, r *http.Request, header http.Header, status, size int) bool {
	if !bodyAllowed(status) {
		delete(header, "Content-Type")
		delete(header, "Content-Length")
		w.WriteHeader(status)
		return false
	}
	isHead := r.Method == http.MethodHead
	if (isHead || size > bufferedByServer) && header["Content-Length"] == nil &&
		header["Content-Encoding"] == nil { // perhaps set by middleware, which makes another length
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

// Send writes a body that is not whole and not of a handler: none, the plain 500, or a stream.
func (s *Sender) Send(w http.ResponseWriter, r *http.Request, header http.Header, status int, b Body) {
	switch kind := b.Kind; {
	case kind == nil:
		SetType(header, htmlText.ContentType)
		if writeHead(w, r, header, status, 0) {
			w.WriteHeader(http.StatusOK)
		}
	case kind == Failure.Kind:
		s.InternalError(w, r)
	case kind.ContentType == "":
		b.Drop()
		s.fail(w, r, errIllegalType)
	default:
		SetType(header, kind.ContentType)
		s.sendStream(w, r, header, status, kind.stream)
	}
}

// errIllegalType does not contain the type, which may hold anything.
var errIllegalType = errors.New("the content type of a result is not a valid header value")

const streamBuffer = 32 << 10

func (s *Sender) sendStream(w http.ResponseWriter, r *http.Request, header http.Header, status int, stream io.Reader) {
	defer closeStream(stream)
	if !bodyAllowed(status) {
		writeHead(w, r, header, status, 0)
		return
	}
	if status == 0 {
		status = http.StatusOK
	}
	if r.Method == http.MethodHead {
		w.WriteHeader(status)
		return
	}
	// The first part is read before the status is sent, so that a failure can still become a 500.
	buffer := make([]byte, streamBuffer)
	n, err := stream.Read(buffer)
	if err != nil && err != io.EOF {
		s.fail(w, r, fmt.Errorf("read stream: %w", err))
		return
	}
	w.WriteHeader(status)
	controller := http.NewResponseController(w)
	for {
		if n > 0 {
			if _, failed := w.Write(buffer[:n]); failed != nil {
				return // the client has gone
			}
			controller.Flush() // if not supported, parts are sent when the writer's buffer is full
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			s.Log.Report(r, fmt.Errorf("read stream: %w", err))
			panic(http.ErrAbortHandler)
		}
		n, err = stream.Read(buffer)
	}
}
