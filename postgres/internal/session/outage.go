package session

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// This file logs outages: one line when calls begin to fail because of the database, and one when
// they succeed again.

// calm is how long no call has failed when an outage is over.
const calm = time.Second

// outages counts and logs outages.
type outages struct {
	logger *slog.Logger // nil is slog.Default

	now atomic.Bool // there is one

	mu                sync.Mutex
	begin             time.Time // of the first failed call
	last              time.Time // the end of the last one
	back              time.Time // the first success after that
	failed, succeeded int       // calls in this outage
	count             int       // of outages so far
}

func (o *outages) log() *slog.Logger {
	if o.logger == nil {
		return slog.Default()
	}
	return o.logger
}

// failure notes a call that failed because of the database. err has no secrets.
func (o *outages) failure(begin time.Time, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.now.Load() {
		o.begin, o.failed, o.succeeded = begin, 0, 0
		o.count++
		o.now.Store(true)
		o.log().Error("database outage begins", "reason", err)
	}
	o.failed++
	o.last, o.back = time.Now(), time.Time{}
}

// success notes a call to which the database responded.
func (o *outages) success() {
	if !o.now.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.succeeded++
	if o.back.IsZero() {
		o.back = time.Now()
	}
	if !o.now.Load() || time.Since(o.last) < calm {
		return
	}
	o.now.Store(false)
	o.log().Info("database outage ends", "lasted", o.back.Sub(o.begin).Round(time.Millisecond),
		"failed", o.failed, "succeeded", o.succeeded)
}

// number returns how many outages there were.
func (o *outages) number() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.count
}
