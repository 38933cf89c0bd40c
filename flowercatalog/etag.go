package flowercatalog

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"

	"example.com/flowercafe/internal/precondition"
	"example.com/flowercafe/routing"
)

// entityTag is a strong ETag (RFC 9110, 8.8.3). The empty text is none.
type entityTag string

// tagOf returns the tag of content. It is the same on all hosts with this content.
func tagOf(content []byte) entityTag {
	var b [2 + hashLength]byte
	b[0] = '"'
	appendHash(b[:1], content)
	b[len(b)-1] = '"'
	return entityTag(b[:])
}

// A tag is 16 bytes of a hash, as text: enough to tell all contents apart.
const (
	hashSize   = 16
	hashLength = hashSize*4/3 + 1
)

func appendHash(b, content []byte) []byte {
	sum := sha256.Sum256(content)
	return base64.RawURLEncoding.AppendEncode(b, sum[:hashSize])
}

// With no-cache, caches may keep a response, but must validate it by its ETag each time (RFC 9111,
// 5.2.2.4): the flowers may change at any time.
const (
	noCache = "no-cache"
	noSniff = "nosniff"
)

// set gives a response of JSON its headers. The values are a copy for this response, because a
// filter of the host may change them in place. One array for all is one allocation.
func (t entityTag) set(header http.Header) {
	values := [...]string{jsonType, noCache, noSniff, string(t)}
	header["Content-Type"] = values[0:1:1]
	header["Cache-Control"] = values[1:2:2]
	header["X-Content-Type-Options"] = values[2:3:3]
	if t != "" {
		header["Etag"] = values[3:4:4]
	}
}

// check ends a request whose client has the content already, with a 304, or asks for other content,
// with a 412 (RFC 9110, 13.2.2).
func (t entityTag) check(c routing.Context) error {
	switch precondition.Refuse(c.Request(), precondition.Version{Tag: string(t)}) {
	case http.StatusPreconditionFailed:
		return halt(outdated)
	case http.StatusNotModified:
		t.set(c.Header())
		return &routing.HaltError{Status: http.StatusNotModified}
	}
	return nil
}
