package apidoc

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"time"
	"unicode"
	"unicode/utf8"

	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/internal/wrapped"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file has the options of typed operations.

// Option configures a typed operation, or all operations of an API or a group. A *[Problem], a
// [Tag] and a *[Security] are options, too.
type Option interface{ private.IsOption }

// DescribeOption is an [Option] that [NewOperation] accepts too.
type DescribeOption interface{ private.IsDescribeOption }

// ResponseOption is a [DescribeOption] that [API.Intercept] accepts too.
type ResponseOption interface{ private.IsResponseOption }

// FormOption is an [Option] that [NewFormReader] accepts too.
type FormOption interface {
	Option
	formOption()
}

// optionFunc implements all these interfaces. A constructor's return type determines where it is
// accepted.
type optionFunc struct {
	private.ResponseOption
	apply func(*definition)
}

func (optionFunc) formOption() {}

func option(apply func(*definition)) optionFunc { return optionFunc{apply: apply} }

type describeOption = private.DescribeOption

// asOptions returns options of a narrower type as options.
func asOptions[O Option](narrow []O) (options []Option) {
	for _, o := range narrow {
		options = append(options, o)
	}
	return options
}

// apply applies lists of options.
func (d *definition) apply(lists ...[]Option) error {
	for _, options := range lists {
		var isPublic, isProtected bool
		for _, o := range options {
			switch o := o.(type) {
			case optionFunc:
				o.apply(d)
			case Tag:
				if o.Name == "" {
					return errors.New("a Tag has no name: write one")
				}
				d.doc.Tags = append(d.doc.Tags, o.Name)
				d.tags = append(d.tags, o)
			case *Security:
				d.security, isProtected, d.isPublic = append(d.security, o), true, false
			case public:
				d.security, isPublic, d.isPublic = nil, true, true
			case *Problem:
				if o == nil {
					return errors.New("a problem is nil: make it with NewProblem, before the operation")
				}
				if o.Status < 400 || o.Status > 599 || o.Title == "" {
					return fmt.Errorf("a problem has the status %d and the title %q: make it with NewProblem", o.Status, o.Title)
				}
				d.moreResponses = append(d.moreResponses, problemResponse(o))
			case nil:
				return errors.New("an option is nil: leave it out")
			default:
				return fmt.Errorf("an option is a %T: pass a *Problem, a *Security, a Tag, or the result of a function of this package", o)
			}
		}
		if isPublic && isProtected { // their order would decide
			return errors.New("Public and a Security are in one list of options: write one of the two")
		}
		d.decidesAccess = isPublic || isProtected // the operation's own options are the last list
	}
	return nil
}

// applyShared applies lists of options that several operations share.
func (d *definition) applyShared(lists ...[]Option) error {
	err := d.apply(lists...)
	if err == nil && d.doc.ID != "" {
		err = fmt.Errorf("ID(%q) would name every operation: write IDPrefix, or the ID of each", d.doc.ID)
	}
	return err
}

// AccessOption is an [Option] that routes without an operation accept too.
type AccessOption interface {
	Option
	routing.RouteOption
}

// Public removes the [Security] of the API and its groups.
func Public() AccessOption { return public{routeOption: guarded(true)} }

type public struct {
	private.Option
	routeOption
}

// Hidden leaves the operation out of the description. It is for a plugin's operation that inspects
// requests and returns [routing.Pass].
func Hidden() Option { return option(func(d *definition) { d.isHidden = true }) }

// Replaces marks an operation of a plugin that replaces another one with the same method and path,
// and is tried before it. Only the marked operation is described. If the other one has a
// [Security], the marked one needs the same, or its own Security or [Public].
func Replaces() DescribeOption { return option(func(d *definition) { d.replaces = true }) }

// Status sets the status of successful responses, 200 to 399, unless the output sets it. The
// default is the first in the output's tag status. Without the tag it is 204 if there is no body,
// or else the status that was set, or 200.
func Status(code int) DescribeOption {
	if code < 200 || code > 399 {
		panic(fmt.Sprintf("apidoc: Status(%d): write a status of 200 to 399; failures are made with NewProblem", code))
	}
	return option(func(d *definition) { d.status = code })
}

// ID sets the operation's name for programs, such as findBySlug, which must be unique within a
// description. The default is the name of the function. For a function literal and a generic
// function it is made from the method and the pattern.
func ID(id string) Option {
	if id == "" {
		panic(`apidoc: ID(""): write a name, or leave the option out`)
	}
	return option(func(d *definition) { d.doc.ID = id })
}

// IDPrefix puts a text in front of the IDs of operations: with "v1", getTree becomes v1GetTree.
func IDPrefix(text string) Option {
	return option(func(d *definition) { d.idPrefix = joinID(d.idPrefix, text) })
}

// joinID puts a prefix in front of an ID.
func joinID(prefix, id string) string {
	if prefix == "" || id == "" {
		return prefix + id
	}
	return prefix + capital(id)
}

// capital returns a word with a capital letter.
func capital(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}

// Description sets the operation's description, in Markdown.
func Description(text string) DescribeOption {
	return option(func(d *definition) { d.doc.Description = text })
}

// Deprecated marks the operation as deprecated.
func Deprecated() DescribeOption { return option(func(d *definition) { d.doc.Deprecated = true }) }

// Response describes the response with another status, for example of a filter. T describes its
// headers and body as for an output. The status 0 means all other statuses.
func Response[T any](status int, description string) ResponseOption {
	if status != 0 && (status < 100 || status > 599) || description == "" {
		panic(fmt.Sprintf("apidoc: Response(%d, %q): write a status of 100 to 599, or 0 for all others, and a description", status, description))
	}
	r := openapi.Response{Status: status, Description: description, GoType: reflect.TypeFor[T]()}
	return option(func(d *definition) { d.moreResponses = append(d.moreResponses, r) })
}

// Rules adds rules to a parameter of the input, in place of the field's tags of the same name.
func Rules(in routing.Location, name string, rules reflect.StructTag) DescribeOption {
	of := parameterName{in, name}
	return option(func(d *definition) { d.rules[of] = rules + " " + d.rules[of] })
}

// BodyLimit limits the request's body in bytes, including files. Reading beyond it is an error with
// the status 413. The default is [DefaultBodyLimit].
func BodyLimit(bytes int64) FormOption {
	if bytes < 1 {
		panic(fmt.Sprintf("apidoc: BodyLimit(%d): write a limit of at least 1", bytes))
	}
	return option(func(d *definition) { d.limit = bytes })
}

// LineLimit limits the size of each line of a request in JSON Lines, in bytes. The default is
// [DefaultLineLimit]; [BodyLimit] limits the whole body.
//
// A line is read and checked when the loop over the [iter.Seq2] reaches it. The error for an
// invalid line is a [Problem] with its number: the operation may return it, or continue. A line
// over the limit is the last, with an error of status 413.
func LineLimit(bytes int) Option {
	if bytes < 1 {
		panic(fmt.Sprintf("apidoc: LineLimit(%d): write a limit of at least 1", bytes))
	}
	return option(func(d *definition) { d.lineLimit = min(bytes, math.MaxInt-len("\r\n")) })
}

// RouteOptions adds options of package routing, such as conditions and middleware.
func RouteOptions(options ...routing.RouteOption) Option {
	if private.LimitsBody(routing.Combine(options...)) {
		panic("apidoc: RouteOptions: routing.BodyLimit limits only the parameters of untyped routes: write apidoc.BodyLimit")
	}
	return option(func(d *definition) { d.routing = append(d.routing, options...) })
}

// Intercept adds an interceptor. An API's interceptors wrap its groups', and these wrap an
// operation's. In a list of options, the first interceptor is the outermost.
func Intercept(f Interceptor) Option {
	if f == nil {
		panic("apidoc: Intercept: pass a function, not nil")
	}
	return option(func(d *definition) { d.around = append(d.around, f) })
}

// Transaction runs operations in transactions. The function begins one, calls run once with a
// context that has it, commits if run returns nil, and rolls back otherwise. Run returns an error
// for a failure (see [routing.IsFailure]) and a status of 400 or above that was set; a redirect is
// none. If run returned nil, an error of the function is handled like one of the operation.
func Transaction(within func(ctx context.Context, call *Call, run func(context.Context) error) error) Option {
	if within == nil {
		panic("apidoc: Transaction: pass a function, not nil")
	}
	return Intercept(func(ctx context.Context, call *Call, next func(context.Context) (any, error)) (output any, err error) {
		hasRun := false
		var failure error // of the operation
		failed := within(ctx, call, func(ctx context.Context) error {
			hasRun = true
			output, err = next(ctx)
			failure = failureIn(call.Context, err)
			return failure
		})
		switch {
		case failure != nil:
			if !wrapped.In(failed, failure) {
				call.Context.Logger().ErrorContext(ctx, "apidoc: Transaction: the function has not returned the error of run", "operation", call.ID, "error", failed)
			}
			return output, err
		case failed != nil:
			return nil, failed
		case !hasRun:
			return nil, fmt.Errorf("apidoc: operation %s: the function of Transaction has returned nil and not called run", call.ID)
		}
		return output, err
	})
}

// failureIn returns an error if the response to err, or to an output, is a failure. The response to
// an output, or to a halt without a status, has the status that was set.
func failureIn(c routing.Context, err error) error {
	var halt *routing.HaltError
	switch hasSetStatus := err == nil || errors.As(err, &halt) && halt != nil && halt.Status == 0; {
	case routing.IsFailure(err):
		return err
	case hasSetStatus && c.Status() >= http.StatusBadRequest:
		return cmp.Or(err, fmt.Errorf("apidoc: the status %d was set", c.Status()))
	}
	return nil
}

// RequestExample adds an example of the request's body, other than a form, as JSON.
func RequestExample(v any) DescribeOption {
	return example(0, v)
}

func example(status int, v any) DescribeOption {
	return option(func(d *definition) { d.examples = append(d.examples, bodyExample{status, v}) })
}

// ResponseExample is [RequestExample] for the response with a status.
func ResponseExample(status int, v any) DescribeOption {
	if status == 0 {
		panic("apidoc: ResponseExample(0): write the status of a response, or use RequestExample")
	}
	return example(status, v)
}

// Extension adds a member to the operation's description, encoded as JSON. Its name begins with
// "x-".
func Extension(name string, value any) DescribeOption {
	text, err := json.Marshal(value) // now, since an operation is immutable
	if err != nil {
		panic(fmt.Sprintf("apidoc: Extension(%q): write a value that has JSON: %v", name, err))
	}
	return option(func(d *definition) { d.doc.Extensions[name] = json.RawMessage(text) })
}

// SeeAlso links to other documentation.
func SeeAlso(docs ExternalDocs) DescribeOption {
	if docs.URL == "" {
		panic(fmt.Sprintf("apidoc: SeeAlso: the documentation %q has no URL: write it", docs.Description))
	}
	return option(func(d *definition) { d.doc.Docs = docs })
}

// SendTimeout sets the time limit for each write of a stream or sequence, or for each 64 KiB of a
// longer write. The default is 10 seconds. It replaces the server's WriteTimeout. A writer of
// middleware without deadlines or Unwrap turns it and [ReceiveTimeout] off, which is logged.
//
// A reader with a method Close is closed at the end. For HEAD, nothing is read or written. The
// writer of a func(io.Writer) error buffers 4 KiB until Flush. Unless events are sent (see
// [Event]), an error before the first byte makes an error response; a later one aborts the
// response.
func SendTimeout(timeout time.Duration) Option {
	if timeout < 1 {
		panic(fmt.Sprintf("apidoc: SendTimeout(%v): write a duration above 0", timeout))
	}
	return option(func(d *definition) { d.timeouts.send = timeout })
}

// Heartbeat sets the interval without events after which a comment is sent, for proxies that close
// idle connections. The default is 15 seconds; 0 turns it off.
func Heartbeat(interval time.Duration) Option {
	if interval < 0 {
		panic(fmt.Sprintf("apidoc: Heartbeat(%v): write a duration of at least 0", interval))
	}
	return option(func(d *definition) { d.events = append(d.events, respond.Heartbeat(interval)) })
}

// ReceiveTimeout sets the time limits for a body that the operation reads while it runs, an
// [io.Reader] or JSON Lines: for each read, and in total. The defaults are 10 seconds and 10
// minutes. They replace the server's ReadTimeout. A read that waits longer returns an error with
// the status 408.
func ReceiveTimeout(read, total time.Duration) Option {
	if read < 1 || total < read {
		panic(fmt.Sprintf("apidoc: ReceiveTimeout(%v, %v): write a duration above 0, and a total that is not shorter", read, total))
	}
	return option(func(d *definition) { d.timeouts.read, d.timeouts.total = read, total })
}
