package flowercafe

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/serving"
)

// This file serves the paths of WithHealth, which tell balancers whether to send requests.

const (
	livePath  = "/healthz"
	readyPath = "/readyz"
)

// readyFor is how long a result of a store is used again. So frequent requests do not reach the
// database.
const readyFor = time.Second

// answerLimit is how long a response may wait for the stores. It is less than probes wait:
// Kubernetes waits for a second by default.
const answerLimit = 800 * time.Millisecond

// pingLimit is how long a store may take. After a slow start, its result is for later requests.
const pingLimit = 5 * time.Second

var errSlow = fmt.Errorf("no result within %v", answerLimit)

// probed is a store that is asked whether it responds.
type probed struct {
	name   string
	ping   func(context.Context) error
	logger *slog.Logger // nil is slog.Default
	flight singleflight.Group

	mu      sync.Mutex
	asked   time.Time // when err was known
	err     error
	failing bool // as the log says
}

// newHealth returns the app that serves the two paths.
func newHealth(base string, next http.Handler, logger *slog.Logger, stores ...*probed) *routing.App {
	routes := routing.New(routing.WithBasePath(base), routing.WithNext(next), routing.WithLogger(logger))
	routes.Get(livePath, func(c routing.Context) (routing.Result, error) {
		c.Header().Set("Cache-Control", "no-store")
		return routing.Text("ok\n"), nil
	})
	routes.Get(readyPath, func(c routing.Context) (routing.Result, error) {
		c.Header().Set("Cache-Control", "no-store")
		failing, err := failing(c.Request().Context(), stores)
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

// failing returns why the host is not ready: it ends, or the names of the stores that do not
// respond.
func failing(ctx context.Context, stores []*probed) (string, error) {
	select {
	case <-serving.Ending(ctx):
		return "shutting down", nil
	default:
	}
	limited, cancel := context.WithTimeoutCause(ctx, answerLimit, errSlow)
	defer cancel()
	errs := make([]error, len(stores))
	var all sync.WaitGroup
	for i, s := range stores {
		all.Go(func() { errs[i] = s.check(limited) })
	}
	all.Wait()
	var names []string
	for i, s := range stores {
		if errs[i] != nil {
			names = append(names, s.name)
		}
	}
	return strings.Join(names, ", "), context.Cause(ctx)
}

// check returns an error if the store does not respond before ctx ends. Concurrent calls ask once.
func (s *probed) check(ctx context.Context) error {
	if err, known := s.known(); known {
		return err
	}
	asked := s.flight.DoChan("", func() (any, error) {
		if err, known := s.known(); known {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(context.Background(), pingLimit)
		defer cancel()
		err := s.result(ctx)
		s.note(err)
		return nil, err
	})
	select {
	case result := <-asked:
		return result.Err
	case <-ctx.Done():
		err := context.Cause(ctx)
		if errors.Is(err, errSlow) {
			s.say(err)
		}
		return err
	}
}

// result asks the store. A panic is an error: in the goroutine of DoChan it would end the process.
func (s *probed) result(ctx context.Context) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return s.ping(ctx)
}

func (s *probed) known() (err error, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err, time.Since(s.asked) < readyFor
}

func (s *probed) note(err error) {
	s.say(err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.err = time.Now(), err
}

// say logs when the result changes.
func (s *probed) say(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	logger := s.logger
	if logger == nil {
		logger = slog.Default()
	}
	switch {
	case err != nil && !s.failing:
		logger.Warn("not ready", "part", s.name, "reason", err)
	case err == nil && s.failing:
		logger.Info("ready again", "part", s.name)
	}
	s.failing = err != nil
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
