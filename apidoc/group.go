package apidoc

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/routing"
)

// This file has the types on which operations are defined: APIs and groups.

// Registrar is an [API] or a [Group].
type Registrar interface{ definedIn() *scope }

// scope is the content of a Registrar. It is immutable.
type scope struct {
	registry *registry // of the API
	routes   routes
	prefix   string
	options  [][]Option // of the API, and of each group
	grouped  bool       // routes is a routing.Group, which applies the routing options
}

// routes is a [routing.App] or a [routing.Group].
type routes interface {
	Match(methods []string, pattern string, action routing.Action, options ...routing.RouteOption) []*routing.Route
	Route(method string, pattern routing.Pattern, action routing.Action, options ...routing.RouteOption) *routing.Route
	Group(prefix string, define func(*routing.Group), options ...routing.RouteOption)
}

func (s *scope) definedIn() *scope { return s }

// scopeOf returns the scope of a Registrar.
func scopeOf(d Registrar) *scope {
	if !nilvalue.In(d) && d.definedIn() != nil {
		return d.definedIn()
	}
	panic("apidoc: operations are defined in an API that NewAPI made, or in a Group: pass one")
}

// registry holds an API's settings, interceptors, tags and webhooks.
type registry struct {
	hasInfo   bool // it has a description
	isSecured bool // NewAPI got a Security
	isPublic  bool // NewAPI got the option Public

	app   *routing.App
	added atomic.Pointer[additions] // by API.Intercept

	mu       sync.Mutex // guards the fields below
	tags     []Tag
	webhooks []*Operation
}

// additions are what [API.Intercept] has added. They are immutable.
type additions struct {
	interceptors []Interceptor
	responses    []openapi.Response // sorted, so that the order of plugins does not matter
	types        []*schema.Schema   // to which the responses refer
}

// isOther reports whether r belongs to another API than api, with another description.
func (r *registry) isOther(api *registry) bool {
	return r != nil && api != nil && r != api && r.hasInfo
}

// add adds tags and webhooks.
func (r *registry) add(tags []Tag, webhooks ...*Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tags, r.webhooks = append(slices.Clip(r.tags), tags...), append(slices.Clip(r.webhooks), webhooks...)
}

// content returns the tags and webhooks.
func (r *registry) content() ([]Tag, []*Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tags, r.webhooks
}

// size counts what its description has besides operations.
func (r *registry) size() int {
	tags, webhooks := r.content()
	n := len(tags) + len(webhooks)
	if added := r.added.Load(); added != nil {
		n += len(added.responses)
	}
	return n
}

// Group is a group of operations with a prefix and options. If a [Security] applies to it, a route
// or mount in it that is not a typed operation panics without a Security or [Public] as its option.
type Group struct {
	*scope
	routes *routing.Group
}

// Group calls define with a group of operations below prefix. The options follow the API's and the
// outer groups'.
func (s *scope) Group(prefix string, define func(*Group), options ...Option) {
	all := append(slices.Clip(s.options), options)
	added := all // the options that s.routes does not apply yet
	if s.grouped {
		added = [][]Option{options}
	}
	d, combined := newDefinition(""), newDefinition("")
	err := cmp.Or(d.applyShared(added...), combined.applyShared(all...))
	if err == nil && define == nil {
		err = errors.New("pass a function, not nil")
	}
	if err != nil {
		panic(fmt.Sprintf("apidoc: group %q: %v", s.prefix+prefix, err))
	}
	access := guarded(true)
	if combined.security != nil {
		access = checkGuarded()
	}
	s.routes.Group(prefix, func(g *routing.Group) {
		define(&Group{&scope{s.registry, g, s.prefix + prefix, all, true}, g})
	}, slices.Insert(d.routing, 0, access)...)
}

// RouteGroup returns the group of the app's routes, for filters and other routes.
func (g *Group) RouteGroup() *routing.Group { return g.routes }
