package apidoc

import (
	"maps"
	"reflect"
	"slices"

	"example.com/flowercafe/apidoc/internal/message"
)

// This file holds what a program writes to describe a route.

// Operation describes what one route does. [Describe] copies it: later changes have no effect.
type Operation struct {
	// ID is the operation's name for programs, such as findBySlug. Generated clients have a method
	// of this name. It must not be empty or hold white space, and is unique within a description.
	ID string

	// Summary is one line for people. SpecSummary is the summary in [Document.Spec], unless it is
	// empty.
	Summary     string
	SpecSummary string

	// Description is a longer text, in Markdown. [Document.Spec] leaves it out.
	Description string

	// Tags are the names of groups. They need not be listed in [Info].
	Tags []string

	// Deprecated tells that clients should stop using the operation.
	Deprecated bool

	// Parameters lists what the operation reads of a request: every parameter of the route's
	// pattern, and others.
	Parameters []Parameter

	// Responses lists the responses, at least one.
	Responses []Response

	// Security lists the ways to authorize, all of which a request needs. [Enforce] checks them,
	// [Describe] does not.
	Security []*Security

	closedForm bool // fields of a form that are not described are refused

	// ExternalDocs refers to documentation elsewhere.
	ExternalDocs ExternalDocs

	// Extensions are further members of the description, with names that begin with "x-".
	Extensions map[string]any

	callbacks []callback
}

// ExternalDocs refers to documentation elsewhere.
type ExternalDocs struct {
	URL         string `json:"url"`                   // must not be empty if there is a Description
	Description string `json:"description,omitempty"` // in Markdown
}

// described returns what the description has, nil for none.
func (e ExternalDocs) described() any {
	if e.URL == "" {
		return nil
	}
	return e
}

type callback struct {
	name, expression string
	op               *Operation
}

// Parameter describes one value that an operation reads of a request, or its body.
type Parameter struct {
	// Name is the parameter's name. For a body it is any word.
	Name string

	// In is the part of the request that holds it.
	In Place

	// Description is for people.
	Description string

	// Required tells that requests must have it. Parameters of a path are always required.
	Required bool

	// Type is the type of the value: of a body any type, otherwise text, a number, a boolean or a
	// time, and in a query, form or header also a slice of these. The zero Type is text, and for a
	// body any JSON value.
	Type Type

	// Rules are written as the tags of a field, such as `min:"1" max:"10"`. The package's text
	// lists them.
	Rules reflect.StructTag

	// Example is a value that clients may send, written as JSON. Nil is none.
	Example any

	media []string // of a body, JSON by default
}

// Response describes the responses with one status.
type Response struct {
	// Status is the status code, 100 to 599. 0 stands for all that are not listed.
	Status int

	// Description is for people, and must not be empty.
	Description string

	// Body is the type of the body. The zero Type leaves it undescribed.
	Body Type

	// ContentType lists the values that the header Content-Type may have, with commas between them.
	// If it is empty, it is application/json. It is used only with a Body. Where it is not JSON, a
	// []byte, string or io.Reader is the body as it is.
	ContentType string

	// Headers are headers of the response. Their In and Required are ignored.
	Headers []Parameter

	// Example is a body, written as JSON. Nil is none.
	Example any

	events Type // of the data of server-sent events
}

// clone copies op and its lists, and fills in defaults.
func (op *Operation) clone() *Operation {
	c := *op
	c.Tags = slices.Clone(op.Tags)
	c.Parameters = slices.Clone(op.Parameters)
	c.Responses = slices.Clone(op.Responses)
	c.Security = slices.Clone(op.Security)
	c.Extensions = maps.Clone(op.Extensions)
	for i := range c.Parameters {
		switch p := &c.Parameters[i]; {
		case p.In == InPath:
			p.Required = true
		case p.In == InBody && p.media == nil:
			p.media = []string{message.JSON}
		}
	}
	for i := range c.Responses {
		if c.Responses[i].ContentType == "" {
			c.Responses[i].ContentType = message.JSON
		}
	}
	return &c
}

// response returns the response with status, or nil.
func (op *Operation) response(status int) *Response {
	for i := range op.Responses {
		if op.Responses[i].Status == status {
			return &op.Responses[i]
		}
	}
	return nil
}

// responds adds responses, except for those whose status is described already.
func (op *Operation) responds(responses ...Response) {
	for _, r := range responses {
		if op.response(r.Status) == nil {
			op.Responses = append(op.Responses, r)
		}
	}
}
