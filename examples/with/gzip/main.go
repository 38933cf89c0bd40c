// Gzip compresses the responses of the module, with the middleware of klauspost/compress.
package main

import (
	"errors"
	"log"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"example.com/flowercafe"
)

func main() {
	app, err := flowercafe.New()
	if err != nil {
		log.Fatal(err)
	}
	handler, err := compressed(app)
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	log.Print("listening on http://127.0.0.1:8080/flowers/")
	log.Fatal(errors.Join(server.ListenAndServe(), app.Close()))
}

// compressed compresses responses of 1 KiB and more for clients that accept it. An ETag is for one
// representation (RFC 9110, 8.8.3), so the ETag of a compressed response gets a suffix, which is
// removed from the headers If-None-Match and If-Match.
func compressed(app http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(1024), gzhttp.SuffixETag(suffix))
	if err != nil {
		return nil, err
	}
	inner := wrap(app)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.Clone(r.Context())
		for _, name := range []string{"If-None-Match", "If-Match"} {
			for i, tags := range r.Header[name] {
				r.Header[name][i] = withoutSuffix(tags)
			}
		}
		inner.ServeHTTP(w, r)
	}), nil
}

const suffix = "-gzip"

// withoutSuffix removes the suffix from the tags of a list.
func withoutSuffix(tags string) string { return strings.ReplaceAll(tags, suffix+`"`, `"`) }
