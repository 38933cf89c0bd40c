// Package serving runs an HTTP server with timeouts, and shuts it down gracefully.
//
//	func main() { serving.Main("shop", run) }
//
//	func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
//		listener, err := serving.Listen("127.0.0.1:8080")
//		if err != nil {
//			return err
//		}
//		return serving.Run(ctx, serving.NewServer(handler, nil), listener, nil)
//	}
//
// A signal begins the shutdown, which has three steps:
//
//  1. For a quarter of a second, or the duration set with [WithDrain], the server still accepts
//     connections. Responses to new requests ask clients to close theirs. [ShuttingDown] tells
//     handlers.
//  2. The listener closes. For a quarter of a second, open connections are still served.
//  3. Requests in progress have ten seconds to complete.
package serving

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Main runs a program. The first SIGINT or SIGTERM cancels the context passed to run; after that,
// signals have their usual effect. If run returns an error other than flag.ErrHelp, Main prints it
// to standard error and exits with status 2.
func Main(name string, run func(ctx context.Context, args []string, stdout, stderr io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(2)
	}
}

// NewServer returns a server with timeouts: 5 seconds for the request header, 30 seconds each to
// read the request and write the response, 2 minutes for an idle connection. MaxHeaderBytes is
// 64 KiB. The server logs errors to logger as warnings; nil means the present [slog.Default].
//
// A request or response that takes longer is cut off. For large responses use [SendTimeout]. For
// large requests extend the read deadline with [http.ResponseController.SetReadDeadline], and use
// SendTimeout too, since the write timeout begins before the body is read. Events and the streams
// of typed operations extend their deadlines themselves.
func NewServer(handler http.Handler, logger *slog.Logger) *http.Server {
	logger = loggerOrDefault(logger)
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
}

const (
	// listenerDrain is how long the server waits, after the listener has closed, for requests in
	// flight: http.Server.Shutdown drops a request that it has not begun to read.
	listenerDrain = 250 * time.Millisecond

	// grace is how long requests in progress have to complete.
	grace = 10 * time.Second
)

// Option configures [Run].
type Option interface {
	apply(*config)
}

type option func(*config)

func (o option) apply(c *config) { o(c) }

type config struct{ drain time.Duration }

// WithDrain sets how long the server still accepts connections after its shutdown has begun. The
// default is 250 milliseconds. A load balancer must notice the shutdown in this time. Choose 5
// seconds for Kubernetes, and for haproxy one second more than its checks take (inter × fall).
func WithDrain(drain time.Duration) Option {
	return option(func(c *config) { c.drain = drain })
}

// Run serves on listener until ctx is done, and then shuts the server down as described in the
// package comment. Like [http.Server.Shutdown], it does not wait for hijacked connections, such as
// WebSockets. It logs the shutdown to logger; nil means [slog.Default]. For TLS, pass a listener of
// [crypto/tls.NewListener]; HTTP/2 needs "h2" in its NextProtos.
//
// It returns nil if no request was cut off, the server's error if the server stopped before ctx was
// done, and an error that wraps [context.DeadlineExceeded] if requests were cut off. Run closes
// listener and changes the server's Handler and BaseContext: call it once per server.
func Run(ctx context.Context, server *http.Server, listener net.Listener, logger *slog.Logger, options ...Option) error {
	switch {
	case listener == nil:
		return errors.New("serve: pass a listener, as Listen makes it, not nil")
	case server == nil:
		return errors.Join(errors.New("serve: pass a server, as NewServer makes it, not nil"), listener.Close())
	}
	c := config{drain: 250 * time.Millisecond}
	for i, o := range options {
		if o == nil {
			return errors.Join(fmt.Errorf("serve: option %d is nil: leave it out", i), listener.Close())
		}
		o.apply(&c)
	}
	if c.drain < 0 {
		return errors.Join(fmt.Errorf("serve: drain %v: write 0 or more", c.drain), listener.Close())
	}
	server.Handler = closing(ctx, server.Handler)
	server.BaseContext = withShutdown(ctx, server.BaseContext)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	loggerOrDefault(logger).Info("shutting down", "drain", c.drain, "grace", grace)
	time.Sleep(c.drain)
	listener.Close()
	<-served // it has accepted the waiting connections
	time.Sleep(listenerDrain)
	limited, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := server.Shutdown(limited); err != nil {
		return fmt.Errorf("shut down the server: %w", errors.Join(err, server.Close()))
	}
	return nil
}

// shutdownKey is the context key for the channel that ShuttingDown returns.
type shutdownKey struct{}

// ShuttingDown returns a channel that is closed when [Run] begins to shut the server down. Pass it
// the request's context. Endless responses, such as event streams, should end then; otherwise they
// are cut off. If the server was not started with [Run], the channel is nil.
func ShuttingDown(ctx context.Context) <-chan struct{} {
	begins, _ := ctx.Value(shutdownKey{}).(<-chan struct{})
	return begins
}

// withShutdown adds ctx.Done to the contexts that base returns.
func withShutdown(ctx context.Context, base func(net.Listener) context.Context) func(net.Listener) context.Context {
	return func(listener net.Listener) context.Context {
		parent := context.Background()
		if base != nil {
			parent = base(listener)
		}
		return context.WithValue(parent, shutdownKey{}, ctx.Done())
	}
}

func loggerOrDefault(logger *slog.Logger) *slog.Logger {
	if logger == nil {
		return slog.Default()
	}
	return logger
}

// closing asks clients to close their connections once ctx is done (RFC 9112, 9.6). In HTTP/2,
// net/http sends GOAWAY instead (RFC 9113, 6.8).
func closing(ctx context.Context, next http.Handler) http.Handler {
	if next == nil {
		next = http.DefaultServeMux // as in http.Server
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
