package apidoc

import (
	"fmt"
	"net/http"
	"strings"

	"example.com/flowercafe/routing"
)

// This file holds the options of typed operations.

// Option sets up one typed operation, or all of an API if it is given to [NewAPI]. A [Problem], a
// [Tag] and a [Security] are options too.
type Option interface{ apply(*definition) }

type option func(*definition)

func (o option) apply(d *definition) { o(d) }

// definition is a typed operation in the making.
type definition struct {
	op       Operation
	status   int
	limit    int64
	routing  []routing.RouteOption
	examples map[int]any // of responses, by status; of the request's body at 0
	err      error
}

func (d *definition) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf(format, args...)
	}
}

// Status sets the status of successful responses, 200 by default, and 204 where there is no body.
func Status(code int) Option {
	return option(func(d *definition) {
		if code < 200 || code > 399 {
			d.fail("Status(%d): write a status of 200 to 399; failures are made with Fail", code)
		}
		d.status = code
	})
}

// ID sets the operation's name for programs; see [Operation]. By default it is the name of the
// function, and for a function without a name it is made of the method and the path.
func ID(id string) Option { return option(func(d *definition) { d.op.ID = id }) }

// Description sets a long text, in Markdown.
func Description(text string) Option {
	return option(func(d *definition) { d.op.Description = text })
}

// Deprecated tells that clients should stop using the operation.
func Deprecated() Option { return option(func(d *definition) { d.op.Deprecated = true }) }

// Responds describes a further response, one that a filter or a halt makes for example. A second
// one of a status is ignored.
func Responds(r Response) Option { return option(func(d *definition) { d.op.responds(r) }) }

// DefaultBodyLimit is how many bytes of a body are read unless [BodyLimit] says otherwise.
const DefaultBodyLimit = 1 << 20

// BodyLimit sets how many bytes of the request's body are read, files included. A longer one is
// refused with 413. The default is [DefaultBodyLimit]. A limit below 1 panics.
func BodyLimit(bytes int64) Option {
	return option(func(d *definition) {
		if bytes < 1 {
			d.fail("BodyLimit(%d): write a limit of at least 1", bytes)
		}
		d.limit = bytes
	})
}

// RouteOptions gives an operation options of the router: conditions and middleware.
func RouteOptions(options ...routing.RouteOption) Option {
	return option(func(d *definition) { d.routing = append(d.routing, options...) })
}

// RequestExample shows a body that clients may send. It is written as JSON, and a value that the
// description does not allow panics.
func RequestExample(v any) Option { return example(0, v) }

// ResponseExample shows the body of a status, in the same way.
func ResponseExample(status int, v any) Option { return example(status, v) }

func example(status int, v any) Option {
	return option(func(d *definition) {
		if d.examples == nil {
			d.examples = make(map[int]any)
		}
		d.examples[status] = v
	})
}

// Extension adds a member to the operation's description. Its name begins with "x-"; the value is
// written as JSON.
func Extension(name string, value any) Option {
	return option(func(d *definition) {
		if d.op.Extensions == nil {
			d.op.Extensions = make(map[string]any)
		}
		d.op.Extensions[name] = value
	})
}

// SeeAlso refers to documentation elsewhere.
func SeeAlso(docs ExternalDocs) Option {
	return option(func(d *definition) { d.op.ExternalDocs = docs })
}

// Callback describes a request that the operation's client will receive: a POST with a T as JSON,
// at the address that the expression finds, such as {$request.body#/callbackUrl}. Swagger 2.0
// leaves it out.
func Callback[T any](name, expression, summary string) Option {
	return option(func(d *definition) {
		d.op.callbacks = append(d.op.callbacks, callback{name, expression, outgoing[T](name, summary)})
	})
}

// outgoing describes a request of ours.
func outgoing[T any](name, summary string) *Operation {
	op := Operation{
		ID:         strings.Join(strings.Fields(name), "_"),
		Summary:    summary,
		Parameters: []Parameter{{Name: "body", In: InBody, Required: true, Type: TypeOf[T]()}},
		Responses:  []Response{{Status: http.StatusOK, Description: "Received"}},
	}
	return op.clone()
}

// Tag is a group of operations, made by [API.Tag]; as an [Option] it puts an operation into the
// group.
type Tag struct {
	Name        string       `json:"name"`
	Description string       `json:"description,omitempty"` // in Markdown
	Docs        ExternalDocs `json:"externalDocs,omitzero"`
}

func (t Tag) apply(d *definition) { d.op.Tags = append(d.op.Tags, t.Name) }
