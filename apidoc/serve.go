package apidoc

import (
	"net/http"
	"sync"

	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/routing"
)

// This file publishes the description of an API.

// Document returns the description of the app's current operations, including those of [Describe]
// and of mounted apps. See [Build].
func (a *API) Document() (*Document, error) {
	return build(a.app, a.info, a.app.BasePath(), a.webhooks)
}

// Serve adds routes for the description to the app, and returns the description. The formats are at
// /api-docs/spec.json, swagger.json, openapi.json and openapi-3.0.json. If viewer is not nil, its
// page is at /api-docs/ui/; see package viewer. Operations that are defined later are described
// too. It returns an error for operations that cannot be described, such as two with the same ID.
func (a *API) Serve(viewer http.Handler) (*Document, error) {
	s := &served{api: a}
	forms := []struct {
		path  string
		bytes func(*Document) []byte
	}{
		{"/api-docs/spec.json", (*Document).Spec},
		{"/api-docs/swagger.json", (*Document).Swagger},
		{"/api-docs/openapi.json", (*Document).OpenAPI},
		{"/api-docs/openapi-3.0.json", (*Document).OpenAPI30},
	}
	for _, form := range forms {
		a.app.Get(form.path, func(c routing.Context) (routing.Result, error) {
			d, err := s.current()
			if err != nil {
				return failed(err)
			}
			c.Header().Set("X-Content-Type-Options", "nosniff")
			return routing.Bytes(message.JSON, form.bytes(d)), nil
		})
	}
	if viewer != nil {
		const path = "/api-docs/ui"
		a.app.Handle(http.MethodGet, path+"/*", http.StripPrefix(a.app.BasePath()+path, viewer))
		for _, redirect := range [...]struct{ from, to string }{{"/api-docs", "api-docs/ui/"}, {"/api-docs/", "ui/"}, {path, "ui/"}} {
			a.app.Get(redirect.from, func(routing.Context) (routing.Result, error) {
				return failed(routing.Redirect(redirect.to)) // relative, so that it works behind proxies
			})
		}
	}
	return s.current()
}

// served is a description that is updated when routes are added.
type served struct {
	api *API

	mu       sync.Mutex // guards what follows
	routes   int        // how many there were when the document was built
	document *Document
}

func (s *served) current() (*Document, error) {
	table := s.api.app.Routes()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.document != nil && s.routes == len(table) {
		return s.document, nil
	}
	d, err := s.api.Document()
	if err != nil {
		return nil, err
	}
	s.document, s.routes = d, len(table)
	return d, nil
}
