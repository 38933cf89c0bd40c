package serving

import (
	"fmt"
	"net/http"
	"time"

	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/internal/streaming"
)

// SendTimeout returns middleware for responses that take longer than the server's WriteTimeout,
// such as large files and streams. The timeout applies to each write of up to 64 KiB, not to the
// whole response, and not to the time between writes. So a slow client can get the whole response,
// and a client that stops reading is disconnected.
//
//	app.Get("/downloads/*", respond.Files(files), routing.Use(serving.SendTimeout(10*time.Second)))
//
// The request body still has the server's ReadTimeout. SendTimeout panics if timeout is not
// positive or if the handler is nil. The middleware is safe for concurrent use. It has no effect
// on a ResponseWriter without deadlines. A hijacked connection has no deadline until the handler
// sets it.
func SendTimeout(timeout time.Duration) func(next http.Handler) http.Handler {
	if timeout < 1 {
		panic(fmt.Sprintf("serving: SendTimeout(%v): write a duration above 0", timeout))
	}
	return func(next http.Handler) http.Handler {
		if nilvalue.In(next) {
			panic("serving: SendTimeout: pass a handler, not nil")
		}
		return streaming.Handler(next, timeout)
	}
}
