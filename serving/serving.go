// Package serving runs an HTTP server with timeouts, and shuts it down without losing requests.
//
//	func main() { serving.Main("shop", run) }
//
//	func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
//		listener, err := net.Listen("tcp", "127.0.0.1:8080")
//		if err != nil {
//			return err
//		}
//		return serving.Until(ctx, serving.NewServer(handler, nil), listener, nil)
//	}
//
// It knows nothing of the other packages of this module.
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

// Main runs a program. SIGINT and SIGTERM end the context of run; a second one ends the program. If
// run returns an error other than flag.ErrHelp, Main prints it to standard error and exits with
// status 2.
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
// response, 2 minutes for an idle connection. Headers are limited to 64 KiB. Change what your routes
// need before the server starts: streams of events, for example, last longer than WriteTimeout. The
// server's errors go to logger at the level of warnings, or to [slog.Default] if it is nil.
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

// A shutdown has two phases. During drain, the server accepts no new connections and closes each
// connection after its next response. Closing idle connections immediately would lose requests that
// were sent but not read yet. Then requests in progress have the grace period to end.
const (
	drain = 250 * time.Millisecond
	grace = 10 * time.Second
)

// Until serves on listener until ctx ends, and then shuts the server down: for a quarter of a second
// it accepts no connections and closes each one after its next response, then requests in progress
// have ten seconds to end. It returns nil if all requests got their responses, an error of the
// server if it ended by itself, and one that wraps [context.DeadlineExceeded] if requests were cut
// off. It closes listener and changes the server's handler, so call it once for a server. It logs
// the beginning of the shutdown to logger, or to [slog.Default] if that is nil.
func Until(ctx context.Context, server *http.Server, listener net.Listener, logger *slog.Logger) error {
	server.Handler = closing(ctx, server.Handler)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	orDefault(logger).Info("ending", "grace", grace)
	listener.Close()
	time.Sleep(drain)
	ending, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		return fmt.Errorf("shut down the server: %w", errors.Join(err, server.Close()))
	}
	return nil
}

// ShutDown shuts an app down, such as a flowercafe.App, after its server. Work in progress, such as
// sessions of a database, has five seconds to end. It returns the app's error.
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
// 9.6).
func closing(ctx context.Context, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ctx.Err() != nil {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
