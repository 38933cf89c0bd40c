// Package page serves the module's own HTML pages with a common style. A Content-Security-Policy
// allows only the style and script of the page, by their hashes.
package page

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
)

// Style is the common style of all pages: colors, fonts, controls.
//
//go:embed look.css
var Style string

// head is the beginning of a page: <html> and its <head>.
//
//go:embed head.html
var head string

// Page is an HTML page with its style and script. It is immutable and safe for concurrent use.
type Page struct {
	template *template.Template
	policy   string
}

// New parses the template of a page. The template begins with {{template "head" "TITLE"}}, which
// writes <html> and the <head> with style and script. If script is empty, the policy allows no
// scripts.
func New(html, style, script string) (*Page, error) {
	style = Style + style
	p := &Page{policy: "default-src 'none'; style-src " + hash(style) + "; img-src 'self' data:; base-uri 'none'; " +
		"form-action 'self'; frame-ancestors 'none'"}
	if script != "" {
		p.policy += "; script-src " + hash(script) + "; connect-src 'self'"
	}
	t, err := template.New("page").Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(style) },
		"script": func() template.JS { return template.JS(script) },
	}).Parse(`{{define "head"}}` + head + `{{end}}` + html)
	if err != nil {
		return nil, fmt.Errorf("parse page: %w", err)
	}
	p.template = t
	return p, nil
}

// hash returns the source expression that allows text as an inline style or script (CSP 3, 2.3.1).
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Serve renders the page with data and writes the response. Cache-Control is no-cache unless it is
// set. After an error nothing has been written.
func (p *Page) Serve(w http.ResponseWriter, r *http.Request, data any) error {
	var b bytes.Buffer
	if err := p.template.Execute(&b, data); err != nil {
		return fmt.Errorf("render page: %w", err)
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	if h["Content-Encoding"] == nil { // middleware may encode the page, which changes the length
		h.Set("Content-Length", strconv.Itoa(b.Len()))
	}
	h.Set("Content-Security-Policy", p.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-cache")
	}
	w.WriteHeader(http.StatusOK) // the writer may hold another status, as gin's does in NoRoute
	if r.Method != http.MethodHead {
		w.Write(b.Bytes()) // fails only if the client has disconnected
	}
	return nil
}
