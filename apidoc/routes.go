package apidoc

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/document"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/routing"
)

// This file finds the operations of an app and of the apps mounted in it.

// describedRoute is a route that has an operation.
type describedRoute struct {
	*description
	doc   *document.Operation // the description's at its place
	route *routing.Route
	name  string // as http.Request.Pattern has it
}

// finder collects described routes. It does not enter an app that is mounted within itself.
type finder struct {
	routes   []describedRoute
	warnings []string
	within   []*routing.App
}

// find adds the routes of an app. prefix is the described path of the app's mounts, params are the
// parameters in it, and base is the same prefix as in the names of routes.
func (f *finder) find(app *routing.App, prefix string, params []string, base string) error {
	if slices.Contains(f.within, app) {
		return nil
	}
	f.within = append(f.within, app)
	defer func() { f.within = f.within[:len(f.within)-1] }()
	hidden := make(map[*routing.Route]routing.Shadow)
	for _, s := range app.Shadowed() {
		hidden[s.Hidden] = s
	}
	for _, entry := range app.Routes() {
		r := entry.Route
		d := descriptionOf(r)
		if r == nil || d == nil && r.Mounted() == nil {
			continue
		}
		if s, ok := hidden[r]; ok {
			f.warnings = append(f.warnings, s.String()+": it is not described")
			continue
		}
		if sub := r.Mounted(); sub != nil {
			path, names, err := mountPath(r.Pattern())
			if err != nil {
				return fmt.Errorf("route %s: %w", r, err)
			}
			subBase := (&url.URL{Path: sub.BasePath()}).EscapedPath()
			below := base + strings.TrimSuffix(r.Pattern().String(), "/*") + sub.BasePath()
			if err := f.find(sub, prefix+path+subBase, append(slices.Clip(params), names...), below); err != nil {
				return err
			}
			continue
		}
		path, _, err := describedPath(r.Pattern())
		if err != nil {
			return fmt.Errorf("route %s: operation %s: %w", r, d.op.ID, err)
		}
		f.routes = append(f.routes, describedRoute{
			description: d, doc: d.at(r.Method(), prefix+path, params), route: r,
			name: r.Method() + " " + base + r.Pattern().String(),
		})
	}
	return nil
}

// at returns the operation at a path, with those parameters of the prefix that it does not describe
// itself.
func (d *description) at(method, path string, params []string) *document.Operation {
	op := d.doc
	op.Method, op.Path = strings.ToLower(method), path
	op.Parameters = nil
	text := &schema.Schema{Kind: "string"}
	for _, name := range params {
		if !slices.ContainsFunc(d.doc.Parameters, func(p document.Parameter) bool { return p.In == "path" && p.Name == name }) {
			op.Parameters = append(op.Parameters, document.Parameter{Name: name, In: "path", Required: true, Schema: text})
		}
	}
	op.Parameters = append(op.Parameters, d.doc.Parameters...)
	return &op
}
