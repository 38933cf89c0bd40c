package serving_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"example.com/flowercafe/internal/testenv"
	"example.com/flowercafe/serving"
)

// This file tests the times of a shutdown, in bubbles of synctest.

// request sends a request on a connection. It reports whether the response asks to close it.
func request(conn net.Conn, path string) (closes bool, err error) {
	io.WriteString(conn, "GET "+path+" HTTP/1.1\r\nHost: shop\r\n\r\n")
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return false, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	return response.Close, err
}

// A shutdown has the steps of the package comment. Requests that take longer are cut off.
func TestStepsOfShutdown(t *testing.T) {
	for name, test := range map[string]struct {
		options      []serving.Option
		drain, takes time.Duration
		isCut        bool
	}{
		"a request of 9 seconds":  {nil, 250 * time.Millisecond, 9 * time.Second, false},
		"a request of 11 seconds": {nil, 250 * time.Millisecond, 11 * time.Second, true},
		"a longer drain":          {[]serving.Option{serving.WithDrain(2 * time.Second)}, 2 * time.Second, 11 * time.Second, false},
		"no drain":                {[]serving.Option{serving.WithDrain(0)}, 0, 11 * time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				listener, logger := testenv.NewListener(), slog.New(slog.DiscardHandler)
				server := serving.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/slow" {
						select {
						case <-time.After(test.takes):
						case <-r.Context().Done():
						}
					}
				}), logger)
				ctx, end := context.WithCancel(t.Context())
				result, slow := make(chan error, 1), make(chan error, 1)
				go func() { result <- serving.Run(ctx, server, listener, logger, test.options...) }()
				dial := func() net.Conn {
					conn, err := listener.Dial(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					return conn
				}
				inProgress, kept := dial(), dial()
				defer inProgress.Close()
				defer kept.Close()
				go func() {
					_, err := request(inProgress, "/slow")
					slow <- err
				}()
				if closes, err := request(kept, "/"); closes || err != nil {
					t.Errorf("before the end: got %v, %v", closes, err)
				}
				synctest.Wait()
				begin := time.Now()
				end()
				if test.drain > 0 {
					time.Sleep(test.drain - time.Millisecond)
					conn := dial()
					defer conn.Close()
					if closes, err := request(conn, "/"); !closes || err != nil {
						t.Errorf("a new connection in the first step: got %v, %v", closes, err)
					}
				}
				time.Sleep(test.drain + 249*time.Millisecond - time.Since(begin))
				if _, err := listener.Dial(t.Context()); !errors.Is(err, net.ErrClosed) {
					t.Errorf("a new connection in the second step: got %v", err)
				}
				if closes, err := request(kept, "/"); !closes || err != nil {
					t.Errorf("an open connection in the second step: got %v, %v", closes, err)
				}
				err, took, limit := <-result, time.Since(begin), test.drain+250*time.Millisecond+10*time.Second
				if slowErr := <-slow; (slowErr != nil) != test.isCut || errors.Is(err, context.DeadlineExceeded) != test.isCut || (err != nil) != test.isCut {
					t.Errorf("got %v, and %v in the request", err, slowErr)
				}
				if test.isCut && took != limit || !test.isCut && (took < test.takes || took > limit) {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}
