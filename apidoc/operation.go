package apidoc

import (
	"fmt"
	"slices"

	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/routing"
)

// This file has the model of an operation. Typed operations and [NewOperation] make it. The
// description and [CheckResponses] read it.

// Operation describes a route for clients; see [NewOperation]. It is safe for concurrent use.
type Operation struct {
	doc           openapi.Operation // without a method and path
	defined       []*schema.Schema  // the definitions to which its schemas refer
	security      []*Security       // all of them must allow a request
	registry      *registry         // of the API that defined it, or nil
	isHidden      bool              // by the option Hidden
	replaces      bool              // by the option Replaces
	isPublic      bool              // by the option Public
	tags          []Tag             // with their descriptions
	decidesAccess bool              // its own options have a Security or Public
	problem       openapi.Response  // the response to a problem, without its status
}

// responses returns the described responses, including the responses of [API.Intercept].
func (op *Operation) responses() []openapi.Response {
	added := op.added()
	if added == nil || added.responses == nil {
		return op.doc.Responses
	}
	all := slices.Clone(op.doc.Responses)
	for _, r := range added.responses {
		if r.IsProblem {
			problem := op.problem
			problem.Status, problem.Description = r.Status, r.Description
			r = problem
		}
		all = withResponse(all, r)
	}
	return all
}

// hasAdded reports whether [API.Intercept] describes a status.
func (op *Operation) hasAdded(status int) bool {
	added := op.added()
	return added != nil && slices.ContainsFunc(added.responses, func(r openapi.Response) bool { return r.Status == status || r.Status == 0 })
}

func (op *Operation) added() *additions {
	if op.registry == nil || op.isHidden {
		return nil
	}
	return op.registry.added.Load()
}

// weakens returns an error if an operation replaces another one that has a Security, has not the
// same, and does not decide itself who has access.
func (op *Operation) weakens(old *Operation) error {
	has := func(s *Security) bool { return slices.ContainsFunc(op.security, s.equal) }
	if op.decidesAccess || !slices.ContainsFunc(old.security, func(s *Security) bool { return !has(s) }) {
		return nil
	}
	return fmt.Errorf("it replaces the operation %s, which has a Security: give it that Security, or Public, among its own options", old.ID())
}

// ID returns the name for programs.
func (op *Operation) ID() string { return op.doc.ID }

// Summary returns the summary.
func (op *Operation) Summary() string { return op.doc.Summary }

// Tags returns the names of its tags.
func (op *Operation) Tags() []string { return slices.Clone(op.doc.Tags) }

// Deprecated reports whether the operation is deprecated.
func (op *Operation) Deprecated() bool { return op.doc.Deprecated }

// hasPathParam reports whether it describes a parameter of the path.
func (op *Operation) hasPathParam(name string) bool {
	return slices.ContainsFunc(op.doc.Parameters, func(p openapi.Parameter) bool { return p.In == "path" && p.Name == name })
}

// operationKey is the key of an *Operation in a route's metadata.
type operationKey struct{}

// OperationOf returns the operation of a route, or nil.
func OperationOf(r *routing.Route) *Operation {
	if r == nil {
		return nil
	}
	op, _ := r.Meta(operationKey{}).(*Operation)
	return op
}
