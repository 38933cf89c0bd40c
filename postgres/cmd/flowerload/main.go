// Flowerload replaces the flowers in a PostgreSQL database with those of a file. Hosts serve the
// old flowers until all new ones are loaded.
//
//	go run ./cmd/flowerload -dsn 'host=db1,db2 user=cafe dbname=cafe' flowers.json
//
// The file is JSON, as /flowers/ writes it, or CSV in UTF-8 with a slug and a name in each line. A
// first line "slug,name" is skipped. The flag -format, or else the file's extension, says which.
// The file - is standard input. Without -dsn the environment names the server (PGHOST and so on).
// An error changes nothing.
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
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"

	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/postgres/flowers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
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
	quiet := flags.Bool("quiet", false, "show no progress")
	if err := flags.Parse(args); err != nil {
		return err
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
	done := func() {}
	if !*quiet {
		bar := progressbar.NewOptions64(size, progressbar.OptionSetWriter(stderr), progressbar.OptionSetDescription("read"),
			progressbar.OptionShowBytes(true), progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionFullWidth())
		input = io.TeeReader(file, bar)
		done = func() { fmt.Fprintln(stderr, "\nread; creating the indexes") }
	}
	begin := time.Now()
	count, err := flowers.Load(ctx, *dsn, then(read(input), done))
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "loaded %d flowers in %v\n", count, time.Since(begin).Round(time.Millisecond))
	return nil
}

// then calls done after the last flower.
func then(all iter.Seq2[flowercatalog.Flower, error], done func()) iter.Seq2[flowercatalog.Flower, error] {
	return func(yield func(flowercatalog.Flower, error) bool) {
		for f, err := range all {
			if !yield(f, err) {
				return
			}
		}
		done()
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
		records.FieldsPerRecord = 2
		records.ReuseRecord = true
		for first := true; ; first = false {
			record, err := records.Read()
			switch {
			case err == io.EOF:
				return
			case err != nil:
				yield(flowercatalog.Flower{}, err)
				return
			case first && record[0] == "slug" && record[1] == "name":
				continue
			}
			if !yield(flowercatalog.Flower{Slug: record[0], Name: record[1]}, nil) {
				return
			}
		}
	}
}
