package streaming

import (
	"io"
	"net/http"
)

// BodyCloser returns the body of a request, to be closed at the end of the response with these
// headers, which are not yet sent. With HTTP/1.1, net/http panics after a response if a part of the
// body was not read (golang/go#68560). But closing reads the rest, so it would wait for a client
// that ends a body of unknown length only after the response. Then BodyCloser makes the response
// the last of its connection, and closing does nothing.
func BodyCloser(header http.Header, r *http.Request) io.Closer {
	switch {
	case r.Body == nil:
		return http.NoBody
	case r.ContentLength < 0 && r.ProtoMajor == 1:
		header.Set("Connection", "close")
		return http.NoBody
	}
	return r.Body
}
