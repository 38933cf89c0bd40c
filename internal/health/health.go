// Package health serves the paths that tell balancers and orchestrators whether to send requests.
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
	// readyFor is how long a result is used again, so that many requests do not reach the database.
	readyFor = time.Second

	// answerLimit is how long a response may wait for the parts. It is less than probes wait:
	// Kubernetes waits for a second by default.
	answerLimit = 800 * time.Millisecond

	// pingLimit is how long a part may take. After a slow start, its result is for later requests.
	pingLimit = 5 * time.Second
)

var errSlow = fmt.Errorf("no result within %v", answerLimit)

// Part is a part of an app that responds to Ping or not.
type Part struct {
	Name string
	Ping func(context.Context) error
}

// Add adds the two paths to routes.
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
		failing, err := failing(c.Request().Context(), probes)
		switch {
		case err != nil:
			return routing.Result{}, err // the client has disconnected
		case failing != "":
			c.SetStatus(http.StatusServiceUnavailable)
			return routing.Text("not ready: " + failing + "\n"), nil
		}
		return routing.Text("ready\n"), nil
	})
}

// failing returns why the host is not ready: the server shuts down, or the names of the parts that
// do not respond.
func failing(ctx context.Context, probes []*probe) (string, error) {
	select {
	case <-serving.ShuttingDown(ctx):
		return "shutting down", nil
	default:
	}
	limited, cancel := context.WithTimeoutCause(ctx, answerLimit, errSlow)
	defer cancel()
	var waiting []<-chan struct{}
	for _, p := range probes {
		waiting = append(waiting, p.ask())
	}
	var names []string
	for i, p := range probes {
		if p.result(limited, waiting[i]) != nil {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, ", "), context.Cause(ctx)
}

// probe asks a part, once for all requests at a time.
type probe struct {
	Part
	logger func() *slog.Logger

	mu      sync.Mutex
	asking  chan struct{} // closed when the last Ping has ended; nil before the first one
	asked   time.Time     // when it ended; zero while it runs
	err     error
	failing bool // as the log says
}

// ask starts a Ping unless one runs or has just ended. The channel is closed when there is a
// result.
func (p *probe) ask() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	runs := p.asking != nil && p.asked.IsZero()
	if !runs && time.Since(p.asked) >= readyFor {
		p.asking, p.asked = make(chan struct{}), time.Time{}
		go p.ping()
	}
	return p.asking
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
	p.asked, p.err = time.Now(), err
	p.note(err)
	close(p.asking)
}

// result returns the result of the Ping, or why there is none before ctx ends.
func (p *probe) result(ctx context.Context, done <-chan struct{}) error {
	select {
	case <-done:
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-done: // perhaps while another part was waited for
		return p.err
	default:
	}
	err := context.Cause(ctx)
	if errors.Is(err, errSlow) {
		p.note(err)
	}
	return err
}

// note logs when the result changes. The caller holds the lock.
func (p *probe) note(err error) {
	switch {
	case err != nil && !p.failing:
		p.logger().Warn("not ready", "part", p.Name, "reason", err)
	case err == nil && p.failing:
		p.logger().Info("ready again", "part", p.Name)
	}
	p.failing = err != nil
}
