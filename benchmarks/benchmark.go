package main

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// A benchmark is one task and the contestants that do it.
type benchmark struct {
	about      string // one line for the tables
	reference  string // the contestant whose time is 1.00
	perPass    int    // requests in one pass
	entrants   []*contestant
	absent     []absence
	builds     []build  // of the routers, for large tables
	closers    []func() // called in reverse order
	fresh      bool     // make each request anew, for contestants that change it
	turnFactor int      // multiplies the length of its turns, if the times vary much
}

// A contestant does the benchmark's task, a whole number of passes at a time.
type contestant struct {
	name string
	run  func(passes int) error

	// clock is the CPU time of the process that does the work; nil for this process.
	clock clock
}

func (c *contestant) time() time.Duration {
	if c.clock != nil {
		return c.clock()
	}
	return cpuTime()
}

// An absence is the reason why a contestant is left out.
type absence struct {
	Name   string
	Reason string
}

// stop closes what the benchmark has started.
func (b *benchmark) stop() {
	for _, stop := range slices.Backward(b.closers) {
		stop()
	}
}

// enter adds h as a contestant if it gives the right response to every request. Otherwise it is
// listed as absent, with the first wrong response.
func (b *benchmark) enter(name string, h http.Handler, calls []call) {
	if err := check(h, calls); err != nil {
		b.leaveOut(name, "responds otherwise: "+err.Error())
		return
	}
	b.perPass = len(calls)
	run := serve(h, calls)
	if b.fresh {
		run = serveFresh(h, calls)
	}
	b.entrants = append(b.entrants, &contestant{name: name, run: run})
}

func (b *benchmark) leaveOut(name, reason string) {
	b.absent = append(b.absent, absence{name, reason})
}

// serve returns the timed loop: all requests in order, passes times. Each contestant has its own
// requests. The number of written bytes is checked afterwards, so that no contestant does less work
// when it is timed.
func serve(h http.Handler, calls []call) func(passes int) error {
	requests := requestsOf(calls)
	return timed(calls, func(w *sink) {
		for _, r := range requests {
			w.reset()
			h.ServeHTTP(w, r)
		}
	})
}

// serveFresh makes each request anew, like a server, so contestants that set path values pay for
// them each time.
func serveFresh(h http.Handler, calls []call) func(passes int) error {
	requests, used := requestsOf(calls), new(http.Request)
	return timed(calls, func(w *sink) {
		for _, r := range requests {
			w.reset()
			*used = *r
			rewind(used)
			h.ServeHTTP(w, used)
		}
	})
}

func requestsOf(calls []call) []*http.Request {
	requests := make([]*http.Request, len(calls))
	for i, x := range calls {
		requests[i] = x.request.Clone(x.request.Context())
	}
	return requests
}

func timed(calls []call, pass func(*sink)) func(passes int) error {
	want := 0
	for _, x := range calls {
		want += len(x.want.body)
	}
	w := newSink()
	return func(passes int) error {
		w.written = 0
		for range passes {
			pass(w)
		}
		if w.written != passes*want {
			return fmt.Errorf("wrote %d bytes while timed, want %d", w.written, passes*want)
		}
		return nil
	}
}
