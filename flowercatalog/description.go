package flowercatalog

import (
	"fmt"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file serves the description. It is built from the routes that have an operation, and built
// again after the host has added routes.

// formats are the paths at which the description is served.
var formats = [...]struct {
	path  string
	bytes func(*apidoc.Document) []byte
}{
	{"/api-docs/spec.json", (*apidoc.Document).Spec},
	{"/api-docs/swagger.json", (*apidoc.Document).Swagger},
	{"/api-docs/openapi.json", (*apidoc.Document).OpenAPI},
	{"/api-docs/openapi-3.0.json", (*apidoc.Document).OpenAPI30},
}

// description is a document with all formats ready to send.
type description struct {
	document *apidoc.Document
	bodies   [len(formats)][]byte
	tags     [len(formats)]entityTag
}

// Document returns the description of all routes that have an operation, also those that you added.
// It returns an error for operations that cannot be described, such as two with the same ID; the
// paths of the description then respond with 500. So call Document after adding operations.
func (a *App) Document() (*apidoc.Document, error) {
	a.made()
	d, err := a.current()
	if err != nil {
		return nil, err
	}
	return d.document, nil
}

// current returns the description. It is built again if there are new definitions.
func (a *App) current() (*description, error) {
	table := a.routes.Routes()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.description != nil && a.described >= len(table) {
		return a.description, nil
	}
	document, err := apidoc.Build(a.routes, a.info, a.base)
	if err != nil {
		return nil, fmt.Errorf("describe the routes: %w", err)
	}
	d := &description{document: document}
	for i, format := range formats {
		d.bodies[i] = format.bytes(document)
		d.tags[i] = tagOf(d.bodies[i])
	}
	a.description, a.described = d, len(table)
	return d, nil
}

// describe returns the action that serves one format of the description.
func (a *App) describe(format int) routing.Action {
	return func(c routing.Context) (routing.Result, error) {
		d, err := a.current()
		if err != nil {
			return routing.Result{}, err
		}
		return jsonWithETag(c, d.tags[format], d.bodies[format]), nil
	}
}
