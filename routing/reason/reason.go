// Package reason sends the Reason of a [routing.HaltError] on the status line of HTTP/1.x
// responses. net/http does not let handlers set the reason phrase. Two lines enable it:
//
//	server := &http.Server{Handler: app, ConnContext: reason.ConnContext}
//	server.Serve(reason.NewListener(listener))
//
// A [routing.HaltError] with a Status and a Reason is then sent with that phrase:
//
//	HTTP/1.1 403 Members Only
//
// All other data of a connection is sent as is. HTTP/2 has no reason phrases (RFC 9113, 8.3.2).
//
// With TLS, the listener must be on top of the encryption, since it rewrites what HTTP/1 writes:
//
//	server.Serve(reason.NewListener(tls.NewListener(listener, config)))
//
// net/http then does not see the TLS connection: requests have no TLS field, and HTTP/2 is not
// available; leave "h2" out of config.NextProtos. With [http.Server.ServeTLS] on this listener, no
// phrase is changed.
package reason

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"

	"example.com/flowercafe/routing/internal/response"
)

// NewListener returns a listener whose connections can send reason phrases.
func NewListener(inner net.Listener) net.Listener {
	return listener{inner}
}

type listener struct{ net.Listener }

func (l listener) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: inner}, nil
}

// ConnContext is for [http.Server.ConnContext].
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*conn); ok {
		return response.WithReasonSender(ctx, c)
	}
	return ctx
}

// conn is a connection that can change the status line of a response.
type conn struct {
	net.Conn

	mu     sync.Mutex
	status int
	phrase string // for the next response with that status, or empty
}

var _ response.ReasonSender = (*conn)(nil)

// CloseWrite lets the server finish a response before it closes the connection, as it does if it
// has not read the whole body.
func (c *conn) CloseWrite() error {
	if inner, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return inner.CloseWrite()
	}
	return nil
}

// SendReason implements [response.ReasonSender]. A handler such as http.TimeoutHandler ends the
// request's context before it responds, so the phrase of an action that is still running is not
// kept for the next response.
func (c *conn) SendReason(ctx context.Context, status int, phrase string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() == nil {
		c.status, c.phrase = status, phrase
	}
}

// NetConn returns the wrapped connection.
func (c *conn) NetConn() net.Conn { return c.Conn }

// Write writes p. If p begins with a status line of the status that SendReason got, the phrase
// replaces the standard one. net/http begins each response with a new write, since it flushes the
// one before.
func (c *conn) Write(p []byte) (int, error) {
	end, phrase := c.replace(p)
	if phrase == "" {
		return c.Conn.Write(p)
	}
	changed := make([]byte, 0, len(p)+len(phrase))
	changed = append(changed, p[:statusEnd]...)
	changed = append(changed, phrase...)
	changed = append(changed, p[end:]...)
	n, err := c.Conn.Write(changed)
	if err == nil {
		return len(p), nil
	}
	// The bytes of changed that were not written are missing from the end of p.
	return max(0, len(p)-(len(changed)-n)), err
}

// statusEnd is where the phrase begins in "HTTP/1.1 200 OK".
const statusEnd = len("HTTP/1.1 200 ")

// replace returns the phrase to send instead of p[statusEnd:end], or the empty string.
func (c *conn) replace(p []byte) (end int, phrase string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phrase == "" {
		return 0, ""
	}
	end = bytes.IndexByte(p, '\r')
	if end < statusEnd || !bytes.HasPrefix(p, []byte("HTTP/1.")) {
		c.phrase = "" // not an HTTP/1 response
		return 0, ""
	}
	status, err := strconv.Atoi(string(p[len("HTTP/1.1 "):len("HTTP/1.1 200")]))
	if err == nil && status < http.StatusOK && status != http.StatusSwitchingProtocols {
		return 0, "" // the final response comes later
	}
	phrase, c.phrase = c.phrase, ""
	if status != c.status {
		return 0, ""
	}
	return end, phrase
}

// ReadFrom lets the wrapped connection send files itself.
func (c *conn) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(c.Conn, r)
}
