package viewer

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/swaggest/swgui/v5/static"
)

// This file serves the page's files. Those of Swagger UI are embedded compressed, and sent so to clients that take it.

//go:embed page
var ours embed.FS

// manifest lists the files of the page. The page itself has no name.
var manifest = [...]entry{
	{"", ours, "page/index.html", "text/html; charset=utf-8"},
	{"page.css", ours, "page/page.css", "text/css; charset=utf-8"},
	{"page.js", ours, "page/page.js", "text/javascript; charset=utf-8"},
	{"swagger-ui.css", static.FS, "swagger-ui.css.gz", "text/css; charset=utf-8"},
	{"swagger-ui-bundle.js", static.FS, "swagger-ui-bundle.js.gz", "text/javascript; charset=utf-8"},
	{"favicon-32x32.png", static.FS, "favicon-32x32.png", "image/png"},
}

// policy lets the page load and ask only its own server. Swagger UI has images in data addresses.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// entry tells where a file is, and how it is served.
type entry struct {
	name        string
	from        fs.FS
	path        string
	contentType string
}

// file is a file to serve. It is immutable.
type file struct {
	contentType string
	content     []byte
	compressed  bool
	tag         string // of the content, without quotation marks
}

func (e entry) load() (*file, error) {
	content, err := fs.ReadFile(e.from, e.path)
	if err != nil {
		return nil, err
	}
	f := &file{contentType: e.contentType, content: content, compressed: strings.HasSuffix(e.path, ".gz")}
	if f.compressed {
		if _, err := f.plain(); err != nil {
			return nil, err
		}
	}
	sum := sha256.Sum256(content)
	f.tag = hex.EncodeToString(sum[:12])
	return f, nil
}

// plain returns a reader of the content as it was before it was compressed.
func (f *file) plain() (io.Reader, error) {
	if !f.compressed {
		return bytes.NewReader(f.content), nil
	}
	return gzip.NewReader(bytes.NewReader(f.content))
}

// ServeHTTP sends the file, compressed if it is and the client takes that. The two ways have different tags (RFC 9110, 8.8.3.3).
func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache") // kept, and asked about with the tag
	if f.compressed {
		h.Add("Vary", "Accept-Encoding")
		if !takesGzip(r.Header.Values("Accept-Encoding")) {
			h.Set("ETag", `"`+f.tag+`-plain"`)
			f.servePlain(w, r)
			return
		}
		h.Set("Content-Encoding", "gzip")
		h.Set("Content-Length", strconv.Itoa(len(f.content)))
	}
	h.Set("ETag", `"`+f.tag+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
}

func (f *file) servePlain(w http.ResponseWriter, r *http.Request) {
	plain, err := f.plain()
	if err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	content, err := io.ReadAll(plain)
	if err != nil {
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// takesGzip reports whether an Accept-Encoding header admits gzip (RFC 9110, 12.5.3): by its name, or by a star where the name is
// not there, with a weight other than 0.
func takesGzip(headers []string) bool {
	star := false
	for _, item := range strings.Split(strings.Join(headers, ","), ",") {
		coding, parameters, _ := strings.Cut(item, ";")
		taken := true
		if _, weight, ok := strings.Cut(parameters, "="); ok {
			q, err := strconv.ParseFloat(strings.TrimSpace(weight), 64)
			taken = err == nil && q > 0
		}
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "gzip", "x-gzip":
			return taken
		case "*":
			star = taken
		}
	}
	return star
}
