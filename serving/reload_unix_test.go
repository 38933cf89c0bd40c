//go:build unix

package serving_test

import (
	"bytes"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"example.com/flowercafe/serving"
)

// Each SIGHUP is a call, a failed one is logged, and after stop there are no more.
func TestOnSIGHUP(t *testing.T) {
	var log strings.Builder
	var mu sync.Mutex
	called := make(chan struct{})
	result := io.ErrUnexpectedEOF
	stop := serving.OnSIGHUP(slog.New(slog.NewTextHandler(&log, nil)), func() error {
		mu.Lock()
		defer mu.Unlock()
		called <- struct{}{}
		return result
	})
	hangUp := func() {
		t.Helper()
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		<-called
	}
	hangUp()
	mu.Lock()
	result = nil
	mu.Unlock()
	hangUp()
	stop()
	stop()
	if got := log.String(); !strings.Contains(got, "reload failed") || !strings.Contains(got, "unexpected EOF") || strings.Count(got, "msg=reloaded") != 1 {
		t.Errorf("the log says %q, want the failure and one success", got)
	}
}

// hangUpDuringCall sends n signals. It waits until the first has begun a call.
func hangUpDuringCall(t *testing.T, n int, began <-chan struct{}) {
	t.Helper()
	arrived := make(chan os.Signal, 10)
	signal.Notify(arrived, syscall.SIGHUP)
	defer signal.Stop(arrived)
	for i := range n {
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		<-arrived // or the system would deliver two as one
		if i == 0 {
			<-began
		}
	}
}

// Signals during a call cause one more call, and stop waits for it.
func TestSignalsDuringReload(t *testing.T) {
	began, leave := make(chan struct{}, 10), make(chan struct{})
	var calls atomic.Int64
	stop := serving.OnSIGHUP(slog.New(slog.DiscardHandler), func() error {
		began <- struct{}{}
		<-leave
		calls.Add(1)
		return nil
	})
	hangUpDuringCall(t, 4, began)
	leave <- struct{}{}
	<-began // the second call
	time.AfterFunc(10*time.Millisecond, func() { close(leave) })
	stop()
	if got := calls.Load(); got != 2 {
		t.Errorf("%d calls have ended, want 2", got)
	}
}

// A signal whose call has not begun is dropped by stop.
func TestStopDuringReload(t *testing.T) {
	began, leave := make(chan struct{}, 10), make(chan struct{})
	stop := serving.OnSIGHUP(slog.New(slog.DiscardHandler), func() error {
		began <- struct{}{}
		<-leave
		return nil
	})
	hangUpDuringCall(t, 2, began)
	time.AfterFunc(10*time.Millisecond, func() { close(leave) })
	stop()
	if n := len(began); n != 0 {
		t.Errorf("%d calls began after stop was called, want none", n)
	}
}

// Without a logger, OnSIGHUP logs to the default of the moment, and a server to that of NewServer.
func TestDefaultLoggers(t *testing.T) {
	defer slog.SetDefault(slog.Default())
	defer log.SetFlags(log.Flags()) // SetDefault changes both
	defer log.SetOutput(log.Writer())
	var first, second bytes.Buffer
	slog.SetDefault(slog.New(slog.NewTextHandler(&first, nil)))
	server := serving.NewServer(nil, nil)
	done := make(chan struct{}, 1)
	stop := serving.OnSIGHUP(nil, func() error { done <- struct{}{}; return nil })
	slog.SetDefault(slog.New(slog.NewTextHandler(&second, nil)))
	server.ErrorLog.Print("trouble")
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	<-done
	stop()
	if got := first.String(); !strings.Contains(got, "level=WARN msg=trouble") || strings.Contains(got, "reloaded") {
		t.Errorf("the first default has %q", got)
	}
	if got := second.String(); !strings.Contains(got, "level=INFO msg=reloaded") || strings.Contains(got, "trouble") {
		t.Errorf("the second default has %q", got)
	}
}
