package resources

import (
	"fmt"
	"net/http"
	"slices"

	"example.com/flowercafe/routing"
)

// This file defines resources and their seven actions.

// Actions are the functions of a resource. A nil action has no route.
type Actions struct {
	Index, New, Create, Show, Edit, Update, Destroy routing.Action
}

var actionNames = []string{"index", "new", "create", "show", "edit", "update", "destroy"}

func checkActions(option string, actions []string) {
	for _, name := range actions {
		if !slices.Contains(actionNames, name) {
			panic(fmt.Sprintf("resources: %s: there is no action %q: write one of %q", option, name, actionNames))
		}
	}
}

// keep returns the actions without those that options leave out.
func (s settings) keep(a Actions) Actions {
	for i, action := range []*routing.Action{&a.Index, &a.New, &a.Create, &a.Show, &a.Edit, &a.Update, &a.Destroy} {
		name := actionNames[i]
		switch isNamed := slices.Contains(s.only, name); {
		case s.hasOnly && !isNamed || slices.Contains(s.except, name):
			*action = nil
		case isNamed && *action == nil:
			panic(fmt.Sprintf("resources: Only: the action %q is nil: set it in Actions, or leave it out here", name))
		}
	}
	return a
}

// resource is a resource whose routes are being defined.
type resource struct {
	plural, singular string // for the names of routes
	path             string
	param            string // of a member; empty for Scope.Resource
	shallow          bool
	parent           *resource
}

// memberPath returns the path of a member.
func (r *resource) memberPath() string {
	if r.param == "" {
		return r.path
	}
	return r.path + "/:" + r.param
}

// nestedPath returns the path of a member in nested routes.
func (r *resource) nestedPath() string {
	if r.param == "" {
		return r.path
	}
	return r.path + "/:" + r.nestedParam()
}

func (r *resource) nestedParam() string { return r.singular + "_" + r.param }

// isShallow reports whether the resource or an outer resource is shallow: the paths of nested
// routes then begin with the shallow path.
func (r *resource) isShallow() bool {
	return r != nil && (r.shallow || r.parent.isShallow())
}

// collectionName returns the name of the resource as a whole. It differs from the name of a member
// even if plural and singular are the same, as in Rails.
func (r *resource) collectionName() string {
	if r.plural == r.singular && r.param != "" {
		return r.plural + "_index"
	}
	return r.plural
}

// Resources defines the routes of a resource with many members:
//
//	GET        /posts            Index    posts
//	POST       /posts            Create   posts
//	GET        /posts/new        New      new_post
//	GET        /posts/:id/edit   Edit     edit_post
//	GET        /posts/:id        Show     post
//	PATCH, PUT /posts/:id        Update   post
//	DELETE     /posts/:id        Destroy  post
//
// Nested resources have paths such as /posts/:post_id/comments and names such as post_comments.
// Routes of [Inside] are tried before these.
func (s *Scope) Resources(plural, singular string, actions Actions, options ...Option) {
	what := fmt.Sprintf("Resources %q", plural)
	checkName(what, plural)
	checkName(what, singular)
	given := settingsOf(what, options)
	r := &resource{plural: plural, singular: singular, path: plural, param: "id"}
	if given.as != nil {
		panic(fmt.Sprintf("resources: %s: As(%q) would name the list, and leave the name of a member to be guessed: write both names, and this path: Resources(%[2]q, its singular, …, Path(%q))", what, *given.as, plural))
	}
	if given.param != nil {
		checkName(what, *given.param)
		r.param = *given.param
	}
	s.draw(r, given, actions)
}

// Resource is [Scope.Resources] for a resource with one member: without Index, and with paths such
// as /profile/edit, named edit_profile.
func (s *Scope) Resource(name string, actions Actions, options ...ResourceOption) {
	what := fmt.Sprintf("Resource %q", name)
	checkName(what, name)
	given := settingsOf(what, options)
	if given.keep(actions).Index != nil {
		panic("resources: " + what + ": it has one member and so no index: use Show, or Resources")
	}
	r := &resource{plural: name, singular: name, path: name}
	if given.as != nil {
		checkName(what, *given.as)
		r.plural, r.singular = *given.as, *given.as
	}
	s.draw(r, given, actions)
}

// draw defines the routes of a resource, those inside first.
func (s *Scope) draw(r *resource, given settings, actions Actions) {
	in := s.nestedScope()
	in.addOptions(given)
	r.parent, r.shallow = in.resource, in.shallow
	if given.path != nil {
		r.path = *given.path
	}
	in.resource, in.level = r, inResource
	for _, draw := range given.inside {
		draw(&in)
	}
	a := given.keep(actions)
	collection, member := in.collection(), in.member()
	isSingle := r.param == ""
	collection.action("", "", a.Index, http.MethodGet)
	if !isSingle {
		collection.action("", "", a.Create, http.MethodPost)
	}
	form := collection
	form.level = inNew
	form.action(in.pathNames["new"], "", a.New, http.MethodGet)
	member.action(in.pathNames["edit"], "edit", a.Edit, http.MethodGet)
	member.action("", "", a.Show, http.MethodGet)
	member.action("", "", a.Update, http.MethodPatch, http.MethodPut)
	member.action("", "", a.Destroy, http.MethodDelete)
	if isSingle {
		collection.action("", "", a.Create, http.MethodPost)
	}
}

// action adds one of the seven actions, unless it is nil.
func (s *Scope) action(path, name string, action routing.Action, methods ...string) {
	if action != nil {
		s.add(methods, path, s.nameOf(name), action, settings{})
	}
}
