package apidoc

import (
	"fmt"
	"slices"

	"example.com/flowercafe/apidoc/internal/gotype"
)

// This file has the tag dependentRequired of parameters. That of members of JSON objects is read by
// package gotype.

// need is a parameter that must be sent if another one is. Both are indexes.
type need struct{ missing, with int }

// needsOf returns what parameters require of each other.
func needsOf(parameters []Parameter) (needs []need, err error) {
	for i, p := range parameters {
		for _, name := range gotype.Needed(p.Rules) {
			j := slices.IndexFunc(parameters, func(other Parameter) bool { return other.In == p.In && other.Name == p.beside(name) })
			switch {
			case p.In != InQuery && p.In != InForm:
				return nil, fmt.Errorf("%s parameter %q: dependentRequired is for members of JSON objects, and for fields of forms and queries", p.In, p.Name)
			case j < 0 || j == i:
				return nil, fmt.Errorf("%s parameter %q: tag dependentRequired: %q is not another one: write names, with commas between them", p.In, p.Name, name)
			case !parameters[j].Required:
				needs = append(needs, need{j, i})
			}
		}
	}
	return needs, nil
}

// beside returns the name of a parameter that stands beside p, within the same object of the query.
func (p Parameter) beside(name string) string {
	if p.object != "" {
		return p.object + "[" + name + "]"
	}
	return name
}
