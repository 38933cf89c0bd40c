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
	// ID is the operation's name for programs, such as findBySlug: generators make it a method's
	// name. It must not be empty or hold white space, and is unique within a description.
	ID string

	// Summary is one line for people. In the form of [Document.Spec], SpecSummary takes its place
	// if it is not empty.
	Summary     string
	SpecSummary string

	// Description is as long as it needs to be, in Markdown. The form of [Document.Spec] leaves it
	// out.
	Description string

	// Tags group operations. A name is enough: the list of tags is made of all operations'.
	Tags []string

	// Deprecated tells that clients should stop using the operation.
	Deprecated bool

	// Parameters lists what the operation reads of a request: every parameter of the route's
	// pattern, and any others.
	Parameters []Parameter

	// Responses lists the responses, at least one.
	Responses []Response

	// Security lists the ways to authorize, all of which a request needs. [Describe] describes
	// them, [Enforce] asks them too.
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

// described returns what the description has, nil for nothing.
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
	// Name is the parameter's key; for a body any word.
	Name string

	// In tells where it is.
	In Place

	// Description is for people.
	Description string

	// Required tells that requests without it are wrong. In a path it is always so, whatever is set
	// here.
	Required bool

	// Type is the type of the value; the zero Type is text. Except in a body it is text, a number,
	// a boolean or a time, and in a query, form or header also a slice of these. For a body the
	// zero Type is any JSON value.
	Type Type

	// Rules are tags as of a field, such as `min:"1" max:"10"`. The package's text lists them.
	Rules reflect.StructTag

	// Example shows a value, of a body for instance. It is written as JSON.
	Example any

	media []string // of a body; JSON if empty
}

// Response describes one kind of response.
type Response struct {
	// Status is the status code, 100 to 599; 0 stands for all those that are not listed.
	Status int

	// Description is for people, and must not be empty.
	Description string

	// Body is the type of the body; the zero Type says nothing of it.
	Body Type

	// ContentType is the header of the body, application/json if empty; several have commas between
	// them. It is used only with a Body. A []byte of a type other than JSON is the body as it is.
	ContentType string

	// Headers are headers of the response; In and Required are ignored.
	Headers []Parameter

	// Example shows a body. It is written as JSON.
	Example any

	events Type // of the data of server-sent events
}

// clone copies op as deep as its lists, with what is always so filled in.
func (op *Operation) clone() *Operation {
	c := *op
	c.Tags = slices.Clone(op.Tags)
	c.Parameters = slices.Clone(op.Parameters)
	c.Responses = slices.Clone(op.Responses)
	c.Security = slices.Clone(op.Security)
	c.Extensions = maps.Clone(op.Extensions)
	for i := range c.Parameters {
		if c.Parameters[i].In == InPath {
			c.Parameters[i].Required = true
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

// responds adds those responses for whose status there is none.
func (op *Operation) responds(responses ...Response) {
	for _, r := range responses {
		if op.response(r.Status) == nil {
			op.Responses = append(op.Responses, r)
		}
	}
}

// mediaTypes returns the media types of a body.
func (p Parameter) mediaTypes() []string {
	if p.media == nil {
		return []string{message.JSON}
	}
	return p.media
}
