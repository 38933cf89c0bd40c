package flowercafe

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"example.com/flowercafe/routing"
)

// This file serves the paths of WithHealth, which tell balancers whether to send requests.

const (
	livePath  = "/healthz"
	readyPath = "/readyz"
)

// readyFor is how long a result of the stores is used again. So frequent requests do not reach the
// database.
const readyFor = time.Second

// pingLimit is how long the stores may take.
const pingLimit = 5 * time.Second

// health knows whether the stores respond.
type health struct {
	stores []pinged
	logger *slog.Logger
	flight singleflight.Group

	mu      sync.Mutex
	asked   time.Time // when the stores last responded or not
	failing string    // the names of those that did not respond
}

// pinged is a store.
type pinged struct {
	name string
	ping func(context.Context) error
}

// newHealth returns the app that serves the two paths.
func newHealth(base string, next http.Handler, logger *slog.Logger, stores ...pinged) *routing.App {
	h := &health{stores: stores, logger: logger}
	routes := routing.New(routing.WithBasePath(base), routing.WithNext(next), routing.WithLogger(logger))
	routes.Get(livePath, func(c routing.Context) (routing.Result, error) {
		c.Header().Set("Cache-Control", "no-store")
		return routing.Text("ok\n"), nil
	})
	routes.Get(readyPath, func(c routing.Context) (routing.Result, error) {
		c.Header().Set("Cache-Control", "no-store")
		failing, err := h.check(c.Request().Context())
		switch {
		case err != nil:
			return routing.Result{}, err // the client has gone
		case failing != "":
			c.SetStatus(http.StatusServiceUnavailable)
			return routing.Text("not ready: " + failing + "\n"), nil
		}
		return routing.Text("ready\n"), nil
	})
	return routes
}

// check returns the names of the stores that do not respond. Concurrent calls ask once.
func (h *health) check(ctx context.Context) (failing string, err error) {
	if failing, known := h.known(); known {
		return failing, nil
	}
	asked := h.flight.DoChan("", func() (any, error) {
		if failing, known := h.known(); known {
			return failing, nil
		}
		return h.ask(), nil
	})
	select {
	case result := <-asked:
		return result.Val.(string), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (h *health) known() (failing string, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.failing, time.Since(h.asked) < readyFor
}

// ask pings the stores, and logs when the result changes.
func (h *health) ask() (failing string) {
	ctx, cancel := context.WithTimeout(context.Background(), pingLimit)
	defer cancel()
	errs := make([]error, len(h.stores))
	var all sync.WaitGroup
	for i, s := range h.stores {
		all.Go(func() { errs[i] = s.ping(ctx) })
	}
	all.Wait()
	var names []string
	var reasons []any
	for i, err := range errs {
		if err != nil {
			names = append(names, h.stores[i].name)
			reasons = append(reasons, slog.Any(h.stores[i].name, err))
		}
	}
	failing = strings.Join(names, ", ")
	h.mu.Lock()
	defer h.mu.Unlock()
	logger := h.logger
	if logger == nil {
		logger = slog.Default()
	}
	switch {
	case failing != "" && failing != h.failing:
		logger.Warn("not ready", reasons...)
	case failing == "" && h.failing != "":
		logger.Info("ready again")
	}
	h.asked, h.failing = time.Now(), failing
	return failing
}

// checkHealth returns an error if a mount has a path of WithHealth.
func checkHealth(mounts []mountPoint) error {
	for _, m := range mounts {
		if m.prefix == livePath || m.prefix == readyPath {
			return fmt.Errorf("mount %q: WithHealth serves it: write another prefix, or leave WithHealth out", m.prefix)
		}
	}
	return nil
}
