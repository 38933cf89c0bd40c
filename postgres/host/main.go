// Host serves the module with the coffee tables in PostgreSQL. With -catalog the flowers are in
// PostgreSQL too, where cmd/flowerload loads them. Several hosts may share one database.
//
//	go run ./host -dsn 'host=db1,db2 user=cafe dbname=cafe' -addr 127.0.0.1:8080 -base /shop
//
// The flags -addr, -base, -origins and -pool are those of examples/host; -dsn, -wait and -catalog
// are its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"time"

	"example.com/flowercafe"
	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/internal/serving"
	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/flowers"
)

func main() { serving.Main("host", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("host", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:8080", "address to listen on; port 0 picks a free one")
	base := flags.String("base", "", "path below which everything is served, such as /shop")
	origins := flags.String("origins", "*", "origins whose pages may read the description, separated by commas; * for all")
	pool := flags.Int("pool", 50, "maximum number of connections to the database")
	wait := flags.Duration("wait", 5*time.Second, "how long a request may wait for the database")
	catalog := flags.Bool("catalog", false, "serve the flowers of the database too")
	dsn := flags.String("dsn", "", "connection string of the database; it may name several hosts")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *dsn == "":
		return errors.New("-dsn is empty: write a connection string such as 'host=127.0.0.1 user=cafe dbname=cafe'")
	case strings.TrimSpace(*origins) == "":
		return errors.New("-origins is empty: write * for all origins, or a list such as https://docs.example.com")
	}
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	store, err := coffees.Open(ctx, *dsn, coffees.WithPoolSize(*pool), coffees.WithWaitLimit(*wait))
	if err != nil {
		return err
	}
	closeStores := store.Close
	var fromStore []flowercatalog.Option
	if *catalog {
		all, err := flowers.Open(ctx, *dsn, flowers.WithPoolSize(*pool), flowers.WithWaitLimit(*wait))
		if err != nil {
			return errors.Join(err, store.Close())
		}
		closeStores = func() error { return errors.Join(store.Close(), all.Close()) }
		fromStore = append(fromStore, flowercatalog.WithStore(all), flowercatalog.WithWaitLimit(*wait))
	}
	app, err := flowercafe.New(
		flowercafe.WithBasePath(*base),
		flowercafe.WithAllowedOrigins(strings.Split(*origins, ",")...),
		flowercafe.WithLogger(logger),
		flowercafe.WithCoffee(coffeedemo.WithStore(store), coffeedemo.WithGuard()),
		flowercafe.WithCatalog(fromStore...),
	)
	if err != nil {
		return errors.Join(err, closeStores())
	}
	defer func() { err = errors.Join(err, serving.ShutDown(app)) }()
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	fmt.Fprintf(stdout, "listening on http://%s/\n", listener.Addr())
	return serving.Until(ctx, serving.NewServer(app, logger), listener, logger)
}
