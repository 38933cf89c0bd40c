//go:build unix

package serving_test

import (
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

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
