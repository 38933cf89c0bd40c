package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"example.com/flowercafe/postgres"
	"example.com/flowercafe/postgres/flowers"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/serving"
)

// This file measures requests and pools for Prometheus. The names begin with flowercafe_.
// Values from the database are read in the background, so that /metrics never waits for it.

type metrics struct {
	registry *prometheus.Registry
	add      promauto.Factory // to the registry
	requests *prometheus.HistogramVec

	life   context.Context // of the polls
	cancel context.CancelFunc
	polls  sync.WaitGroup
}

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.add = promauto.With(m.registry)
	m.requests = m.add.NewHistogramVec(prometheus.HistogramOpts{
		Name: "flowercafe_http_request_duration_seconds",
		Help: "How long requests took, by route and status. Requests that match no route have an empty route.",
	}, []string{"route", "code"})
	m.life, m.cancel = context.WithCancel(context.Background())
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// measure returns next with measurements of its requests.
func (m *metrics) measure(next http.Handler) http.Handler {
	name := func(ctx context.Context) string {
		_, name := routing.RouteFromContext(ctx)
		return name
	}
	return routing.RecordRoute(promhttp.InstrumentHandlerDuration(m.requests, next, promhttp.WithLabelFromCtx("route", name)))
}

// addPool adds the figures of a pool.
func (m *metrics) addPool(name string, pool *postgres.Pool) {
	labels := prometheus.Labels{"pool": name}
	for _, figure := range []struct {
		name, help string
		value      func(postgres.Stats) float64
	}{
		{"connections_in_use", "Connections in use.", func(s postgres.Stats) float64 { return float64(s.InUse) }},
		{"connections_idle", "Connections not in use.", func(s postgres.Stats) float64 { return float64(s.Idle) }},
		{"connections_limit", "The maximum number of connections.", func(s postgres.Stats) float64 { return float64(s.Limit) }},
		{"waiting_calls", "Calls that are waiting for a connection.", func(s postgres.Stats) float64 { return float64(s.Waiting) }},
		{"tries_total", "Tries of calls, each of which has waited for a connection.", func(s postgres.Stats) float64 { return float64(s.Tries) }},
		{"wait_seconds_total", "How long all tries have waited for a connection.", func(s postgres.Stats) float64 { return s.Waited.Seconds() }},
		{"timed_out_calls_total", "Calls that reached the acquire timeout.", func(s postgres.Stats) float64 { return float64(s.TimedOut) }},
		{"refused_calls_total", "Calls that were refused at once, because too many were in progress.", func(s postgres.Stats) float64 { return float64(s.Refused) }},
		{"repeats_total", "Tries that failed and were repeated.", func(s postgres.Stats) float64 { return float64(s.Repeats) }},
		{"unknown_changes_total", "Changes of which it is unknown whether they were committed.", func(s postgres.Stats) float64 { return float64(s.Unknown) }},
		{"outages_total", "Outages that have begun.", func(s postgres.Stats) float64 { return float64(s.Outages) }},
		{"outages_now", "1 during an outage.", func(s postgres.Stats) float64 {
			if s.Outage {
				return 1
			}
			return 0
		}},
	} {
		name, value := "flowercafe_db_"+figure.name, func() float64 { return figure.value(pool.Stats()) }
		if strings.HasSuffix(name, "_total") {
			m.add.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: figure.help, ConstLabels: labels}, value)
		} else {
			m.add.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: figure.help, ConstLabels: labels}, value)
		}
	}
}

// addReplication adds whether changes wait for a standby. There is no value if the database did not
// respond.
func (m *metrics) addReplication(pool *postgres.Pool) {
	waits := m.add.NewGaugeVec(prometheus.GaugeOpts{Name: "flowercafe_db_waits_for_standby",
		Help: "1 if changes wait for a synchronous standby, 0 if a failover may lose them."}, nil)
	m.poll(func(ctx context.Context) {
		yes, err := pool.WaitsForStandby(ctx)
		if err != nil {
			waits.Reset()
			return
		}
		value := 0.0
		if yes {
			value = 1
		}
		waits.WithLabelValues().Set(value)
	})
}

// pollInterval is the time between two queries of a value.
const pollInterval = 5 * time.Second

// poll calls do at once and then every few seconds, until stopPolling is called.
func (m *metrics) poll(do func(context.Context)) {
	m.polls.Go(func() {
		for {
			do(m.life)
			select {
			case <-time.After(pollInterval):
			case <-m.life.Done():
				return
			}
		}
	})
}

func (m *metrics) stopPolling() {
	m.cancel()
	m.polls.Wait()
}

// addPart adds whether a part of the app responds.
func (m *metrics) addPart(name string, ping func(context.Context) error) {
	up := m.add.NewGauge(prometheus.GaugeOpts{Name: "flowercafe_part_up",
		Help: "1 if this part responded to the last check, every 5 seconds.", ConstLabels: prometheus.Labels{"part": name}})
	m.poll(func(ctx context.Context) {
		if ping(ctx) == nil {
			up.Set(1)
		} else {
			up.Set(0)
		}
	})
}

// addAge adds how old the flowers were at the last check. There are no values if the database did
// not respond.
func (m *metrics) addAge(store *flowers.Store) {
	loaded := m.add.NewGaugeVec(prometheus.GaugeOpts{Name: "flowercafe_flowers_loaded_timestamp_seconds",
		Help: "The beginning of the load whose flowers this host serves."}, nil)
	lag := m.add.NewGaugeVec(prometheus.GaugeOpts{Name: "flowercafe_flowers_replication_lag_seconds",
		Help: "The time since the last change of a standby that lacks some, or has lost its primary; else 0."}, nil)
	m.poll(func(ctx context.Context) {
		now, err := store.Age(ctx)
		if err != nil {
			loaded.Reset()
			lag.Reset()
			return
		}
		loaded.WithLabelValues().Set(float64(now.Loaded.UnixMilli()) / 1000)
		lag.WithLabelValues().Set(now.Lag.Seconds())
	})
}

// serve serves the measurements at /metrics of a separate address, which clients need not reach,
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
