package resources

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/routing"
)

// This file collects the routes of a drawing, defines them in an app, and makes their URLs.

// Draw defines the routes of draw in app, whose syntax must be [routing.Rails].
func Draw(app *routing.App, draw func(*Scope)) *Routes {
	if draw == nil {
		panic("resources: Draw: pass a function, not nil")
	}
	d := &drawing{app: app, named: make(map[string]*routing.Route)}
	draw(&Scope{drawing: d, wheres: map[string]*where{}, pathNames: map[string]string{"new": "new", "edit": "edit"}})
	for _, later := range slices.Backward(d.later) {
		later()
	}
	for _, w := range d.wheres {
		if !w.used {
			panic(fmt.Sprintf("resources: %s: no route has the parameter %q of Where", w.what, w.param))
		}
	}
	return &Routes{d.named}
}

// drawing holds the data that all scopes share.
type drawing struct {
	app    *routing.App
	named  map[string]*routing.Route // nil for routes that are not yet defined
	later  []func()                  // define the routes, unless the app has WithFirstMatch
	wheres []*where
}

// where is a [Where] of some definition.
type where struct {
	what, param, expression string
	used                    bool
	replaced                *where // of the same parameter in an outer definition; may be nil
}

// route is a route that is not yet defined.
type route struct {
	method, path, name string
	noFormat           bool
	action             routing.Action
	options            []routing.RouteOption
}

// add adds a route for each method. The first one gets the name, unless another route has it: the
// routes for index and create share a path, and so a name.
func (d *drawing) add(methods []string, r route) {
	for _, method := range methods {
		r := r // each is defined later
		r.method = method
		if _, taken := d.named[r.name]; taken {
			r.name = ""
		}
		if r.name != "" {
			d.named[r.name] = nil
		}
		if private.FirstMatch(d.app) {
			d.define(r)
		} else {
			r.options = append(slices.Clip(r.options), private.SourceHere(d.app).(routing.RouteOption))
			d.later = append(d.later, func() { d.define(r) })
		}
	}
}

func (d *drawing) define(r route) {
	var defined *routing.Route
	if r.noFormat {
		defined = d.app.Route(r.method, routing.Must(routing.Rails(r.path)), r.action, r.options...)
	} else {
		defined = d.app.Match([]string{r.method}, r.path, r.action, r.options...)[0]
	}
	if defined.Pattern().Syntax() != "rails" {
		panic("resources: Draw: the app needs the syntax of Rails: routing.New(routing.WithSyntax(routing.Rails), …)")
	}
	if r.name != "" {
		d.named[r.name] = defined
	}
}

// Routes are the named routes of a drawing, safe for concurrent use.
type Routes struct {
	named map[string]*routing.Route
}

// Route returns the route with a name, or nil.
func (r *Routes) Route(name string) *routing.Route { return r.named[name] }

// Names returns all names, sorted.
func (r *Routes) Names() []string { return slices.Sorted(maps.Keys(r.named)) }

// URL is [routing.Context.URL] for the route with a name.
func (r *Routes) URL(c routing.Context, name string, pairs ...string) (string, error) {
	route := r.named[name]
	if route == nil {
		return "", fmt.Errorf("resources: no route is named %q: the names are %s", name, strings.Join(r.Names(), ", "))
	}
	return c.URL(route, pairs...)
}
