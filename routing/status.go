package routing

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"
)

// This file keeps the status, and makes header values.
//
// A Context has no state, so the status that filters and actions set stays with the response headers
// until the response is rendered, under a name that no header can have: a colon is not legal there
// (HTTP/2 has the status in the same place, RFC 9113, 8.3.2). The engine takes it out before anything
// is written. The status is the capacity of an empty slice, so that setting it allocates nothing and
// what is shared has no element that somebody could change.

const (
	statusKey = ":status"
	reasonKey = ":reason" // the reason phrase of a halt
)

// capacities is what the empty slices are made of. Its last is for numbers that are no status.
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

// statusIn returns the status that was set, 0 for none, and 1000 for a number that is no status.
func statusIn(header http.Header) int { return cap(header[statusKey]) }

// takeStatus takes out the status.
func takeStatus(header http.Header) int {
	status := statusIn(header)
	if status != 0 {
		delete(header, statusKey)
	}
	return status
}

// setReason sets the phrase that belongs to the status.
func setReason(header http.Header, reason string) {
	header[reasonKey] = []string{strconv.Itoa(statusIn(header)), reason}
}

// takeReason takes out the phrase, if the status is still the one that it belongs to.
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

// value returns a header value that holds what shared does. Middleware that wraps the writer, and whoever
// has the server's own writer, gets a copy: what it changes in place must not change other responses.
func (x *call) value(shared *[1]string) []string {
	if last := x.app.lastWriter.Load(); last != nil && last.final && last.Type == reflect.TypeOf(x.w) {
		return shared[:]
	}
	return x.copied(shared)
}

// copied is value for another type of writer than the last one, and for one that is not final.
func (x *call) copied(shared *[1]string) []string {
	t := reflect.TypeOf(x.w)
	if last := x.app.lastWriter.Load(); last == nil || last.Type != t {
		x.app.lastWriter.Store(&writerType{t, isFinal(t)})
	}
	return []string{shared[0]}
}

// writerType tells whether a type of http.ResponseWriter is final.
type writerType struct {
	reflect.Type
	final bool
}

// isFinal is false for the types of net/http, whose headers every handler outside can reach, and for all
// that hold more than data, such as another writer.
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
