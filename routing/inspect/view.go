package inspect

import (
	"cmp"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/routing"
)

// This file collects the data of the page.

// view is the data of the page.
type view struct {
	Query, Method, URL string // as entered by the reader
	Problem            string // why the request cannot be explained
	Explained          []appExplanation
	Apps               []app
	Hidden             []hiddenRoute
	Routes             int      // the number of routes
	Shown              int      // the number of routes shown
	Methods            []string // to choose from
}

// app is an app, on its own or mounted.
type app struct {
	ID      string
	Base    string // its base path, with mount prefixes
	Package string // the directory of most definitions
	Before  []filter
	Routes  []route // in the order in which they are tried
	After   []filter
}

type route struct {
	ID         string
	Method     string // "*" for every method
	Pattern    string
	Kind       string
	Conditions []string
	Filters    []filterLink
	Source     sourceLine
	Operation  *apidoc.Operation
	HiddenBy   *link
	Mounted    *link
}

type filter struct {
	routing.Entry
	ID     string
	Source sourceLine
}

// filterLink is a link to a filter that may run for a route.
type filterLink struct {
	link
	When string // for which paths or on which conditions; empty if it always runs
}

// link is a link to another part of the page.
type link struct{ ID, Text string }

// hiddenRoute is a route that runs only if By passes.
type hiddenRoute struct{ Route, By link }

// sourceLine is the file and line of a definition. Short has only the last directory.
type sourceLine struct{ Short, Full string }

func sourceLineOf(source string) sourceLine {
	dir, file := path.Split(source)
	return sourceLine{path.Join(path.Base(dir), file), source}
}

var methods = []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "QUERY", "OPTIONS"}

// newView returns the view for a request of the page.
func newView(apps []*routing.App, r *http.Request) *view {
	query := r.URL.Query()
	v := &view{
		Query:   strings.TrimSpace(query.Get("q")),
		Method:  strings.TrimSpace(query.Get("method")),
		URL:     strings.TrimSpace(query.Get("url")),
		Methods: methods,
	}
	for _, a := range apps {
		v.add(a, "", nil)
	}
	if v.Method == "" {
		v.Method = http.MethodGet
	}
	if v.URL != "" {
		v.explain(apps, r)
	}
	return v
}

// add adds an app below a prefix, and the apps mounted in it. An app that is mounted in itself is
// added once.
func (v *view) add(a *routing.App, prefix string, within []*routing.App) string {
	id := fmt.Sprintf("app%d", len(v.Apps)+1)
	base := prefix + a.BasePath()
	index := len(v.Apps)
	v.Apps = append(v.Apps, app{}) // before those mounted in it
	within = append(slices.Clip(within), a)

	table := a.Table()
	shown := app{ID: id, Base: base, Package: packageOf(table)}
	shown.Before, shown.After = filtersIn(table, id)
	filters := slices.Concat(shown.Before, shown.After)
	links := linksOf(table, id)
	hiders := make(map[*routing.Route]*link)
	for _, s := range a.Shadowed() {
		by := links[s.By]
		hiders[s.Hidden] = &by
		v.Hidden = append(v.Hidden, hiddenRoute{links[s.Hidden], by})
	}
	for _, e := range asTried(a, table) {
		r := e.Route
		shownRoute := route{
			ID: links[r].ID, Method: methodOf(r), Pattern: textOf(r.Pattern()), Kind: kindOf(r), Conditions: e.Conditions,
			Filters: filtersOf(r, filters), Source: sourceLineOf(r.Source()), Operation: apidoc.OperationOf(r), HiddenBy: hiders[r],
		}
		if sub := r.Mounted(); sub != nil {
			below := base + strings.TrimSuffix(r.Pattern().String(), "/*")
			if slices.Contains(within, sub) {
				shownRoute.Mounted = &link{id, "an app that this one is mounted in"}
			} else {
				shownRoute.Mounted = &link{v.add(sub, below, within), "the app at " + below + sub.BasePath()}
			}
		}
		v.Routes++
		if shownRoute.has(v.Query) {
			v.Shown++
			shown.Routes = append(shown.Routes, shownRoute)
		}
	}
	shown.Before, shown.After = matching(shown.Before, v.Query), matching(shown.After, v.Query)
	v.Apps[index] = shown
	return id
}

// entryID returns the ID of entry n of an app's table.
func entryID(app string, n int) string { return fmt.Sprintf("%s-%d", app, n+1) }

// filtersIn returns the filters of the app with an ID.
func filtersIn(table routing.Table, app string) (before, after []filter) {
	for n, e := range table {
		if e.Route != nil {
			continue
		}
		f := newFilter(e)
		f.ID = entryID(app, n)
		if e.Kind == "before" {
			before = append(before, f)
		} else {
			after = append(after, f)
		}
	}
	return before, after
}

// linksOf returns links to the routes of the app with an ID.
func linksOf(table routing.Table, app string) map[*routing.Route]link {
	links := make(map[*routing.Route]link)
	for n, e := range table {
		if e.Route != nil {
			links[e.Route] = link{entryID(app, n), methodOf(e.Route) + " " + textOf(e.Route.Pattern())}
		}
	}
	return links
}

// asTried returns the routes of an app in the order in which they are tried.
func asTried(a *routing.App, table routing.Table) routing.Table {
	routes := slices.DeleteFunc(slices.Clone(table), func(e routing.Entry) bool { return e.Route == nil })
	if !private.FirstMatch(a) {
		slices.Reverse(routes)
	}
	slices.SortStableFunc(routes, func(a, b routing.Entry) int { return headFirst(a) - headFirst(b) })
	return routes
}

// headFirst returns 0 for a route of HEAD, which is tried before routes of GET and of every method,
// and 1 for others.
func headFirst(e routing.Entry) int {
	if e.Method == http.MethodHead {
		return 0
	}
	return 1
}

func newFilter(e routing.Entry) filter {
	return filter{Entry: e, Source: sourceLineOf(e.Source())}
}

// texts returns the texts of the patterns.
func (f filter) texts() (texts []string) {
	for _, p := range f.Patterns {
		texts = append(texts, textOf(p))
	}
	return texts
}

// packageOf returns the directory of most of an app's definitions. It is empty without definitions.
func packageOf(table routing.Table) string {
	counts := make(map[string]int)
	most := ""
	for _, e := range table {
		if source := e.Source(); source != "" {
			name := path.Base(path.Dir(source))
			counts[name]++
			if counts[name] > counts[most] {
				most = name
			}
		}
	}
	return most
}

func methodOf(r *routing.Route) string { return cmp.Or(r.Method(), "*") }

// textOf returns a pattern's text, or "every path" for the zero Pattern.
func textOf(p routing.Pattern) string { return cmp.Or(p.String(), "every path") }

func kindOf(r *routing.Route) string {
	if r.Mounted() != nil {
		return "mount"
	}
	return cmp.Or(r.Pattern().Syntax(), "conditions")
}

// has reports whether the route contains a text, in any letter case.
func (r *route) has(text string) bool {
	fields := append([]string{r.Method + " " + r.Pattern, r.Kind, r.Source.Short}, r.Conditions...)
	if r.Operation != nil {
		fields = append(fields, r.Operation.ID(), r.Operation.Summary())
	}
	return contains(fields, text)
}

// matching returns the filters that contain a text.
func matching(filters []filter, text string) []filter {
	return slices.DeleteFunc(slices.Clone(filters), func(f filter) bool {
		return !contains(slices.Concat([]string{f.Kind, f.Source.Short}, f.texts(), f.Conditions), text)
	})
}

func contains(fields []string, text string) bool {
	return strings.Contains(strings.ToLower(strings.Join(fields, "\n")), strings.ToLower(text))
}

// filtersOf returns the filters that may run for a route. Patterns may overlap where their
// examples do not, for example regular expressions. Such a filter is shown with "perhaps".
func filtersOf(r *routing.Route, filters []filter) []filterLink {
	var found []filterLink
	for _, f := range filters {
		when, mayRun := pathsOf(r.Pattern(), f.Patterns)
		if !mayRun {
			continue
		}
		if len(f.Conditions) > 0 {
			when = strings.TrimPrefix(when+", on its conditions", ", ")
		}
		text := f.Kind + " " + strings.Join(f.texts(), " or ")
		found = append(found, filterLink{link{f.ID, text}, when})
	}
	return found
}

// pathsOf returns for which of a route's paths a filter with these patterns runs; the empty string
// means all. It reports false for none.
func pathsOf(route routing.Pattern, filters []routing.Pattern) (paths string, mayRun bool) {
	routeExamples := examples(route)
	hits, unknown := 0, len(routeExamples) == 0
	for _, example := range routeExamples {
		if slices.ContainsFunc(filters, func(p routing.Pattern) bool { return p.Match(example) }) {
			hits++
		}
	}
	if hits > 0 && hits == len(routeExamples) {
		return "", true
	}
	for _, f := range filters {
		if f.String() == "" { // it matches every path
			return "", true
		}
		own := examples(f)
		unknown = unknown || len(own) == 0
		if slices.ContainsFunc(own, route.Match) {
			hits++
		}
	}
	switch {
	case hits > 0:
		return "for some paths", true
	case unknown:
		return "perhaps", true
	}
	return "", false
}
