package viewer

import (
	"fmt"
	"net/http"
)

// New returns a handler of the page's files. It answers GET and HEAD for the path "/", which is the page, and for "/" with the
// name of a file; wrap it in [http.StripPrefix] in a mux of your own. The page belongs two levels below what is described, such as
// /shop/api-docs/ui/, and one below the description, which it reads at ../swagger.json. The handler is safe for concurrent use.
func New() http.Handler {
	files := make(map[string]*file)
	for _, e := range manifest {
		f, err := e.load()
		if err != nil {
			// All is embedded: this is a version of the files that the page was not written for.
			panic(fmt.Sprintf("viewer: load %s: %v", e.path, err))
		}
		files["/"+e.name] = f
	}
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
