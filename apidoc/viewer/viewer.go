package viewer

import (
	"fmt"
	"net/http"
	"strings"

	"example.com/flowercafe/routing"
)

// New returns a handler of the page's files, for hosts that put it into a mux of their own. It answers GET and HEAD for the paths
// "/" (the page) and "/" with the name of a file, so wrap it in [http.StripPrefix]. The page belongs two levels below what is
// described, such as /shop/api-docs/ui/, and beside the description, /shop/api-docs/swagger.json. An error means that the files
// are not those that the page was written for. The handler is safe for concurrent use.
func New() (http.Handler, error) {
	list, err := load()
	if err != nil {
		return nil, err
	}
	files := make(map[string]*file)
	for _, f := range list {
		files[f.name] = f
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f := files[strings.TrimPrefix(r.URL.Path, "/")]
		switch {
		case f == nil:
			http.NotFound(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
		default:
			f.ServeHTTP(w, r)
		}
	}), nil
}

// Add adds the page to the app that serves the description at /api-docs/swagger.json: at /api-docs/ui/, where /api-docs,
// /api-docs/ and /api-docs/ui redirect to. The redirects are relative, so that they are right behind proxies too. An error means
// that the files are not those that the page was written for; then nothing is added.
func Add(app *routing.App) error {
	files, err := load()
	if err != nil {
		return err
	}
	get := func(path string, action routing.Action) {
		app.Route(http.MethodGet, routing.Must(routing.Sinatra(path)), action)
	}
	for _, redirect := range []struct{ from, to string }{
		{"/api-docs", "api-docs/ui/"},
		{"/api-docs/", "ui/"},
		{"/api-docs/ui", "ui/"},
	} {
		get(redirect.from, func(routing.Context) (routing.Result, error) {
			return nil, routing.Redirect(redirect.to)
		})
	}
	for _, f := range files {
		get("/api-docs/ui/"+f.name, routing.Handler(f))
	}
	return nil
}

// load reads all files of the page: ours, and those of Swagger UI that it uses.
func load() ([]*file, error) {
	var files []*file
	for _, entry := range manifest {
		f, err := entry.load()
		if err != nil {
			return nil, fmt.Errorf("viewer: load %s: %w", entry.path, err)
		}
		files = append(files, f)
	}
	return files, nil
}
