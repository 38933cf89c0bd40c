package main

import (
	"net/http"
	"runtime"
	"time"
)

// A build is what it takes to make a handler: of a route table, until its first response, since
// some build on the first request.
type build struct {
	Name  string
	Spent time.Duration
	Bytes uint64 // of the heap that stay
}

func timeBuild(p peer, table []route) (built build, h http.Handler, err error) {
	built, err = timeBuilding(p.name, func() error {
		if h, err = p.tryBuild(table); err != nil {
			return err
		}
		request, err := http.NewRequest(http.MethodGet, "/", nil)
		if err != nil {
			return err
		}
		h.ServeHTTP(newSink(), request)
		return nil
	})
	return built, h, err
}

func timeBuilding(name string, make func() error) (build, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	if err := make(); err != nil {
		return build{}, err
	}
	spent := time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&after)
	return build{name, spent, max(after.HeapAlloc, before.HeapAlloc) - before.HeapAlloc}, nil
}
