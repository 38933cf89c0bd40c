package flowercatalog

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/http"

	"example.com/flowercafe/routing"
)

// This file has the error responses: for unknown flowers, and for errors of a Store.

// problem is an error response. It repeats nothing from the request.
type problem struct {
	status int
	header http.Header
	body   []byte
}

var (
	slugNotFound  = newProblem(http.StatusNotFound, "Slug Not Found")
	afterNotFound = newProblem(http.StatusBadRequest, "after must be the slug of a flower: begin again without it")
	unavailable   = newProblem(http.StatusServiceUnavailable, "The catalog is not available. Try again later.", "Retry-After", "1") // seconds
	failed        = newProblem(http.StatusInternalServerError, "Internal Server Error")
)

// message is the body of a problem: problem details (RFC 9457) with the additional member message.
type message struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
	Type    string `json:"type"`
	Title   string `json:"title"`
}

func newMessage(status int, text string) message {
	return message{status, text, "about:blank", http.StatusText(status)}
}

func newProblem(status int, text string, header ...string) problem {
	body, err := json.Marshal(newMessage(status, text))
	if err != nil {
		panic("flowercatalog: encode a message: " + err.Error()) // cannot happen
	}
	p := problem{status, http.Header{"Cache-Control": {noCache}, "X-Content-Type-Options": {noSniff}}, body}
	for i := 0; i < len(header); i += 2 {
		p.header.Set(header[i], header[i+1])
	}
	return p
}

// halt returns the error with which an action responds with p.
func (p problem) halt() error {
	return &routing.HaltError{Status: p.status, Header: p.header, Body: routing.Bytes(jsonType, p.body)}
}

// write responds with p.
func (p problem) write(w http.ResponseWriter) {
	header := w.Header()
	delete(header, "Etag")
	maps.Copy(header, p.header.Clone())
	header.Set("Content-Type", jsonType)
	w.WriteHeader(p.status)
	w.Write(p.body)
}

// isUnavailable reports whether a later request may succeed after this error of the Store.
func isUnavailable(ctx context.Context, err error) bool {
	// If the context has ended, the client has gone, or a deadline of the host has passed.
	return errors.Is(err, ErrBusy) || errors.Is(err, ErrClosed) || ctx.Err() != nil
}

// refusal returns the error of an action whose Store has returned err.
func refusal(ctx context.Context, err error) error {
	if isUnavailable(ctx, err) {
		return unavailable.halt()
	}
	return err // logged; the client gets a 500 without its text
}

// log returns the logger.
func (a *App) log() *slog.Logger {
	if a.logger == nil {
		return slog.Default()
	}
	return a.logger
}
