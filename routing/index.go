package routing

import (
	"cmp"
	"net/http"
	"slices"
)

// The index finds the routes that match a request, newest first. It is immutable: a definition makes the next request build
// a new one. There is a table for each method; in a table, patterns without parameters are found in a hash table by the
// whole path, all others in a trie of segments (trie.go).
//
// The first search is for the newest route alone. When it passes or one of its conditions does not hold, a second search
// looks for the newest below it; from then on all candidates are collected at once, since searching again for each would be
// quadratic. Conditions are never asked during a search, so they are asked in order and only where the pattern matches.

// index is everything that is defined, ready to serve.
type index struct {
	definitions
	app     *App
	usual   string // the usual base path, mounts included
	appSite site   // of the not-found action and the error handler where no route ran
	methods map[string]*table
	any     *table // routes of every method: what there is for a method without a table of its own

	// The tables of the methods that nearly all requests have are found without the map.
	get, head, post, put, delete, patch *table

	direct    int // a path up to this length goes to the routes directly; -1 for none
	longQuery int // a query from this length on may be too long, or is not all that receive looks at
}

// newIndex builds the index of d. The index keeps d's slices as they are now: definitions are only ever added behind them.
func newIndex(a *App, d *definitions) *index {
	base, _ := baseOf(a, d.ways, nil)
	ix := &index{definitions: *d, app: a, usual: base, methods: make(map[string]*table)}
	ix.appSite = site{app: a, base: len(base), limits: &a.settings.limits}
	ix.direct, ix.longQuery = a.settings.pathLimit, a.settings.limits.params
	if len(d.before) > 0 || a.settings.strictPaths {
		ix.direct = -1
	}
	if a.settings.override {
		ix.longQuery = 0
	}
	ix.before, ix.after = filtersAt(d.before, len(base)), filtersAt(d.after, len(base))
	for _, m := range d.mounts {
		m.usual.Store(&entry{base: base + m.prefix + m.app.front.base, next: m.app.front.next, from: ix})
	}
	for _, r := range d.routes {
		if r.method != "" && ix.methods[r.method] == nil {
			ix.methods[r.method] = new(table)
		}
	}
	if ix.methods[http.MethodGet] == nil {
		ix.methods[http.MethodGet] = new(table)
	}
	ix.any = new(table)
	for _, r := range d.routes {
		if r.method != "" {
			ix.methods[r.method].add(ix, r)
			continue
		}
		ix.any.add(ix, r)
		for method, t := range ix.methods {
			// A HEAD request tries the table of GET next, where routes of every method compete with those of GET.
			if method != http.MethodHead {
				t.add(ix, r)
			}
		}
	}
	ix.get = ix.methods[http.MethodGet]
	ix.head = ix.methods[http.MethodHead]
	ix.post = ix.methods[http.MethodPost]
	ix.put = ix.methods[http.MethodPut]
	ix.delete = ix.methods[http.MethodDelete]
	ix.patch = ix.methods[http.MethodPatch]
	return ix
}

// tables returns the tables to search for a method, in order; the second may be nil.
func (ix *index) tables(method string) (first, second *table) {
	var t *table
	switch method {
	case http.MethodGet:
		return ix.get, nil
	case http.MethodHead:
		if ix.head == nil {
			return ix.get, nil
		}
		return ix.head, ix.get
	case http.MethodPost:
		t = ix.post
	case http.MethodPut:
		t = ix.put
	case http.MethodDelete:
		t = ix.delete
	case http.MethodPatch:
		t = ix.patch
	default:
		t = ix.methods[method]
	}
	if t == nil {
		t = ix.any
	}
	return t, nil
}

// allowed returns the methods under which path matches a route, sorted; none if it does under the request's own, where a route has passed
// or a condition did not hold.
func (ix *index) allowed(own, path string) []string {
	first, second := ix.tables(own)
	if first.newest(path, noBound) != nil || second != nil && second.newest(path, noBound) != nil {
		return nil
	}
	var methods []string
	for method, t := range ix.methods {
		if t.newest(path, noBound) == nil {
			continue
		}
		methods = append(methods, method)
		if method == http.MethodGet {
			methods = append(methods, http.MethodHead)
		}
	}
	slices.Sort(methods)
	return slices.Compact(methods)
}

// leaf is one shape of a route in a table. What most requests need of the route is here, in one line of a processor's cache.
type leaf struct {
	order  int64  // newer routes are higher; of one route, shapes that are tried first
	shape  *shape // nil for the zero Pattern
	older  *leaf  // the next older one that ends at the same place
	route  *Route
	action Action
	name   string // the route's, with the usual base path
	site   site   // where the action stands
	late   *site  // where filters behind the action stand that have no parameters of their own; nil if there are none
	simple bool   // the route has neither conditions nor middleware
}

// shapeBits leaves room for the rank of a shape below the index of its route.
const shapeBits = 8

const noBound = int64(1) << 62

// below returns the bound under which only routes older than l's are.
func (l *leaf) below() int64 { return l.order >> shapeBits << shapeBits }

// collect appends l and those that are older, if they are older than bound, newest first.
func (l *leaf) collect(leaves []*leaf, bound int64) []*leaf {
	for ; l != nil; l = l.older {
		if l.order < bound {
			leaves = append(leaves, l)
		}
	}
	return leaves
}

func newestFirst(a, b *leaf) int { return cmp.Compare(b.order, a.order) }

// table holds the routes of one method.
type table struct {
	static  lookup[leaf] // patterns without parameters by the whole path, the newest of each
	lengths [4]uint64    // a bit for each length of a path in static; the longest share one
	root    node         // all other patterns
}

// add adds a route that is newer than all in the table.
func (t *table) add(ix *index, r *Route) {
	if r.pattern.p == nil {
		t.root.add(newLeaf(ix, r, nil, 0))
		return
	}
	// The shape that is tried first is added last, as the newest.
	shapes := r.pattern.p.Shapes()
	for i := shapes - 1; i >= 0; i-- {
		l := newLeaf(ix, r, r.pattern.p.Shape(i), shapes-1-i)
		if path, ok := l.shape.Static(); ok {
			t.addStatic(l, path)
		} else {
			t.root.add(l)
		}
	}
}

func newLeaf(ix *index, r *Route, s *shape, rank int) *leaf {
	l := &leaf{
		order:  int64(r.index+1)<<shapeBits + int64(rank),
		shape:  s,
		route:  r,
		action: r.action,
		name:   r.name,
		site:   site{app: ix.app, own: s, base: len(ix.usual), limits: r.limits},
		simple: len(r.conditions) == 0 && r.chain == nil,
	}
	if ix.usual != r.base {
		l.name = r.nameBelow(ix.usual)
	}
	if len(ix.after) > 0 || ix.onError != nil {
		late := l.site
		late.own, late.ran = nil, s
		l.late = &late
	}
	return l
}

func (t *table) addStatic(l *leaf, path string) {
	newest := t.static.at(path)
	l.older = *newest
	*newest = l
	n := lengthBit(path)
	t.lengths[n/64] |= 1 << (n % 64)
}

// maybeStatic reports whether path may be the whole of a pattern. Few paths with parameters have the length of one, so that most
// are not looked up in vain.
func (t *table) maybeStatic(path string) bool {
	n := lengthBit(path)
	return t.lengths[n/64]>>(n%64)&1 != 0
}

func lengthBit(path string) uint { return uint(min(len(path), 255)) }

// newest returns the newest leaf below bound that matches path, or nil.
func (t *table) newest(path string, bound int64) *leaf {
	s := search{path: path, bound: bound}
	if t.maybeStatic(path) {
		s.ends(t.static.whole(path))
	}
	if t.root.newest > s.order {
		s.walk(&t.root, 0)
		s.verify()
	}
	return s.found
}

// all appends every leaf below bound that matches path, newest first and one for each route.
func (t *table) all(leaves []*leaf, path string, bound int64) []*leaf {
	begin := len(leaves)
	leaves = t.static.whole(path).collect(leaves, bound)
	leaves = t.root.collect(leaves, path, 0, bound)
	if found := leaves[begin:]; !slices.IsSortedFunc(found, newestFirst) {
		slices.SortFunc(found, newestFirst)
	}
	return slices.CompactFunc(leaves, func(a, b *leaf) bool { return a.route == b.route })
}
