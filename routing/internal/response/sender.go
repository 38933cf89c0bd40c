package response

import (
	"net/http"
)

// Sender sends the responses of an app. It is immutable.
type Sender struct {
	Problems bool // whether default responses are problem details
	Log      Log
}

// Log records failures that end in a 500 or a closed connection.
type Log interface {
	Report(r *http.Request, err error)
	ReportPanic(r *http.Request, value any)
}

// SetType sets the Content-Type if none was set.
func SetType(header http.Header, contentType string) {
	if header["Content-Type"] == nil {
		header["Content-Type"] = []string{contentType}
	}
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
func (s *Sender) InternalError(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	ClearFailed(w, header)
	s.Error(w, r, http.StatusInternalServerError)
}

// fail reports err and writes the plain 500.
func (s *Sender) fail(w http.ResponseWriter, r *http.Request, err error) {
	s.Log.Report(r, err)
	s.InternalError(w, r)
}

// Cut closes the connection of a request whose response is broken, after a panic with value.
func (s *Sender) Cut(r *http.Request, value any) {
	if value != http.ErrAbortHandler {
		s.Log.ReportPanic(r, value)
	}
	panic(http.ErrAbortHandler)
}
