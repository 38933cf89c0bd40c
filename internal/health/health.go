// Package health serves the health checks of load balancers and orchestrators.
package health

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

	"example.com/flowercafe/routing"
	"example.com/flowercafe/serving"
)

// The paths.
const (
	Live  = "/healthz"
	Ready = "/readyz"
)

const (
	// resultLifetime is how long a result is reused, so that few requests reach the database.
	resultLifetime = time.Second

	// responseTimeout is how long a response waits for the parts. Balancers wait much longer.
	responseTimeout = 200 * time.Millisecond

	// pingLimit is how long a Ping may take.
	pingLimit = 5 * time.Second
)

// Part is a part of an app that can fail, such as a database.
type Part struct {
	Name   string
	Ping   func(context.Context) error
	Closed error // wrapped by the errors of Ping after the part was closed
}

// Add adds Live and Ready to routes. A part that does not respond does not change the status of
// Ready: all hosts may share its database, and a balancer would have no host left.
func Add(routes *routing.App, parts ...Part) {
	var probes []*probe
	for _, p := range parts {
		probes = append(probes, &probe{Part: p, logger: routes.Logger})
	}
	routes.Get(Live, func(c routing.Context) (routing.Result, error) {
		c.Header().Set("Cache-Control", "no-store")
		return routing.Text("ok\n"), nil
	})
	routes.Get(Ready, func(c routing.Context) (routing.Result, error) {
		c.Header().Set("Cache-Control", "no-store")
		status, text := readiness(c.Request().Context(), probes)
		c.SetStatus(status)
		return routing.Text(text + "\n"), nil
	})
}

// readiness returns the response of Ready.
func readiness(ctx context.Context, probes []*probe) (status int, text string) {
	select {
	case <-serving.ShuttingDown(ctx):
		return http.StatusServiceUnavailable, "not ready: shutting down"
	default:
	}
	ctx, cancel := context.WithTimeoutCause(ctx, responseTimeout, errSlow)
	defer cancel()
	var waiting []<-chan struct{}
	for _, p := range probes {
		waiting = append(waiting, p.start())
	}
	var closed, failing []string
	for i, p := range probes {
		switch err := p.result(ctx, waiting[i]); {
		case err == nil:
		case errors.Is(err, p.Closed):
			closed = append(closed, p.Name)
		default:
			failing = append(failing, p.Name)
		}
	}
	switch {
	case closed != nil:
		return http.StatusServiceUnavailable, "not ready: closed: " + strings.Join(closed, ", ")
	case failing != nil:
		return http.StatusOK, "ready; not responding: " + strings.Join(failing, ", ")
	}
	return http.StatusOK, "ready"
}

var errSlow = fmt.Errorf("no result within %v", responseTimeout)

// probe pings a part. Concurrent requests share a Ping and its result.
type probe struct {
	Part
	logger func() *slog.Logger

	mu      sync.Mutex
	done    chan struct{} // closed when the last Ping has ended; nil before the first one
	ended   time.Time     // when it ended; zero while it runs
	err     error
	failing bool // as last logged
}

// start starts a Ping unless one runs or has just ended. The channel is closed when there is a
// result.
func (p *probe) start() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	runs := p.done != nil && p.ended.IsZero()
	if !runs && time.Since(p.ended) >= resultLifetime {
		p.done, p.ended = make(chan struct{}), time.Time{}
		go p.ping()
	}
	return p.done
}

// ping notes the result of a Ping. A panic is an error: here it would end the process.
func (p *probe) ping() {
	ctx, cancel := context.WithTimeout(context.Background(), pingLimit)
	defer cancel()
	err := func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			}
		}()
		return p.Ping(ctx)
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended, p.err = time.Now(), err
	p.note(err)
	close(p.done)
}

// result returns the result of the Ping, or the cause of ctx if that ends before.
func (p *probe) result(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
	case <-ctx.Done():
	}
	select {
	case <-done: // perhaps while another part was waited for
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.err
	default:
		return context.Cause(ctx)
	}
}

// note logs when the result changes. The caller holds the lock.
func (p *probe) note(err error) {
	switch {
	case err != nil && !p.failing:
		p.logger().Warn("health check fails", "part", p.Name, "reason", err)
	case err == nil && p.failing:
		p.logger().Info("health check passes again", "part", p.Name)
	}
	p.failing = err != nil
}
