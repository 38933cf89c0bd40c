package routing

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"

	"example.com/flowercafe/routing/internal/accept"
	"example.com/flowercafe/routing/internal/response"
)

// This file has the conditions of routes and filters.

// Condition is a predicate of a route or filter, in addition to its pattern: see [When].
type Condition struct {
	name      string
	predicate func(*http.Request) bool
	offers    [][]string // of Provides, for package accept, in place of predicate
	group     []string   // the names of the captures that a condition of a group sees; nil means all
}

// When returns a condition, for a route or a filter. The predicate may be called more than once for
// a request. It reads parameters of the pattern with [http.Request.PathValue], and must not read
// the body.
func When(predicate func(*http.Request) bool) Condition {
	name := "condition"
	if _, file, line, ok := runtime.Caller(1); ok {
		name = fmt.Sprintf("%s:%d", file[strings.LastIndexByte(file, '/')+1:], line)
	}
	if predicate == nil {
		panic("routing: When: " + name + ": pass a function, not nil")
	}
	return Condition{name: name, predicate: predicate}
}

// Named returns the condition with a name for [App.Explain].
func (c Condition) Named(name string) Condition {
	c.name = name
	return c
}

func (c Condition) applyFilter(s *filterSettings) {
	s.conditions = append(s.conditions, c.mustBeValid())
}

func (c Condition) applyRoute(s *routeSettings) { s.conditions = append(s.conditions, c.mustBeValid()) }

// mustBeValid returns c. It panics for the zero Condition.
func (c Condition) mustBeValid() Condition {
	if c.predicate == nil && c.offers == nil {
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

// falseCondition evaluates conditions in order, and returns a false one or nil. A condition of
// [Provides] adds Accept to Vary, and is returned only if no other is false. The predicates of the
// others get a copy of the request with the captures as path values. The Accept header is read once
// for all routes.
func falseCondition(conditions []Condition, c Context, accepts **accept.Header) (refused *Condition) {
	r, hasAll := c.r, false
	for i := range conditions {
		condition := &conditions[i]
		if condition.offers != nil {
			response.AddVary(c.Header(), "Accept")
			if *accepts == nil {
				*accepts = new(accept.Header)
			}
			(*accepts).Read(c.r.Header["Accept"])
			if _, accepted := (*accepts).Best(condition.offers); !accepted {
				refused = condition
			}
			continue
		}
		if !hasAll {
			r, hasAll = c.withPathValues(condition.group), condition.group == nil
		}
		if !condition.predicate(r) {
			return condition
		}
	}
	return refused
}
