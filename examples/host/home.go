package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"example.com/flowercafe"
	"example.com/flowercafe/internal/page"
)

// This file serves the host's home page and its data.

var (
	//go:embed home/page.html
	homeHTML string
	//go:embed home/page.css
	homeStyle string
	//go:embed home/page.js
	homeScript string
)

// home is the page to try out what the host serves.
type home struct {
	page *page.Page
	data struct {
		Base  string
		Debug bool
	}
}

func newHome(c config) (*home, error) {
	p, err := page.New(homeHTML, homeStyle, homeScript)
	if err != nil {
		return nil, fmt.Errorf("home page: %w", err)
	}
	h := &home{page: p}
	h.data.Base, h.data.Debug = strings.TrimRight(c.base, "/"), c.debug
	return h, nil
}

func (h *home) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.page.Serve(w, r, h.data); err != nil {
		slog.ErrorContext(r.Context(), "home page", "error", err)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
	}
}

// live responds with the list of coffees and the use of the pool.
type live struct {
	app   *flowercafe.App
	base  string
	limit int
}

func (l *live) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	stats := l.app.Coffee().Stats() // before the list takes a connection
	list := captured{header: make(http.Header), status: http.StatusOK}
	request := r.Clone(r.Context())
	request.URL.Path, request.URL.RawPath = l.base+"/coffees", ""
	l.app.ServeHTTP(&list, request)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	json.NewEncoder(w).Encode(map[string]any{
		"ok": list.status == http.StatusOK, "list": list.body.String(),
		"open": stats.Open, "inUse": stats.InUse, "idle": stats.Idle, "waiting": stats.Waiting, "limit": l.limit,
	})
}

// captured is a response in memory.
type captured struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (c *captured) Header() http.Header { return c.header }

func (c *captured) WriteHeader(status int) { c.status = status }

func (c *captured) Write(b []byte) (int, error) { return c.body.Write(b) }
