package serving_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"example.com/flowercafe/serving"
)

// A program passes the context of [serving.Main], which a signal ends. Here the request ends it:
// the server shuts down when it has responded.
func ExampleRun() {
	ctx, end := context.WithCancel(context.Background())
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "the last one")
		end()
	})
	listener, err := serving.Listen("127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	logger := slog.New(slog.DiscardHandler)
	ended := make(chan error)
	go func() { ended <- serving.Run(ctx, serving.NewServer(handler, logger), listener, logger) }()

	response, err := http.Get("http://" + listener.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	fmt.Println(string(body), err)
	fmt.Println(<-ended)
	http.DefaultClient.CloseIdleConnections()
	// Output:
	// the last one <nil>
	// <nil>
}

// A complete program: it serves until a signal ends the context. Here the first request ends it
// too.
func ExampleMain() {
	run := func(ctx context.Context, args []string, stdout, stderr io.Writer) error {
		ctx, end := context.WithCancel(ctx)
		handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "hello")
			end()
		})
		listener, err := serving.Listen("127.0.0.1:0")
		if err != nil {
			return err
		}
		fmt.Fprintln(stdout, "listening")
		go visit("http://" + listener.Addr().String())
		return serving.Run(ctx, serving.NewServer(handler, nil), listener, slog.New(slog.DiscardHandler))
	}
	serving.Main("shop", run)
	// Output:
	// listening
}

// visit sends one request.
func visit(url string) {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	if response, err := client.Get(url); err == nil {
		response.Body.Close()
	}
}

// A handler of an endless response returns when the server shuts down or the client disconnects.
func ExampleShuttingDown() {
	ctx, disconnect := context.WithCancel(context.Background()) // of a request
	defer disconnect()
	events := make(chan string, 1)
	events <- "a rose is in flower"
	for isOpen := true; isOpen; {
		select {
		case event := <-events:
			fmt.Println(event)
			disconnect() // the client does
		case <-serving.ShuttingDown(ctx):
			isOpen = false
		case <-ctx.Done():
			fmt.Println(ctx.Err())
			isOpen = false
		}
	}
	// Output:
	// a rose is in flower
	// context canceled
}

// A balancer that checks every second, and gives up a server after two failures, needs two seconds.
func ExampleWithDrain() {
	ctx, end := context.WithCancel(context.Background())
	end() // a signal
	listener, err := serving.Listen("127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	logger := slog.New(slog.DiscardHandler)
	server := serving.NewServer(http.NotFoundHandler(), logger)
	fmt.Println(serving.Run(ctx, server, listener, logger, serving.WithDrain(-time.Second)))
	// Output: serve: drain -1s: write 0 or more
}

func ExampleNewServer() {
	server := serving.NewServer(http.NotFoundHandler(), nil)
	server.WriteTimeout = 2 * time.Minute // for a page that takes long
	fmt.Println(server.ReadHeaderTimeout, server.IdleTimeout)
	// Output: 5s 2m0s
}

// Lines of an access log are written together, errors at once.
func ExampleNewLogBuffer() {
	lines := serving.NewLogBuffer(os.Stdout)
	fmt.Fprintln(lines, "GET /")
	fmt.Fprintln(lines.Unbuffered(), "an error")
	fmt.Fprintln(lines, "GET /about")
	lines.Close()
	// Output:
	// GET /
	// an error
	// GET /about
}

// The timeout applies to each write of a download, not to the whole.
func ExampleSendTimeout() {
	download := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "a large file") })
	w := httptest.NewRecorder()
	serving.SendTimeout(10*time.Second)(download).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	fmt.Println(w.Body)
	// Output: a large file
}
