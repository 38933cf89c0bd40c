package apidoc

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"example.com/flowercafe/internal/streaming"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file has the timeouts of streams. They replace the server's ReadTimeout and WriteTimeout.

// SendTimeout sets the time limit for each write of a stream, or for each 64 KiB of a longer write.
// The default is 10 seconds. It replaces the server's WriteTimeout, which limits a whole response.
// A duration of 0 or less panics.
func SendTimeout(timeout time.Duration) Option {
	if timeout < 1 {
		panic(fmt.Sprintf("apidoc: SendTimeout(%v): write a duration above 0", timeout))
	}
	return option(func(d *definition) { d.timeouts.send = timeout })
}

// Heartbeat sets the interval without events after which a comment is sent. Comments keep proxies
// from closing the connection, and detect that the client has disconnected. The default is 15
// seconds; 0 turns it off. A negative duration panics.
func Heartbeat(interval time.Duration) Option {
	if interval < 0 {
		panic(fmt.Sprintf("apidoc: Heartbeat(%v): write a duration of at least 0", interval))
	}
	return option(func(d *definition) { d.events = append(d.events, respond.Heartbeat(interval)) })
}

// ReceiveTimeout sets the time limits for a body that the operation reads while it runs, an
// [io.Reader] or JSON Lines: for each read, and for the body in total. The defaults are 10 seconds
// and 10 minutes. They replace the server's ReadTimeout and, while the body is read, its
// WriteTimeout. A read after a limit returns an error with the status 408. A read limit of 0 or
// less panics, as does a total below it.
func ReceiveTimeout(read, total time.Duration) Option {
	if read < 1 || total < read {
		panic(fmt.Sprintf("apidoc: ReceiveTimeout(%v, %v): write a duration above 0, and a total that is not shorter", read, total))
	}
	return option(func(d *definition) { d.timeouts.read, d.timeouts.total = read, total })
}

// timeouts are the timeouts of an operation that streams.
type timeouts struct{ send, read, total time.Duration }

var defaultTimeouts = timeouts{send: 10 * time.Second, read: 10 * time.Second, total: 10 * time.Minute}

// response returns a response with a deadline for each part.
func (t timeouts) response(c routing.Context) streaming.Parts {
	return streaming.Parts{Connection: c.Controller(), Timeout: t.send}
}

// body returns the body of a request, of at most limit bytes.
func (t timeouts) body(c routing.Context, limit int64) io.Reader {
	return http.MaxBytesReader(nil, newUnreadBody(c.Request(), streaming.Body(c.Request(), c.Controller(), t.read, t.total, tooSlow)), limit)
}

var tooSlow = refuse(http.StatusRequestTimeout, "request_timeout", "The body is sent too slowly")
