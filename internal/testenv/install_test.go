package testenv_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/flowercafe/internal/testenv"
)

func TestRetry(t *testing.T) {
	down := errors.New("the registry is down")
	for _, test := range []struct {
		failures, want int // times
		says           string
	}{{0, 1, ""}, {3, 4, ""}, {9, 4, "install, tried 4 times: the registry is down"}} {
		synctest.Test(t, func(t *testing.T) {
			times := 0
			err := testenv.Retry(t.Context(), func(context.Context) error {
				if times++; times <= test.failures {
					return down
				}
				return nil
			})
			if times != test.want || (err == nil) != (test.says == "") || err != nil && err.Error() != test.says {
				t.Errorf("%d failures: got %v after %d times, want %q after %d", test.failures, err, times, test.says, test.want)
			}
		})
	}
}

func TestInstall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		if err := testenv.Install(t.Context(), dir, "sh", "-c", "mkdir once 2>/dev/null && exit 1; test -d once"); err != nil {
			t.Errorf("a command that fails once: %v", err)
		}
		err := testenv.Install(t.Context(), dir, "sh", "-c", "echo cannot reach registry.example; exit 1")
		if err == nil || !strings.Contains(err.Error(), "cannot reach registry.example") {
			t.Errorf("got %v, want what the command says", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := testenv.Install(ctx, dir, "true"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the end of the context", err)
		}
	})
}
