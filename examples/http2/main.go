// Http2 serves the module over HTTP/2. Without a certificate it serves HTTP/2 in clear text, for a
// proxy in front (RFC 9113, 3.3).
//
//	go run ./examples/http2 -cert cert.pem -key key.pem
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"example.com/flowercafe"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8443", "address to listen on; port 0 picks a free one")
	cert := flag.String("cert", "", "file with the certificate, in PEM")
	key := flag.String("key", "", "file with the certificate's key")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program
	app, err := flowercafe.New()
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatalf("%v: set another address with -addr", err)
	}
	log.Print("listening on ", listener.Addr())
	if err := errors.Join(serve(ctx, listener, newServer(app), *cert, *key), app.Close()); err != nil {
		log.Fatal(err)
	}
}

// newServer returns a server for HTTP/1.1 and HTTP/2, with and without TLS, that limits the
// concurrent requests of a connection.
func newServer(handler http.Handler) *http.Server {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		Protocols:         new(http.Protocols),
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 100},
	}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetHTTP2(true)
	server.Protocols.SetUnencryptedHTTP2(true)
	return server
}

// serve serves until ctx ends, and then waits for requests in progress.
func serve(ctx context.Context, listener net.Listener, server *http.Server, cert, key string) error {
	failed := make(chan error, 1)
	go func() {
		if cert != "" || server.TLSConfig != nil {
			failed <- server.ServeTLS(listener, cert, key)
		} else {
			failed <- server.Serve(listener)
		}
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return server.Shutdown(grace)
}
