package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"

	"example.com/flowercafe/flowercatalog"
)

// The catalog over loopback, compared with a handler that writes the same bytes. Both figures
// include client, network and server.
func flowersOverLoopback(path string) func(context.Context) (*benchmark, error) {
	return func(ctx context.Context) (*benchmark, error) {
		catalog, err := flowercatalog.New()
		if err != nil {
			return nil, err
		}
		constant := constantResponse(ctx, catalog, path)
		size := responseOf(ctx, catalog, path).Body.Len()
		b := &benchmark{about: "GET " + path + " over loopback, client included", reference: "floor", perPass: 1, longer: 4}
		var closers []func()
		for _, c := range []struct {
			name    string
			handler http.Handler
		}{{"flowercafe", catalog}, {"floor", constant}} {
			run, stop, err := overLoopback(c.handler, path, size)
			if err != nil {
				return nil, err
			}
			closers = append(closers, stop)
			b.entrants = append(b.entrants, &contestant{name: c.name, run: run})
		}
		b.close = func() {
			for _, stop := range closers {
				stop()
			}
		}
		return b, nil
	}
}

// constantResponse returns a handler that always writes the response of h to a request for path.
func constantResponse(ctx context.Context, h http.Handler, path string) http.Handler {
	recorder := responseOf(ctx, h, path)
	body, header := recorder.Body.Bytes(), recorder.Header()
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		for name, values := range header {
			h[name] = values
		}
		w.Write(body)
	})
}

// overLoopback serves h and returns the loop that requests path on one connection.
func overLoopback(h http.Handler, path string, size int) (run func(int) error, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	server := &http.Server{Handler: h}
	go server.Serve(listener)
	client := &http.Client{Transport: &http.Transport{}}
	address := "http://" + listener.Addr().String() + path
	run = func(passes int) error {
		for range passes {
			response, err := client.Get(address)
			if err != nil {
				return err
			}
			n, err := io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if err != nil || n != int64(size) {
				return fmt.Errorf("%d bytes of %d: %w", n, size, err)
			}
		}
		return nil
	}
	return run, func() { client.CloseIdleConnections(); server.Close() }, nil
}

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
