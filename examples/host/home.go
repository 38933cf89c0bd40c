package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"example.com/flowercafe"
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

// home is the home page, on which visitors try out what the host serves. It is rendered once.
type home struct {
	html   []byte
	policy string
}

func newHome(c config) (*home, error) {
	page, err := template.New("home").Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(homeStyle) },
		"script": func() template.JS { return template.JS(homeScript) },
	}).Parse(homeHTML)
	if err != nil {
		return nil, fmt.Errorf("home page: %w", err)
	}
	data := struct {
		Base  string
		Debug bool
	}{strings.TrimRight(c.base, "/"), c.debug}
	var html bytes.Buffer
	if err := page.Execute(&html, data); err != nil {
		return nil, fmt.Errorf("home page: %w", err)
	}
	// Only this style and this script may run.
	policy := "default-src 'none'; style-src " + source(homeStyle) + "; script-src " + source(homeScript) +
		"; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
	return &home{html.Bytes(), policy}, nil
}

// source returns the source expression that allows text as an inline style or script (CSP 3,
// 2.3.1).
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (h *home) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", h.policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-cache")
	w.Write(h.html)
}

// liveData responds with the list of coffees and the use of the pool.
type liveData struct {
	app   *flowercafe.App
	base  string
	limit int
}

func (l *liveData) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	stats := l.app.Coffee().Stats() // before the list takes a connection
	list := responseBuffer{header: make(http.Header), status: http.StatusOK}
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

// responseBuffer keeps a response in memory.
type responseBuffer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (b *responseBuffer) Header() http.Header { return b.header }

func (b *responseBuffer) WriteHeader(status int) { b.status = status }

func (b *responseBuffer) Write(p []byte) (int, error) { return b.body.Write(p) }
