// Service is a small site for flower photos, as a template for your own service. It has sessions
// (alexedwards/scs), protection against cross-site requests (net/http), uploads, HTML templates,
// server-sent events, a WebSocket (coder/websocket), and problem details.
//
//	go run . -secure=false     # and open the address that it prints
package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "address to listen on; port 0 picks one")
	dir := flag.String("photos", "photos", "directory of the photos")
	secure := flag.Bool("secure", true, "send the session's cookie over HTTPS only; false is for plain HTTP on your own machine")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program
	if err := os.MkdirAll(*dir, 0o700); err != nil {
		log.Fatal(err)
	}
	photos, err := os.OpenRoot(*dir) // paths cannot leave this directory
	if err != nil {
		log.Fatal(err)
	}
	password := rand.Text() // a real service has a user database
	server := &http.Server{
		Handler: newSite(ctx, photos, *secure, func(_, given string) bool {
			return subtle.ConstantTimeCompare([]byte(given), []byte(password)) == 1
		}),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: time.Minute, WriteTimeout: time.Minute,
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s/\nlog in with any name and %s\n", listener.Addr(), password)
	ended := make(chan error, 1)
	context.AfterFunc(ctx, func() { ended <- server.Shutdown(context.Background()) }) // waits for requests
	if err := server.Serve(listener); err != http.ErrServerClosed {
		log.Fatal(err)
	}
	if err := <-ended; err != nil {
		log.Fatal(err)
	}
}
