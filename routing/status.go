package routing

import (
	"net/http"
	"strconv"
	"sync/atomic"
)

// This file keeps the status, and makes header values.
//
// A Context has no state, so the status that filters and actions set stays with the response headers until the response is
// rendered, under a name that no header can have: a colon is not legal there (HTTP/2 has the status in the same place, RFC 9113,
// 8.3.2). Behind it stands the reason phrase of a halt. The engine takes it out before anything is written.

const statusKey = ":status"

// statusTexts are the statuses from 100 to 999.
var statusTexts = func() (texts [900]string) {
	for i := range texts {
		texts[i] = strconv.Itoa(100 + i)
	}
	return texts
}()

func statusText(status int) string {
	if i := status - 100; i >= 0 && i < len(statusTexts) {
		return statusTexts[i]
	}
	return strconv.Itoa(status)
}

// setStatus sets the status; 0 removes it.
func (v *headerValues) setStatus(header http.Header, status int) {
	if status == 0 {
		delete(header, statusKey)
		return
	}
	header[statusKey] = v.of(statusText(status))
}

// setDefaultStatus sets the status if none was set.
func (v *headerValues) setDefaultStatus(header http.Header, status int) {
	if header[statusKey] == nil {
		v.setStatus(header, status)
	}
}

// statusOf returns the status that was set: 0 for none, and -1 for a text that is no number.
func statusOf(value []string) int {
	if len(value) == 0 {
		return 0
	}
	if text := value[0]; len(text) == 3 { // Atoi takes longer
		status := 0
		for _, c := range []byte(text) {
			if c < '0' || c > '9' {
				return -1
			}
			status = status*10 + int(c-'0')
		}
		return status
	}
	status, err := strconv.Atoi(value[0])
	if err != nil {
		return -1
	}
	return status
}

// takeStatus takes out the status.
func takeStatus(header http.Header) []string {
	value := header[statusKey]
	if value != nil {
		delete(header, statusKey)
	}
	return value
}

// putStatus puts back what takeStatus has taken out.
func putStatus(header http.Header, value []string) {
	if value != nil {
		header[statusKey] = value
	}
}

// headerValues makes header values, slices of one text. Each belongs to one response alone, so that middleware that changes one in
// place changes no other response. An allocation for each would cost a tenth of a request; one serves many here.
type headerValues struct {
	block atomic.Pointer[valueBlock]
}

type valueBlock struct {
	used  atomic.Uint32
	texts [128]string
}

// of returns a new slice that holds text.
func (v *headerValues) of(text string) []string {
	if b := v.block.Load(); b != nil {
		if i := int(b.used.Add(1)) - 1; i < len(b.texts) {
			b.texts[i] = text
			return b.texts[i : i+1 : i+1]
		}
	}
	b := &valueBlock{texts: [128]string{text}}
	b.used.Store(1)
	v.block.Store(b)
	return b.texts[:1:1]
}
