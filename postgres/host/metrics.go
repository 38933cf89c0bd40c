package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/flowercafe/postgres"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/serving"
)

// This file measures requests and pools for Prometheus. The names begin with flowercafe_.

type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
}

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry(), requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "flowercafe_http_request_duration_seconds",
		Help: "How long requests took, by route and status. Requests that match no route have an empty one.",
	}, []string{"route", "code"})}
	m.registry.MustRegister(m.requests, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// measure returns next with measurements of its requests.
func (m *metrics) measure(next http.Handler) http.Handler {
	return routing.NameRoutes(promhttp.InstrumentHandlerDuration(m.requests, next, promhttp.WithLabelFromCtx("route", routing.RouteName)))
}

// addPool adds the figures of a pool.
func (m *metrics) addPool(name string, pool *postgres.Pool) {
	labels := prometheus.Labels{"pool": name}
	for _, figure := range []struct {
		name, help string
		value      func(postgres.Stats) int
	}{
		{"connections_in_use", "Connections in use.", func(s postgres.Stats) int { return s.InUse }},
		{"connections_idle", "Connections not in use.", func(s postgres.Stats) int { return s.Idle }},
		{"connections_limit", "The maximum number of connections.", func(s postgres.Stats) int { return s.Limit }},
		{"waiting_calls", "Calls that are waiting for a connection.", func(s postgres.Stats) int { return s.Waiting }},
		{"timed_out_calls_total", "Calls that reached the wait limit.", func(s postgres.Stats) int { return s.TimedOut }},
		{"repeats_total", "Tries that failed and were repeated.", func(s postgres.Stats) int { return s.Repeats }},
		{"unknown_changes_total", "Changes that were committed or not.", func(s postgres.Stats) int { return s.Unknown }},
		{"outages_total", "Outages that have begun.", func(s postgres.Stats) int { return s.Outages }},
		{"outages_now", "1 during an outage.", func(s postgres.Stats) int {
			if s.Outage {
				return 1
			}
			return 0
		}},
	} {
		name, value := "flowercafe_db_"+figure.name, func() float64 { return float64(figure.value(pool.Stats())) }
		if strings.HasSuffix(name, "_total") {
			m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: figure.help, ConstLabels: labels}, value))
		} else {
			m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: figure.help, ConstLabels: labels}, value))
		}
	}
}

// age measures how old the flowers are, by one query for each time that Prometheus asks.
type age struct{ store *flowers.Store }

var (
	loaded = prometheus.NewDesc("flowercafe_flowers_loaded_timestamp_seconds", "The beginning of the load whose flowers this host serves.", nil, nil)
	lag    = prometheus.NewDesc("flowercafe_flowers_replication_lag_seconds", "The time since the last change of a standby that lacks some, or has lost its primary; else 0.", nil, nil)
)

func (a age) Describe(all chan<- *prometheus.Desc) {
	all <- loaded
	all <- lag
}

// Collect measures nothing if the database does not respond.
func (a age) Collect(all chan<- prometheus.Metric) {
	if now, err := a.store.Age(context.Background()); err == nil {
		all <- prometheus.MustNewConstMetric(loaded, prometheus.GaugeValue, float64(now.Loaded.UnixMilli())/1000)
		all <- prometheus.MustNewConstMetric(lag, prometheus.GaugeValue, now.Lag.Seconds())
	}
}

// serve serves the measurements at /metrics of an address of its own, which clients need not reach,
// until end is called.
func (m *metrics) serve(address string, logger *slog.Logger) (end func() error, err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for -metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	server := serving.NewServer(mux, logger)
	go server.Serve(listener)
	logger.Info("metrics", "address", fmt.Sprintf("http://%s/metrics", listener.Addr()))
	return server.Close, nil
}
