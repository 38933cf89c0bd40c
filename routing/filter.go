package routing

import (
	"fmt"
	"slices"
	"strings"
)

// FilterOption limits where a filter runs.
type FilterOption interface {
	applyFilter(*filterSettings)
}

type filterOption func(*filterSettings)

func (o filterOption) applyFilter(s *filterSettings) { o(s) }

type filterSettings struct {
	patterns   []Pattern
	conditions []Condition
	read       func(string) Pattern // reads a pattern, in a group below its prefix
	group      string               // the prefix of a group
}

// On limits a filter to paths that match pattern, in the app's syntax. Of several patterns one must match, and its parameters
// are the filter's. Mind that "/admin/*" does not match "/admin": [App.Group] has filters for both. A pattern that no path matches, for want of a
// slash in front, panics.
func On(pattern string) FilterOption {
	return filterOption(func(s *filterSettings) {
		s.patterns = append(s.patterns, s.read(pattern))
	})
}

// OnPattern is [On] with a pattern of any syntax. In a [Group] with a prefix it panics.
func OnPattern(pattern Pattern) FilterOption {
	return filterOption(func(s *filterSettings) {
		if s.group != "" {
			panic(fmt.Sprintf("routing: group %q: a filter on the pattern %q would run outside: use On, or the filters of the app", s.group, pattern))
		}
		s.patterns = append(s.patterns, pattern)
	})
}

// filter is a filter with what limits it.
type filter struct {
	kind   string // "before" or "after"
	number int    // in order of definition of all filters
	routes int    // how many routes were defined before it

	run        Filter
	patterns   []Pattern
	conditions []Condition

	// only is the one shape of a filter whose patterns have no other, as of "/admin/*", or nil. If it is all that begins with a text,
	// as there, prefix is that text.
	only   *shape
	prefix string
	site   site   // where the filter stands, with the parameters of only
	sites  []site // the same with those of each other shape
	source source
}

// finish sets what the patterns imply.
func (f *filter) finish() {
	if len(f.patterns) == 1 && f.patterns[0].p != nil && f.patterns[0].p.Shapes() == 1 {
		f.only = f.patterns[0].p.Shape(0)
		f.prefix, _ = f.only.Prefix()
	}
}

// applies reports whether the filter's patterns admit path, and the shape of the one that does, which is nil for a pattern that
// matches every path.
func (f *filter) applies(path string) (*shape, bool) {
	if f.only != nil {
		return f.only, f.only.Match(path)
	}
	if len(f.patterns) == 0 {
		return nil, true
	}
	for _, pattern := range f.patterns {
		if pattern.p == nil {
			return nil, true
		}
		if s := pattern.p.Find(path); s != nil {
			return s, true
		}
	}
	return nil, false
}

// filter completes a filter.
func (a *App) filter(kind string, f Filter, options []FilterOption) filter {
	if f == nil {
		panic("routing: " + kind + " filter: pass a function, not nil")
	}
	s := filterSettings{read: a.read}
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("routing: %s filter: option %d is nil: leave it out", kind, i))
		}
		o.applyFilter(&s)
	}
	defined := filter{kind: kind, run: f, patterns: s.patterns, conditions: s.conditions}
	for _, p := range s.patterns {
		if err := p.p.Reachable(); err != nil { // or the filter would let everyone pass
			panic(fmt.Sprintf("routing: %s filter on %s: %v", kind, p, err))
		}
	}
	defined.finish()
	defined.source = a.here()
	defined.site = site{app: a, own: defined.only, limits: &a.settings.limits}
	if defined.only == nil {
		for _, p := range defined.patterns {
			for i := 0; p.p != nil && i < p.p.Shapes(); i++ {
				defined.sites = append(defined.sites, site{app: a, own: p.p.Shape(i), limits: &a.settings.limits})
			}
		}
	}
	return defined
}

// numbered returns f as the next definition.
func (d *definitions) numbered(f filter) filter {
	f.number, f.routes = len(d.before)+len(d.after), len(d.routes)
	return f
}

// filtersAt returns filters of an app that has a base path of that length.
func filtersAt(filters []filter, base int) []filter {
	filters = slices.Clone(filters)
	for i := range filters {
		f := &filters[i]
		f.site.base, f.sites = base, slices.Clone(f.sites)
		for j := range f.sites {
			f.sites[j].base = base
		}
	}
	return filters
}

// filter runs filters in order until one ends the request. Late is true for the after filters.
func (x *call) filter(filters []filter, late bool) error {
	for i := range filters {
		f := &filters[i]
		own, applies := f.only, strings.HasPrefix(x.path, f.prefix)
		if f.prefix == "" {
			own, applies = f.applies(x.path)
		}
		if !applies || len(f.conditions) > 0 && firstRefusal(f.conditions, x.r) != nil {
			continue
		}
		s := &f.site
		switch {
		case late && x.ran != nil:
			s = x.ran.behind(own)
		case own != f.only:
			for j := range f.sites {
				if f.sites[j].own == own {
					s = &f.sites[j]
				}
			}
		}
		if err := f.run(x.context(s)); err != nil && !passed(err) {
			return err
		}
	}
	return nil
}

func (x *call) runAfter() (err error) {
	defer contain(&err)
	return x.filter(x.after, true)
}
