package session

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// This file logs outages: one line when calls begin to fail because of the database, and one when
// they succeed again.

// quietPeriod is the time without a failed call after which an outage is over.
const quietPeriod = time.Second

// outages logs and counts outages.
type outages struct {
	logger *slog.Logger // nil is slog.Default

	active atomic.Bool  // there is one
	count  atomic.Int64 // so far

	mu          sync.Mutex
	begin, last time.Time // of the first failed call, and the end of the last one
	failed      int       // calls
}

func (o *outages) log() *slog.Logger {
	if o.logger == nil {
		return slog.Default()
	}
	return o.logger
}

// failure records a call that failed because of the database.
func (o *outages) failure(begin time.Time, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.active.Load() {
		o.begin, o.failed = begin, 0
		o.count.Add(1)
		o.active.Store(true)
		o.log().Error("database outage begins", "reason", err)
	}
	o.failed++
	o.last = time.Now()
}

// success records a call to which the database responded.
func (o *outages) success() {
	if !o.active.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.active.Load() && time.Since(o.last) >= quietPeriod {
		o.active.Store(false)
		o.log().Info("database outage ends", "lasted", o.last.Sub(o.begin).Round(time.Millisecond), "failed", o.failed)
	}
}
