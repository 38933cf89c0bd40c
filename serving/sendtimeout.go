package serving

import (
	"fmt"
	"net/http"
	"time"

	"example.com/flowercafe/internal/deadline"
	"example.com/flowercafe/internal/nilvalue"
)

// This file lets responses last longer than the server's WriteTimeout, which is for a whole one.

// SendTimeout returns middleware for responses that take longer than the server's WriteTimeout,
// such as large files and streams. Each part of a response, of at most 64 KiB, must be sent within
// the timeout; the response as a whole has no limit, nor has the handler while it makes the next
// part. So a client that reads slowly gets everything, and one that does not read is disconnected.
//
//	app.Get("/downloads/*", respond.Files(files), routing.Use(serving.SendTimeout(10*time.Second)))
//
// The body of the request still has the server's ReadTimeout. A duration of 0 or less panics, and
// so does a nil handler. The middleware is safe for concurrent use; it does nothing for a writer
// without deadlines. A connection that the handler takes over has no deadline until the handler
// sets one.
func SendTimeout(timeout time.Duration) func(next http.Handler) http.Handler {
	if timeout < 1 {
		panic(fmt.Sprintf("serving: SendTimeout(%v): write a duration above 0", timeout))
	}
	return func(next http.Handler) http.Handler {
		if nilvalue.In(next) {
			panic("serving: SendTimeout: pass a handler, not nil")
		}
		return deadline.Handler(next, timeout)
	}
}
