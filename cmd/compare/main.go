// Compare sends the same requests to two servers and reports how their responses differ. Use it to
// port a site: OLD is the URL of the current server, NEW the URL of the server to replace it.
//
//	go run . [flags] OLD NEW [FILE]
//	go run . http://127.0.0.1:4567 http://127.0.0.1:8080/shop access.log
//
// FILE lists the requests; without FILE, or for "-", Compare reads standard input. It is a HAR file
// as saved by browsers, an access log (Common, Combined or JSON lines), or has lines such as "GET
// /flowers?name=rose", "/flowers" or "POST /flowers name=rose". It may be compressed with gzip. In
// a HAR file, only requests to the host of the first request are used. In a Common or Combined log,
// the first quoted field of a line is the request. The path is appended to both URLs. Without
// -unsafe, equal requests are sent once.
//
// Compare compares the status, the headers that affect clients, and the body: JSON by value, HTML
// by its text, links and forms, and other types byte by byte. After 16 MiB, all bodies are compared
// byte by byte. The values of cookies may differ. The URLs of the two servers count as equal, and
// so does text that matches -ignore. With -status, only the status is compared. Redirects are not
// followed.
//
// Requests that may change data (all methods except GET, HEAD, OPTIONS and QUERY) are counted but
// not sent, unless -unsafe is set. With -unsafe, requests run in order, one at a time, and each
// server gets back its own cookies, so that a recorded login works, unless its form has a token.
//
// The exit status is 0 if all responses are equal, 1 if some differ, and 2 after any other
// failure, for example if a request could not be sent or an argument is invalid.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program, even if it waits for its input
	status, err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "compare:", err)
	}
	os.Exit(status)
}

// The exit statuses.
const (
	exitEqual  = 0
	exitDiffer = 1
	exitError  = 2
)

// settings are the arguments of the program.
type settings struct {
	old, new *url.URL
	file     string
	format   string
	header   http.Header // sent with each request
	host     string      // the Host header, if not empty; by default the host of the URL
	ignore   []*regexp.Regexp
	compare  []string // names of the headers to compare

	statusOnly bool
	unsafe     bool
	parallel   int
	timeout    time.Duration
	maxPrinted int // differing requests to print
	quiet      bool
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (status int, err error) {
	s, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitEqual, err
	} else if err != nil {
		return exitError, err
	}
	input := io.NopCloser(stdin)
	if s.file != "-" {
		if input, err = os.Open(s.file); err != nil {
			return exitError, err
		}
	}
	defer input.Close()
	found, err := read(input, s.format)
	if err != nil {
		return exitError, fmt.Errorf("read %s: %w", s.file, err)
	}
	report := newReport(s, stdout, stderr)
	sent := report.choose(found)
	if len(sent) == 0 {
		report.finish()
		return exitError, errors.New("nothing was compared: each request may change data (-unsafe sends them)")
	}
	report.begin(len(sent))
	err = newSender(s).send(ctx, sent, report.add)
	report.finish()
	if err != nil {
		return exitError, err
	}
	return report.status(), nil
}

// parse reads the arguments.
func parse(args []string, stderr io.Writer) (*settings, error) {
	s := &settings{file: "-", header: make(http.Header)}
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: compare [flags] OLD NEW [FILE]")
		flags.PrintDefaults()
	}
	flags.StringVar(&s.format, "format", "auto", "format of FILE: har, log, json (lines), lines, or auto")
	flags.BoolVar(&s.unsafe, "unsafe", false, "also send methods that may change data, such as POST")
	flags.IntVar(&s.parallel, "parallel", 4, "number of concurrent requests, without -unsafe")
	flags.DurationVar(&s.timeout, "timeout", 10*time.Second, "time limit of a response")
	flags.IntVar(&s.maxPrinted, "show", 20, "number of differing requests to print; the table counts all")
	flags.BoolVar(&s.quiet, "quiet", false, "don't print the progress")
	flags.BoolVar(&s.statusOnly, "status", false, "compare only the status")
	names := flags.String("headers", "", "additional response headers to compare, such as X-Shop; -Vary leaves out Vary. The defaults are:\n"+strings.Join(defaultHeaders, ", "))
	flags.Func("H", `header to send with each request, such as "Authorization: Bearer …"; may be repeated`, func(line string) error {
		name, value, found := strings.Cut(line, ":")
		if !found {
			return errors.New(`write "Name: value"`)
		}
		name, value = http.CanonicalHeaderKey(strings.TrimSpace(name)), strings.TrimSpace(value)
		if name != "Host" {
			s.header.Add(name, value)
			return nil
		}
		if s.host != "" || value == "" {
			return errors.New("a request has one Host")
		}
		s.host = value
		return nil
	})
	flags.Func("ignore", "regular expression for text of bodies and headers that may differ, such as tokens and times; may be repeated", func(text string) error {
		re, err := regexp.Compile(text)
		s.ignore = append(s.ignore, re)
		return err
	})
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() != 2 && flags.NArg() != 3 {
		return nil, errors.New("write the URLs of the old and the new server, then at most one file: compare OLD NEW [FILE]")
	}
	if flags.NArg() == 3 {
		s.file = flags.Arg(2)
	}
	if s.parallel < 1 || s.timeout <= 0 || s.maxPrinted < 0 {
		return nil, errors.New("-parallel and -timeout must be above 0, and -show not below")
	}
	var err error
	if s.compare, err = headersOf(*names); err != nil {
		return nil, err
	}
	for i, address := range []**url.URL{&s.old, &s.new} {
		u, err := url.Parse(flags.Arg(i))
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
			return nil, fmt.Errorf("%q is not the URL of a server: write one such as http://127.0.0.1:8080", flags.Arg(i))
		}
		*address = u
	}
	return s, nil
}
