package apidoc

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/routing"
)

// This file finds the operations of an app and of the apps mounted in it.

// located is an operation at the path of its route.
type located struct {
	*Operation
	atPath *openapi.Operation // the operation as it is described at the path
	route  *routing.Route
	mounts []*routing.Route // from the described app to the route's app
	rank   []int            // of two routes, the one with the higher rank is tried first
}

// mounts are the mounts that lead from the described app to an app in it.
type mounts struct {
	app    *routing.App      // the described app
	path   string            // their described prefix
	params []string          // the parameters in path
	where  map[string]string // the expressions of routing.Where, by parameter
	routes []*routing.Route  // outermost first
	rank   []int             // see located
}

// find returns the operations of an app that are described. If api is not nil, operations of the
// app's other APIs are left out.
func find(app *routing.App, api *registry, at mounts) (found []located, _ error) {
	for i, entry := range app.Table() {
		if private.FirstMatch(app) {
			i = -i
		}
		r, rank := entry.Route, append(slices.Clip(at.rank), i)
		op := OperationOf(r)
		switch {
		case op != nil && (op.isHidden || op.registry.isOther(api)):
		case op != nil:
			path, names, err := pathOf(r.Pattern())
			if i := slices.IndexFunc(names, func(name string) bool { return slices.Contains(at.params, name) }); err == nil && i >= 0 {
				err = fmt.Errorf("the parameter %q is also in the prefix of the mount, %s: give them different names", names[i], at.path)
			}
			if err != nil {
				return nil, fmt.Errorf("route %s: operation %s: %w", r, op.ID(), err)
			}
			atPath := op.at(r.Method(), mounts{path: at.path + path, params: at.params, where: withWhere(at.where, r.Pattern())})
			if err := at.checkParams(op, atPath.Path); err != nil {
				return nil, fmt.Errorf("route %s: operation %s: %w", r, op.ID(), err)
			}
			found = append(found, located{Operation: op, atPath: atPath, route: r, mounts: at.routes, rank: rank})
		case r != nil && r.Mounted() != nil:
			path, names, err := mountPath(r.Pattern())
			if err != nil {
				return nil, fmt.Errorf("route %s: %w", r, err)
			}
			base := (&url.URL{Path: r.Mounted().BasePath()}).EscapedPath()
			mounted, err := find(r.Mounted(), nil, mounts{
				app:    at.app,
				path:   at.path + path + base,
				params: append(slices.Clip(at.params), names...),
				where:  withWhere(at.where, r.Pattern()),
				routes: append(slices.Clip(at.routes), r),
				rank:   rank,
			})
			if err != nil {
				return nil, err
			}
			found = append(found, mounted...)
		}
	}
	return found, nil
}

// withoutReplaced removes the operations that others replace. It returns an error for two with the
// same method and path, unless the one that is tried first has [Replaces], and for an operation
// that replaces nothing.
func withoutReplaced(found []located) ([]located, error) {
	at := make(map[string][]located)
	for _, r := range found {
		key := r.atPath.Method + " " + anonymous(r.atPath.Path)
		at[key] = append(at[key], r)
	}
	replaced := make(map[*openapi.Operation]bool)
	for _, key := range slices.Sorted(maps.Keys(at)) {
		same := at[key]
		slices.SortFunc(same, func(a, b located) int { return slices.Compare(b.rank, a.rank) })
		for i, older := range same[1:] {
			newer := same[i]
			if !newer.replaces {
				return nil, fmt.Errorf("operations %s (%s) and %s (%s) are both described as %s %s: "+
					"remove one, or give %s, which is tried first, the option Replaces, or Hidden if it passes",
					older.ID(), older.route, newer.ID(), newer.route, newer.route.Method(), newer.atPath.Path, newer.ID())
			}
			if err := newer.weakens(older); err != nil {
				return nil, fmt.Errorf("route %s: operation %s: %w", newer.route, newer.ID(), err)
			}
			replaced[older.atPath] = true
		}
		if last := same[len(same)-1]; last.replaces {
			return nil, fmt.Errorf("route %s: operation %s has the option Replaces, but no described operation is tried after it: remove the option", last.route, last.ID())
		}
	}
	return slices.DeleteFunc(found, func(r located) bool { return replaced[r.atPath] }), nil
}

// weakens returns an error as [Operation.weakens] does, and if a mount around the other operation
// decides who has access.
func (l located) weakens(old located) error {
	isLost := func(mount *routing.Route) bool { return isGuarded(mount) && !slices.Contains(l.mounts, mount) }
	if !l.decidesAccess && slices.ContainsFunc(old.mounts, isLost) {
		return fmt.Errorf("it replaces the operation %s, whose mount decides who has access: give it a Security, or Public, among its own options", old.ID())
	}
	return l.Operation.weakens(old.Operation)
}

// checkReplaced returns an error if the operation weakens an operation that its route replaces.
func (op *Operation) checkReplaced(route *routing.Route) error {
	path, _, err := pathOf(route.Pattern())
	if err != nil {
		return err
	}
	for _, entry := range op.registry.app.Table() {
		old := OperationOf(entry.Route)
		if old == nil || old == op || entry.Route.Method() != route.Method() {
			continue
		}
		if other, _, err := pathOf(entry.Route.Pattern()); err == nil && anonymous(other) == anonymous(path) {
			if err := op.weakens(old); err != nil {
				return err
			}
		}
	}
	return nil
}

var braces = regexp.MustCompile(`\{[^{}]*\}`)

// anonymous removes the names of a path's parameters.
func anonymous(path string) string { return braces.ReplaceAllString(path, "{}") }

// unprotected returns a sentence on the operations of mounted APIs that have no Security, if the
// API around them has one.
func unprotected(api *registry, found []located) []string {
	var names []string
	for _, r := range found {
		isDecided := r.registry == nil || r.registry.isSecured || r.registry.isPublic || r.security != nil || r.isPublic ||
			slices.ContainsFunc(r.mounts, isGuarded)
		if len(r.mounts) > 0 && !isDecided {
			names = append(names, fmt.Sprintf("%s (%s %s)", r.ID(), r.route.Method(), r.atPath.Path))
		}
	}
	if api == nil || !api.isSecured || names == nil {
		return nil
	}
	return []string{"the API has a Security, and a mounted one has none, so these operations are public: " + strings.Join(names, ", ") +
		": pass the Security or Public to the NewAPI of the mounted one"}
}

// unreached returns a sentence for each operation of found that a mount or another operation of
// found hides.
func unreached(app *routing.App, found []located) (warnings []string) {
	isFound := func(route *routing.Route) bool {
		return route.Mounted() != nil || slices.ContainsFunc(found, func(r located) bool { return r.route == route })
	}
	for _, s := range app.Shadowed() {
		if isFound(s.Hidden) && isFound(s.By) {
			warnings = append(warnings, s.String()+": it is described, though requests don't reach it")
		}
	}
	for _, entry := range app.Table() {
		if entry.Route != nil && entry.Route.Mounted() != nil {
			warnings = append(warnings, unreached(entry.Route.Mounted(), found)...)
		}
	}
	return warnings
}

// checkParams returns an error if an operation has a parameter that is neither in its path nor in
// the prefix of a mount around the described app.
func (m mounts) checkParams(op *Operation, path string) error {
	for _, p := range op.doc.Parameters {
		if p.In == string(InPath) && !strings.Contains(path, "{"+p.Name+"}") && !private.HasPrefixParam(m.app, p.Name) {
			return fmt.Errorf("the path parameter %q is neither in the pattern nor in the prefix of a mount: "+
				"write it there, remove the field, or mount the app before it is described", p.Name)
		}
	}
	return nil
}

// sizeOf counts the definitions of an app and of the apps mounted in it, with the tags and webhooks
// of their APIs. If the count has grown, the description may be out of date.
func sizeOf(app *routing.App, counted map[*registry]bool) (n int) {
	for _, entry := range app.Table() {
		n++
		if op := OperationOf(entry.Route); op != nil && op.registry != nil && !counted[op.registry] {
			counted[op.registry] = true
			n += op.registry.size()
		}
		if entry.Route != nil && entry.Route.Mounted() != nil {
			n += sizeOf(entry.Route.Mounted(), counted)
		}
	}
	return n
}

// at returns the operation as it is described at a path. Parameters of mounts that the operation
// does not describe are strings. Path parameters that are not in the path are left out: clients
// find them in the URL of the API, which has the prefix of an outer mount. A string without a
// pattern gets the pattern of [routing.Where].
func (op *Operation) at(method string, m mounts) *openapi.Operation {
	doc := op.doc
	doc.Responses = op.responses()
	doc.Method, doc.Path, doc.Parameters = strings.ToLower(method), m.path, nil
	str := &schema.Schema{Kind: "string"}
	for _, name := range m.params {
		if !op.hasPathParam(name) {
			doc.Parameters = append(doc.Parameters, openapi.Parameter{Name: name, In: "path", Required: true, Schema: str})
		}
	}
	for _, p := range op.doc.Parameters {
		if p.In != "path" || strings.Contains(m.path, "{"+p.Name+"}") {
			doc.Parameters = append(doc.Parameters, p)
		}
	}
	for i := range doc.Parameters {
		p := &doc.Parameters[i]
		where := m.where[p.Name]
		if where == "" || p.In != "path" || p.Schema.Kind != "string" || p.Schema.Pattern != nil {
			continue
		}
		if pattern, err := schema.NewPattern("^(?:" + where + ")$"); err == nil { // else its syntax is not in ECMA 262
			one := *p.Schema
			one.Pattern, p.Schema = pattern, &one
		}
	}
	return &doc
}
