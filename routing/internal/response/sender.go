package response

import (
	"maps"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"unsafe"
)

// Sender sends the responses of an app below one base path. It is immutable.
type Sender struct {
	Base     string      // removed from the path for matching
	HasStart func() bool // whether the app has a page at Base, to which its pages link; nil for no
	Problems bool        // whether default responses are problem details
	Log      Log
	Writers  *Writers
}

// Log records failures that end in a 500 or a closed connection.
type Log interface {
	Report(r *http.Request, err error)
	ReportPanic(r *http.Request, value any)
}

// Writers remembers the last type of [http.ResponseWriter] of an app.
type Writers struct {
	last atomic.Pointer[writerType]
}

// writerType is a type of http.ResponseWriter, and whether it is final.
type writerType struct {
	word  unsafe.Pointer
	final bool
}

// typeWord returns the first word of an interface value, which is the same for all values of a type
// (sync/atomic.Value relies on that too). Comparing it takes a twentieth of a request less than
// comparing values of reflect.Type.
func typeWord(w http.ResponseWriter) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&w)) }

// Value returns a header value with the text of shared, or a copy if other handlers could change it
// in place: middleware with a writer of its own, or a handler with the server's writer.
func (s *Sender) Value(w http.ResponseWriter, shared *[1]string) []string {
	if last := s.Writers.last.Load(); last != nil && last.final && last.word == typeWord(w) {
		return shared[:]
	}
	return s.Writers.copied(w, shared)
}

// copied is the slow path of Value: for a new type of writer, and for one that is not final.
func (ws *Writers) copied(w http.ResponseWriter, shared *[1]string) []string {
	if last := ws.last.Load(); last == nil || last.word != typeWord(w) {
		ws.last.Store(&writerType{typeWord(w), isFinal(structOf(w))})
	}
	return []string{shared[0]}
}

// isFinal is false for types whose headers may be read or changed after the response: those of
// net/http, those with an inner writer, and those that keep the body. It is true for types that
// have only headers and numbers.
func isFinal(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !isNetHTTP(t) && keepsNothing(t)
}

// structOf returns the type of a writer, or what it points to.
func structOf(w http.ResponseWriter) reflect.Type {
	t := reflect.TypeOf(w)
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// isNetHTTP reports whether t is a type of net/http or its packages.
func isNetHTTP(t reflect.Type) bool { return strings.HasPrefix(t.PkgPath(), "net/http") }

func keepsNothing(t reflect.Type) bool {
	switch k := t.Kind(); {
	case k == reflect.Struct:
		for i := range t.NumField() {
			if !keepsNothing(t.Field(i).Type) {
				return false
			}
		}
		return true
	case k == reflect.Map:
		return t.ConvertibleTo(reflect.TypeFor[http.Header]())
	default:
		return reflect.Bool <= k && k <= reflect.Complex128
	}
}

// SetType sets the Content-Type if none was set.
func (s *Sender) SetType(w http.ResponseWriter, header http.Header, contentType *[1]string) {
	if len(header) == 0 || header["Content-Type"] == nil {
		header["Content-Type"] = s.Value(w, contentType)
	}
}

// NoSniff keeps browsers from guessing another type of a default response.
func (s *Sender) NoSniff(w http.ResponseWriter, header http.Header) {
	header["X-Content-Type-Options"] = s.Value(w, &noSniff)
}

var noSniff = [1]string{"nosniff"}

// Error writes a default response. Nothing may have been sent before.
func (s *Sender) Error(w http.ResponseWriter, r *http.Request, status int) {
	header := w.Header()
	body := s.Default(w, r, header, status, nil)
	s.NoSniff(w, header)
	header["Content-Type"] = s.Value(w, &body.Kind.ContentType)
	body.Write(w, r, header, status)
}

// InternalError writes the plain 500, and removes the headers of the response that failed. Nothing
// may have been sent before.
func (s *Sender) InternalError(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	ClearBody(w, header)
	maps.DeleteFunc(header, isIllegal)
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
