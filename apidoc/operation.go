package apidoc

import (
	"slices"
	"sync"
	"sync/atomic"

	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/routing"
)

// This file has the model of an operation. Typed operations and [NewOperation] make it. The
// description, links and [CheckResponses] read it.

// Operation describes a route for clients. [NewOperation] makes an Operation for a route whose
// action is written by hand. It is immutable and safe for concurrent use.
type Operation struct {
	doc      openapi.Operation // without a method and path
	types    []*schema.Schema  // the definitions to which its schemas refer
	security []*Security       // all of them must allow a request
	registry *registry         // of the API that defined it, or nil
	isHidden bool              // by the option Hidden
	replaces bool              // by the option Replaces
	isPublic bool              // by the option Public
}

// ID returns the operation's name for programs, such as findBySlug.
func (op *Operation) ID() string { return op.doc.ID }

// Summary returns the summary, a line of documentation.
func (op *Operation) Summary() string { return op.doc.Summary }

// Tags returns the names of its tags. The slice must not be changed.
func (op *Operation) Tags() []string { return op.doc.Tags }

// Deprecated reports whether clients should stop using it.
func (op *Operation) Deprecated() bool { return op.doc.Deprecated }

// hasPathParam reports whether it describes a parameter of the path.
func (op *Operation) hasPathParam(name string) bool {
	return slices.ContainsFunc(op.doc.Parameters, func(p openapi.Parameter) bool { return p.In == "path" && p.Name == name })
}

// registry holds an API's settings, interceptors, tags and webhooks.
type registry struct {
	hasInfo   bool // it has a description
	isSecured bool // NewAPI got a Security
	isPublic  bool // NewAPI got the option Public

	added atomic.Pointer[[]Interceptor] // by API.Intercept; the slice is immutable

	mu       sync.Mutex // guards the fields below
	tags     []Tag
	webhooks []*Operation
}

// isOther reports whether r belongs to another API than api, with another description.
func (r *registry) isOther(api *registry) bool {
	return r != nil && api != nil && r != api && r.hasInfo
}

// add adds tags and webhooks.
func (r *registry) add(tags []Tag, webhooks ...*Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tags, r.webhooks = append(slices.Clip(r.tags), tags...), append(slices.Clip(r.webhooks), webhooks...)
}

// content returns the tags and webhooks.
func (r *registry) content() ([]Tag, []*Operation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tags, r.webhooks
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
