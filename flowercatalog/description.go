package flowercatalog

import (
	"fmt"
	"strings"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file serves the description. It is built from the routes that carry an operation, anew when the host has added some.

// forms are the paths at which the description is served.
var forms = [...]struct {
	path  string
	bytes func(*apidoc.Document) []byte
}{
	{"/api-docs/spec.json", (*apidoc.Document).Spec},
	{"/api-docs/swagger.json", (*apidoc.Document).Swagger},
	{"/api-docs/openapi.json", (*apidoc.Document).OpenAPI},
}

// isDescription reports whether path is that of a form of the description.
func (a *App) isDescription(path string) bool {
	path, ok := strings.CutPrefix(path, a.base)
	if !ok {
		return false
	}
	for i := range forms {
		if path == forms[i].path {
			return true
		}
	}
	return false
}

// Document returns the description of all routes that carry an operation, the host's included. The error tells what in them cannot
// be described, two operations with one ID for example; until that is mended the description's paths answer 500. A host that
// adds operations does well to call Document once behind them.
func (a *App) Document() (*apidoc.Document, error) {
	table := a.routes.Routes()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.description != nil && a.described == len(table) {
		return a.description, nil
	}
	document, err := apidoc.Build(table, a.info, a.base)
	if err != nil {
		return nil, fmt.Errorf("describe the routes: %w", err)
	}
	a.description, a.described = document, len(table)
	return document, nil
}

// describe returns the action that answers one form of the description.
func (a *App) describe(bytes func(*apidoc.Document) []byte) routing.Action {
	return func(c routing.Context) (routing.Result, error) {
		document, err := a.Document()
		if err != nil {
			return nil, err
		}
		body := bytes(document)
		return tagged(c, tagOf(body), func() routing.Result { return c.Bytes(jsonType, body) })
	}
}
