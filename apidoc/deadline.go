package apidoc

import (
	"io"
	"net/http"
	"time"

	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/internal/streaming"
	"example.com/flowercafe/routing"
)

// This file has the timeouts of streams. They replace the server's ReadTimeout and WriteTimeout.

// timeouts are the timeouts of an operation that streams.
type timeouts struct{ send, read, total time.Duration }

var defaultTimeouts = timeouts{send: 10 * time.Second, read: 10 * time.Second, total: 10 * time.Minute}

// response returns a response with a deadline for each part.
func (t timeouts) response(c routing.Context) streaming.Parts {
	return streaming.Parts{Control: c.Controller(), Timeout: t.send}
}

// body returns the body of a request, of at most limit bytes.
func (t timeouts) body(c routing.Context, limit int64) io.Reader {
	return http.MaxBytesReader(nil, newUnreadBody(c.Request(), streaming.Body(c.Request(), c.Controller(), t.read, t.total, tooSlow)), limit)
}

// warnWithoutDeadlines logs once that the timeouts have no effect. A recorder of a test has no
// server.
func (p *plan) warnWithoutDeadlines(c routing.Context) {
	if c.Request().Context().Value(http.ServerContextKey) == nil || streaming.HasDeadlines(private.Writer(c)) {
		return
	}
	p.warned.Do(func() {
		c.Logger().Warn("SendTimeout and ReceiveTimeout have no effect, since a writer of middleware sets no deadlines: "+
			"give it a method Unwrap, and use no http.TimeoutHandler; this is logged once for each operation", "operation", p.op.ID())
	})
}

var tooSlow = newRefusal(http.StatusRequestTimeout, "request_timeout", "The body is sent too slowly")
