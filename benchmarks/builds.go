package main

import (
	"net/http"
	"runtime"
	"time"
)

// A build is the cost of making a handler from a route table. It includes the first response, since
// some routers build on the first request.
type build struct {
	Name  string
	Spent time.Duration
	Bytes uint64 // of the heap that stays in use
}

// timeBuild returns the fastest of several builds, because the first one also gets memory from the
// system.
func timeBuild(p peer, table []route, times int) (least build, h http.Handler, err error) {
	request, err := http.NewRequest(http.MethodGet, "/", nil)
	if err != nil {
		return build{}, nil, err
	}
	for i := range times {
		h = nil // so that it is garbage
		built, err := timeBuilding(p.name, func() error {
			if h, err = p.tryBuild(table); err == nil {
				h.ServeHTTP(newSink(), request)
			}
			return err
		})
		if err != nil {
			return build{}, nil, err
		}
		if i == 0 || built.Spent < least.Spent {
			least = built
		}
	}
	return least, h, nil
}

func timeBuilding(name string, makeHandler func() error) (build, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	if err := makeHandler(); err != nil {
		return build{}, err
	}
	spent := time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&after)
	return build{name, spent, max(after.HeapAlloc, before.HeapAlloc) - before.HeapAlloc}, nil
}
