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
	opened time.Time    // of the pool

	active   atomic.Bool  // there is one
	answered atomic.Int64 // when the database responded last, in nanoseconds after opened
	count    atomic.Int64 // so far

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

// failure records a call that failed because of the database. If the server has not sent an error,
// and has responded to another call meanwhile, it is slow, or this host is, and there is no outage.
func (o *outages) failure(begin time.Time, err error) {
	if CodeOf(err) == "" && o.answered.Load() > int64(begin.Sub(o.opened)) {
		return
	}
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
	o.answered.Store(int64(time.Since(o.opened)))
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
