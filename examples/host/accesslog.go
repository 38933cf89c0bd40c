package main

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

// The access log. Writing each line by itself would cost more than the rest of logging, so lines
// are collected and written together. A crash loses at most the lines of the last flushInterval; a
// normal shutdown loses none.

const (
	flushInterval = 100 * time.Millisecond
	flushSize     = 32 << 10 // with this many bytes, lines are written immediately
)

// logged logs a line for each request, with the name of the route that ran and the status. It
// passes the record to the handler directly: a Logger would look up the source line, which costs a
// third of the rest and is not printed.
func logged(next http.Handler, access slog.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		status := statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(&status, r)
		level := slog.LevelInfo
		if strings.HasSuffix(r.Pattern, livePath) {
			level = slog.LevelDebug // the home page requests it once a second
		}
		if !access.Enabled(r.Context(), level) {
			return
		}
		end := time.Now()
		record := slog.NewRecord(end, level, "request", 0)
		record.AddAttrs(slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.String("route", r.Pattern),
			slog.Int("status", status.status), slog.Duration("took", end.Sub(begin)))
		access.Handle(r.Context(), record)
	})
}

// statusWriter records the status of a response. With Unwrap, [http.ResponseController] reaches the
// server's writer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if status >= http.StatusOK { // informational responses are followed by another
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// A logBuffer is a writer that collects lines for out. It is safe for concurrent use.
type logBuffer struct {
	out io.Writer

	mu      sync.Mutex
	lines   []byte
	waiting bool // a flush is due within flushInterval
	closed  bool
}

// Write keeps a line until the next flush. After Close it is written immediately.
func (b *logBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, line...)
	switch {
	case b.closed || len(b.lines) >= flushSize:
		return len(line), b.flush()
	case !b.waiting:
		b.waiting = true
		time.AfterFunc(flushInterval, b.flushDue)
	}
	return len(line), nil
}

func (b *logBuffer) flushDue() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = false
	b.flush() // errors are ignored, as by slog
}

func (b *logBuffer) flush() error {
	if len(b.lines) == 0 {
		return nil
	}
	_, err := b.out.Write(b.lines)
	b.lines = b.lines[:0]
	return err
}

// Close writes the lines that were kept. Requests that outlive the server's grace period may still
// log.
func (b *logBuffer) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return b.flush()
}

// atOnce returns a writer that writes lines immediately, such as errors, after those that were
// kept.
func (b *logBuffer) atOnce() io.Writer { return promptWriter{b} }

type promptWriter struct{ buffer *logBuffer }

func (p promptWriter) Write(line []byte) (int, error) {
	b := p.buffer
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, line...)
	return len(line), b.flush()
}
