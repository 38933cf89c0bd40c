// Host serves the module with the coffee tables in PostgreSQL. With -catalog the flowers are in
// PostgreSQL too, where cmd/flowerload loads them. Several hosts may share one database.
//
//	go run ./host -dsn 'host=db1,db2 user=cafe dbname=cafe sslmode=verify-full' \
//		-addr 127.0.0.1:8080 -base /shop
//
// The flags -addr, -base, -origins, -pool and -drain are the same as for examples/host. GOGC=800
// saves CPU time here too: a heap of a few megabytes is collected often.
//
// With -catalog-dsn, the flowers come from another server, such as a standby, which a failover does
// not stop.
//
// The host starts without its databases, and finds them when they respond. Until then, requests
// that need one get 503 with Retry-After, and the log and /readyz name the failing part.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"example.com/flowercafe"
	"example.com/flowercafe/coffeedemo"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres"
	"example.com/flowercafe/postgres/coffees"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/serving"
)

func main() { serving.Main("host", run) }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("host", flag.ContinueOnError)
	flags.SetOutput(stderr)
	addr := flags.String("addr", "127.0.0.1:8080", "address to listen on; port 0 picks a free one")
	base := flags.String("base", "", "path below which everything is served, such as /shop")
	origins := flags.String("origins", "*", "origins whose pages may read the description, separated by commas; * for all")
	pool := flags.Int("pool", 50, "maximum number of connections to the database; a pool_max_conns in the connection string replaces it")
	wait := flags.Duration("wait", 5*time.Second, "how long a request may wait for the database")
	catalog := flags.Bool("catalog", false, "serve the flowers of the database too")
	catalogDSN := flags.String("catalog-dsn", "", "connection string for the flowers, if not that of -dsn; its servers may be standbys")
	pages := flags.Int("pages", 10_000, "maximum number of flowers on a page of /flowers/; 0 for no pages")
	drain := flags.Duration("drain", 250*time.Millisecond, "how long to go on serving after SIGTERM, for balancers to notice")
	metricsAddr := flags.String("metrics", "", "address to serve /metrics for Prometheus on; empty for none")
	dsn := flags.String("dsn", "", "connection string of the database; it may name several hosts")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *dsn == "":
		return errors.New("-dsn is empty: write a connection string such as 'host=localhost user=cafe dbname=cafe sslmode=verify-full'")
	case strings.TrimSpace(*origins) == "":
		return errors.New("-origins is empty: write * for all origins, or a list such as https://docs.example.com")
	}
	allowed := strings.Split(*origins, ",")
	for i, origin := range allowed {
		allowed[i] = strings.TrimSpace(origin)
	}
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	options := func(name string) []postgres.Option {
		return []postgres.Option{postgres.WithPoolSize(*pool), postgres.WithAcquireTimeout(*wait), postgres.WithLogger(logger.With("pool", name))}
	}
	database, err := postgres.Open(ctx, *dsn, options("primary")...)
	if err != nil {
		return err
	}
	defer database.Close()
	reads := database
	if *catalogDSN != "" {
		if reads, err = postgres.Open(ctx, *catalogDSN, append(options("catalog"), postgres.WithStandbys())...); err != nil {
			return fmt.Errorf("-catalog-dsn: %w", err)
		}
		defer reads.Close()
	}
	var store *flowers.Store
	var fromStore []flowercatalog.Option
	if *catalog || *catalogDSN != "" {
		store = flowers.New(reads)
		fromStore = append(fromStore, flowercatalog.WithStore(store), flowercatalog.WithStoreTimeout(*wait))
		if *pages != 0 {
			fromStore = append(fromStore, flowercatalog.WithPageSize(*pages))
		}
	}
	app, err := flowercafe.New(
		flowercafe.WithBasePath(*base),
		flowercafe.WithAllowedOrigins(allowed...),
		flowercafe.WithHealth(),
		flowercafe.WithLogger(logger),
		flowercafe.WithCoffee(coffeedemo.WithStore(coffees.New(database)), coffeedemo.WithGuard()),
		flowercafe.WithCatalog(fromStore...),
	)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		err = errors.Join(err, app.Shutdown(ctx))
	}()
	listener, err := serving.Listen(*addr)
	if err != nil {
		return fmt.Errorf("%w: set another address with -addr", err)
	}
	var handler http.Handler = app
	if *metricsAddr != "" {
		m := newMetrics()
		defer m.stopPolling()
		m.addPool("primary", database)
		m.addReplication(database)
		m.addPart("coffee", app.Coffee().Ping)
		if reads != database {
			m.addPool("catalog", reads)
		}
		if store != nil {
			m.addPart("catalog", app.Catalog().Ping)
			m.addAge(store)
		}
		end, err := m.serve(*metricsAddr, logger)
		if err != nil {
			return errors.Join(err, listener.Close())
		}
		defer end()
		handler = m.measure(app)
	}
	fmt.Fprintf(stdout, "listening on http://%s/\n", listener.Addr())
	return serving.Run(ctx, serving.NewServer(handler, logger), listener, logger, serving.WithDrain(*drain))
}
