package apidoc

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"example.com/flowercafe/routing"
)

// This file finds the operations of an app and of all that are mounted in it.

// describedRoute is a route that carries an operation.
type describedRoute struct {
	op     *Operation
	route  *routing.Route
	path   string   // with the prefixes of mounts
	params []string // of these prefixes
	name   string   // as http.Request.Pattern has it
}

// finder collects described routes. The apps that it is within are not entered again.
type finder struct {
	routes   []describedRoute
	warnings []string
	within   []*routing.App
}

// find adds the routes of an app. Prefix and params are of the path that leads to the app, base is
// the same as the app's routes are named by.
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
			op: d.op.below(params), route: r, path: prefix + path, params: params,
			name: r.Method() + " " + base + r.Pattern().String(),
		})
	}
	return nil
}

// below returns the operation with the parameters of prefixes, which it need not describe itself.
func (op *Operation) below(params []string) *Operation {
	var more []Parameter
	for _, name := range params {
		if !slices.ContainsFunc(op.Parameters, func(p Parameter) bool { return p.In == InPath && p.Name == name }) {
			more = append(more, Parameter{Name: name, In: InPath, Required: true})
		}
	}
	if more == nil {
		return op
	}
	c := *op
	c.Parameters = append(more, op.Parameters...)
	return &c
}
