package routing

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

// This file stores the status of the response, and makes header values.
//
// A Context has no state of its own. So the status that filters and actions set is stored in the
// response headers, under a name with a colon, which is not valid in a header (HTTP/2 does the
// same; RFC 9113, 8.3.2). It is removed before the headers are written.
//
// The status is the capacity of an empty slice. Setting it allocates nothing, and the shared
// slices have no elements that a caller could change.

const (
	statusKey = ":status"
	reasonKey = ":reason" // the status and reason phrase of a halt
)

// capacities is the array behind the empty slices. Its last element is for invalid statuses.
var capacities [1001]string

// setStatus sets the status; 0 removes it.
func setStatus(header http.Header, status int) {
	switch {
	case status == 0:
		delete(header, statusKey)
	case status < 0 || status >= len(capacities):
		header[statusKey] = capacities[:0]
	default:
		header[statusKey] = capacities[:0:status]
	}
}

// setDefaultStatus sets the status if none was set.
func setDefaultStatus(header http.Header, status int) {
	if header[statusKey] == nil {
		setStatus(header, status)
	}
}

// statusIn returns the status that was set, 0 for none, and 1000 for an invalid one.
func statusIn(header http.Header) int { return cap(header[statusKey]) }

// takeStatus removes and returns the status.
func takeStatus(header http.Header) int {
	status := statusIn(header)
	if status != 0 {
		delete(header, statusKey)
	}
	return status
}

// setReason stores a phrase together with the status that it belongs to.
func setReason(header http.Header, reason string) {
	header[reasonKey] = []string{strconv.Itoa(statusIn(header)), reason}
}

// takeReason removes the phrase, and returns it if the status is still the one it belongs to.
func takeReason(header http.Header, status int) string {
	value := header[reasonKey]
	if value == nil {
		return ""
	}
	delete(header, reasonKey)
	if value[0] != strconv.Itoa(status) {
		return ""
	}
	return value[1]
}

// value returns a header value with the text of shared, or a copy if other handlers could change
// it in place: middleware with a writer of its own, or a handler with the server's writer.
func (x *call) value(shared *[1]string) []string {
	if last := x.app.lastWriter.Load(); last != nil && last.final && last.Type == reflect.TypeOf(x.w) {
		return shared[:]
	}
	return x.copied(shared)
}

// copied is the slow path of value: for a new type of writer, and for one that is not final.
func (x *call) copied(shared *[1]string) []string {
	t := reflect.TypeOf(x.w)
	if last := x.app.lastWriter.Load(); last == nil || last.Type != t {
		x.app.lastWriter.Store(&writerType{t, isFinal(t)})
	}
	return []string{shared[0]}
}

// writerType is a type of http.ResponseWriter, and whether it is final.
type writerType struct {
	reflect.Type
	final bool
}

// isFinal is false for the types of net/http, whose headers outer handlers can reach, and for
// types that hold more than plain data, such as another writer.
func isFinal(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct && !strings.HasPrefix(t.PkgPath(), "net/http") && isData(t)
}

func isData(t reflect.Type) bool {
	for i := range t.NumField() {
		switch field := t.Field(i).Type; field.Kind() {
		case reflect.Interface, reflect.Func, reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
			return false
		case reflect.Struct:
			if !isData(field) {
				return false
			}
		}
	}
	return true
}
