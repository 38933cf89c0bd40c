// Package serving runs the servers of the example hosts, and shuts them down without losing
// requests. Copy it into your service.
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

// NewServer returns a server with timeouts, so that no client can hold a connection forever.
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

// A shutdown has two phases. During drain, the server accepts no new connections and closes each
// connection after its next response. Closing idle connections immediately would lose requests that
// were sent but not read yet. Then requests in progress have the grace period to end.
const (
	drain = 250 * time.Millisecond
	grace = 10 * time.Second
)

// Until serves on listener until ctx ends, and then shuts the server down. It returns nil if all
// requests got their responses. It changes the server's handler and closes listener.
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

// ShutDown shuts an app down, after its server. Database sessions have five seconds to end; then
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
