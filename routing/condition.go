package routing

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
)

// Condition is a question that a request must answer with yes for a route or a filter to apply, beside the pattern. It is made
// by [When] and [WhenNamed].
type Condition struct {
	name string
	hold func(*http.Request) bool
}

// When makes a condition, which is both a [RouteOption] and a [FilterOption]. A route or filter may have several; they are asked
// in order, anew on each attempt, and never where the pattern does not match. The request has its method overridden and its URL
// uncut. A condition must not read the body. Its name, for [App.Explain], is the place of the call.
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

// made returns c, and panics for the zero Condition.
func (c Condition) made() Condition {
	if c.hold == nil {
		panic("routing: the zero Condition: make one with When")
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

// firstRefusal returns the first of conditions that does not hold for r, or nil.
func firstRefusal(conditions []Condition, r *http.Request) *Condition {
	for i := range conditions {
		if !conditions[i].hold(r) {
			return &conditions[i]
		}
	}
	return nil
}
