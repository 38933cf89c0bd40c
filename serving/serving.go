// Package serving runs an HTTP server with timeouts, and shuts it down without losing requests.
//
//	func main() { serving.Main("shop", run) }
//
//	func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
//		listener, err := serving.Listen("127.0.0.1:8080")
//		if err != nil {
//			return err
//		}
//		return serving.Until(ctx, serving.NewServer(handler, nil), listener, nil)
//	}
//
// A signal begins the shutdown, which has three steps:
//
//  1. For a quarter of a second, or as long as [WithDrain] says, the server still accepts
//     connections. Each response asks the client to close its connection. [ShuttingDown] tells
//     handlers of the shutdown, so that /readyz of package flowercafe responds with 503.
//  2. The listener closes. For a quarter of a second, open connections are still served.
//  3. Requests in progress have ten seconds to end.
//
// The package uses only the standard library, and no other public package of this module.
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

// Main runs a program. The first SIGINT or SIGTERM ends the context of run, the second one ends the
// program at once. If run returns an error other than flag.ErrHelp, Main prints it to standard
// error and exits with status 2.
func Main(name string, run func(ctx context.Context, args []string, stdout, stderr io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(2)
	}
}

// NewServer returns a server with timeouts, so that no client can hold a connection forever: 5
// seconds for the header of a request, 30 seconds each to read the request and to write the
// response, 2 minutes for an idle connection. Headers are limited to 64 KiB. Change what your
// routes need before the server starts.
//
// What takes longer is cut off, also in the middle. For the response that means all results of
// actions: texts, JSON, templates, routing.Stream and files, and what handlers of your own write;
// [SendTimeout] gives each part a time instead. For the request it means JSON, forms, uploads and
// what an action reads itself; routing.Context has SetReadDeadline, net/http
// [http.ResponseController.SetReadDeadline]. A request that takes long leaves no time for its
// response, so it needs both.
//
// Not cut are events, and the streams of typed operations: lines, readers and functions that write,
// and bodies that the operation reads. They extend their deadlines themselves; see
// respond.SendTimeout, apidoc.SendTimeout and apidoc.ReceiveTimeout.
//
// The server's errors go to logger at the level of warnings, or to [slog.Default] if it is nil.
func NewServer(handler http.Handler, logger *slog.Logger) *http.Server {
	logger = orDefault(logger)
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
	// onTheWay is how long requests that were sent may take to arrive after the listener has
	// closed: http.Server.Shutdown drops those that it has not read.
	onTheWay = 250 * time.Millisecond

	// grace is how long requests in progress have to end.
	grace = 10 * time.Second
)

// Option configures [Until].
type Option interface {
	apply(*config)
}

type option func(*config)

func (o option) apply(c *config) { o(c) }

type config struct{ drain time.Duration }

// WithDrain sets how long the server still accepts connections when its shutdown has begun, 250
// milliseconds by default. A balancer must notice the shutdown in this time, or it sends requests
// to a closed port. Choose 5 seconds in Kubernetes, and for haproxy a second more than its checks
// take: inter × fall. Until returns an error for less than 0.
func WithDrain(drain time.Duration) Option {
	return option(func(c *config) { c.drain = drain })
}

// Until serves on listener until ctx ends, and then shuts the server down as the package comment
// says. It returns nil if all requests got their responses, an error of the server if it ended by
// itself, and one that wraps [context.DeadlineExceeded] if requests were cut off. It closes
// listener and changes the server's Handler and BaseContext, so call it once for a server. It logs
// the beginning of the shutdown to logger, or to [slog.Default] if that is nil.
func Until(ctx context.Context, server *http.Server, listener net.Listener, logger *slog.Logger, options ...Option) error {
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
	orDefault(logger).Info("shutting down", "drain", c.drain, "grace", grace)
	time.Sleep(c.drain)
	listener.Close()
	<-served // it has accepted those that were waiting
	time.Sleep(onTheWay)
	limited, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := server.Shutdown(limited); err != nil {
		return fmt.Errorf("shut down the server: %w", errors.Join(err, server.Close()))
	}
	return nil
}

// shutdownKey is the key of the beginning of the server's shutdown in the contexts of requests.
type shutdownKey struct{}

// ShuttingDown returns a channel that is closed when the server of a request begins to shut down.
// ctx is the context of the request. Responses without an end, such as streams of events, should
// end then; otherwise they are cut off. ShuttingDown returns nil, a channel that is never closed,
// if the server does not run in [Until].
func ShuttingDown(ctx context.Context) <-chan struct{} {
	begins, _ := ctx.Value(shutdownKey{}).(<-chan struct{})
	return begins
}

// withShutdown adds the end of ctx to the contexts that base returns.
func withShutdown(ctx context.Context, base func(net.Listener) context.Context) func(net.Listener) context.Context {
	return func(listener net.Listener) context.Context {
		parent := context.Background()
		if base != nil {
			parent = base(listener)
		}
		return context.WithValue(parent, shutdownKey{}, ctx.Done())
	}
}

// ShutDown shuts down an app, such as a flowercafe.App. Call it after [Until]. Work in progress,
// such as sessions of a database, has five seconds to end. It returns the app's error.
func ShutDown(app interface{ Shutdown(context.Context) error }) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return app.Shutdown(ctx)
}

func orDefault(logger *slog.Logger) *slog.Logger {
	if logger == nil {
		return slog.Default()
	}
	return logger
}

// closing asks clients, once ctx ends, to close their connections after the response (RFC 9112,
// 9.6). In HTTP/2, net/http sends GOAWAY instead (RFC 9113, 6.8).
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
