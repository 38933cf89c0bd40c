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
// whole response, and not to the time between writes.
//
//	app.Get("/downloads/*", respond.Files(files), routing.Use(serving.SendTimeout(10*time.Second)))
//
// The request body still has the server's ReadTimeout. SendTimeout has no effect on a
// ResponseWriter without deadlines.
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
