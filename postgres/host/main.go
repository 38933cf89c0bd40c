// Host serves the module with the coffee tables in PostgreSQL, and with -catalog the flowers too,
// which cmd/flowerload loads. Several hosts may share one database.
//
//	go run ./host -dsn 'host=db1,db2 user=cafe dbname=cafe' -addr 127.0.0.1:8080 -base /shop
//
// Its flags are -addr, -base, -origins and -pool, as of examples/host, -dsn, -wait and -catalog.
package main

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
	"strings"
	"syscall"
	"time"

	"example.com/flowercafe"
	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/flowers"
)

// grace is how long requests under way have when the host is told to end.
const grace = 10 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "host:", err)
		}
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("host", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:8080", "address to listen on; port 0 picks one")
	base := flags.String("base", "", "path below which everything is served, such as /shop")
	origins := flags.String("origins", "*", "origins whose pages may read the description, separated by commas; * for all")
	pool := flags.Int("pool", 50, "most connections to the database")
	wait := flags.Duration("wait", 5*time.Second, "how long a request may wait for the database")
	catalog := flags.Bool("catalog", false, "serve the flowers of the database, too")
	dsn := flags.String("dsn", "", "connection string of the database, of several hosts perhaps")
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
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		err = errors.Join(err, app.Shutdown(ctx))
	}()
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := &http.Server{
		Handler:           app,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       2 * time.Minute,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	fmt.Fprintf(stdout, "listening on http://%s/\n", listener.Addr())
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	ending, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		return fmt.Errorf("shut down the server: %w", err)
	}
	return nil
}
