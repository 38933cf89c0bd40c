package main

import (
	"context"
	"net/http"

	"github.com/go-chi/chi/v5"
	"github.com/uptrace/bunrouter"
)

// Typical work of services compared with a constant text. Each row is a request for one route,
// compared with peers that have the feature.

// A hostRow has the name of one of the hostHandlers.
type hostRow struct {
	name, about string
	peers       func(want response) map[string]http.Handler // handlers with the same response
}

func hostRows() []hostRow {
	return []hostRow{
		{name: "set_status", about: "a status and a text", peers: onServeMux},
		{name: "bytes", about: "bytes with a content type", peers: onServeMux},
		{name: "json", about: "a struct as JSON", peers: jsonOnServeMux},
		{name: "mounted", about: "a route of a mounted app", peers: mountedOnPeers},
		{name: "not_found", about: "a path without a route", peers: notFoundOnPeers},
		{name: "next", about: "a path without a route, left to the next handler"},
		{name: "after", about: "an after filter that does nothing"},
	}
}

func hosts() []entry {
	var entries []entry
	for _, row := range hostRows() {
		entries = append(entries, entry{name: "host_" + row.name, build: row.build})
	}
	return entries
}

func (row hostRow) build(ctx context.Context) (*benchmark, error) {
	const target = "/users/7"
	b := &benchmark{about: row.about, reference: "flowercafe", fresh: true}
	handler := hostHandlers()[row.name]
	want, err := ask(handler, newRequest(ctx, http.MethodGet, target))
	if err != nil {
		return nil, err
	}
	calls := []call{{newRequest(ctx, http.MethodGet, target), want}}
	b.enter("flowercafe", handler, calls)
	if row.peers != nil {
		peers := row.peers(want)
		for _, name := range []string{"servemux", "chi", "bunrouter"} {
			if h := peers[name]; h != nil {
				b.enter(name, h, calls)
			}
		}
	}
	return b, nil
}

// handler writes a response like a typical handler.
func (served response) handler() http.HandlerFunc {
	body := []byte(served.body)
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", served.contentType)
		if served.status != http.StatusOK {
			w.WriteHeader(served.status)
		}
		w.Write(body)
	}
}

const muxPattern = "GET /users/{id}"

func muxWith(pattern string, h http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(pattern, h)
	return mux
}

func onServeMux(want response) map[string]http.Handler {
	return map[string]http.Handler{"servemux": muxWith(muxPattern, want.handler())}
}

func jsonOnServeMux(response) map[string]http.Handler {
	return map[string]http.Handler{"servemux": muxWith(muxPattern, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, user{"7", "Alice"})
	}))}
}

func mountedOnPeers(want response) map[string]http.Handler {
	inner, outer := chi.NewRouter(), chi.NewRouter()
	inner.Method(http.MethodGet, "/{id}", want.handler())
	outer.Mount("/users", inner)
	return map[string]http.Handler{"servemux": muxWith("/users/", muxWith(muxPattern, want.handler())), "chi": outer}
}

func notFoundOnPeers(want response) map[string]http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", want.handler())
	mux.Handle("/elsewhere", want.handler())
	onChi := chi.NewRouter()
	onChi.Get("/elsewhere", want.handler())
	onChi.NotFound(want.handler())
	onBunrouter := bunrouter.New(bunrouter.WithNotFoundHandler(bunrouter.HTTPHandlerFunc(want.handler())))
	onBunrouter.GET("/elsewhere", bunrouter.HTTPHandlerFunc(want.handler()))
	return map[string]http.Handler{"servemux": mux, "chi": onChi, "bunrouter": onBunrouter}
}
