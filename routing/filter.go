package routing

import (
	"slices"

	"example.com/flowercafe/routing/internal/pattern"
	"example.com/flowercafe/routing/internal/source"
)

// Filter runs before or after the action. It may set the status and headers. An error other than
// [Pass] ends the request.
type Filter func(Context) error

// FilterOption limits when a filter runs.
type FilterOption interface {
	applyFilter(*filterSettings)
}

type filterOption func(*filterSettings)

func (o filterOption) applyFilter(s *filterSettings) { o(s) }

type filterSettings struct {
	*filter
	read func(text string) *pattern.Pattern // parses a pattern
	on   []*pattern.Pattern
}

// On limits a filter to paths that match pattern, in the app's syntax and below the prefix of its
// [Group]. Several On are alternatives. "/admin/*" does not match "/admin"; the filters of a group
// match both.
//
// A [Where] of a route or mount does not apply, so a filter with the same pattern may match fewer
// paths.
func On(pattern string) FilterOption {
	return filterOption(func(s *filterSettings) { s.on = append(s.on, s.read(pattern)) })
}

// OnPattern is [On] with a [Pattern], such as a regular expression.
func OnPattern(pattern Pattern) FilterOption {
	return filterOption(func(s *filterSettings) { s.on = append(s.on, pattern.p) })
}

// filter is a filter and its options.
type filter struct {
	kind       string // "before" or "after"
	routes     int    // how many routes were defined before it
	source     source.Position
	run        Filter
	patterns   []Pattern // the zero Pattern is for every path
	conditions []Condition

	// In the filters of an index:
	prepared []preparedContext // one for each variant of the patterns
	prefix   string            // the prefix, if the first variant matches every path that begins with it; else empty
}

// filtersAt returns the filters of a kind, with a prepared context for each variant of a pattern.
func filtersAt(all []filter, kind string, at preparedContext) (filters []filter) {
	for _, f := range all {
		if f.kind != kind {
			continue
		}
		for _, p := range f.patterns {
			for _, at.variant = range p.p.Variants() {
				f.prepared = append(f.prepared, at)
			}
		}
		f.prefix, _ = f.prepared[0].variant.Prefix()
		filters = append(filters, f)
	}
	return filters
}

// match returns the prepared context of the first variant that matches path, or nil. A filter for
// every path has a prepared context without a variant.
func (f *filter) match(path string) *preparedContext {
	for i := range f.prepared {
		if f.prepared[i].variant.Match(path) {
			return &f.prepared[i]
		}
	}
	return nil
}

// isForEveryPath reports whether the filter has no pattern that a path must match.
func (f *filter) isForEveryPath() bool { return slices.Contains(f.patterns, Pattern{}) }
