package routing

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
)

// Condition is a predicate that must be true, beside the pattern, for a route or filter to match.
// Make one with [When] or [WhenNamed].
type Condition struct {
	name string
	hold func(*http.Request) bool
}

// When returns a condition, which is both a [RouteOption] and a [FilterOption]. Conditions are
// checked in order, each time a route or filter is tried, and only if its pattern matches. The
// request has the overridden method and the whole URL. A condition must not read the body. Its
// name in [App.Explain] is the file and line of the call. A nil function panics.
func When(hold func(*http.Request) bool) Condition {
	name := "condition"
	if _, file, line, ok := runtime.Caller(1); ok {
		name = fmt.Sprintf("%s:%d", file[strings.LastIndexByte(file, '/')+1:], line)
	}
	return WhenNamed(name, hold)
}

// WhenNamed is [When] with a name.
func WhenNamed(name string, hold func(*http.Request) bool) Condition {
	if hold == nil {
		panic("routing: condition " + name + ": pass a function, not nil")
	}
	return Condition{name: name, hold: hold}
}

func (c Condition) applyRoute(s *routeSettings)   { s.conditions = append(s.conditions, c.made()) }
func (c Condition) applyFilter(s *filterSettings) { s.conditions = append(s.conditions, c.made()) }

// made returns c. It panics for the zero Condition.
func (c Condition) made() Condition {
	if c.hold == nil {
		panic("routing: the zero Condition is not valid: make one with When")
	}
	return c
}

func namesOf(conditions []Condition) []string {
	var names []string
	for _, c := range conditions {
		names = append(names, c.name)
	}
	return names
}

// firstRefusal returns the first condition that is false for r, or nil.
func firstRefusal(conditions []Condition, r *http.Request) *Condition {
	for i := range conditions {
		if !conditions[i].hold(r) {
			return &conditions[i]
		}
	}
	return nil
}
