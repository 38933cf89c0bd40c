package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime"

	"example.com/flowercafe/flowercatalog"
)

// search measures a search in a million flowers, without other contestants.
func search(text string) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (*benchmark, error) {
		const n = 1_000_000
		flowers := manyFlowers(n)
		names := 0
		for _, f := range flowers {
			names += len(f.Slug) + len(f.Name)
		}
		var catalog *flowercatalog.App
		built, err := timeBuilding("flowercafe", func() (err error) {
			catalog, err = flowercatalog.New(flowercatalog.WithFlowers(flowers...))
			return err
		})
		if err != nil {
			return nil, err
		}
		runtime.KeepAlive(flowers) // otherwise they would reduce the measured memory of the catalog
		about := fmt.Sprintf("%q in %d flowers, whose slugs and names are %.1f MB", text, n, float64(names)/(1<<20))
		request := newRequest(ctx, http.MethodGet, "/flowers/")
		request.URL.RawQuery = url.Values{"name": {text}}.Encode()
		b := &benchmark{about: about, reference: "flowercafe", perPass: 1, builds: []build{built}}
		w := newSink()
		b.entrants = []*contestant{{name: "flowercafe", run: func(passes int) error {
			for range passes {
				w.reset()
				w.written = 0
				catalog.ServeHTTP(w, request)
				if w.written < 2 {
					return fmt.Errorf("wrote %d bytes", w.written)
				}
			}
			return nil
		}}}
		return b, nil
	}
}
