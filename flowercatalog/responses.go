package flowercatalog

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"

	"example.com/flowercafe/internal/precondition"
	"example.com/flowercafe/routing"
)

// This file has the responses: JSON with an ETag, and errors, for unknown flowers and of a Store.

const jsonType = "application/json; charset=utf-8"

// jsonWithETag responds with JSON and its tag.
func jsonWithETag(c routing.Context, tag entityTag, body []byte) (routing.Result, error) {
	if err := tag.check(c); err != nil {
		return routing.Result{}, err
	}
	tag.set(c.Header())
	return routing.Bytes(jsonType, body), nil
}

// entityTag is a strong ETag (RFC 9110, 8.8.3). An empty text means no tag.
type entityTag string

// tagOf returns the tag of content. It is the same on all hosts with this content.
func tagOf(content []byte) entityTag {
	b := appendHash(append(make([]byte, 0, 32), '"'), content)
	return entityTag(append(b, '"'))
}

// appendHash appends the first 16 bytes of the content's SHA-256 in base64.
func appendHash(b, content []byte) []byte {
	sum := sha256.Sum256(content)
	return base64.RawURLEncoding.AppendEncode(b, sum[:16])
}

// set gives a response of JSON its headers. With no-cache, caches may keep it, but must validate it
// by its ETag each time (RFC 9111, 5.2.2.4): the flowers may change at any time.
//
// The values are a copy for this response, because a filter of the host may change them in place.
// A single array for all four needs one allocation.
func (t entityTag) set(header http.Header) {
	values := [...]string{jsonType, "no-cache", "nosniff", string(t)}
	header["Content-Type"] = values[0:1:1]
	header["Cache-Control"] = values[1:2:2]
	header["X-Content-Type-Options"] = values[2:3:3]
	if t != "" {
		header["Etag"] = values[3:4:4]
	}
}

// check evaluates the conditions of a request (RFC 9110, 13.2.2). The error is a 304 if the client
// has the content, and a 412 if another condition fails.
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

// The errors repeat nothing from the request.
var (
	slugNotFound  = &routing.Problem{Status: http.StatusNotFound, Detail: "Slug Not Found"}
	afterNotFound = &routing.Problem{Status: http.StatusBadRequest, Detail: "after must be the slug of a flower: begin again without it"}
	outdated      = &routing.Problem{Status: http.StatusPreconditionFailed, Detail: "The content has changed"}
	unavailable   = &routing.Problem{Status: http.StatusServiceUnavailable, Detail: "The catalog is not available. Try again later."}
	failed        = &routing.Problem{Status: http.StatusInternalServerError, Detail: "Internal Server Error"}
)

// message is the body of an error response: problem details (RFC 9457) with the member message in
// place of detail.
type message struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
	Type    string `json:"type"`
	Title   string `json:"title"`
}

func messageOf(p *routing.Problem) message {
	return message{p.Status, p.Detail, "about:blank", http.StatusText(p.Status)}
}

// responseTo returns the header and the body of the response to a problem. The type is JSON, even
// if a filter has set another.
func responseTo(p *routing.Problem) (http.Header, []byte) {
	header := make(http.Header)
	entityTag("").set(header)
	if p.Status == http.StatusServiceUnavailable {
		header.Set("Retry-After", "1") // seconds
	}
	body, _ := json.Marshal(messageOf(p)) // cannot fail: it is text and a number
	return header, body
}

// halt returns the error with which an action responds with a problem.
func halt(p *routing.Problem) error {
	header, body := responseTo(p)
	return &routing.HaltError{Status: p.Status, Header: header, Body: routing.Bytes(jsonType, body)}
}

// write responds with a problem.
func write(w http.ResponseWriter, p *routing.Problem) {
	header, body := responseTo(p)
	delete(w.Header(), "Etag")
	maps.Copy(w.Header(), header)
	w.WriteHeader(p.Status)
	w.Write(body)
}

// isUnavailable reports whether a later request may succeed after this error of the Store.
func isUnavailable(ctx context.Context, err error) bool {
	// If the context has ended, the client has disconnected, or a deadline of the host has passed.
	// ErrChanged means that the flowers changed twice during one request: the next request may
	// succeed.
	return errors.Is(err, ErrBusy) || errors.Is(err, ErrClosed) || errors.Is(err, ErrChanged) || ctx.Err() != nil
}

// refusal returns the error of an action whose Store has returned err.
func refusal(ctx context.Context, err error) error {
	if isUnavailable(ctx, err) {
		return halt(unavailable)
	}
	return err // logged; the client gets a 500 without its text
}
