package apidoc

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/routing"
)

// This file finds the operations of an app and of the apps mounted in it.

// located is an operation at the path of its route.
type located struct {
	*Operation
	place  *openapi.Operation // the same at the path
	route  *routing.Route
	mounts []*routing.Route // from the described app to that of the route
	hidden string           // a sentence on the later route that hides it, or empty
}

// mounts are where an app is mounted, also in apps further out.
type mounts struct {
	path   string            // as it is described
	params []string          // the parameters in it
	where  map[string]string // what parameters must be, by their names
	routes []*routing.Route  // of the mounts, outermost first
}

// find returns the operations of an app. If api is not nil, those of the app's other APIs are left
// out.
func find(app *routing.App, api *frame, at mounts) (found []located, _ error) {
	hidden := make(map[*routing.Route]string)
	for _, s := range app.Shadowed() {
		hidden[s.Hidden] = s.String() + ": it is not described"
	}
	for _, entry := range app.Table() {
		r := entry.Route
		op := OperationOf(r)
		switch {
		case op != nil && op.frame.isOther(api):
		case op != nil:
			path, names, err := pathOf(r.Pattern())
			if i := slices.IndexFunc(names, func(name string) bool { return slices.Contains(at.params, name) }); err == nil && i >= 0 {
				err = fmt.Errorf("the parameter %q is also in the prefix of the mount, %s: give them different names", names[i], at.path)
			}
			if err != nil {
				return nil, fmt.Errorf("route %s: operation %s: %w", r, op.ID(), err)
			}
			place := op.at(r.Method(), mounts{at.path + path, at.params, withWhere(at.where, r.Pattern()), at.routes})
			found = append(found, located{op, place, r, at.routes, hidden[r]})
		case r != nil && r.Mounted() != nil && hidden[r] == "":
			path, names, err := mountPath(r.Pattern())
			if err != nil {
				return nil, fmt.Errorf("route %s: %w", r, err)
			}
			base := (&url.URL{Path: r.Mounted().BasePath()}).EscapedPath()
			inner := mounts{at.path + path + base, append(slices.Clip(at.params), names...), withWhere(at.where, r.Pattern()), append(slices.Clip(at.routes), r)}
			mounted, err := find(r.Mounted(), nil, inner)
			if err != nil {
				return nil, err
			}
			found = append(found, mounted...)
		}
	}
	return found, nil
}

// sizeOf counts the definitions of an app and of those mounted in it, with the tags and webhooks of
// frames. If there are more of them, the description may change.
func sizeOf(app *routing.App, frames map[*frame]bool) (n int) {
	for _, entry := range app.Table() {
		n++
		if op := OperationOf(entry.Route); op != nil && op.frame != nil && !frames[op.frame] {
			frames[op.frame] = true
			tags, webhooks := op.frame.content()
			n += len(tags) + len(webhooks)
		}
		if entry.Route != nil && entry.Route.Mounted() != nil {
			n += sizeOf(entry.Route.Mounted(), frames)
		}
	}
	return n
}

// at returns the operation at a path. Parameters of the mounts that it does not describe itself are
// text. Those that are not in the path are in the prefix of a mount further out, so that clients
// find them in the URL of the API. A text without a pattern has that of [routing.Where].
func (op *Operation) at(method string, m mounts) *openapi.Operation {
	placed := op.doc
	placed.Method, placed.Path, placed.Parameters = strings.ToLower(method), m.path, nil
	text := &schema.Schema{Kind: "string"}
	for _, name := range m.params {
		if !op.captures(name) {
			placed.Parameters = append(placed.Parameters, openapi.Parameter{Name: name, In: "path", Required: true, Schema: text})
		}
	}
	for _, p := range op.doc.Parameters {
		if p.In != "path" || strings.Contains(m.path, "{"+p.Name+"}") {
			placed.Parameters = append(placed.Parameters, p)
		}
	}
	for i := range placed.Parameters {
		p := &placed.Parameters[i]
		where := m.where[p.Name]
		if where == "" || p.In != "path" || p.Schema.Kind != "string" || p.Schema.Pattern != nil {
			continue
		}
		if pattern, err := schema.NewPattern("^(?:" + where + ")$"); err == nil { // else ECMA 262 lacks it
			one := *p.Schema
			one.Pattern, p.Schema = pattern, &one
		}
	}
	return &placed
}
