package resources

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/routing"
)

// This file collects the routes of a drawing, defines them in an app, and makes their addresses.

// Draw calls draw and then defines its routes in app. It returns their names.
//
// The app must have [routing.WithSyntax] with [routing.Rails]. Draw panics for it, for a nil draw,
// and for invalid definitions, with what to write instead.
func Draw(app *routing.App, draw func(*Scope)) *Routes {
	if draw == nil {
		panic("resources: Draw: pass a function, not nil")
	}
	d := &drawing{names: make(map[string]bool)}
	draw(&Scope{drawing: d, wheres: map[string]string{}, pathNames: map[string]string{"new": "new", "edit": "edit"}})
	if !app.FirstMatch() {
		slices.Reverse(d.routes)
	}
	named := make(map[string]*routing.Route)
	for _, r := range d.routes {
		route := r.define(app)
		if route.Pattern().Syntax() != "rails" {
			panic("resources: Draw: the app needs the syntax of Rails: routing.New(routing.WithSyntax(routing.Rails), …)")
		}
		if r.name != "" {
			named[r.name] = route
		}
	}
	return &Routes{named}
}

// drawing holds the routes until all are known.
type drawing struct {
	routes []definition
	names  map[string]bool
}

// definition is a route that is not yet defined.
type definition struct {
	method, path, name string
	action             routing.Action
	options            []routing.RouteOption
}

// add adds a route for each method. The first one gets the name, unless another route has it: the
// routes for index and create have one address.
func (d *drawing) add(methods []string, own definition) {
	for _, method := range methods {
		if d.names[own.name] {
			own.name = ""
		}
		d.names[own.name] = own.name != ""
		own.method = method
		d.routes = append(d.routes, own)
	}
}

// define defines the route in an app.
func (d definition) define(app *routing.App) *routing.Route {
	verb := map[string]func(string, routing.Action, ...routing.RouteOption) *routing.Route{
		http.MethodGet: app.Get, http.MethodPost: app.Post, http.MethodPut: app.Put, http.MethodPatch: app.Patch,
		http.MethodDelete: app.Delete, http.MethodHead: app.Head, http.MethodOptions: app.Options,
	}[d.method]
	if verb == nil {
		panic(fmt.Sprintf("resources: Match %q: method %q: write one of GET, POST, PUT, PATCH, DELETE, HEAD and OPTIONS", d.path, d.method))
	}
	return verb(d.path, d.action, d.options...)
}

// Routes are the named routes of a drawing. It is immutable and safe for concurrent use.
type Routes struct {
	named map[string]*routing.Route
}

// Route returns the route with a name, or nil.
func (r *Routes) Route(name string) *routing.Route { return r.named[name] }

// Names returns all names, sorted.
func (r *Routes) Names() []string { return slices.Sorted(maps.Keys(r.named)) }

// URL returns the address of the route with a name for a link in a response to c. The arguments
// are pairs of a parameter and its value; see [routing.Context.URL]. An unknown name is an error.
func (r *Routes) URL(c routing.Context, name string, pairs ...string) (string, error) {
	route := r.named[name]
	if route == nil {
		return "", fmt.Errorf("resources: no route is named %q: the names are %s", name, strings.Join(r.Names(), ", "))
	}
	return c.URL(route, pairs...)
}
