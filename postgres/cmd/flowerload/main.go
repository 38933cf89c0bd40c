// Flowerload replaces the flowers in a PostgreSQL database with the flowers in a file. Hosts serve
// the old flowers until all new ones are loaded.
//
//	go run ./cmd/flowerload -dsn 'host=db1,db2 user=cafe dbname=cafe sslmode=verify-full' flowers.json
//
// The file is JSON, as /flowers/ writes it, or CSV in UTF-8 with a slug and a name in each line. A
// first line with these two words names the columns, in any order and letter case. The flag
// -format, or else the file's extension, selects the format. The file - is standard input. Without
// -dsn the environment names the server (PGHOST and so on).
//
// After an error the exit status is 2, and nothing has changed, unless the message says that this
// is unknown. A file without flowers is an error too, unless -least is 0: a program whose output is
// piped into this one may have failed. For a catalog whose size is known, set -least to a little
// less.
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/flowers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program, even if it waits for its input
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "flowerload:", err)
		os.Exit(2)
	}
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("flowerload", flag.ContinueOnError)
	flags.SetOutput(stderr)
	dsn := flags.String("dsn", "", "connection string of the database; it may name several hosts")
	format := flags.String("format", "", "json or csv (default: by the file's extension)")
	least := flags.Int("least", 1, "refuse to load fewer flowers")
	wait := flags.Duration("wait", time.Minute, "how long to wait for a free session, for another load, and for a server that does not respond")
	limit := flags.Duration("limit", 0, "give up a load that takes longer, which then changes nothing; 0 for no limit")
	quiet := flags.Bool("quiet", false, "show no progress")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *least < 0:
		return fmt.Errorf("-least %d: write 0 or more", *least)
	case *limit < 0:
		return fmt.Errorf("-limit %v: write 0 or more", *limit)
	}
	if flags.NArg() != 1 {
		return errors.New("write one file with flowers, or - for standard input")
	}
	name := flags.Arg(0)
	read, err := reader(name, *format)
	if err != nil {
		return err
	}
	file, size, err := openFile(name, stdin)
	if err != nil {
		return err
	}
	defer file.Close()
	var input io.Reader = file
	endLine, done := func() {}, func() {}
	if !*quiet {
		bar := progressbar.NewOptions64(size, progressbar.OptionSetWriter(stderr), progressbar.OptionSetDescription("read"),
			progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionFullWidth())
		input = io.TeeReader(file, bar)
		endLine = sync.OnceFunc(func() { fmt.Fprintln(stderr) })
		done = func() {
			endLine()
			endLine = sync.OnceFunc(showTime(stderr, "read; changing the flowers"))
		}
	}
	if *limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, *limit, fmt.Errorf("the load took longer than -limit %v", *limit))
		defer cancel()
	}
	begin := time.Now()
	input = transform.NewReader(input, unicode.BOMOverride(transform.Nop)) // in UTF-8 without a byte order mark
	count, err := flowers.Load(ctx, *dsn, atLeast(*least, read(input), done), flowers.WithAcquireTimeout(*wait))
	endLine()
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "loaded %d flowers in %v\n", count, time.Since(begin).Round(time.Millisecond))
	return nil
}

// showTime writes what, and how long it has taken, each second until end is called.
func showTime(w io.Writer, what string) (end func()) {
	begin, over := time.Now(), make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			fmt.Fprintf(w, "\r%s: %v", what, time.Since(begin).Round(time.Second))
			select {
			case <-tick.C:
			case <-over:
				fmt.Fprintln(w)
				return
			}
		}
	})
	return func() {
		close(over)
		writing.Wait()
	}
}

// atLeast calls done after the last flower. Fewer than least flowers are an error.
func atLeast(least int, all iter.Seq2[flowercatalog.Flower, error], done func()) iter.Seq2[flowercatalog.Flower, error] {
	return func(yield func(flowercatalog.Flower, error) bool) {
		count := 0
		for f, err := range all {
			if !yield(f, err) {
				return
			}
			count++
		}
		done()
		if count < least {
			yield(flowercatalog.Flower{}, fmt.Errorf("the input has %d flowers: set -least, which is %d, if these are all", count, least))
		}
	}
}

// openFile opens a file and returns its size, or -1 if that is not known.
func openFile(name string, stdin io.Reader) (io.ReadCloser, int64, error) {
	if name == "-" {
		return io.NopCloser(stdin), -1, nil
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

type readFunc func(io.Reader) iter.Seq2[flowercatalog.Flower, error]

// reader returns the function that reads the file's format.
func reader(name, format string) (readFunc, error) {
	if format == "" {
		format = strings.TrimPrefix(strings.ToLower(filepath.Ext(name)), ".")
	}
	switch format {
	case "json":
		return readJSON, nil
	case "csv":
		return readCSV, nil
	}
	return nil, fmt.Errorf("the format of %q is unknown: write -format json or -format csv", name)
}

var errStopped = errors.New("stopped")

func readJSON(r io.Reader) iter.Seq2[flowercatalog.Flower, error] {
	return func(yield func(flowercatalog.Flower, error) bool) {
		err := flowercatalog.EachJSON(r, func(f flowercatalog.Flower) error {
			if !yield(f, nil) {
				return errStopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, errStopped) {
			yield(flowercatalog.Flower{}, err)
		}
	}
}

func readCSV(r io.Reader) iter.Seq2[flowercatalog.Flower, error] {
	return func(yield func(flowercatalog.Flower, error) bool) {
		records := csv.NewReader(r)
		records.FieldsPerRecord = -1 // checked below, with advice
		records.ReuseRecord = true
		slug, name := 0, 1 // columns
		for first := true; ; first = false {
			record, err := records.Read()
			switch {
			case err == io.EOF:
				return
			case err != nil:
				yield(flowercatalog.Flower{}, err)
				return
			case len(record) != 2:
				line, _ := records.FieldPos(0)
				yield(flowercatalog.Flower{}, fmt.Errorf("line %d: write two fields, a slug and a name, separated by a comma, instead of %d", line, len(record)))
				return
			case first && isHeader(record[0], record[1]):
				continue
			case first && isHeader(record[1], record[0]):
				slug, name = 1, 0
				continue
			}
			if !yield(flowercatalog.Flower{Slug: record[slug], Name: record[name]}, nil) {
				return
			}
		}
	}
}

func isHeader(slug, name string) bool {
	return strings.EqualFold(strings.TrimSpace(slug), "slug") && strings.EqualFold(strings.TrimSpace(name), "name")
}
