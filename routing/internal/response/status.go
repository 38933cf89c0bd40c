package response

import (
	"net/http"
	"strconv"
)

// This file stores the status of a response until it is sent.
//
// A routing.Context has no state of its own. So the status that filters and actions set is stored
// in the response headers. Its name has a colon, which is not valid in a header (HTTP/2 does the
// same; RFC 9113, 8.3.2). It is removed before the headers are written.
//
// The status is the capacity of an empty slice. Setting it allocates nothing, and the shared slices
// have no elements that a caller could change.

const (
	statusKey = ":status"
	reasonKey = ":reason" // the status and reason phrase of a halt
)

// capacities is the array behind the empty slices. Its last element is for invalid statuses.
var capacities [1001]string

// SetStatus sets the status; 0 removes it.
func SetStatus(header http.Header, status int) {
	switch {
	case status == 0:
		delete(header, statusKey)
	case status < 0 || status >= len(capacities):
		header[statusKey] = capacities[:0]
	default:
		header[statusKey] = capacities[:0:status]
	}
}

// SetDefaultStatus sets the status if none was set.
func SetDefaultStatus(header http.Header, status int) {
	if header[statusKey] == nil {
		SetStatus(header, status)
	}
}

// Status returns the status that was set, 0 for none, and more than 999 for an invalid one.
func Status(header http.Header) int { return cap(header[statusKey]) }

// TakeStatus removes and returns the status.
func TakeStatus(header http.Header) int {
	status := Status(header)
	if status != 0 {
		delete(header, statusKey)
	}
	return status
}

// SetReason stores a reason phrase together with the status that it belongs to.
func SetReason(header http.Header, reason string) {
	header[reasonKey] = []string{strconv.Itoa(Status(header)), reason}
}

// TakeReason removes the phrase, and returns it if status is the one it belongs to.
func TakeReason(header http.Header, status int) string {
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

// IsReserved reports whether a header name is used here.
func IsReserved(name string) bool { return name == statusKey || name == reasonKey }
