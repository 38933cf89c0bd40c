package response

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"example.com/flowercafe/internal/streaming"
)

// Sender sends the responses of an app. It is immutable.
type Sender struct {
	Problems bool // whether default responses are problem details
	Log      Log
}

// Log records failures that end in a 500 or a closed connection.
type Log interface {
	Report(r *http.Request, err error)
	Recovered(value any) error // the error of a panic, with its stack
}

// Error writes a default response. Nothing may have been sent before.
func (s *Sender) Error(w http.ResponseWriter, r *http.Request, status int) {
	header := w.Header()
	body := s.format(r, header, status, nil)
	header["Content-Type"] = []string{body.Kind.ContentType}
	body.Write(w, r, header, status)
}

// InternalError writes the plain 500, and removes the headers of the response that failed. Nothing
// may have been sent before.
func (s *Sender) InternalError(w http.ResponseWriter, r *http.Request, encoded bool) {
	ClearFailed(w.Header(), encoded)
	s.Error(w, r, http.StatusInternalServerError)
}

// Cut closes the connection of a request whose response is incomplete, after a panic with value. It
// panics with [http.ErrAbortHandler], for the server. Outer middleware may recover from that, as
// gin's Recovery does, and the server would then end the response as if it were complete. So Cut
// also sets a deadline in the past, after which the server cannot write.
func (s *Sender) Cut(w http.ResponseWriter, r *http.Request, value any) {
	if value != http.ErrAbortHandler {
		s.Log.Report(r, s.Log.Recovered(value))
	}
	streaming.Expire(w)
	panic(http.ErrAbortHandler)
}

// Send writes an empty body, a default response, the plain 500, or a stream. It returns an error if
// a stream fails before anything is sent, or if a content type is not valid.
func (s *Sender) Send(w http.ResponseWriter, r *http.Request, header http.Header, status int, b Body, encoded bool) error {
	switch kind := b.Kind; {
	case kind == nil:
		writeHead(w, r, header, status, 0)
	case kind == Failure.Kind:
		s.InternalError(w, r, encoded)
	case kind.defaultFor != 0:
		if kind.details == nil && isNotFound(kind.defaultFor) {
			ClearContent(header, encoded) // of filters, and of routes that have passed
		}
		delete(header, "Content-Type") // the body has its own type, even if an after filter set another
		described := kind.defaultFor
		if 400 <= status && status < 600 {
			described = status // an after filter may have set it
		}
		s.format(r, header, described, kind.details).Write(w, r, header, status)
	case kind.ContentType == "":
		b.Drop()
		return errIllegalType
	default:
		setType(header, kind.ContentType)
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
	buffer := make([]byte, streamBuffer)
	n, err := s.readFirst(stream, buffer)
	if err != nil && err != io.EOF {
		return fmt.Errorf("read stream: %w", err)
	}
	w.WriteHeader(status)
	controller := http.NewResponseController(w)
	for {
		if n > 0 {
			if _, writeErr := w.Write(buffer[:n]); writeErr != nil {
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

// readFirst reads before the status is sent, so that an error or a panic can still become a 500.
func (s *Sender) readFirst(stream io.Reader, buffer []byte) (n int, err error) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			panic(v)
		default:
			err = s.Log.Recovered(v)
		}
	}()
	for range emptyReads {
		if n, err = stream.Read(buffer); n != 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// emptyReads is how often in a row a reader may return nothing, as in package bufio.
const emptyReads = 100
