package viewer

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/swaggest/swgui/v5/static"

	"example.com/flowercafe/internal/page"
	"example.com/flowercafe/internal/precondition"
)

// This file serves the page's files. They are kept compressed, and decompressed once for the first
// client that needs that.

//go:embed page
var ours embed.FS

// policy allows the page to send requests only to its own server. Images in responses have blob:
// URLs, Swagger UI's own images have data: URLs.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' blob: data:; " +
	"media-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// loadFiles returns the files by path.
func loadFiles(s *settings) map[string]*file {
	return map[string]*file{
		"/":                     newFile("text/html; charset=utf-8", renderIndex(s)),
		"/page.css":             newFile("text/css; charset=utf-8", append([]byte(page.Style), content(ours, "page/page.css")...)),
		"/page.js":              newFile("text/javascript; charset=utf-8", content(ours, "page/page.js")),
		"/swagger-ui-bundle.js": newCompressedFile("text/javascript; charset=utf-8", content(static.FS, "swagger-ui-bundle.js.gz")),
		"/favicon-32x32.png":    newFile("image/png", content(static.FS, "favicon-32x32.png")),
	}
}

// content returns an embedded file. It panics if the file is missing, since the page then does not
// fit this version of Swagger UI.
func content(files embed.FS, name string) []byte {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("viewer: %v", err))
	}
	return b
}

// renderIndex replaces the placeholders of the page, words in capitals. It does not use
// html/template, because the linker would then keep all exported methods of a program, some
// megabytes.
func renderIndex(s *settings) []byte {
	text := html.EscapeString
	attribute := func(name, value string) string {
		if value == "" {
			return ""
		}
		return " " + name + `="` + text(value) + `"`
	}
	var links, items strings.Builder
	for _, f := range s.formats {
		name, address := text(f.Name), text(f.URL)
		fmt.Fprintf(&links, `<a href="?format=%s" data-name="%s" data-url="%s">%s</a>`+"\n", url.QueryEscape(f.Name), name, address, name)
		fmt.Fprintf(&items, `<li><a href="%s">%s</a></li>`, address, name)
	}
	return []byte(strings.NewReplacer(
		" THEME", attribute("data-theme", string(s.theme)), " TITLE", attribute("data-title", s.title),
		"HEADING", text(cmp.Or(s.title, "API description")), "LINKS\n", links.String(), "ITEMS", items.String(), "FIRST", text(s.formats[0].URL),
	).Replace(string(content(ours, "page/index.html"))))
}

// file is a file to serve. It is immutable and safe for concurrent use.
type file struct {
	contentType string
	compressed  []byte
	tag         string // of the content, without quotation marks
	plain       func() ([]byte, error)
}

func newFile(contentType string, content []byte) *file {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	w.Write(content)                                      // into memory
	w.Close()
	return newCompressedFile(contentType, b.Bytes())
}

func newCompressedFile(contentType string, compressed []byte) *file {
	sum := sha256.Sum256(compressed)
	return &file{
		contentType: contentType,
		compressed:  compressed,
		tag:         hex.EncodeToString(sum[:12]),
		plain: sync.OnceValues(func() ([]byte, error) {
			r, err := gzip.NewReader(bytes.NewReader(compressed))
			if err != nil {
				return nil, err
			}
			return io.ReadAll(r)
		}),
	}
}

// ServeHTTP sends the file, compressed if the client accepts that. The two encodings have different
// tags (RFC 9110, 8.8.3.3).
func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache") // may be cached, and is validated by its tag
	compressing := middlewareCompresses(h)
	h.Add("Vary", "Accept-Encoding")
	if !compressing && acceptsGzip(r.Header.Values("Accept-Encoding")) {
		h.Set("ETag", `"`+f.tag+`"`)
		h.Set("Content-Encoding", "gzip")
		// ServeContent omits the length of an encoded response. A 412 has no body, so it must not
		// have this length.
		if r.Header.Get("If-Match") == "" {
			h.Set("Content-Length", strconv.Itoa(len(f.compressed)))
		}
		http.ServeContent(w, precondition.ForContent(r), "", time.Time{}, bytes.NewReader(f.compressed))
		return
	}
	plain, err := f.plain()
	if err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	h.Set("ETag", `"`+f.tag+`-plain"`)
	http.ServeContent(w, precondition.ForContent(r), "", time.Time{}, bytes.NewReader(plain))
}

// middlewareCompresses reports whether middleware compresses the response, by the headers that it
// has set. Echo's middleware sets only Vary in advance, and would compress a compressed response
// again.
func middlewareCompresses(h http.Header) bool {
	vary := strings.ToLower(strings.Join(h["Vary"], ","))
	return h["Content-Encoding"] != nil || strings.Contains(vary, "accept-encoding")
}

// acceptsGzip reports whether an Accept-Encoding header accepts gzip (RFC 9110, 12.5.3): by its
// name, or by a star if the name is missing, with a weight above 0.
func acceptsGzip(headers []string) bool {
	star := false
	for _, item := range strings.Split(strings.Join(headers, ","), ",") {
		coding, parameters, _ := strings.Cut(item, ";")
		accepted := true
		if _, weight, ok := strings.Cut(parameters, "="); ok {
			q, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
			accepted = err == nil && q > 0
		}
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			return accepted
		case "*":
			star = accepted
		}
	}
	return star
}
