// Package observe gives each request an ID and a log line, and counts requests by route.
package observe

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/flowercafe/routing"
)

// Observer counts requests. It is safe for concurrent use.
type Observer struct {
	Logger *slog.Logger

	mu     sync.Mutex
	counts map[series]figures
}

type series struct {
	route  string // its name, or empty
	status int
}

type figures struct {
	requests int
	seconds  float64
}

type idKey struct{}

// ID returns the ID of the request, for the log lines of actions.
func ID(ctx context.Context) string {
	id, _ := ctx.Value(idKey{}).(string)
	return id
}

// isID allows no more in an ID from outside than a log line can take.
var isID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Around observes the requests to a handler. The ID is that of a balancer in X-Request-Id, or a new
// one, and is sent back.
func (o *Observer) Around(next http.Handler) http.Handler {
	return routing.NameRoutes(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-Id")
		if !isID.MatchString(id) {
			id = rand.Text()
		}
		w.Header().Set("X-Request-Id", id)
		r = r.WithContext(context.WithValue(r.Context(), idKey{}, id))
		seen, begin := &statusWriter{w, http.StatusOK}, time.Now()
		defer func() { // also if the connection is cut by a panic
			took, route := time.Since(begin), routing.RouteName(r.Context())
			o.count(series{route, seen.status}, took)
			o.Logger.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("id", id), slog.String("method", r.Method),
				slog.String("path", r.URL.Path), slog.String("route", route), slog.Int("status", seen.status), slog.Duration("took", took))
		}()
		next.ServeHTTP(seen, r)
	}))
}

func (o *Observer) count(s series, took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.counts == nil {
		o.counts = make(map[series]figures)
	}
	f := o.counts[s]
	o.counts[s] = figures{f.requests + 1, f.seconds + took.Seconds()}
}

// Metrics is an action that sends the figures in the text format of Prometheus.
func (o *Observer) Metrics(routing.Context) (routing.Result, error) {
	o.mu.Lock()
	counts := maps.Clone(o.counts)
	o.mu.Unlock()
	var lines []string
	for s, f := range counts {
		labels := fmt.Sprintf("{route=%q,status=\"%d\"}", s.route, s.status)
		lines = append(lines, fmt.Sprintf("http_requests_total%s %d\n", labels, f.requests),
			fmt.Sprintf("http_request_seconds_total%s %g\n", labels, f.seconds))
	}
	slices.Sort(lines)
	return routing.Bytes("text/plain; version=0.0.4; charset=utf-8", []byte(strings.Join(lines, ""))), nil
}

// statusWriter records the status. With Unwrap, http.ResponseController finds the server's writer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if status >= http.StatusOK { // informational responses are followed by another
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
