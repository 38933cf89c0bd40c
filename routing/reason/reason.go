// Package reason sends the reason phrases of halts on the status line of HTTP/1.x answers, which net/http does not let a
// handler set. A server opts in by two lines:
//
//	server := &http.Server{Handler: app, ConnContext: reason.ConnContext}
//	server.Serve(reason.NewListener(listener))
//
// Then a [routing.HaltError] with a Status and a Reason is answered with that phrase:
//
//	HTTP/1.1 403 Members Only
//
// Only the phrase is changed, in the write that begins with the answer's status line; everything else passes through as it
// is: other answers, informational (1xx) ones, bodies and streams, connections that a handler has taken over, and HTTP/2, which
// has no phrases (RFC 9113, 8.3.2).
//
// The listener must hand out what HTTP/1 is written to. With TLS, that is above the encryption:
//
//	server.Serve(reason.NewListener(tls.NewListener(listener, config)))
//
// net/http then does not see the TLS connection, so requests have no TLS field, and HTTP/2 is not spoken; leave "h2" out of
// config.NextProtos. With [http.Server.ServeTLS] around this listener nothing is changed.
package reason

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"

	"example.com/flowercafe/routing"
)

// NewListener returns a listener whose connections can send reason phrases. It is as safe for concurrent use as inner.
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

// ConnContext is for [http.Server.ConnContext]: it lets the requests of a connection find it. A connection of another listener
// changes nothing.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	if c, ok := c.(*conn); ok {
		return routing.WithReasonSender(ctx, c)
	}
	return ctx
}

// conn is a connection that can change a status line that is written to it.
type conn struct {
	net.Conn

	mu     sync.Mutex
	status int
	phrase string // for the next answer of that status; empty for none
}

var _ routing.ReasonSender = (*conn)(nil)

// CloseWrite lets the server end an answer before it closes the connection, as it does with a body that it has not read.
func (c *conn) CloseWrite() error {
	if inner, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return inner.CloseWrite()
	}
	return nil
}

// SendReason implements [routing.ReasonSender]. Whoever ends the context of a request and then responds, as http.TimeoutHandler does,
// does so in front of a Write, so that the phrase of an action that comes too late is never kept for the next response.
func (c *conn) SendReason(ctx context.Context, status int, phrase string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ctx.Err() == nil {
		c.status, c.phrase = status, phrase
	}
}

// NetConn returns the connection below.
func (c *conn) NetConn() net.Conn { return c.Conn }

// Write writes p, with another phrase if p begins with the status line that it is meant for. net/http begins an answer with a
// write of its own, since it has flushed the one before.
func (c *conn) Write(p []byte) (int, error) {
	line, phrase := c.replace(p)
	if phrase == "" {
		return c.Conn.Write(p)
	}
	changed := make([]byte, 0, len(p)+len(phrase))
	changed = append(changed, p[:statusEnd]...)
	changed = append(changed, phrase...)
	changed = append(changed, p[line:]...)
	n, err := c.Conn.Write(changed)
	if err == nil {
		return len(p), nil
	}
	// Of what was not written, count as much as p still has.
	return max(0, len(p)-(len(changed)-n)), err
}

// statusEnd is where the phrase begins in "HTTP/1.1 200 OK".
const statusEnd = len("HTTP/1.1 200 ")

// replace returns the phrase to send in place of p[statusEnd:end], or nothing.
func (c *conn) replace(p []byte) (end int, phrase string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phrase == "" {
		return 0, ""
	}
	end = bytes.IndexByte(p, '\r')
	if end < statusEnd || !bytes.HasPrefix(p, []byte("HTTP/1.")) {
		c.phrase = "" // not an answer of HTTP/1: nothing here is ours to change
		return 0, ""
	}
	status, err := strconv.Atoi(string(p[len("HTTP/1.1 "):len("HTTP/1.1 200")]))
	if err == nil && status < http.StatusOK && status != http.StatusSwitchingProtocols {
		return 0, "" // the answer is still to come
	}
	phrase, c.phrase = c.phrase, ""
	if status != c.status {
		return 0, ""
	}
	return end, phrase
}

// ReadFrom lets the connection below send files by itself.
func (c *conn) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(c.Conn, r)
}
