package apidoc

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/described"
	"example.com/flowercafe/internal/private"
)

// This file has the operations as data, and writes the targets of requests.

// Model returns the described operations as data.
func (d *Document) Model() (described.API, error) {
	operations, err := d.api.Model()
	info, _ := d.api.Info.(Info)
	return described.API{Title: info.Title, Version: info.Version, Description: info.Description, Operations: operations}, err
}

// Mounted reports whether [routing.App.Mount] got the described app or its API.
func (d *Document) Mounted() bool { return private.IsMounted(d.app) }

// operation returns the operation with an ID, and whether there is one.
func (d *Document) operation(id string) (_ located, ok bool) {
	i := slices.IndexFunc(d.routes, func(l located) bool { return l.atPath.ID == id })
	if i < 0 {
		return located{}, false
	}
	return d.routes[i], true
}

// Target returns the path, without the base path, and the query of a request for the operation with
// an ID, from the texts of its parameters. Another route may get the request: see
// [Document.OtherRoute].
func (d *Document) Target(id string, path map[string]string, query url.Values) (string, error) {
	op, ok := d.operation(id)
	if !ok {
		return "", fmt.Errorf("apidoc: the operation %q is not described", id)
	}
	pairs := make([]string, 0, 2*len(path))
	for name, text := range path {
		pairs = append(pairs, name, text)
	}
	target, err := private.URLBelow(op.route, d.app, op.mounts, pairs...)
	if err != nil {
		return "", err
	}
	b, separator, written := strings.Builder{}, byte('?'), make(map[string]bool)
	b.WriteString(target)
	for _, p := range op.atPath.Parameters {
		if p.In != string(InQuery) {
			continue
		}
		texts := query[p.Name]
		written[p.Name] = true
		escaped := make([]string, len(texts))
		for i, text := range texts {
			escaped[i] = url.QueryEscape(text)
		}
		name := url.QueryEscape(p.Name) + "="
		if p.Commas && len(texts) > 0 {
			escaped = []string{strings.Join(escaped, ",")}
		}
		for _, text := range escaped {
			b.WriteByte(separator)
			b.WriteString(name)
			b.WriteString(text)
			separator = '&'
		}
	}
	for name := range query {
		if !written[name] {
			return "", fmt.Errorf("apidoc: the operation %q has no parameter %q in the query", id, name)
		}
	}
	return b.String(), nil
}
