package apidoc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"reflect"
	"strings"

	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/internal/streaming"
	"example.com/flowercafe/routing"
)

// This file compares responses with their description.

// CheckResponses returns a handler that passes requests on to handler, such as an app. It calls
// report for a response of an operation that differs from its description: in the status, a
// described header or media type, or an unencoded body of JSON of at most 1 MiB. A 500 need not be
// described, nor a 304, 206 or 416 that a request's headers ask for. If report is nil, differences
// are logged as errors. Report must be safe for concurrent use.
//
// Use it in tests, best with package apitest, and in staging: it copies bodies.
func CheckResponses(handler http.Handler, report func(*http.Request, error)) http.Handler {
	if nilvalue.In(handler) {
		panic("apidoc: CheckResponses: pass a handler, not nil")
	}
	if report == nil {
		report = func(r *http.Request, err error) {
			slog.ErrorContext(r.Context(), "response differs from its description", "method", r.Method, "path", r.URL.Path, "error", err)
		}
	}
	return routing.RecordRoute(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &seenResponse{ResponseWriter: w}
		handler.ServeHTTP(seen, r)
		seen.send()
		route, name := routing.RouteFromContext(r.Context())
		op := OperationOf(route)
		if op == nil || op.isHidden || seen.hijacked {
			return
		}
		doc := op.doc
		doc.Responses = op.responses()
		if err := seen.check(&doc, r); err != nil {
			r.Pattern = name // also if middleware has copied the request
			report(r, fmt.Errorf("operation %s: %w", op.ID(), err))
		}
	}))
}

// maxChecked is the maximum size of a body that is checked.
const maxChecked = 1 << 20

// seenResponse is a writer that passes a response on and keeps a copy for the check.
type seenResponse struct {
	http.ResponseWriter
	status int
	header http.Header
	isSent bool   // the header, with a Content-Type
	body   []byte // up to maxChecked
	long   bool   // the body is longer

	hijacked bool // the handler writes to the connection itself
}

// begin records the status and the header.
func (s *seenResponse) begin(status int) {
	if s.status == 0 && status >= 200 {
		s.status, s.header = status, message.Received(s.Header())
	}
}

// send detects the Content-Type from the bytes written so far, as net/http does when it sends them.
func (s *seenResponse) send() {
	s.begin(http.StatusOK)
	_, isSet := s.header["Content-Type"]
	if !s.isSent && !isSet && len(s.body) > 0 && s.header.Get("Content-Encoding") == "" {
		s.header.Set("Content-Type", http.DetectContentType(s.body))
	}
	s.isSent = true
}

// WriteHeader sends the header.
func (s *seenResponse) WriteHeader(status int) {
	s.begin(status)
	s.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (s *seenResponse) Write(p []byte) (int, error) {
	s.begin(http.StatusOK)
	kept := min(len(p), maxChecked-len(s.body))
	s.body, s.long = append(s.body, p[:kept]...), s.long || kept < len(p)
	return s.ResponseWriter.Write(p)
}

// FlushError sends the header and the bytes written so far.
func (s *seenResponse) FlushError() error {
	s.send()
	return http.NewResponseController(s.ResponseWriter).Flush()
}

// Flush is for handlers that ask for an [http.Flusher].
func (s *seenResponse) Flush() { _ = s.FlushError() }

// Hijack is for handlers that ask for an [http.Hijacker], for example for WebSockets.
func (s *seenResponse) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := http.NewResponseController(s.ResponseWriter).Hijack()
	s.hijacked = s.hijacked || err == nil
	return conn, buffer, err
}

// CloseNotify is for handlers that ask for an [http.CloseNotifier], such as gin's streams.
func (s *seenResponse) CloseNotify() <-chan bool { return streaming.CloseNotify(s.ResponseWriter) }

// Unwrap is for http.ResponseController.
func (s *seenResponse) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// check returns the difference between the response and the operation's description, or nil.
func (s *seenResponse) check(op *openapi.Operation, r *http.Request) error {
	described := op.Response(s.status)
	switch {
	case described == nil && s.isGeneral(r):
		return nil
	case described == nil:
		return fmt.Errorf("status %d is not described", s.status)
	}
	for _, h := range described.Headers {
		f := newFieldPlan(parameter{Parameter: h})
		values := s.header.Values(h.Name)
		switch {
		case f.list == nil:
			f.list = &schema.Schema{} // so that all values are checked
		case !strings.EqualFold(h.Name, "Set-Cookie"): // whose lines are no lists
			values = appendItems(nil, values)
		}
		if fault := f.fill(reflect.Value{}, values); fault != nil {
			return fmt.Errorf("header %s %s", h.Name, fault.Detail)
		}
	}
	switch {
	case !bodyAllowed(s.status):
		return nil
	case described.Body == nil && len(s.body) > 0 && json.Valid(s.body):
		return fmt.Errorf("status %d: the response has JSON, described is no body", s.status)
	case described.Body == nil:
		return nil
	}
	return s.checkBody(described, r.Method != http.MethodHead && s.header.Get("Content-Encoding") == "")
}

// isGeneral reports whether operations need not describe the status: for a precondition or a range
// (RFC 9110, 13 and 14), or for an unexpected error.
func (s *seenResponse) isGeneral(r *http.Request) bool {
	switch s.status {
	case http.StatusInternalServerError:
		return true
	case http.StatusNotModified:
		return r.Header.Get("If-None-Match")+r.Header.Get("If-Modified-Since") != ""
	case http.StatusPartialContent, http.StatusRequestedRangeNotSatisfiable:
		return r.Header.Get("Range") != ""
	}
	return false
}

// checkBody checks the media type of a body that is described, and a body that can be read.
func (s *seenResponse) checkBody(described *openapi.Response, isReadable bool) error {
	header := s.header.Get("Content-Type")
	if !message.Has(described.Media, described.AreListed, header) {
		return fmt.Errorf("status %d: content type %q, described is %s", s.status, header, strings.Join(described.Media, ", "))
	}
	media, _, _ := mime.ParseMediaType(header)
	switch {
	case s.long || !isReadable:
		return nil
	case described.AreLines:
		for line := range bytes.Lines(s.body) {
			if err := s.checkJSON(described.Body, line); err != nil {
				return err
			}
		}
	case message.IsJSON(media):
		return s.checkJSON(openapi.SchemaIn(media, described.Body), s.body)
	}
	return nil
}

func (s *seenResponse) checkJSON(described *schema.Schema, text []byte) error {
	if !json.Valid(text) {
		return fmt.Errorf("status %d: the body is not JSON", s.status)
	}
	if problems := value.Check(described, string(text), schema.InResponses); len(problems) > 0 {
		return fmt.Errorf("status %d: %s", s.status, summary(problems))
	}
	return nil
}
