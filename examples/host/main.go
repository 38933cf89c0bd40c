// Host serves the whole module: the catalog, its description, the coffee demo, and a home page to
// try them out. With -debug it shows its routes, at a URL that it prints.
//
//	go run ./examples/host -base /shop
//
// GOGC=800 in the environment saves a fifth of the CPU time of /coffees: a small heap is collected
// often.
//
// It shows what a service adds around the module: logs, a page of its own, and, with package
// serving, timeouts and a graceful shutdown.
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
	"strings"
	"time"

	"example.com/flowercafe/routing/reason"
	"example.com/flowercafe/serving"
)

func main() { serving.Main("host", run) }

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	config, err := parse(args, stderr)
	if err != nil {
		return err
	}
	log := serving.NewLogBuffer(stderr)
	defer func() { err = errors.Join(err, log.Close()) }()
	logger := slog.New(slog.NewTextHandler(log.Unbuffered(), nil))
	app, mux, err := build(config, logger)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		err = errors.Join(err, app.Shutdown(ctx))
	}()
	if config.printSpec != "" {
		return printSpec(stdout, app, config.printSpec)
	}
	listener, err := serving.Listen(config.addr)
	if err != nil {
		return fmt.Errorf("%w: set another address with -addr", err)
	}
	if config.flowers != "" {
		defer serving.OnSIGHUP(logger, func() error { return replaceFlowers(app.Catalog(), config.flowers) })()
	}
	url := addressOf(config, listener.Addr())
	text := fmt.Sprintf("listening on http://%s/\n  home page       %s/\n  API viewer      %s/api-docs/ui/\n", listener.Addr(), url, url)
	if config.debug {
		text += "routes at " + showRoutes(mux, app, config, url) + "\n"
	}
	var handler http.Handler = mux
	if config.accessLog {
		handler = serving.LogRequests(handler, slog.NewTextHandler(log, nil), levelOf)
	}
	server := serving.NewServer(handler, logger)
	server.ConnContext = reason.ConnContext // sends the reason phrases of actions
	io.WriteString(stdout, text)
	return serving.Run(ctx, server, reason.NewListener(listener), logger, serving.WithDrain(config.drain))
}

// levelOf returns the level of a request in the access log.
func levelOf(r *http.Request) slog.Level {
	if strings.HasSuffix(r.Pattern, livePath) {
		return slog.LevelDebug // the home page requests it once a second
	}
	return slog.LevelInfo
}

// addressOf returns the URL of the base path for a browser, without a trailing slash.
func addressOf(c config, addr net.Addr) string {
	host := addr.String()
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		host = fmt.Sprintf("localhost:%d", tcp.Port)
	}
	return "http://" + host + strings.TrimRight(c.base, "/")
}

// config holds the flags.
type config struct {
	addr      string
	base      string
	origins   []string
	pool      int
	flowers   string
	pages     int
	debug     bool
	accessLog bool
	drain     time.Duration
	printSpec string
}

func parse(args []string, stderr io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("host", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&c.addr, "addr", "127.0.0.1:8080", "address to listen on; port 0 picks a free one")
	flags.StringVar(&c.base, "base", "", "path below which everything is served, such as /shop")
	origins := flags.String("origins", "*", "origins whose pages may read the description, separated by commas; * for all")
	flags.IntVar(&c.pool, "pool", 50, "maximum number of connections to the coffee demo's database")
	flags.StringVar(&c.flowers, "flowers", "", "JSON file of the flowers, as /flowers/ writes them; SIGHUP reads it again")
	flags.IntVar(&c.pages, "pages", 0, "maximum number of flowers on a page of /flowers/; 0 for no pages")
	flags.BoolVar(&c.accessLog, "access-log", true, "log a line for each request on standard error")
	flags.DurationVar(&c.drain, "drain", 250*time.Millisecond, "how long to go on serving after SIGTERM, for balancers to notice")
	flags.BoolVar(&c.debug, "debug", false, "show the routes at /debug/routes; the URL with its token is printed")
	flags.StringVar(&c.printSpec, "print-spec", "", "print a format of the description (spec, swagger or openapi) and exit")
	if err := flags.Parse(args); err != nil {
		return config{}, err
	}
	if flags.NArg() > 0 {
		return config{}, fmt.Errorf("unexpected argument %q: write flags only", flags.Arg(0))
	}
	if strings.TrimSpace(*origins) == "" {
		return config{}, errors.New("-origins is empty: write * for all origins, or a list such as https://docs.example.com")
	}
	for _, origin := range strings.Split(*origins, ",") {
		c.origins = append(c.origins, strings.TrimSpace(origin))
	}
	return c, nil
}
