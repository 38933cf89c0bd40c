package apidoc

import (
	"encoding/json"
	"fmt"

	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/routing"
)

// This file has problem details (RFC 9457), which are errors of operations and described responses.

// Problem is an error and the response to it, as application/problem+json (RFC 9457). As an
// [Option] it describes that an operation may return it. Make one with [Fail]. Go clients can
// decode responses into it.
type Problem struct {
	Type   string       `json:"type" doc:"A URI of the kind of problem" format:"uri-reference" example:"about:blank"`
	Title  string       `json:"title" doc:"What went wrong, the same for all problems of a kind" example:"Not Found"`
	Status int          `json:"status" doc:"The status code of the response" example:"404"`
	Detail string       `json:"detail,omitempty" doc:"What went wrong this time"`
	Errors []InputError `json:"errors,omitempty" doc:"What is wrong with the request"`

	declared *Problem
}

// InputError describes an error in one part of a request.
type InputError struct {
	In      Place  `json:"in" doc:"Where it is: path, query, header, cookie, form or body" example:"body"`
	Name    string `json:"name,omitempty" doc:"The name of the parameter"`
	Pointer string `json:"pointer,omitempty" doc:"A JSON pointer to the place in the body; none for the whole body" example:"/name"`
	Detail  string `json:"detail" doc:"What the value must be" example:"must be a string"`
}

// Fail returns a problem with a status, 400 to 599, and a title that says what went wrong. Return
// it as an error, and pass it as an [Option] to the operations that do. Any other status panics,
// and so does an empty title.
func Fail(status int, title string) *Problem {
	if status < 400 || status > 599 || title == "" {
		panic(fmt.Sprintf("apidoc: Fail(%d, %q): write a status of 400 to 599 and a title", status, title))
	}
	return &Problem{Type: "about:blank", Title: title, Status: status}
}

// With returns a copy of the problem with a detail about this occurrence, for the client. By
// [errors.Is] the copy is the same problem.
func (p *Problem) With(format string, args ...any) *Problem {
	return p.with(fmt.Sprintf(format, args...))
}

func (p *Problem) with(detail string) *Problem {
	c := *p
	c.Detail, c.declared = detail, p.origin()
	return &c
}

// Error returns the title, and the detail if there is one.
func (p *Problem) Error() string {
	if p.Detail == "" {
		return p.Title
	}
	return p.Title + ": " + p.Detail
}

// StatusCode returns the status.
func (p *Problem) StatusCode() int { return p.Status }

// Is reports whether target is the same problem, or a copy of it made by [Problem.With].
func (p *Problem) Is(target error) bool {
	t, ok := target.(*Problem)
	return ok && t.origin() == p.origin()
}

// As sets target to a [routing.Problem] with the same members. So the app also responds with the
// problem if a filter returns it.
func (p *Problem) As(target any) bool {
	found, ok := target.(**routing.Problem)
	if ok {
		*found = &routing.Problem{Type: p.Type, Title: p.Title, Status: p.Status, Detail: p.Detail}
		if len(p.Errors) > 0 {
			(*found).Members = map[string]any{"errors": p.Errors}
		}
	}
	return ok
}

func (p *Problem) origin() *Problem {
	if p.declared != nil {
		return p.declared
	}
	return p
}

func (p *Problem) apply(d *definition) { d.op.responds(p.response()) }

func (p *Problem) response() Response {
	return Response{Status: p.Status, Description: p.Title, Body: TypeOf[Problem](), ContentType: message.Problem}
}

// write makes the response.
func (p *Problem) write(c routing.Context) (routing.Result, error) {
	if p.Type == "" {
		whole := *p
		whole.Type = "about:blank"
		p = &whole
	}
	return writeProblem(c, p.Status, p)
}

// writeProblem makes the response to a problem of this package or of the router.
func writeProblem(c routing.Context, status int, p any) (routing.Result, error) {
	body, err := json.Marshal(p)
	if err != nil {
		return failed(fmt.Errorf("apidoc: encode the problem: %w", err))
	}
	c.SetStatus(status)
	return routing.Bytes(message.Problem, body), nil
}

// failed passes the error to the app's error handler.
func failed(err error) (routing.Result, error) {
	var none routing.Result
	return none, err
}
