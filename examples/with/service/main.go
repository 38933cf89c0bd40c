// Service is a small booking service, as a template for your own: houses with rooms, which guests
// book on a page or by a JSON API.
//
//	go run . -secure=false     # and open the URL that it prints
//
// Its packages: booking (the types), store (SQLite or PostgreSQL), api (typed operations), web
// (pages, sessions, uploads, events), observe (request IDs, logs, metrics), pier (a plugin). The
// tests show how to test such a service. When you copy it, replace what is only for a start: one
// password for everybody, sessions in memory, and tables that are created but never altered.
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
	"strings"
	"time"

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
	base := flags.String("base", "", "path below which everything is served, such as /rooms")
	database := flags.String("db", "", "file of a SQLite database, or URL of a PostgreSQL database, postgres://…; empty keeps it in memory")
	secure := flags.Bool("secure", true, "send the session's cookie over HTTPS only; false is for plain HTTP on your own machine")
	drain := flags.Duration("drain", 250*time.Millisecond, "how long to go on serving after SIGTERM, for balancers to notice")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *base != "" && !strings.HasPrefix(*base, "/") {
		return fmt.Errorf("-base %q: write a path such as /rooms", *base)
	}
	logger := slog.New(observe.IDs(slog.NewJSONHandler(stderr, nil)))
	data, err := openStore(ctx, *database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	if err := data.Prepare(ctx); err != nil {
		return err
	}

	password, token := rand.Text(), rand.Text() // a real service has a user database
	site := &web.Site{Logger: logger, Store: data, Secure: *secure, IsUser: func(_, given string) bool {
		return subtle.ConstantTimeCompare([]byte(given), []byte(password)) == 1
	}}
	access := api.Access{}
	access.Allow(token, "bookings:read", "bookings:write")
	handler, err := newService(*base, site, access, observe.New(logger))
	if err != nil {
		return err
	}
	listener, err := serving.Listen(*addr)
	if err != nil {
		return fmt.Errorf("%w: set another address with -addr", err)
	}
	url := "http://" + listener.Addr().String() + strings.TrimRight(*base, "/")
	fmt.Fprintf(stdout, "listening on %s/\nlog in with any name and the password %s\nthe API of the mill is described at %s/houses/mill/api-docs/ui/; its token is %s\n",
		url, password, url, token)
	return serving.Run(ctx, serving.NewServer(handler, logger), listener, logger, serving.WithDrain(*drain))
}

func openStore(ctx context.Context, name string) (*store.Store, error) {
	if strings.HasPrefix(name, "postgres://") {
		return store.OpenPostgres(ctx, name)
	}
	return store.OpenSQLite(name)
}
