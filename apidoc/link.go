package apidoc

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"example.com/flowercafe/routing"
)

// This file makes URLs of operations.

// links are the operations of an API, or of one of its groups.
type links struct {
	outer *links // of the outer API or group
	mu    sync.Mutex
	all   []*link
}

// link is an operation that has URLs.
type link struct {
	id       string
	function uintptr
	input    *inputPlan
	route    *routing.Route
}

// add adds an operation, also to the outer ones.
func (l *links) add(one *link) {
	for ; l != nil; l = l.outer {
		l.mu.Lock()
		l.all = append(slices.Clip(l.all), one)
		l.mu.Unlock()
	}
}

// url returns the URL of the one operation that is wanted, which has what name says.
func (l *links) url(c routing.Context, input any, name string, wanted func(*link) bool) (string, error) {
	l.mu.Lock()
	all := l.all
	l.mu.Unlock()
	var found *link
	for _, one := range all {
		switch {
		case !wanted(one):
		case found != nil:
			return "", fmt.Errorf("apidoc: URL of %s: the operations %s and %s have it: pass the group of one, or call API.URL with its ID", name, found.id, one.id)
		default:
			found = one
		}
	}
	if found == nil {
		return "", fmt.Errorf("apidoc: URL of %s: no operation has it", name)
	}
	location, err := found.url(c, input)
	if err != nil {
		return "", fmt.Errorf("apidoc: URL of %s: %w", found.id, err)
	}
	return location, nil
}

func (l *link) url(c routing.Context, input any) (string, error) {
	given := reflect.ValueOf(input)
	if !given.IsValid() || given.Type() != l.input.goType {
		return "", fmt.Errorf("the input is a %T: pass a %s", input, l.input.goType)
	}
	v := addressable(given)
	names := l.route.Pattern().Names()
	var here, outer []string // pairs of the pattern, and of the prefixes of mounts
	isHere := true
	for _, f := range l.input.all {
		if f.In != InPath {
			continue
		}
		texts, err := f.texts(v)
		switch {
		case err != nil:
			return "", err
		case slices.Contains(names, f.Name):
			here = append(here, f.Name, texts[0])
		case c.Request() != nil:
			current, _ := c.Params().Path(f.Name)
			isHere = isHere && current == texts[0]
			fallthrough
		default:
			outer = append(outer, f.Name, texts[0])
		}
	}
	query, err := l.input.query(v)
	if err != nil {
		return "", err
	}
	var path string
	if c.Request() != nil && isHere {
		path, err = c.URL(l.route, here...)
	} else {
		path, err = l.route.URL(append(here, outer...)...)
	}
	return strings.TrimSuffix(path+query, "?"), err
}
