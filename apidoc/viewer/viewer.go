package viewer

import (
	"fmt"
	"net/http"
	"slices"
)

// New returns a handler that serves the page at "/" and its files below, for GET and HEAD. In a mux
// of your own, wrap it in [http.StripPrefix], with a prefix that does not end in a slash. If the
// description is not from an apidoc.API, the page must be two levels below the API to which it
// sends requests, such as /shop/api-docs/ui/ for /shop. It loads the description from the URLs of
// [WithFormats] and [WithMoreFormats]. Invalid options panic. The handler is safe for concurrent
// use.
func New(options ...Option) http.Handler {
	s := defaultSettings()
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("viewer: option %d is nil: leave it out", i))
		}
		o.apply(&s)
	}
	s.formats = slices.Concat(s.formats, s.more)
	if err := s.check(); err != nil {
		panic(fmt.Sprintf("viewer: %v", err))
	}
	files := loadFiles(&s)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := files[r.URL.Path]
		switch {
		case f == nil:
			http.NotFound(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
		default:
			f.ServeHTTP(w, r)
		}
	})
}
