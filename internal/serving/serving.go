// Package serving runs the servers of the example hosts, and ends them so that no request is lost.
// What it does is meant to be copied into a service.
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

// Main runs a program until SIGINT or SIGTERM, which end the context of run. If run returns an
// error, Main writes it to standard error and exits with status 2; flag.ErrHelp is not written.
func Main(name string, run func(ctx context.Context, args []string, stdout, stderr io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		}
		os.Exit(2)
	}
}

// NewServer returns a server with limits, so that no client can hold a connection for ever.
func NewServer(handler http.Handler, logger *slog.Logger) *http.Server {
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

// The end of a server has two phases. While it drains, it accepts no new connections and closes
// each connection after its next response. A client may have sent a request that the server has not
// read yet: closing idle connections at once would lose it. Then requests in progress have the
// grace period to end.
const (
	drain = 250 * time.Millisecond
	grace = 10 * time.Second
)

// Until serves on listener until ctx ends, drains, and shuts the server down. It returns nil when
// all requests have had their responses. It takes over the server's handler and closes listener.
func Until(ctx context.Context, server *http.Server, listener net.Listener, logger *slog.Logger) error {
	server.Handler = closing(ctx, server.Handler)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	logger.Info("ending", "grace", grace)
	listener.Close()
	time.Sleep(drain)
	ending, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		return fmt.Errorf("shut down the server: %w", errors.Join(err, server.Close()))
	}
	return nil
}

// ShutDown ends an app after its server. Sessions with the database have five seconds to end; then
// they are interrupted.
func ShutDown(app interface{ Shutdown(context.Context) error }) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return app.Shutdown(ctx)
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
