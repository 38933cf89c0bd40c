package flowercatalog

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"

	"example.com/flowercafe/routing"
)

// This file has the error responses: for unknown flowers, and for errors of a Store.

// The errors repeat nothing from the request.
var (
	slugNotFound  = &routing.Problem{Status: http.StatusNotFound, Detail: "Slug Not Found"}
	afterNotFound = &routing.Problem{Status: http.StatusBadRequest, Detail: "after must be the slug of a flower: begin again without it"}
	outdated      = &routing.Problem{Status: http.StatusPreconditionFailed, Detail: "The content is another one now"}
	unavailable   = &routing.Problem{Status: http.StatusServiceUnavailable, Detail: "The catalog is not available. Try again later."}
	failed        = &routing.Problem{Status: http.StatusInternalServerError, Detail: "Internal Server Error"}
)

// message is the body of an error response: problem details (RFC 9457) with the member message of
// the contract in place of detail.
type message struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
	Type    string `json:"type"`
	Title   string `json:"title"`
}

func messageOf(p *routing.Problem) message {
	return message{p.Status, p.Detail, "about:blank", http.StatusText(p.Status)}
}

// responseTo returns the header and the body of the response to a problem. The type is JSON, also
// if a filter has set another one.
func responseTo(p *routing.Problem) (http.Header, []byte) {
	header := http.Header{"Content-Type": {jsonType}, "Cache-Control": {noCache}, "X-Content-Type-Options": {noSniff}}
	if p.Status == http.StatusServiceUnavailable {
		header.Set("Retry-After", "1") // seconds
	}
	body, err := json.Marshal(messageOf(p))
	if err != nil {
		panic("flowercatalog: encode a message: " + err.Error()) // cannot happen
	}
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
	// If the context has ended, the client has gone, or a deadline of the host has passed. Flowers
	// that have changed twice while they were read may stay the next time.
	return errors.Is(err, ErrBusy) || errors.Is(err, ErrClosed) || errors.Is(err, ErrChanged) || ctx.Err() != nil
}

// refusal returns the error of an action whose Store has returned err.
func refusal(ctx context.Context, err error) error {
	if isUnavailable(ctx, err) {
		return halt(unavailable)
	}
	return err // logged; the client gets a 500 without its text
}
