// Service is a small booking service, as a template for your own: houses with rooms, which guests
// book on a page or by a JSON API.
//
//	go run . -secure=false     # and open the URL that it prints
//
// Its packages: booking (the types), store (SQLite or PostgreSQL), api (typed operations), web
// (pages, sessions, uploads, events), observe (request IDs, logs, metrics), pier (a plugin). The
// tests show how to test such a service. Several hosts may share a PostgreSQL database: see
// docs/several-hosts.md. When you copy it, replace the one password for everybody.
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
	"net/netip"
	"os"
	"regexp"
	"strings"
	"sync"
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
	database := flags.String("db", "", "file of a SQLite database, or PostgreSQL's URL, postgres://…, or connection string, host=… dbname=…; empty keeps it in memory")
	secrets := flags.String("secrets", "", "file with the password of the pages and the token of the API, the same for all hosts; empty makes new ones")
	proxies := flags.String("proxies", "", "networks of balancers, such as 10.0.0.0/8,fd00::/8, whose X-Forwarded-For has the address of the client")
	secure := flags.Bool("secure", true, "send the session's cookie over HTTPS only; false is for plain HTTP on your own machine")
	drain := flags.Duration("drain", 250*time.Millisecond, "how long to go on serving after SIGTERM, for balancers to notice")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *base != "" && !strings.HasPrefix(*base, "/") {
		return fmt.Errorf("-base %q: write a path such as /rooms", *base)
	}
	if *secrets == "" && ofPostgres.MatchString(*database) {
		return errors.New("hosts that share a PostgreSQL database need the same password and token: (openssl rand -hex 16; openssl rand -hex 16) >FILE, and -secrets FILE")
	}
	balancers, err := networks(*proxies)
	if err != nil {
		return err
	}
	password, token, err := readSecrets(*secrets)
	if err != nil {
		return err
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

	site := &web.Site{Logger: logger, Store: data, Secure: *secure, Proxies: balancers, IsUser: func(_, given string) bool {
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
	fmt.Fprintf(stdout, "listening on %s/\n", url)
	if *secrets == "" {
		fmt.Fprintf(stdout, "log in with any name and the password %s\nthe API of the mill is described at %s/houses/mill/api-docs/ui/; its token is %s\n",
			password, url, token)
	}
	ctx, stop := context.WithCancel(ctx)
	var background sync.WaitGroup
	background.Go(func() { removeExpired(ctx, data, logger) })
	defer background.Wait()
	defer stop()
	return serving.Run(ctx, serving.NewServer(handler, logger), listener, logger, serving.WithDrain(*drain))
}

func openStore(ctx context.Context, name string) (*store.Store, error) {
	switch {
	case ofPostgres.MatchString(name):
		return store.OpenPostgres(ctx, name)
	case strings.Contains(name, "://"), strings.Contains(name, "="):
		return nil, fmt.Errorf("-db %q: write postgres://host/name, \"host=… dbname=…\", or the name of a file without = and ://", name)
	}
	return store.OpenSQLite(name)
}

// ofPostgres matches the beginning of a connection string of PostgreSQL.
var ofPostgres = regexp.MustCompile(`^(postgres(ql)?://|\s*\w+\s*=)`)

// readSecrets returns the password and the token in a file, or new ones if the name is empty. A
// real service has a user database.
func readSecrets(file string) (password, token string, err error) {
	if file == "" {
		return rand.Text(), rand.Text(), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", "", fmt.Errorf("-secrets: %w", err)
	}
	lines := strings.Fields(string(text))
	if len(lines) != 2 {
		return "", "", fmt.Errorf("-secrets %s: got %d words, want a password and a token: (openssl rand -hex 16; openssl rand -hex 16) >%[1]s", file, len(lines))
	}
	return lines[0], lines[1], nil
}

// networks returns the networks of a list with commas.
func networks(list string) (all []string, err error) {
	for network := range strings.SplitSeq(list, ",") {
		if network == "" {
			continue
		}
		if _, err := netip.ParsePrefix(network); err != nil {
			return nil, fmt.Errorf("-proxies: %w", err)
		}
		all = append(all, network)
	}
	return all, nil
}

// removeExpired removes what has expired from the database every hour, until ctx ends.
func removeExpired(ctx context.Context, data *store.Store, logger *slog.Logger) {
	for {
		if err := data.RemoveExpired(ctx); err != nil && ctx.Err() == nil {
			logger.ErrorContext(ctx, "remove what has expired", "error", err)
		}
		select {
		case <-time.After(time.Hour):
		case <-ctx.Done():
			return
		}
	}
}
