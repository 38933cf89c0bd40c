// Compare sends the same requests to two servers and reports how their responses differ. It is for
// moving a site: OLD is the address that works, NEW the one that shall take over.
//
//	go run . [flags] OLD NEW [FILE]
//	go run . http://127.0.0.1:4567 http://127.0.0.1:8080/shop access.log
//
// FILE, or standard input for "-" or none, lists the requests: a HAR file as browsers save it, an
// access log (Common, Combined or JSON lines), or lines such as "GET /flowers?name=rose" or
// "/flowers". It may be compressed with gzip. Of a HAR file, the requests to the host of the first
// one count. A path is added to both addresses. Each different request is sent once.
//
// Compared are the status, the headers that -headers names, and the body: JSON by value, HTML by
// its text, links and forms, anything else byte by byte. The address of each server counts as the
// same text, and so does all that -ignore matches. Redirects are not followed.
//
// Methods that may change data (all but GET, HEAD and OPTIONS) are counted and left out, unless
// -unsafe is given. Requests then run in order, one at a time, and each server gets its own cookies
// back, so that a recorded login works, unless it needs a token that the page of its form had.
//
// The exit status is 0 if all responses are alike, 1 if some differ, and 2 if a request could not
// be sent or the arguments are wrong.
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
	status, err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "compare:", err)
	}
	os.Exit(status)
}

// The exit statuses.
const (
	alike   = 0
	differs = 1
	broken  = 2
)

// settings are the arguments of the program.
type settings struct {
	old, new *url.URL
	file     string
	format   string
	header   http.Header // sent with each request
	compare  []string    // names of the headers to compare
	ignore   []*regexp.Regexp
	unsafe   bool
	parallel int
	timeout  time.Duration
	most     int // differences to print
	quiet    bool
}

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (status int, err error) {
	s, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return alike, err
	} else if err != nil {
		return broken, err
	}
	input := io.NopCloser(stdin)
	if s.file != "-" {
		if input, err = os.Open(s.file); err != nil {
			return broken, err
		}
	}
	defer input.Close()
	found, err := read(input, s.format)
	if err != nil {
		return broken, fmt.Errorf("read %s: %w", s.file, err)
	}
	report := newReport(s, stdout, stderr)
	sent := report.choose(found)
	report.begin(len(sent))
	err = newSender(s).send(ctx, sent, report.add)
	report.finish()
	if err != nil {
		return broken, err
	}
	return report.status(), nil
}

// defaultHeaders are those that clients act on and that two servers can have in common.
const defaultHeaders = "Allow,Cache-Control,Content-Disposition,Content-Language,Content-Type,Link,Location,Set-Cookie,Vary,WWW-Authenticate"

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
	flags.IntVar(&s.parallel, "parallel", 4, "how many requests are under way at once, without -unsafe")
	flags.DurationVar(&s.timeout, "timeout", 10*time.Second, "limit for one response")
	flags.IntVar(&s.most, "show", 20, "how many requests that differ are printed; the table counts all")
	flags.BoolVar(&s.quiet, "quiet", false, "show no progress")
	names := flags.String("headers", defaultHeaders, "response headers to compare; of Set-Cookie only the names of cookies")
	flags.Func("H", `header to send with each request, such as "Authorization: Bearer …"; may be repeated`, func(line string) error {
		name, value, found := strings.Cut(line, ":")
		if !found {
			return errors.New(`write "Name: value"`)
		}
		s.header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
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
		return nil, errors.New("write the addresses of the old and the new server, then at most one file: compare OLD NEW [FILE]")
	}
	if flags.NArg() == 3 {
		s.file = flags.Arg(2)
	}
	if s.parallel < 1 || s.timeout <= 0 || s.most < 0 {
		return nil, errors.New("-parallel and -timeout must be above 0, and -show not below")
	}
	for name := range strings.SplitSeq(*names, ",") {
		if name = strings.TrimSpace(name); name != "" {
			s.compare = append(s.compare, http.CanonicalHeaderKey(name))
		}
	}
	for i, address := range []**url.URL{&s.old, &s.new} {
		u, err := url.Parse(flags.Arg(i))
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
			return nil, fmt.Errorf("%q is not the address of a server: write one such as http://127.0.0.1:8080", flags.Arg(i))
		}
		*address = u
	}
	return s, nil
}
