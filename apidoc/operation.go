package apidoc

import (
	"maps"
	"reflect"
	"slices"

	"example.com/flowercafe/apidoc/internal/message"
)

// This file has the types that describe a route.

// Operation describes what one route does. [Describe] copies it: later changes have no effect.
type Operation struct {
	// ID is the operation's name for programs, such as findBySlug. Generated clients have a method
	// with this name. It must not be empty or contain white space, and must be unique within a
	// description.
	ID string

	// Summary is one line for people.
	Summary string

	// Description is a longer text in Markdown.
	Description string

	// Tags are the names of groups. They need not be listed in [Info].
	Tags []string

	// Deprecated says that clients should stop using the operation.
	Deprecated bool

	// Parameters lists all parameters of the route's pattern, and the other parts of a request that
	// the operation reads.
	Parameters []Parameter

	// Responses lists the responses, at least one.
	Responses []Response

	// Security lists the ways to authorize. A request needs all of them. [Describe] does not check
	// them.
	Security []*Security

	closedForm bool // unknown fields of a form are refused

	// ExternalDocs refers to documentation elsewhere.
	ExternalDocs ExternalDocs

	// Extensions are additional members of the description. Their names begin with "x-".
	Extensions map[string]any

	callbacks []callback
}

// ExternalDocs refers to documentation elsewhere.
type ExternalDocs struct {
	URL         string `json:"url"`                   // must not be empty if there is a Description
	Description string `json:"description,omitempty"` // in Markdown
}

// orNil returns nil for empty ones.
func (e ExternalDocs) orNil() any {
	if e.URL == "" {
		return nil
	}
	return e
}

type callback struct {
	name, expression string
	op               *Operation
}

// Parameter describes a value in a request, or its body.
type Parameter struct {
	// Name is the parameter's name. The name of a body is arbitrary.
	Name string

	// In is the part of the request that has the value.
	In Place

	// Description is for people.
	Description string

	// Required says that requests must have it. Path parameters are always required.
	Required bool

	// Type is the type of the value. A body may have any type. Other parameters are text, a number,
	// a boolean or a time; in a query, form or header also a slice of these, and in a query a
	// struct of both, which is written as filter[min]=1. The zero Type is text, or any JSON value
	// for a body.
	Type Type

	// Rules are written like the tags of a field, such as `min:"1" max:"10"`. The package
	// documentation lists them.
	Rules reflect.StructTag

	// Example is a value that clients may send, encoded as JSON. Nil is no example.
	Example any

	media    []string // of a body, JSON by default
	areLines bool     // each line of the body is a value
	object   string   // the name of the object in the query whose member it is
	commas   bool     // between the values of a list in a query
}

// Response describes the responses with a status.
type Response struct {
	// Status is the status code, 100 to 599. 0 stands for all that are not listed.
	Status int

	// Description is for people, and must not be empty.
	Description string

	// Body is the type of the body. The zero Type does not describe it.
	Body Type

	// ContentType lists the possible values of the Content-Type header, with commas between them.
	// The default is application/json. It is used only with a Body. If it is not JSON, a []byte,
	// string or io.Reader is the raw body.
	ContentType string

	// Headers are headers of the response. In and Required are ignored.
	Headers []Parameter

	// Example is a body, encoded as JSON. Nil is no example.
	Example any

	rules     reflect.StructTag // of the body, as a parameter has them
	events    Type              // of the data of server-sent events
	problems  Type              // of the data of the event that tells of an error
	areLines  bool              // each line of the body is a value
	isProblem bool              // which [ErrorBody] may replace
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

// responseOf describes the response to a problem.
func responseOf(p *Problem) Response {
	return Response{
		Status: p.Status, Description: p.Title, Body: problemType(), ContentType: message.Problem, isProblem: true,
	}
}
