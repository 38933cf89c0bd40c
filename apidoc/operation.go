package apidoc

import (
	"fmt"
	"maps"
	"mime"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// This file holds what a program writes to describe a route, and what can be wrong in it by itself.

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
	URL         string // must not be empty if there is a Description
	Description string // in Markdown
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

// Place tells in which part of a request a parameter is.
type Place string

// The places of parameters. An operation has form parameters or one body, not both.
const (
	InPath   Place = "path"
	InQuery  Place = "query"
	InHeader Place = "header"
	InCookie Place = "cookie"
	InForm   Place = "form" // of type application/x-www-form-urlencoded, or multipart/form-data
	InBody   Place = "body" // the whole body, JSON
)

// Response describes one kind of response.
type Response struct {
	// Status is the status code, 100 to 599; 0 stands for all those that are not listed.
	Status int

	// Description is for people, and must not be empty.
	Description string

	// Body is the type of the body; the zero Type says nothing of it.
	Body Type

	// ContentType is the media type of the body, application/json if empty; several have commas
	// between them. It is used only with a Body. A []byte of a type other than JSON is the body as
	// it is.
	ContentType string

	// Headers are headers of the response; In and Required are ignored.
	Headers []Parameter

	// Example shows a body. It is written as JSON.
	Example any

	events Type // of the data of server-sent events
}

const (
	typeJSON    = "application/json"
	typeForm    = "application/x-www-form-urlencoded"
	typeProblem = "application/problem+json"
	typeText    = "text/plain"
	typeBytes   = "application/octet-stream"
	typeEvents  = "text/event-stream"
)

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
			c.Responses[i].ContentType = typeJSON
		}
	}
	return &c
}

// check tells what is wrong in op by itself.
func (op *Operation) check() error {
	if op.ID == "" {
		return fmt.Errorf("the operation has no ID: write one word, such as findBySlug")
	}
	if strings.ContainsFunc(op.ID, unicode.IsSpace) {
		return fmt.Errorf("operation ID %q: write one word, without white space", op.ID)
	}
	for i, tag := range op.Tags {
		if tag == "" || slices.Contains(op.Tags[:i], tag) {
			return fmt.Errorf("operation %s: tag %q: write each tag once, and none that is empty", op.ID, tag)
		}
	}
	for name := range op.Extensions {
		if !strings.HasPrefix(name, "x-") {
			return fmt.Errorf("operation %s: extension %q: write a name that begins with x-", op.ID, name)
		}
	}
	if err := op.checkParameters(); err != nil {
		return fmt.Errorf("operation %s: %w", op.ID, err)
	}
	if err := op.checkResponses(); err != nil {
		return fmt.Errorf("operation %s: %w", op.ID, err)
	}
	return nil
}

func (op *Operation) checkParameters() error {
	var bodies, forms int
	for i, p := range op.Parameters {
		if p.Name == "" {
			return fmt.Errorf("%s parameter without a name: write its key", p.In)
		}
		for _, other := range op.Parameters[:i] {
			if other.Name == p.Name && other.In == p.In {
				return fmt.Errorf("%s parameter %q is described twice", p.In, p.Name)
			}
		}
		switch p.In {
		case InPath, InQuery, InHeader, InCookie:
		case InForm:
			forms++
		case InBody:
			bodies++
		default:
			return fmt.Errorf("parameter %q is in place %q: write apidoc.InPath, InQuery, InHeader, InCookie, InForm or InBody", p.Name, p.In)
		}
		if err := p.checkType(); err != nil {
			return fmt.Errorf("%s parameter %q: %w", p.In, p.Name, err)
		}
	}
	if bodies > 1 || bodies > 0 && forms > 0 {
		return fmt.Errorf("a request has one body: describe one parameter in apidoc.InBody, or those in apidoc.InForm")
	}
	return nil
}

// mediaTypes returns the media types of a body.
func (p Parameter) mediaTypes() []string {
	if p.media == nil {
		return []string{typeJSON}
	}
	return p.media
}

// schema returns the schema of the parameter's type. The zero Type is text, and in a body any
// value. Only a body can be null.
func (p Parameter) schema(d *definitions) (s *schema, err error) {
	switch {
	case p.In == InBody && !isJSON(p.mediaTypes()[0]):
		return contentSchema(p.Type, p.media[0], d)
	case p.Type.none() && p.In != InBody:
		s = &schema{kind: "string"}
	default:
		if s, err = p.Type.schema(d); err != nil {
			return nil, err
		}
	}
	if s, err = s.ruled(p.Rules); err != nil {
		return nil, err
	}
	present := *s
	present.doc, present.nullable = "", s.nullable && p.In == InBody && p.Required
	return &present, nil
}

// contentSchema returns the schema of a body. Of a type other than JSON, text and bytes are as they
// are.
func contentSchema(t Type, media string, d *definitions) (*schema, error) {
	if isJSON(media) || t.goType == nil {
		return t.schema(d)
	}
	switch {
	case t.goType.Kind() == reflect.String:
		return &schema{kind: "string"}, nil
	case t.goType == reflect.TypeFor[[]byte]() || t.goType.Implements(readerType):
		return &schema{kind: "string", format: "binary"}, nil
	}
	return t.schema(d)
}

// checkType refuses types of parameters for which requests have no one way to write them.
func (p Parameter) checkType() error {
	s, err := p.schema(newDefinitions())
	if err != nil || p.In == InBody {
		return err
	}
	t := s.resolve()
	switch {
	case t == nil:
	case t.scalar():
		return nil
	case t.kind == "array" && t.items.resolve() != nil && t.items.resolve().scalar() && p.In != InPath && p.In != InCookie:
		return nil
	}
	return fmt.Errorf("its type is %s: write text, a number, a boolean or a time, or in a query, form or header a slice of these", p.Type)
}

func (op *Operation) checkResponses() error {
	if len(op.Responses) == 0 {
		return fmt.Errorf("no response: describe at least one")
	}
	for i, r := range op.Responses {
		switch {
		case r.Status != 0 && (r.Status < 100 || r.Status > 599):
			return fmt.Errorf("response %d: write a status of 100 to 599, or 0 for all others", r.Status)
		case r.Description == "":
			return fmt.Errorf("response %d: write a description", r.Status)
		}
		for _, other := range op.Responses[:i] {
			if other.Status == r.Status {
				return fmt.Errorf("response %d is described twice", r.Status)
			}
		}
		for _, media := range splitMedia(r.ContentType) {
			if _, _, err := mime.ParseMediaType(media); err != nil {
				return fmt.Errorf("response %d: content type %q: %w", r.Status, media, err)
			}
			if _, err := contentSchema(r.Body, media, newDefinitions()); err != nil {
				return fmt.Errorf("response %d: %w", r.Status, err)
			}
		}
		for _, h := range r.Headers {
			if _, err := h.schema(newDefinitions()); err != nil {
				return fmt.Errorf("response %d: header %s: %w", r.Status, h.Name, err)
			}
		}
	}
	return nil
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

// isFile reports whether the parameter is a file, or several, of a form.
func (p Parameter) isFile() bool {
	file := reflect.TypeFor[File]()
	return p.Type.goType == file || p.Type.goType == reflect.SliceOf(file)
}
