package respond

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/flowercafe/internal/streaming"
	"example.com/flowercafe/routing"
)

// Event is a server-sent event (HTML Standard, 9.2).
type Event struct {
	ID    string        // sent back in the header Last-Event-ID when a client reconnects
	Name  string        // the type of the event; empty means "message"
	Data  string        // each \r, \n and \r\n reaches the client as \n
	Retry time.Duration // how long clients wait before they reconnect, in whole milliseconds
}

// EventsFunc sends the events of a response by calling send. It runs after the headers were sent,
// but not for HEAD: subscribe before calling [Events] to miss nothing.
//
// Several goroutines may call send. When it returns nil, the event was written and flushed. ctx
// ends with the request, and if the client cannot be reached; from then on send returns an error.
//
// When the function returns, browsers reconnect, until the response has another status than 200,
// such as 204. An error is logged and aborts the response, unless ctx was canceled, as when the
// client disconnects.
type EventsFunc func(ctx context.Context, send func(Event) error) error

// EventsOption configures [Events].
type EventsOption interface {
	apply(*eventSettings)
}

type eventsOption func(*eventSettings)

func (o eventsOption) apply(s *eventSettings) { o(s) }

type eventSettings struct{ heartbeat, timeout time.Duration }

// Heartbeat sets the time without events after which a comment is sent, for proxies that close idle
// connections. The default is 15 seconds; 0 turns it off.
func Heartbeat(silence time.Duration) EventsOption {
	if silence < 0 {
		panic(fmt.Sprintf("respond: Heartbeat(%v): write a duration of at least 0", silence))
	}
	return eventsOption(func(s *eventSettings) { s.heartbeat = silence })
}

// SendTimeout sets how long sending an event, or 64 KiB of a longer one, may take before the
// response is aborted, if the writer has deadlines. The default is 10 seconds.
func SendTimeout(timeout time.Duration) EventsOption {
	if timeout < 1 {
		panic(fmt.Sprintf("respond: SendTimeout(%v): write a duration above 0", timeout))
	}
	return eventsOption(func(s *eventSettings) { s.timeout = timeout })
}

// Events responds with the events of source, as text/event-stream, until source returns. The
// headers are sent immediately. Cache-Control is no-store unless one was set. If the writer cannot
// flush, an error is logged and the response aborted.
//
// On a writer with deadlines, the server's timeouts do not end events. [http.Server.Shutdown] waits
// for them, so sources should return when the program shuts down.
func Events(source EventsFunc, options ...EventsOption) routing.Result {
	if source == nil {
		panic("respond: Events: pass a source, not nil")
	}
	settings := eventSettings{heartbeat: 15 * time.Second, timeout: 10 * time.Second}
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("respond: Events: option %d is nil: leave it out", i))
		}
		o.apply(&settings)
	}
	result, _ := routing.Handler(streaming.Result{Timeout: settings.timeout, Send: func(w http.ResponseWriter, r *http.Request) error {
		h := w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("X-Accel-Buffering", "no")
		if h.Get("Cache-Control") == "" {
			h.Set("Cache-Control", "no-store")
		}
		if r.Method == http.MethodHead {
			return nil
		}
		body := streaming.BodyCloser(h, r)
		if err := settings.stream(w, r, source); err != nil {
			return fmt.Errorf("respond: events: %w", err)
		}
		_ = body.Close()
		return nil
	}})(routing.Context{})
	return result
}

// stream runs the source. It returns nil if the client has disconnected.
func (s eventSettings) stream(w http.ResponseWriter, r *http.Request, source EventsFunc) error {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	e := &events{w: w, cancel: cancel}
	defer e.end()
	control := http.NewResponseController(w)
	_ = control.EnableFullDuplex()           // the source may read the request; HTTP/1.1 allows it, HTTP/2 always does
	_ = control.SetReadDeadline(time.Time{}) // or the server's ReadTimeout would look like a client that has disconnected
	err := e.write(comment)
	if err == nil {
		if s.heartbeat > 0 {
			e.startHeartbeat(s.heartbeat)
		}
		err = source(ctx, func(event Event) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return e.send(event)
		})
	}
	// The request's context ends a little earlier than ctx, its child.
	clientLeft := func() bool { return isCanceled(r.Context()) || isCanceled(ctx) }
	// An error of package apidoc may be sent as an event, even after a deadline.
	var last interface{ LastEvent() Event }
	if errors.As(err, &last) && !clientLeft() {
		err = e.send(last.LastEvent())
	}
	var panicked *routing.PanicError
	switch {
	case errors.As(e.end(), &panicked):
		if panicked.Value == http.ErrAbortHandler {
			panic(http.ErrAbortHandler)
		}
		return panicked
	case errors.Is(err, http.ErrNotSupported):
		return fmt.Errorf("the writer cannot flush: serve events outside of http.TimeoutHandler and the like: %w", err)
	case clientLeft():
		return nil
	}
	return err
}

// isCanceled reports whether the client has disconnected. After a deadline the client may still be
// connected.
func isCanceled(ctx context.Context) bool { return ctx.Err() == context.Canceled }

// comment is a line that clients ignore.
const comment = ":\n\n"

// events writes to one client.
type events struct {
	cancel context.CancelCauseFunc // ends the source

	mu        sync.Mutex // guards the fields below
	silence   time.Duration
	w         http.ResponseWriter
	heartbeat *time.Timer
	err       error // why nothing more can be sent
}

// errEnded is the error of send after the source has returned.
var errEnded = errors.New("respond: the events have ended")

func (e *events) send(event Event) error {
	text, err := event.text()
	if err != nil {
		return err
	}
	return e.write(text)
}

// startHeartbeat starts sending comments when no events are sent.
func (e *events) startHeartbeat(silence time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.silence = silence
	e.heartbeat = time.AfterFunc(silence, func() { e.write(comment) })
}

// write sends text, unless an earlier write has failed.
func (e *events) write(text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.err != nil {
		return e.err
	}
	if e.err = e.sendNow(text); e.err != nil {
		e.cancel(e.err)
	} else if e.heartbeat != nil {
		e.heartbeat.Reset(e.silence)
	}
	return e.err
}

// sendNow returns a panic of the writer as an error, since no other function on the heartbeat's
// goroutine recovers it.
func (e *events) sendNow(text string) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &routing.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	_, err = streaming.Send(e.w, text)
	return err
}

// end stops the heartbeat, and waits for a comment that is being sent. It returns the error of an
// earlier write.
func (e *events) end() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.heartbeat != nil {
		e.heartbeat.Stop()
	}
	before := e.err
	e.err = cmp.Or(before, errEnded)
	return before
}

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// text returns the event in the format of the stream.
func (e Event) text() (string, error) {
	switch {
	case strings.ContainsAny(e.ID, "\r\n\x00"):
		return "", fmt.Errorf("respond: event: ID %q must not contain line breaks or NUL", e.ID)
	case strings.ContainsAny(e.Name, "\r\n"):
		return "", fmt.Errorf("respond: event: Name %q must not contain line breaks", e.Name)
	case e.Retry < 0:
		return "", fmt.Errorf("respond: event: Retry %v must not be negative", e.Retry)
	}
	var b strings.Builder
	if e.ID != "" {
		b.WriteString("id: " + e.ID + "\n")
	}
	if wait := e.Retry.Milliseconds(); wait > 0 {
		b.WriteString("retry: " + strconv.FormatInt(wait, 10) + "\n")
	}
	if e.Name != "" {
		b.WriteString("event: " + e.Name + "\n")
	}
	if e.Data != "" || e.Name != "" {
		for line := range strings.SplitSeq(lineBreaks.Replace(e.Data), "\n") {
			b.WriteString("data: " + line + "\n")
		}
	}
	b.WriteString("\n")
	return b.String(), nil
}
