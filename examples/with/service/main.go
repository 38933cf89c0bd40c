// Service is a small booking service, as a template for your own: houses with rooms, which guests
// book on a page or by a JSON API.
//
//	go run . -secure=false     # and open the address that it prints
//
// Its packages: booking (the words), store (SQLite), api (typed operations), web (pages, sessions,
// uploads, events), observe (request IDs, logs, metrics), holidays (a plugin). The tests show how to
// test such a service.
package main

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"

	"example.com/flowercafe/examples/with/service/api"
	"example.com/flowercafe/examples/with/service/observe"
	"example.com/flowercafe/examples/with/service/store"
	"example.com/flowercafe/examples/with/service/web"
	"example.com/flowercafe/serving"
)

func main() { serving.Main("service", run) }

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("service", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:8080", "address to listen on; port 0 picks one")
	database := flags.String("db", "", "file of the database; empty keeps it in memory")
	dir := flags.String("photos", "photos", "directory of the photos")
	secure := flags.Bool("secure", true, "send the session's cookie over HTTPS only; false is for plain HTTP on your own machine")
	if err := flags.Parse(args); err != nil {
		return err
	}
	logger := slog.New(slog.NewJSONHandler(stderr, nil))
	data, err := openStore(ctx, *database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	if err := os.MkdirAll(*dir, 0o700); err != nil {
		return err
	}
	photos, err := os.OpenRoot(*dir) // paths cannot leave this directory
	if err != nil {
		return err
	}
	defer photos.Close()

	password, token := rand.Text(), rand.Text() // a real service has a user database
	site := &web.Site{Life: ctx, Store: data, Photos: photos, Secure: *secure, IsUser: func(_, given string) bool {
		return subtle.ConstantTimeCompare([]byte(given), []byte(password)) == 1
	}}
	handler, err := newService(site, []api.Access{{Token: token, Scopes: []string{"bookings:read", "bookings:write"}}}, &observe.Observer{Logger: logger})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "listening on http://%s/\nlog in with any name and %s; the token of the API is %s\n", listener.Addr(), password, token)
	return serving.Until(ctx, serving.NewServer(handler, logger), listener, logger)
}

// openStore opens the database in a file, or in memory if there is none.
func openStore(ctx context.Context, file string) (*store.Store, error) {
	if file == "" {
		return store.Open(ctx, "file::memory:", 1)
	}
	return store.Open(ctx, file, 8)
}
