package main

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"
)

// The access log. Most of what a line costs is the write to the pipe or file, so lines are
// collected and written together. A crash loses those of the last flushInterval at most; an orderly
// end loses none.

const (
	flushInterval = 100 * time.Millisecond
	flushSize     = 32 << 10 // bytes that are written without waiting for the interval
)

// logged logs a line for each request, with the name of the route that ran and the status. It hands
// the record to the handler itself: a Logger would look up the line of code that logs, which takes
// as long as a third of the rest and is not printed.
func logged(next http.Handler, access slog.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin := time.Now()
		status := statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(&status, r)
		level := slog.LevelInfo
		if strings.HasSuffix(r.Pattern, livePath) {
			level = slog.LevelDebug // the home page asks once a second
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

// statusWriter notes the status of a response. With Unwrap, [http.ResponseController] reaches the
// server's writer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if status >= http.StatusOK { // not an informational response, which another one follows
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// A logBuffer is a writer that collects lines for out. It may be used by several goroutines.
type logBuffer struct {
	out io.Writer

	mu      sync.Mutex
	lines   []byte
	waiting bool // a flush is due within flushInterval
	closed  bool
}

// Write keeps a line until the next flush. After Close it is written at once.
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
	b.flush() // nobody is there to hear of an error, as with slog
}

func (b *logBuffer) flush() error {
	if len(b.lines) == 0 {
		return nil
	}
	_, err := b.out.Write(b.lines)
	b.lines = b.lines[:0]
	return err
}

// Close writes what has been kept. Requests that outlive the server's grace may still log.
func (b *logBuffer) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return b.flush()
}

// atOnce returns a writer of lines that cannot wait, such as errors. Those kept before go first.
func (b *logBuffer) atOnce() io.Writer { return promptWriter{b} }

type promptWriter struct{ buffer *logBuffer }

func (p promptWriter) Write(line []byte) (int, error) {
	b := p.buffer
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, line...)
	return len(line), b.flush()
}
