package response

import (
	"errors"
	"fmt"
	"io"
	"net/http"
)

// This file sends the bodies that are no text and no bytes.

// Send writes a body that is not whole and not of a handler: none, a default response, the plain
// 500, or a stream. It returns an error if a stream or its type is broken and nothing was sent.
func (s *Sender) Send(w http.ResponseWriter, r *http.Request, header http.Header, status int, b Body) error {
	switch kind := b.Kind; {
	case kind == nil:
		SetType(header, htmlText.ContentType)
		writeHead(w, r, header, status, 0)
	case kind == Failure.Kind:
		s.InternalError(w, r)
	case kind.defaultFor != 0:
		if kind.details == nil && isNotFound(kind.defaultFor) {
			ClearContent(w, header) // of filters, and of routes that have passed
		}
		about := kind.defaultFor
		if 400 <= status && status < 600 {
			about = status // an after filter may have set it
		}
		s.format(r, header, about, kind.details).Write(w, r, header, status)
	case kind.ContentType == "":
		b.Drop()
		return errIllegalType
	default:
		SetType(header, kind.ContentType)
		return s.sendStream(w, r, header, status, kind.stream)
	}
	return nil
}

// errIllegalType does not contain the type, which may hold anything.
var errIllegalType = errors.New("the content type of a result is not a valid header value")

const streamBuffer = 32 << 10

func (s *Sender) sendStream(w http.ResponseWriter, r *http.Request, header http.Header, status int, stream io.Reader) error {
	defer closeStream(stream)
	if !bodyAllowed(status) {
		writeHead(w, r, header, status, 0)
		return nil
	}
	if status == 0 {
		status = http.StatusOK
	}
	if r.Method == http.MethodHead {
		w.WriteHeader(status)
		return nil
	}
	// The first part is read before the status is sent, so that a failure can still become a 500.
	buffer := make([]byte, streamBuffer)
	n, err := stream.Read(buffer)
	if err != nil && err != io.EOF {
		return fmt.Errorf("read stream: %w", err)
	}
	w.WriteHeader(status)
	controller := http.NewResponseController(w)
	for {
		if n > 0 {
			if _, failed := w.Write(buffer[:n]); failed != nil {
				return nil // the client has disconnected
			}
			controller.Flush() // if not supported, parts are sent when the writer's buffer is full
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			s.Log.Report(r, fmt.Errorf("read stream: %w", err))
			panic(http.ErrAbortHandler)
		}
		n, err = stream.Read(buffer)
	}
}
