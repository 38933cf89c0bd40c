package routing

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"text/tabwriter"

	"example.com/flowercafe/routing/internal/source"
)

// Entry is a route or a filter of a [Table].
type Entry struct {
	Kind       string    // "route", "before" or "after"
	Method     string    // a route's method; empty for every method
	Patterns   []Pattern // one of a route, all of a filter; the zero Pattern matches every path
	Conditions []string  // the names of its conditions
	Route      *Route    // nil for filters

	source source.Position
}

// Table lists the routes and filters of an app in the order of their definition.
type Table []Entry

// Table returns the app's current routes and filters.
func (a *App) Table() Table {
	d := a.mustApp().definitions.Load()
	t := make(Table, 0, len(d.routes)+len(d.filters))
	listed := 0 // routes
	list := func(until int) {
		for _, r := range d.routes[listed:until] {
			t = append(t, Entry{Kind: "route", Method: r.method, Patterns: []Pattern{r.pattern}, Conditions: namesOf(r.conditions), Route: r, source: r.source})
		}
		listed = until
	}
	for _, f := range d.filters {
		list(f.routes)
		t = append(t, f.definition())
	}
	list(len(d.routes))
	return t
}

// BasePath returns the path of [WithBasePath] without a trailing slash.
func (a *App) BasePath() string { return a.settings.ownBase }

// Logger returns the logger of [WithLogger], or else of the first app in which this app was
// mounted, or [slog.Default].
func (a *App) Logger() *slog.Logger {
	if mounts := a.mustApp().mounts(); a.settings.logger == nil && len(mounts) > 0 {
		return mounts[0].route.app.Logger()
	}
	return cmp.Or(a.settings.logger, slog.Default())
}

// Source returns the file and line of the definition.
func (e Entry) Source() string { return e.source.String() }

func (f *filter) definition() Entry {
	return Entry{Kind: f.kind, Patterns: slices.Clone(f.patterns), Conditions: namesOf(f.conditions), source: f.source}
}

// String returns a line for each definition.
func (t Table) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, e := range t {
		var texts []string
		for _, pattern := range e.Patterns {
			texts = append(texts, cmp.Or(pattern.String(), "(every path)"))
		}
		fmt.Fprintf(w, "%s\t%s\t%s", e.Kind, cmp.Or(e.Method, "*"), strings.Join(texts, " or "))
		if n := len(e.Conditions); n > 0 {
			fmt.Fprintf(w, "\tconditions: %d", n)
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return b.String()
}

// Shadow is a pair of routes: By matches every request that Hidden matches, and is tried first.
type Shadow struct {
	Hidden, By *Route
}

// String describes both routes.
func (s Shadow) String() string {
	when := "later"
	if s.By.app.settings.firstMatch {
		when = "earlier"
	}
	return fmt.Sprintf("%s is hidden by %s, which is defined %s", s.Hidden, s.By, when)
}

// Shadowed returns the routes that another route hides, in order of definition. It does not find
// all: for example, not a route that several others hide only together.
func (a *App) Shadowed() []Shadow {
	ix := a.mustApp().direct.current()
	mayHide := func(i int) bool { return len(ix.order[i].conditions) == 0 }
	var shadows []Shadow
	for hidden, by := range ix.Hidden(mayHide) {
		shadows = append(shadows, Shadow{ix.order[hidden], ix.order[by]})
	}
	if a.settings.firstMatch {
		slices.Reverse(shadows)
	}
	return shadows
}
