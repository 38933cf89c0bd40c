package session

import (
	"testing"
	"time"
)

// The connection string's settings of the pool count, and idle connections close within a minute.
func TestPoolConfig(t *testing.T) {
	for _, test := range []struct {
		dsn         string
		size        int32
		idle, check time.Duration
	}{
		{"host=x", 50, 45 * time.Second, 15 * time.Second},
		{"host=x pool_max_conns=7", 7, 45 * time.Second, 15 * time.Second},
		{"postgres://x/y?pool_max_conn_idle_time=30m&pool_health_check_period=1m", 50, 30 * time.Minute, time.Minute},
	} {
		config, err := configure(test.dsn, config{size: 50, wait: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if config.MaxConns != test.size || config.MaxConnIdleTime != test.idle || config.HealthCheckPeriod != test.check {
			t.Errorf("%s: got %d connections, %v and %v", test.dsn, config.MaxConns, config.MaxConnIdleTime, config.HealthCheckPeriod)
		}
	}
}
