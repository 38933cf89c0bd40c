package serving_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/flowercafe/internal/testenv"
	"example.com/flowercafe/serving"
)

func TestMain(m *testing.M) {
	if failure := os.Getenv(failing); failure != "" {
		serving.Main("failing", func(context.Context, []string, io.Writer, io.Writer) error { return failures[failure] })
		os.Exit(0)
	}
	if os.Getenv(stuck) != "" {
		serving.Main("stuck", func(ctx context.Context, _ []string, stdout, _ io.Writer) error {
			fmt.Fprintln(stdout, "running")
			<-ctx.Done()
			fmt.Fprintln(stdout, "ending")
			time.Sleep(time.Hour)
			return nil
		})
	}
	flag.Parse()
	flag.Set("test.parallel", "8") // parallel tests wait most of the time
	os.Exit(testenv.Run(m))
}

// failing is set in a process that fails, to the name of the error.
const failing = "SERVING_TEST_FAILING"

var failures = map[string]error{"help": fmt.Errorf("flags: %w", flag.ErrHelp), "other": errors.New("no port"), "none": nil}

// Requested help is not a failure, as in package flag.
func TestExitStatus(t *testing.T) {
	for failure, want := range map[string]int{"help": 0, "none": 0, "other": 2} {
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), failing+"="+failure)
		stderr := new(strings.Builder)
		cmd.Stderr = stderr
		cmd.Run()
		wantText := ""
		if want != 0 {
			wantText = "failing: no port\n"
		}
		if got := cmd.ProcessState.ExitCode(); got != want || stderr.String() != wantText {
			t.Errorf("%s: got status %d and %q, want %d and %q", failure, got, stderr, want, wantText)
		}
	}
}

// stuck is set in a process that does not end on the first signal.
const stuck = "SERVING_TEST_STUCK"

// A second signal ends a program that ignores the first.
func TestSecondSignal(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), hangGuard)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), stuck+"=1")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	for _, want := range []string{"running\n", "ending\n"} {
		if line, err := lines.ReadString('\n'); line != want {
			t.Errorf("got %q and error %v, want %q", line, err, want)
		}
		cmd.Process.Signal(os.Interrupt)
	}
	go func() { // the second may have come too early
		for cmd.Process.Signal(os.Interrupt) == nil {
			time.Sleep(10 * time.Millisecond)
		}
	}()
	cmd.Wait()
	if cmd.ProcessState.String() != "signal: interrupt" {
		t.Errorf("the program ended with %v, want that of the signal", cmd.ProcessState)
	}
}

// hangGuard is far more than any step takes.
const hangGuard = 30 * time.Second

// drain is longer than a client needs for a request, unless the machine stands still.
func drain() time.Duration {
	if testing.Short() {
		return 200 * time.Millisecond
	}
	return time.Second
}

// start serves handler in HTTP/1 and HTTP/2. It returns the address, a function that ends the
// server, and a channel with the result of Run.
func start(t *testing.T, handler http.HandlerFunc) (address string, end func(), ended <-chan error) {
	t.Helper()
	listener, err := serving.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	logger := slog.New(slog.DiscardHandler)
	server := serving.NewServer(handler, logger)
	server.Protocols = protocols(true, true)
	result := make(chan error, 1)
	go func() { result <- serving.Run(ctx, server, listener, logger, serving.WithDrain(drain())) }()
	return listener.Addr().String(), end, result
}

func protocols(http1, http2 bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(http1)
	p.SetUnencryptedHTTP2(http2)
	return p
}

// dial returns a function that sends a request on a connection, which the first one opens.
func dial(t *testing.T, address string) func() (*http.Response, string, error) {
	var responses *bufio.Reader
	var conn net.Conn
	return func() (*http.Response, string, error) {
		if conn == nil {
			var err error
			if conn, err = net.Dial("tcp", address); err != nil {
				return nil, "", err
			}
			t.Cleanup(func() { conn.Close() })
			conn.SetDeadline(time.Now().Add(hangGuard))
			responses = bufio.NewReader(conn)
		}
		io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		response, err := http.ReadResponse(responses, nil)
		if err != nil {
			return nil, "", err
		}
		body, err := io.ReadAll(response.Body)
		return response, string(body), err
	}
}

func wait(t *testing.T, ended <-chan error) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(hangGuard):
		t.Fatal("the server does not end")
		return nil
	}
}

// After the shutdown has begun, a request gets a response, the last one on its connection, on an
// open connection and on a new one. A request in progress gets its response too.
func TestRequestsDuringShutdown(t *testing.T) {
	t.Parallel() // waits for the end
	entered, leave := make(chan struct{}, 1), make(chan struct{})
	slow := true
	address, end, ended := start(t, func(w http.ResponseWriter, _ *http.Request) {
		if slow {
			slow = false
			entered <- struct{}{}
			<-leave
		}
		io.WriteString(w, "served")
	})
	inProgress, kept := dial(t, address), dial(t, address)
	last := make(chan string, 1)
	go func() {
		_, body, _ := inProgress()
		last <- body
	}()
	<-entered
	if response, _, err := kept(); err != nil || response.Close {
		t.Errorf("before the end: got error %v and close %v, want a connection that is kept", err, err == nil && response.Close)
	}
	begin := time.Now()
	end()
	for name, request := range map[string]func() (*http.Response, string, error){"an open connection": kept, "a new one": dial(t, address)} {
		response, body, err := request()
		switch {
		case err != nil && time.Since(begin) > drain():
			t.Logf("%s: the request came too late, for this machine stood still: %v", name, err)
		case err != nil:
			t.Errorf("%s: after the end has begun: got %v, want the response", name, err)
		case !response.Close || body != "served":
			t.Errorf("%s: after the end has begun: got %q and close %v, want the response and that the connection is closed", name, body, response.Close)
		}
	}
	select {
	case err := <-ended:
		t.Errorf("got %v while a request was in progress, want it to wait", err)
	default:
	}
	close(leave)
	if body := <-last; body != "served" {
		t.Errorf("in progress: got %q, want the response", body)
	}
	if err := wait(t, ended); err != nil {
		t.Errorf("got %v, want no error", err)
	}
	if conn, err := net.Dial("tcp", address); err == nil {
		conn.Close()
		t.Error("the server still listens")
	}
}

// Clients that connect again at once, and stop when the server says that it ends, lose no request.
func TestClientsThatReconnect(t *testing.T) {
	t.Parallel() // waits for the end
	for name, transport := range map[string]*http.Transport{
		"HTTP/1":                    {Protocols: protocols(true, false), DisableKeepAlives: true},
		"HTTP/1, kept connections":  {Protocols: protocols(true, false)},
		"HTTP/2, without TLS (h2c)": {Protocols: protocols(false, true)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, end, ended := start(t, func(w http.ResponseWriter, r *http.Request) {
				select {
				case <-serving.ShuttingDown(r.Context()):
					io.WriteString(w, "ending")
				default:
					io.WriteString(w, "serving")
				}
			})
			client := &http.Client{Transport: transport, Timeout: hangGuard}
			defer client.CloseIdleConnections()
			var served atomic.Int64
			var clients sync.WaitGroup
			var begin atomic.Pointer[time.Time]
			for range 16 {
				clients.Go(func() {
					for {
						body, err := get(client, "http://"+address)
						if err != nil {
							if at := begin.Load(); at != nil && time.Since(*at) > drain() {
								t.Logf("the request came too late, for this machine stood still: %v", err)
							} else {
								t.Errorf("after %d requests: %v", served.Load(), err)
							}
							return
						}
						served.Add(1)
						if body == "ending" {
							return
						}
					}
				})
			}
			for served.Load() < 200 && !t.Failed() {
				time.Sleep(time.Millisecond)
			}
			now := time.Now()
			begin.Store(&now)
			end()
			clients.Wait()
			if err := wait(t, ended); err != nil {
				t.Errorf("got %v, want no error", err)
			}
		})
	}
}

func get(client *http.Client, url string) (string, error) {
	response, err := client.Get(url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}

// In a request that Run does not serve, ShuttingDown returns nil.
func TestShuttingDownWithoutRun(t *testing.T) {
	if got := serving.ShuttingDown(t.Context()); got != nil {
		t.Errorf("got %v, want nil", got)
	}
}

// Connections that wait to be accepted when a listener closes can still be accepted.
func TestWaitingConnections(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("NOT RUN: only Linux has this")
	}
	listener, err := serving.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	const waiting = 20
	var clients []net.Conn
	for range waiting {
		client, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		clients = append(clients, client)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	if client, err := net.Dial("tcp", address); err == nil {
		client.Close()
		t.Error("the closed listener still listens")
	}
	for i := range waiting {
		conn, err := listener.Accept()
		if err != nil {
			t.Fatalf("connection %d of %d: %v", i, waiting, err)
		}
		io.WriteString(conn, "hello")
		conn.Close()
	}
	for i, client := range clients {
		client.SetDeadline(time.Now().Add(hangGuard))
		if got, err := io.ReadAll(client); string(got) != "hello" || err != nil {
			t.Errorf("client %d: got %q, %v, want hello", i, got, err)
		}
	}
	if _, err := listener.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want that the listener is closed", err)
	}
	if err := listener.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("closed again: got %v, want that it is closed", err)
	}
}

// Close wakes all goroutines that wait in Accept, which returns net.ErrClosed.
func TestCloseWakesAccept(t *testing.T) {
	for range 200 {
		listener, err := serving.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		const waiting = 4
		woken := make(chan error, waiting)
		for range waiting {
			go func() {
				_, err := listener.Accept()
				woken <- err
			}()
		}
		time.Sleep(20 * time.Microsecond) // most of them wait now; the test passes if none does
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		for range waiting {
			if err := <-woken; !errors.Is(err, net.ErrClosed) {
				t.Fatalf("got %v, want that the listener is closed", err)
			}
		}
	}
}

// A server without a handler uses http.DefaultServeMux, as http.Server does.
func TestWithoutHandler(t *testing.T) {
	t.Parallel() // waits for the end
	listener, err := serving.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	logger, ended := slog.New(slog.DiscardHandler), make(chan error, 1)
	go func() {
		ended <- serving.Run(ctx, serving.NewServer(nil, logger), listener, logger, serving.WithDrain(0))
	}()
	response, err := http.Get("http://" + listener.Addr().String() + "/")
	if err != nil {
		t.Error(err)
	} else if response.Body.Close(); response.StatusCode != http.StatusNotFound {
		t.Errorf("got %d, want 404", response.StatusCode)
	}
	end()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestOptions(t *testing.T) {
	for want, option := range map[string]serving.Option{
		"serve: drain -1s: write 0 or more":    serving.WithDrain(-time.Second),
		"serve: option 0 is nil: leave it out": nil,
	} {
		listener, err := serving.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		if err := serving.Run(t.Context(), serving.NewServer(nil, nil), listener, nil, option); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := listener.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: got %v, want that the listener is closed", want, err)
		}
	}
	if err := serving.Run(t.Context(), serving.NewServer(nil, nil), nil, nil); err == nil || !strings.Contains(err.Error(), "pass a listener") {
		t.Errorf("without a listener: got %v", err)
	}
	listener, err := serving.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := serving.Run(t.Context(), nil, listener, nil); err == nil || !strings.Contains(err.Error(), "pass a server") {
		t.Errorf("without a server: got %v", err)
	}
	if _, err := listener.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("without a server: got %v, want that the listener is closed", err)
	}
	if _, err := serving.Listen("127.0.0.1:nothing"); err == nil {
		t.Error("a wrong address: got no error")
	}
}

// NewServer has these limits, and logs the errors of the server as warnings.
func TestNewServer(t *testing.T) {
	var log strings.Builder
	s := serving.NewServer(nil, slog.New(slog.NewTextHandler(&log, nil)))
	s.ErrorLog.Print("an error")
	got := []any{s.ReadHeaderTimeout, s.ReadTimeout, s.WriteTimeout, s.IdleTimeout, s.MaxHeaderBytes}
	want := []any{5 * time.Second, 30 * time.Second, 30 * time.Second, 2 * time.Minute, 64 << 10}
	if !slices.Equal(got, want) || !strings.Contains(log.String(), `level=WARN msg="an error"`) {
		t.Errorf("got the limits %v and the log %q, want %v and a warning", got, &log, want)
	}
}

func TestServeFails(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	logger := slog.New(slog.DiscardHandler)
	err = serving.Run(t.Context(), serving.NewServer(http.NotFoundHandler(), logger), listener, logger)
	if err == nil || !strings.HasPrefix(err.Error(), "serve: ") {
		t.Errorf("got %v, want the error of Serve", err)
	}
}
