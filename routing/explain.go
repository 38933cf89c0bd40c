package routing

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/routing/internal/match"
)

// Explanation is what an app would do with a request, and why.
type Explanation struct {
	Method string // overridden, if the header asks for that and the app allows it
	Path   string // what patterns see
	Inside bool   // whether the request is below the base path
	Steps  []Step // every route, in the order in which they are tried
}

// Step is one route that was tried.
type Step struct {
	Route   *Route
	Matched bool
	Reason  string // why it matched or did not
}

// Explain tells for each route, in the order in which they are tried, whether it matches r and why. No action and no filter
// runs; conditions are asked. It goes on behind the first match, as a request does whose action passes. The body is not
// read, so an override in a form is not seen; limits and strict paths are not asked.
//
// It takes the routes one by one, without the index, and is for tests and for finding out; its text tells a client too much.
func (a *App) Explain(r *http.Request) Explanation {
	ix := a.current()
	path, inside := below(a.settings.base, r.URL.Path)
	if a.settings.override && r.Method == http.MethodPost {
		if method := overriding(r.Header.Get(overrideHeader)); method != "" {
			r = r.WithContext(r.Context())
			r.Method = method
		}
	}
	e := Explanation{Method: r.Method, Path: path, Inside: inside}
	if !inside {
		return e
	}
	for turn := 1; turn <= 2; turn++ {
		for _, route := range slices.Backward(ix.routes) {
			switch match.Turn(route.method, r.Method) {
			case turn:
				e.Steps = append(e.Steps, route.explain(r, path))
			case 0:
				if turn == 1 {
					e.Steps = append(e.Steps, Step{route, false, "the method is " + r.Method})
				}
			}
		}
	}
	return e
}

// explain tells whether the route, which has the method, matches.
func (r *Route) explain(request *http.Request, path string) Step {
	if !r.pattern.Match(path) {
		return Step{r, false, fmt.Sprintf("the path %q does not match", path)}
	}
	if refusal := firstRefusal(r.conditions, request); refusal != nil {
		return Step{r, false, "refused by the condition " + refusal.name}
	}
	switch len(r.conditions) {
	case 0:
		return Step{r, true, "the path matches"}
	case 1:
		return Step{r, true, "the path matches and the condition holds"}
	default:
		return Step{r, true, fmt.Sprintf("the path matches and all %d conditions hold", len(r.conditions))}
	}
}

// Matched returns the routes that match, in the order in which they would run.
func (e Explanation) Matched() []*Route {
	var routes []*Route
	for _, step := range e.Steps {
		if step.Matched {
			routes = append(routes, step.Route)
		}
	}
	return routes
}

// String prints a line for each route that was tried.
func (e Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q\n", e.Method, e.Path)
	switch {
	case !e.Inside:
		b.WriteString("  outside of the base path\n")
	case len(e.Steps) == 0:
		b.WriteString("  there are no routes\n")
	}
	for _, step := range e.Steps {
		mark := "-"
		if step.Matched {
			mark = "+"
		}
		fmt.Fprintf(&b, "  %s %s: %s\n", mark, step.Route, step.Reason)
	}
	return b.String()
}
