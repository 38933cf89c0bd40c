package routing

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/routing/internal/accept"
	"example.com/flowercafe/routing/internal/match"
)

// Explanation describes how an app would handle a request, and why.
type Explanation struct {
	Method string // after a method override by the header
	Base   string // the base path, with the prefixes of mounts
	Path   string // the path without Base, as patterns match it
	Inside bool   // whether the request is inside the base path
	Before []FilterStep
	Steps  []Step // every route, if Inside; the method's routes are in the order they are tried
	After  []FilterStep
}

// Step describes one route.
type Step struct {
	Route   *Route
	Matched bool
	Reason  string                         // why it matched or did not
	Params  []struct{ Name, Value string } // captures of the pattern, if it matched
	Mounted *Explanation                   // of the app that is mounted here, if it matched
}

// FilterStep describes one filter.
type FilterStep struct {
	Filter  Entry
	Applies bool
	Reason  string // why it applies or does not
}

// Explain reports which routes and filters match r, and why. It is for tests and debugging: don't
// send its text to clients.
//
// No action or filter runs, but conditions are evaluated. The body is not read.
func (a *App) Explain(r *http.Request) Explanation {
	return a.mustApp().direct.explain(r)
}

// explain explains a request to this mount point.
func (p *mountPoint) explain(r *http.Request) Explanation {
	ix := p.current()
	path, inside := ix.cutBase(r.URL.Path)
	inside = inside && r.URL.Opaque == ""
	if r.Method == http.MethodPost {
		if method := ix.allowedOverride(r.Header.Get(overrideHeader)); method != "" {
			r = r.WithContext(r.Context())
			r.Method = method
		}
	}
	e := Explanation{Method: r.Method, Base: ix.base, Path: ix.tidy(r.URL.Path), Inside: inside}
	if !inside {
		return e
	}
	e.Base, e.Path = ix.baseOf(r.URL.Path), path
	e.Before, e.After = explainFilters(ix.before, r, path), explainFilters(ix.after, r, path)
	for rank := 2; rank > 0; rank-- {
		for _, route := range slices.Backward(ix.order) {
			switch match.Rank(route.method, r.Method) {
			case rank:
				step := route.explain(r, ix.prepared, path)
				if route.mount != nil && step.Matched {
					inner := p.mountPointOf(route).explain(r)
					step.Mounted = &inner
				}
				e.Steps = append(e.Steps, step)
			case 0:
				if rank == 1 {
					e.Steps = append(e.Steps, Step{Route: route, Reason: "the request's method is " + r.Method})
				}
			}
		}
	}
	return e
}

// explain reports whether the route, whose method matches, matches the path, and whether its
// conditions hold.
func (r *Route) explain(req *http.Request, at preparedContext, path string) Step {
	var s *preparedContext
	if r.pattern.Match(path) {
		s = &at
		if r.pattern.p != nil {
			s.variant = r.pattern.p.Find(path)
		}
	}
	step := Step{Route: r}
	step.Reason, step.Matched = explainAt(s, "the path matches", r.conditions, req, path)
	if step.Matched {
		for name, value := range s.variant.All(path) {
			step.Params = append(step.Params, struct{ Name, Value string }{name, value})
		}
	}
	return step
}

func explainFilters(filters []filter, r *http.Request, path string) []FilterStep {
	var steps []FilterStep
	for i := range filters {
		f := &filters[i]
		matches := "the path matches"
		if f.isForEveryPath() {
			matches = "it applies to every path"
		}
		step := FilterStep{Filter: f.definition()}
		step.Reason, step.Applies = explainAt(f.match(path), matches, f.conditions, r, path)
		steps = append(steps, step)
	}
	return steps
}

// explainAt evaluates conditions with the prepared context s, which is nil if the path does not
// match.
func explainAt(s *preparedContext, matches string, conditions []Condition, r *http.Request, path string) (reason string, ok bool) {
	if s == nil {
		return fmt.Sprintf("the path %q does not match", path), false
	}
	defer func() {
		if v := recover(); v != nil {
			reason, ok = fmt.Sprintf("a condition panics: %v", v), false
		}
	}()
	at := *s
	at.matchedURL = &matchedURL{urlPath: r.URL.Path, path: path}
	if refusal := falseCondition(conditions, Context{nil, r, &at}, new(*accept.Header)); refusal != nil {
		return fmt.Sprintf("the condition %q does not hold", refusal.name), false
	}
	switch n := len(conditions); n {
	case 0:
	case 1:
		matches += " and the condition holds"
	default:
		matches += fmt.Sprintf(" and all %d conditions hold", n)
	}
	return matches, true
}

// String returns the method, the path and the steps as lines of text.
func (e Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q\n", e.Method, e.Path)
	e.print(&b, "  ")
	return b.String()
}

func (e Explanation) print(b *strings.Builder, indent string) {
	switch {
	case !e.Inside:
		b.WriteString(indent + "outside of the base path\n")
	case len(e.Steps) == 0:
		b.WriteString(indent + "there are no routes\n")
	}
	for _, step := range e.Steps {
		mark := map[bool]string{true: "+", false: "-"}[step.Matched]
		fmt.Fprintf(b, "%s%s %s: %s\n", indent, mark, step.Route, step.Reason)
		if step.Mounted != nil {
			step.Mounted.print(b, indent+"    ")
		}
	}
}
