// Package observe gives each request an ID and a log line, and measures requests by route.
package observe

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"

	"github.com/felixge/httpsnoop"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/flowercafe/routing"
)

// Observer observes the requests to a service. It is safe for concurrent use.
type Observer struct {
	Metrics http.Handler // sends the figures to Prometheus; keep it from the public
	logger  *slog.Logger
	seconds *prometheus.HistogramVec
}

// New returns an observer that logs to logger.
func New(logger *slog.Logger) *Observer {
	registry := prometheus.NewRegistry()
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "http_request_seconds", Help: "How long requests took, by route and status", Buckets: prometheus.ExponentialBuckets(.001, 4, 8),
	}, []string{"route", "status"})
	registry.MustRegister(seconds)
	return &Observer{promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), logger, seconds}
}

// validID matches the IDs that are accepted from outside.
var validID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Middleware observes the requests to a handler. The ID is taken from X-Request-Id, which a
// balancer may set, or is a new one. It is sent back.
func (o *Observer) Middleware(next http.Handler) http.Handler {
	return routing.RecordRoute(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("X-Request-Id")
		if !validID.MatchString(id) {
			id = rand.Text()
		}
		w.Header().Set("X-Request-Id", id)
		r = r.WithContext(context.WithValue(r.Context(), idKey{}, id))
		metrics := httpsnoop.Metrics{Code: http.StatusOK}
		defer func() { // also if a panic closes the connection
			_, route := routing.RouteFromContext(r.Context())
			o.seconds.WithLabelValues(route, strconv.Itoa(metrics.Code)).Observe(metrics.Duration.Seconds())
			o.logger.LogAttrs(r.Context(), slog.LevelInfo, "request", slog.String("method", r.Method), slog.String("path", r.URL.Path),
				slog.String("route", route), slog.Int("status", metrics.Code), slog.Duration("took", metrics.Duration))
		}()
		metrics.CaptureMetrics(w, func(w http.ResponseWriter) { next.ServeHTTP(w, r) })
	}))
}

type idKey struct{}

// IDs returns a handler of logs that adds the ID of the request, if the context has one.
func IDs(inner slog.Handler) slog.Handler { return withID{inner} }

type withID struct{ slog.Handler }

func (h withID) Handle(ctx context.Context, record slog.Record) error {
	if id, ok := ctx.Value(idKey{}).(string); ok {
		record.AddAttrs(slog.String("id", id))
	}
	return h.Handler.Handle(ctx, record)
}

func (h withID) WithAttrs(attrs []slog.Attr) slog.Handler { return withID{h.Handler.WithAttrs(attrs)} }
func (h withID) WithGroup(name string) slog.Handler       { return withID{h.Handler.WithGroup(name)} }
