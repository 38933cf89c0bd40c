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
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/flowercafe/internal/leakcheck"
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
	os.Exit(leakcheck.Run(m))
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
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGINT {
		t.Errorf("the program ended with %v, want that of the signal", cmd.ProcessState)
	}
}

// hangGuard is far more than any step takes.
const hangGuard = 30 * time.Second

// start serves handler. It returns the address, a function that ends the server, and a channel with
// the result of Until.
func start(t *testing.T, handler http.HandlerFunc) (address string, end func(), ended <-chan error) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	logger := slog.New(slog.DiscardHandler)
	result := make(chan error, 1)
	go func() { result <- serving.Until(ctx, serving.NewServer(handler, logger), listener, logger) }()
	return listener.Addr().String(), end, result
}

// dial opens a connection and returns a function that sends a request on it.
func dial(t *testing.T, address string) func() (*http.Response, string, error) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(hangGuard))
	responses := bufio.NewReader(conn)
	return func() (*http.Response, string, error) {
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

// A request on an open connection gets a response after the shutdown has begun, the last one on
// this connection. A request in progress gets its response too.
func TestRequestsAtTheEnd(t *testing.T) {
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
	response, body, err := kept()
	switch {
	case err != nil && time.Since(begin) > serving.Drain:
		t.Logf("the request came too late, for this machine stood still: %v", err)
	case err != nil:
		t.Errorf("after the end has begun: got %v, want the response", err)
	case !response.Close || body != "served":
		t.Errorf("after the end has begun: got %q and close %v, want the response and that the connection is closed", body, response.Close)
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

func TestServeFails(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener.Close()
	logger := slog.New(slog.DiscardHandler)
	err = serving.Until(t.Context(), serving.NewServer(http.NotFoundHandler(), logger), listener, logger)
	if err == nil || !strings.HasPrefix(err.Error(), "serve: ") {
		t.Errorf("got %v, want the error of Serve", err)
	}
}
