package serving

import (
	"bufio"
	"cmp"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/internal/streaming"
)

// The access log buffers its lines: a write for each line would cost more than the rest of logging.

// LogRequests returns a handler that passes each request to next and then logs it to access:
// method, path, [http.Request.Pattern], status and duration. If next panics, the record has
// aborted=true instead of the status. A connection that next hijacks, such as a WebSocket, has the
// status 101. The function level chooses the level of each record; nil means [slog.LevelInfo].
//
//	lines := serving.NewLogBuffer(os.Stderr)
//	defer lines.Close()
//	handler = serving.LogRequests(handler, slog.NewTextHandler(lines, nil), nil)
func LogRequests(next http.Handler, access slog.Handler, level func(*http.Request) slog.Level) http.Handler {
	if nilvalue.In(next) || nilvalue.In(access) {
		panic("serving: LogRequests: pass two handlers, not nil")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begin, method, path := time.Now(), r.Method, r.URL.Path // next may change the request
		sent := statusWriter{ResponseWriter: w}
		outcome := slog.Bool("aborted", true)
		defer func() {
			recordLevel := slog.LevelInfo
			if level != nil {
				recordLevel = level(r)
			}
			if !access.Enabled(r.Context(), recordLevel) {
				return
			}
			end := time.Now()
			// A Logger would look up the source line, which costs a third of the rest.
			record := slog.NewRecord(end, recordLevel, "request", 0)
			record.AddAttrs(slog.String("method", method), slog.String("path", path), slog.String("route", r.Pattern),
				outcome, slog.Duration("took", end.Sub(begin)))
			access.Handle(r.Context(), record)
		}()
		next.ServeHTTP(&sent, r)
		outcome = slog.Int("status", cmp.Or(sent.status, http.StatusOK))
	})
}

// statusWriter records the status of a response. With Unwrap, [http.ResponseController] reaches the
// server's writer.
type statusWriter struct {
	http.ResponseWriter
	status int // 0 before the final response
}

func (w *statusWriter) WriteHeader(status int) {
	isFinal := status >= http.StatusOK || status == http.StatusSwitchingProtocols
	if w.status == 0 && isFinal { // net/http ignores a second final status
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Write(body []byte) (int, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	return w.ResponseWriter.Write(body)
}

// ReadFrom lets the server send a file without copying it.
func (w *statusWriter) ReadFrom(r io.Reader) (n int64, err error) {
	if n, err = io.Copy(w.ResponseWriter, r); n > 0 {
		w.status = cmp.Or(w.status, http.StatusOK)
	}
	return n, err
}

// FlushError is for [http.ResponseController], which would otherwise skip the status.
func (w *statusWriter) FlushError() error {
	err := http.NewResponseController(w.ResponseWriter).Flush()
	if err == nil {
		w.status = cmp.Or(w.status, http.StatusOK)
	}
	return err
}

// Flush is for handlers that ask for an [http.Flusher], such as those that send events.
func (w *statusWriter) Flush() { _ = w.FlushError() }

// Hijack is for handlers that ask for an [http.Hijacker]: most packages for WebSockets do, and
// write the status 101 to the connection.
func (w *statusWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffer, err := http.NewResponseController(w.ResponseWriter).Hijack()
	if err == nil {
		w.status = cmp.Or(w.status, http.StatusSwitchingProtocols)
	}
	return conn, buffer, err
}

// CloseNotify is for handlers that ask for an [http.CloseNotifier], such as gin's streams.
func (w *statusWriter) CloseNotify() <-chan bool { return streaming.CloseNotify(w.ResponseWriter) }

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

const (
	flushInterval = 100 * time.Millisecond
	flushSize     = 32 << 10 // a buffer of this size is written immediately
)

// LogBuffer is a writer that buffers lines and flushes them every 100 milliseconds or 32 KiB. A
// crash loses the buffered lines; Close writes them. It is safe for concurrent use.
type LogBuffer struct {
	out io.Writer

	mu      sync.Mutex
	lines   []byte
	waiting bool // a flush is due within flushInterval
	closed  bool
}

// NewLogBuffer returns a LogBuffer that writes to out.
func NewLogBuffer(out io.Writer) *LogBuffer { return &LogBuffer{out: out} }

// Write buffers lines, or after Close writes them immediately. If the call flushes the buffer,
// Write returns the error from the underlying writer.
func (b *LogBuffer) Write(line []byte) (int, error) {
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

func (b *LogBuffer) flushDue() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = false
	b.flush() // errors are ignored, as by slog
}

func (b *LogBuffer) flush() error {
	if len(b.lines) == 0 {
		return nil
	}
	_, err := b.out.Write(b.lines)
	b.lines = b.lines[:0]
	return err
}

// Close flushes the buffer. Lines written later, by requests that outlive the shutdown, are not
// buffered.
func (b *LogBuffer) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return b.flush()
}

// Unbuffered returns a writer that flushes the buffer and then writes immediately. Use it for lines
// that must not be lost, such as errors.
func (b *LogBuffer) Unbuffered() io.Writer { return promptWriter{b} }

type promptWriter struct{ buffer *LogBuffer }

func (p promptWriter) Write(line []byte) (int, error) {
	b := p.buffer
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, line...)
	return len(line), b.flush()
}
