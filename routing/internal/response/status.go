package response

import (
	"net/http"
	"strconv"
)

// This file stores the status of a response until it is sent.
//
// The status that filters and actions set is stored among the response headers, since a
// routing.Context is a value without state: a pointer to state would cost an allocation for each
// request. The name :status is not valid in a header, so no header of a user has it (HTTP/2 does
// the same; RFC 9113, 8.3.2). It is removed before the headers are written.
//
// It is stored as a string, like the value of a header, so that a filter may replace all headers by
// a copy. A filter may also remove all headers, or empty the values in place: see Keep.

const statusKey = ":status"

// InvalidStatus stands for each status that a response cannot have.
const InvalidStatus = 1000

// statusTexts are the texts of statuses, so that setting one allocates only the header value.
var statusTexts = func() (texts [InvalidStatus]string) {
	for status := range texts {
		texts[status] = strconv.Itoa(status)
	}
	return texts
}()

// IsFinal reports whether a response can have the status. A 1xx response is not final: the client
// would wait for another response (RFC 9110, 15.2).
func IsFinal(status int) bool { return 200 <= status && status < InvalidStatus }

// SetStatus sets the status.
func SetStatus(header http.Header, status int) {
	text := "invalid"
	if IsFinal(status) {
		text = statusTexts[status]
	}
	header[statusKey] = []string{text}
}

// Keep returns the status of the headers. If they have none, as when user code has cleared them, it
// sets status, unless that is 0, and returns it.
func Keep(header http.Header, status int) int {
	if set := Status(header); set != 0 || status == 0 {
		return set
	}
	SetStatus(header, status)
	return status
}

// Status returns the status that was set, or 0. It is InvalidStatus for one that is not valid.
func Status(header http.Header) int {
	value := header[statusKey]
	if len(value) == 0 || value[0] == "" {
		return 0
	}
	status, err := strconv.Atoi(value[0])
	if err != nil || !IsFinal(status) {
		return InvalidStatus
	}
	return status
}

// TakeStatus removes and returns the status.
func TakeStatus(header http.Header) int {
	status := Status(header)
	delete(header, statusKey) // also one that was emptied in place
	return status
}

// IsReserved reports whether a header name is used here.
func IsReserved(name string) bool { return name == statusKey }
