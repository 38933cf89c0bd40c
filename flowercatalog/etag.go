package flowercatalog

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
)

// entityTag is the ETag of an answer as header values (RFC 9110, 8.8.3), a strong one. The slice is shared by answers and never changed.
type entityTag []string

// tagOf returns the tag of content. It depends on the content alone, so that all hosts that serve the same have the same.
func tagOf(content []byte) entityTag {
	sum := sha256.Sum256(content)
	const size = 16 // bytes, of which no two contents will ever be alike
	var b [2 + size*4/3 + 1]byte
	b[0] = '"'
	base64.RawURLEncoding.Encode(b[1:], sum[:size])
	b[len(b)-1] = '"'
	return entityTag{string(b[:])}
}

// The other header values of what the catalog answers. Caches may keep an answer, and ask each time whether it is still right
// (RFC 9111, 5.2.2.4): it has a tag to ask with, and no time before which it will not change.
var (
	noCacheValue = []string{"no-cache"}
	noSniffValue = []string{"nosniff"}
)

// isFresh gives the answer its headers, and reports whether the client of r has it already, by its If-None-Match header: the
// answer is then 304.
func (t entityTag) isFresh(header http.Header, r *http.Request) bool {
	header["Etag"] = t
	header["Cache-Control"] = noCacheValue
	header["X-Content-Type-Options"] = noSniffValue
	lists := r.Header["If-None-Match"]
	return len(lists) > 0 && t.in(lists)
}

// in reports whether the lists of an If-None-Match header name the tag, or are a star. The comparison is weak (RFC 9110, 13.1.2). A
// list is read up to what is no tag.
func (t entityTag) in(lists []string) bool {
	if len(lists) == 1 && strings.Trim(lists[0], " \t") == "*" {
		return true
	}
	for _, list := range lists {
		for {
			list = strings.TrimLeft(list, " \t,")
			list = strings.TrimPrefix(list, "W/")
			if !strings.HasPrefix(list, `"`) {
				break
			}
			end := strings.IndexByte(list[1:], '"') + 2
			if end < 2 {
				break
			}
			if list[:end] == t[0] {
				return true
			}
			list = list[end:]
		}
	}
	return false
}
