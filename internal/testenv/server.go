package testenv

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// Serve starts the server on connections in memory, and returns a client for any http URL. In a
// bubble of [testing/synctest] time passes only while the server and its clients wait: tests of
// timeouts take no time and don't fail on a busy machine. Call it only in a bubble: elsewhere the
// cleanup takes an hour.
//
// The client speaks the protocols of the server, HTTP/2 without TLS. The end of the test t closes
// both, after the handler has returned from all requests.
func Serve(t *testing.T, server *http.Server) *http.Client {
	var running sync.WaitGroup
	handler := server.Handler
	server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		running.Add(1)
		defer running.Done()
		handler.ServeHTTP(w, r)
	})
	l := NewListener()
	running.Go(func() { server.Serve(l) })
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return l.Dial(ctx) }
	transport := &http.Transport{Protocols: server.Protocols, DialContext: dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
		running.Wait()
		// The transport may still read the body of a request that was cut, with its pauses.
		time.Sleep(time.Hour)
	})
	return &http.Client{Transport: transport}
}

// Listener accepts the connections of Dial, which are in memory.
type Listener struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

// NewListener returns a Listener.
func NewListener() *Listener {
	return &Listener{accepted: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial connects, or returns net.ErrClosed after Close.
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.accepted <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (l *Listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.accepted:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *Listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *Listener) Addr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "memory" }
func (address) String() string  { return "memory" }
