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

// This file has the timeouts of requests and responses that last longer than the server's timeouts
// for a whole one.

// SendTimeout sets how long sending a part of a stream may take: a line, an event, a read of a
// reader, a write of a function, or 64 KiB of a longer one. The default is 10 seconds. It replaces
// the server's WriteTimeout, which limits a whole response. A duration of 0 or less panics.
func SendTimeout(timeout time.Duration) Option {
	if timeout < 1 {
		panic(fmt.Sprintf("apidoc: SendTimeout(%v): write a duration above 0", timeout))
	}
	return option(func(d *definition) { d.deadlines.send = timeout })
}

// Heartbeat sets after how much silence a comment is sent between events. So proxies keep the
// connection, and the sequence is told that the client has disconnected. The default is 15 seconds;
// 0 turns it off. A negative duration panics.
func Heartbeat(silence time.Duration) Option {
	if silence < 0 {
		panic(fmt.Sprintf("apidoc: Heartbeat(%v): write a duration of at least 0", silence))
	}
	return option(func(d *definition) { d.events = append(d.events, respond.Heartbeat(silence)) })
}

// ReceiveTimeout sets how long a client may take for each part of a body that the operation reads
// while it runs, an [io.Reader] or JSON Lines, and how long for the whole body. The defaults are 10
// seconds and 10 minutes. They replace the server's ReadTimeout; while the body is read the
// WriteTimeout does not count either. A read that is too late is an error with the status 408. A
// part of 0 or less, or a whole that is shorter, panics.
func ReceiveTimeout(part, whole time.Duration) Option {
	if part < 1 || whole < part {
		panic(fmt.Sprintf("apidoc: ReceiveTimeout(%v, %v): write a duration above 0, and one for the whole that is not shorter", part, whole))
	}
	return option(func(d *definition) { d.deadlines.part, d.deadlines.whole = part, whole })
}

// deadlines are the timeouts of an operation that streams.
type deadlines struct{ send, part, whole time.Duration }

var usualDeadlines = deadlines{send: 10 * time.Second, part: 10 * time.Second, whole: 10 * time.Minute}

// response returns the parts of a response.
func (d deadlines) response(c routing.Context) streaming.Parts {
	return streaming.Parts{Connection: c.Controller(), Timeout: d.send}
}

// body returns the body of a request, up to a limit of its bytes.
func (d deadlines) body(c routing.Context, limit int64) io.Reader {
	return http.MaxBytesReader(nil, announced(c.Request(), streaming.Body(c.Request(), c.Controller(), d.part, d.whole, tooSlow)), limit)
}

var tooSlow = refuse(http.StatusRequestTimeout, "request_timeout", "The body is sent too slowly")
