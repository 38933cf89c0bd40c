package main

import (
	"net/http"
	"runtime"
	"time"
)

// A build is what it takes to make a handler of a route table: until it has answered once, since some build on the first request.
type build struct {
	name  string
	spent time.Duration
	bytes uint64 // of the heap that stay
}

func timeBuild(p peer, table []route) (build, http.Handler, error) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	h, err := p.tryBuild(table)
	if err != nil {
		return build{}, nil, err
	}
	request, err := http.NewRequest(http.MethodGet, "/", nil)
	if err != nil {
		return build{}, nil, err
	}
	h.ServeHTTP(newSink(), request)
	spent := time.Since(start)
	runtime.GC()
	runtime.ReadMemStats(&after)
	return build{p.name, spent, max(after.HeapAlloc, before.HeapAlloc) - before.HeapAlloc}, h, nil
}
