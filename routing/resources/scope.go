package resources

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"example.com/flowercafe/routing"
)

// Scope defines routes that share a path, names and options. Use it only during [Draw].
type Scope struct {
	drawing *drawing
	path    string
	as      string // begins the names
	level   level

	resource  *resource // the innermost resource, or nil
	shallow   bool
	pathNames map[string]string
	noFormat  bool
	wheres    map[string]*where // by parameter
	options   []routing.RouteOption

	// The path and name of members of shallow resources: of the namespaces alone.
	shallowPath, shallowAs string
}

// level is the position of a scope in relation to a resource.
type level uint8

const (
	outside      level = iota // not in a resource
	inResource                // in Inside; routes belong to one member, by its nested parameter
	nested                    // the same, with the path of the member already added
	inCollection              // routes belong to all members
	inMember                  // routes belong to one member
	inNew                     // routes belong to the form for a new member
)

// Get adds a route for GET requests below the path of the scope. The path is a pattern of
// [routing.Rails]. In [Inside] of posts, "preview" is /posts/:post_id/preview.
//
// Without [As], the route is named after the scopes and the path, if that has only words and the
// name is free.
func (s *Scope) Get(path string, action routing.Action, options ...RouteOption) {
	s.Match([]string{http.MethodGet}, path, action, options...)
}

// Post is [Scope.Get] for POST.
func (s *Scope) Post(path string, action routing.Action, options ...RouteOption) {
	s.Match([]string{http.MethodPost}, path, action, options...)
}

// Put is [Scope.Get] for PUT.
func (s *Scope) Put(path string, action routing.Action, options ...RouteOption) {
	s.Match([]string{http.MethodPut}, path, action, options...)
}

// Patch is [Scope.Get] for PATCH.
func (s *Scope) Patch(path string, action routing.Action, options ...RouteOption) {
	s.Match([]string{http.MethodPatch}, path, action, options...)
}

// Delete is [Scope.Get] for DELETE.
func (s *Scope) Delete(path string, action routing.Action, options ...RouteOption) {
	s.Match([]string{http.MethodDelete}, path, action, options...)
}

// Match is [Scope.Get] for several methods; "" means every method.
func (s *Scope) Match(methods []string, path string, action routing.Action, options ...RouteOption) {
	what := fmt.Sprintf("route %q", path)
	if action == nil {
		panic("resources: " + what + ": pass an action, not nil")
	}
	if len(methods) == 0 {
		panic("resources: " + what + ": write at least one method")
	}
	given := settingsOf(what, options)
	in := *s
	if s.level == inResource {
		if s.resource.param == "" {
			in = s.member()
		} else {
			in = s.nestedScope()
		}
	}
	name := ""
	switch {
	case given.as != nil:
		checkName(what, *given.as)
		name = in.nameOf(*given.as)
		if _, taken := in.drawing.named[name]; taken {
			panic(fmt.Sprintf("resources: %s: another route is named %q: write another name", what, name))
		}
	case plainPath.MatchString(path):
		name = in.nameOf(strings.NewReplacer("/", "_", "-", "_").Replace(strings.Trim(path, "/")))
	}
	in.add(methods, path, name, action, given)
}

// plainPath matches paths from which a name can be made.
var plainPath = regexp.MustCompile(`^/?[A-Za-z_][\w/-]*$`)

// Root adds a route for GET requests of the scope's own path, named root, or admin_root in the
// namespace admin.
func (s *Scope) Root(action routing.Action, options ...RouteOption) {
	if s.level != outside && s.level != nested {
		panic("resources: Root: a resource has none: use Index")
	}
	s.Match([]string{http.MethodGet}, "", action, append([]RouteOption{As("root")}, options...)...)
}

// Namespace draws routes with name in their paths and names, such as /admin/posts, named
// admin_posts.
func (s *Scope) Namespace(name string, draw func(*Scope), options ...NamespaceOption) {
	what := fmt.Sprintf("Namespace %q", name)
	given := settingsOf(what, options)
	if given.path == nil {
		given.path = &name
	}
	if given.as == nil {
		given.as = &name
	}
	checkName(what, *given.as)
	s.scope(what, draw, given)
}

// Scope draws routes below a pattern, such as "/shop", "/:tenant" or the optional
// "(/:locale)". An empty pattern only shares options.
func (s *Scope) Scope(path string, draw func(*Scope), options ...ScopeOption) {
	what := fmt.Sprintf("Scope %q", path)
	given := settingsOf(what, options)
	given.path = &path
	s.scope(what, draw, given)
}

func (s *Scope) scope(what string, draw func(*Scope), given settings) {
	if draw == nil {
		panic("resources: " + what + ": pass a function, not nil")
	}
	in := s.nestedScope()
	in.addOptions(given)
	in.path = joinPath(in.path, *given.path)
	in.shallowPath = joinPath(in.shallowPath, *given.path)
	if given.as != nil {
		in.as, in.shallowAs = joinWords(in.as, *given.as), joinWords(in.shallowAs, *given.as)
	}
	draw(&in)
}

// Member draws routes of a member in [Inside]: /posts/:id/publish, named publish_post.
func (s *Scope) Member(draw func(*Scope)) {
	s.checkInside("Member", draw)
	in := s.member()
	draw(&in)
}

// Collection draws routes of all members in [Inside]: /posts/search, named search_posts.
func (s *Scope) Collection(draw func(*Scope)) {
	s.checkInside("Collection", draw)
	in := s.collection()
	draw(&in)
}

// New draws routes of the form for a new member in [Inside]: /posts/new/preview, named
// preview_new_post.
func (s *Scope) New(draw func(*Scope)) {
	s.checkInside("New", draw)
	in := s.collection()
	in.level, in.path = inNew, joinPath(in.path, s.pathNames["new"])
	draw(&in)
}

func (s *Scope) checkInside(what string, draw func(*Scope)) {
	if s.level != inResource {
		panic("resources: " + what + ": use it in Inside of a resource")
	}
	if draw == nil {
		panic("resources: " + what + ": pass a function, not nil")
	}
}

// nestedScope returns the scope for nested routes: a copy, or in a resource the scope of a member
// by its nested parameter.
func (s *Scope) nestedScope() Scope {
	in := *s
	in.wheres, in.pathNames = maps.Clone(s.wheres), maps.Clone(s.pathNames)
	if s.level != inResource {
		return in
	}
	r := s.resource
	if s.shallow && r.param != "" && r.isShallow() {
		in.path, in.as = s.shallowPath, s.shallowAs
	}
	in.path, in.as, in.level = joinPath(in.path, r.nestedPath()), joinWords(in.as, r.singular), nested
	if w := s.wheres[r.param]; w != nil {
		in.wheres[r.nestedParam()] = w
	}
	return in
}

// addOptions adds the options of a definition to the scope.
func (s *Scope) addOptions(given settings) {
	s.shallow, s.noFormat = s.shallow || given.shallow, s.noFormat || given.noFormat
	maps.Copy(s.pathNames, given.pathNames)
	for param, w := range given.wheres {
		w.replaced, s.wheres[param] = s.wheres[param], w
	}
	s.drawing.wheres = slices.AppendSeq(s.drawing.wheres, maps.Values(given.wheres))
	s.options = slices.Concat(s.options, given.routes)
}

// member returns the scope of a member.
func (s *Scope) member() Scope {
	in := *s
	if s.shallow && s.resource.param != "" {
		in.path, in.as = s.shallowPath, s.shallowAs
	}
	in.path, in.level = joinPath(in.path, s.resource.memberPath()), inMember
	return in
}

// collection returns the scope of the resource as a whole.
func (s *Scope) collection() Scope {
	in := *s
	in.path, in.level = joinPath(s.path, s.resource.path), inCollection
	return in
}

// nameOf returns the name of a route in the scope. The word may be empty for the resource itself.
func (s *Scope) nameOf(word string) string {
	switch s.level {
	case inCollection:
		return joinWords(word, s.as, s.resource.collectionName())
	case inMember:
		return joinWords(word, s.as, s.resource.singular)
	case inNew:
		return joinWords(word, "new", s.as, s.resource.singular)
	}
	return joinWords(s.as, word)
}

// add adds a route below the scope's path.
func (s *Scope) add(methods []string, path, name string, action routing.Action, given settings) {
	text := joinPath(s.path, path)
	switch {
	case text == "":
		text = "/"
	case onlyGroups.MatchString(text): // a path begins with a slash even without them
		slash := strings.IndexByte(text, '/')
		text = "/" + text[:slash] + text[slash+1:]
	}
	in := *s
	in.wheres = maps.Clone(s.wheres)
	in.addOptions(given)
	names := routing.Must(routing.Rails(text)).Names()
	if !in.noFormat && text != "/" {
		names = append(names, "format")
	}
	options := in.options
	for _, param := range slices.Sorted(maps.Keys(in.wheres)) {
		w := in.wheres[param]
		if slices.Contains(names, param) {
			options = append(options, routing.Where(param, w.expression))
			for ; w != nil; w = w.replaced {
				w.used = true
			}
		}
	}
	s.drawing.add(methods, route{path: text, name: name, action: action, options: options, noFormat: in.noFormat})
}

// joinPath returns path below prefix, with single slashes. As in Rails, the slash before an
// optional group moves into the group, and [Scope.add] moves it out of a path of groups alone.
// [routing.Rails] reads other texts in the same way: see normalized in its package pattern.
func joinPath(prefix, path string) string {
	joined := slashes.ReplaceAllString(prefix+"/"+path, "/")
	return slashBeforeGroup.ReplaceAllString(strings.TrimSuffix(joined, "/"), "$1/")
}

var (
	slashes          = regexp.MustCompile(`/+`)
	slashBeforeGroup = regexp.MustCompile(`/(\(+)/?`)
	onlyGroups       = regexp.MustCompile(`^\(+[^)]+\)(\(+/:[^)]+\))*$`)
)

// joinWords returns a name of the words that are not empty.
func joinWords(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), "_")
}

// checkName panics if the name of a resource or route is not a valid name of a parameter.
func checkName(what, name string) {
	if !nameOnly.MatchString(name) {
		panic(fmt.Sprintf("resources: %s: the name %q must consist of letters, digits and underscores: set another path with Path", what, name))
	}
}

var nameOnly = regexp.MustCompile(`^[A-Za-z_]\w*$`)
