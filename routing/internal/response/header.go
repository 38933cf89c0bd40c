package response

import (
	"encoding/binary"
	"maps"
	"net/http"
	"strings"

	"example.com/flowercafe/internal/method"
)

// This file checks headers, and removes a response's headers when another response replaces it.

// IsFieldValue reports whether text is a valid header value (RFC 9110, 5.5): without control
// characters except for the tab. A CR or LF could split one header into two.
func IsFieldValue(text string) bool {
	// The headers of handlers are checked in each response, so this skips eight printable bytes of
	// ASCII at a time.
	for ; len(text) >= 8; text = text[8:] {
		const ones, highs = 0x0101010101010101, 0x8080808080808080
		word := binary.LittleEndian.Uint64([]byte(text[:8])) // the conversion does not copy
		if (word|(word-' '*ones)|(word+ones))&highs != 0 {   // below a space, a delete, or not ASCII
			break
		}
	}
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// Illegal returns the name of a header that is not valid. Trailers with [http.TrailerPrefix] are
// valid.
func Illegal(header http.Header) (name string, found bool) {
	if types, isTyped := header["Content-Type"]; isTyped && len(header) == 1 { // as most responses have; a loop over a map costs more
		return "Content-Type", areIllegal(types)
	}
	for name, values := range header {
		if isIllegal(name, values) {
			return name, true
		}
	}
	return "", false
}

func isIllegal(name string, values []string) bool {
	return !method.IsToken(strings.TrimPrefix(name, http.TrailerPrefix)) || areIllegal(values)
}

func areIllegal(values []string) bool {
	for _, value := range values {
		if !IsFieldValue(value) {
			return true
		}
	}
	return false
}

// AddVary adds a name to the Vary header (RFC 9110, 12.5.5), unless it is there.
func AddVary(header http.Header, name string) {
	for _, line := range header["Vary"] {
		for item := range strings.SplitSeq(line, ",") {
			if item = strings.TrimSpace(item); item == "*" || strings.EqualFold(item, name) {
				return
			}
		}
	}
	header.Add("Vary", name)
}

// contentHeaders are the headers that describe one body.
var contentHeaders = [...]string{
	"Accept-Ranges", "Content-Disposition", "Content-Encoding", "Content-Length", "Content-Range", "Content-Type", "Etag", "Last-Modified",
}

// ClearContent removes the headers that describe another body. Content-Encoding stays if outer
// middleware has set it, which encodes the new body too (https://go.dev/issue/66343).
func ClearContent(header http.Header, encoded bool) {
	for _, name := range contentHeaders {
		if name != "Content-Encoding" || !encoded {
			delete(header, name)
		}
	}
}

// ClearBody removes the headers of a response that another one replaces. A Cache-Control becomes
// no-store.
func ClearBody(header http.Header, encoded bool) {
	ClearContent(header, encoded)
	delete(header, "Expires")
	delete(header, "Location")
	if header["Cache-Control"] != nil {
		header["Cache-Control"] = []string{"no-store"}
	}
}

// ClearFailed removes the headers of a response that becomes a 500, and invalid headers.
func ClearFailed(header http.Header, encoded bool) {
	ClearBody(header, encoded)
	maps.DeleteFunc(header, isIllegal)
}

// CloseAfter closes the connection after the response, so that the server does not read the rest of
// a long body. HTTP/2 refuses the rest without closing the connection (RFC 9113, 8.1), which other
// requests share.
func CloseAfter(header http.Header, r *http.Request) {
	if r.ProtoMajor < 2 && header["Connection"] == nil {
		header["Connection"] = []string{"close"}
	}
}
