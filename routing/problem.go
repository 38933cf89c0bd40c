package routing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/routing/internal/response"
)

// This file declares problem details (RFC 9457). Clients do not see the texts of other errors.

// Problem is an error that tells the client what went wrong, as problem details (RFC 9457). Return
// it from an action or a filter. [WithProblemDetails] describes the format of the response.
type Problem struct {
	operationOption // of package apidoc: the description of the operation lists the problem

	// The defaults are "about:blank" and the text of the status (of 400 or 500 if it is unknown).
	Type  string `json:"type" doc:"A URI of the kind of problem" format:"uri-reference" example:"about:blank"`
	Title string `json:"title" doc:"What went wrong, the same for all problems of a kind" example:"Not Found"`

	// Status is 400 to 599. Any other value results in a 500.
	Status int `json:"status" doc:"The status code of the response" example:"404"`

	Code     string       `json:"code,omitempty" doc:"The name of the problem, for programs" example:"not_found"`
	Detail   string       `json:"detail,omitempty" doc:"What went wrong this time"`
	Instance string       `json:"instance,omitempty" doc:"A URI of this occurrence" format:"uri-reference"`
	Errors   []InputError `json:"errors,omitempty" doc:"What is wrong with the request"`

	// Members are additional members of the JSON object. Those with the name of another field are
	// ignored.
	Members map[string]any `json:"-"`

	declared *Problem // the original of a copy by Detailf, or nil
}

type operationOption = private.ResponseOption

// InputError describes an error in a value of a request.
type InputError struct {
	In      Location `json:"in" doc:"Where it is: path, query, header, cookie, form or body" example:"body"`
	Name    string   `json:"name,omitempty" doc:"The name of the parameter"`
	Line    int      `json:"line,omitempty" doc:"The line, in a body of JSON Lines; the first is 1"`
	Pointer string   `json:"pointer,omitempty" doc:"A JSON pointer into the body, or the line; absent if the error is in all of it" example:"/name"`
	Detail  string   `json:"detail" doc:"What is wrong with the value" example:"must have at most 80 characters"`
	Code    string   `json:"code,omitempty" doc:"The rule: its keyword in JSON Schema, if it has one" example:"maxLength"`
	Limit   any      `json:"limit,omitempty" doc:"What the rule allows" example:"80"`
}

// Location is the location of a value in a request: path, query, header, cookie, form or body.
// Package apidoc declares the constants.
type Location string

// Detailf returns a copy of the problem with a detail about this occurrence. For [errors.Is] the
// copy is the same problem.
func (p *Problem) Detailf(format string, args ...any) *Problem {
	c := *p
	c.Detail, c.declared = fmt.Sprintf(format, args...), p.original()
	c.Members, c.Errors = maps.Clone(p.Members), slices.Clone(p.Errors)
	return &c
}

// Is is for [errors.Is]: see [Problem.Detailf].
func (p *Problem) Is(target error) bool {
	t, ok := target.(*Problem)
	return ok && p != nil && t != nil && t.original() == p.original()
}

func (p *Problem) original() *Problem { return cmp.Or(p.declared, p) }

// Error returns the title, and the detail if there is one.
func (p *Problem) Error() string {
	title := cmp.Or(p.Title, response.Title(p.Status))
	if p.Detail == "" {
		return title
	}
	return title + ": " + p.Detail
}

// StatusCode returns the status.
func (p *Problem) StatusCode() int { return p.Status }

// MarshalJSON returns the problem details.
func (p Problem) MarshalJSON() ([]byte, error) {
	type plain Problem // without this method
	p.Type, p.Title = cmp.Or(p.Type, "about:blank"), cmp.Or(p.Title, response.Title(p.Status))
	body, err := json.Marshal(plain(p))
	more := maps.Clone(p.Members)
	for _, name := range []string{"type", "title", "status", "code", "detail", "instance", "errors"} {
		delete(more, name)
	}
	if err != nil || len(more) == 0 {
		return body, err
	}
	members, err := json.Marshal(more)
	if err != nil {
		return nil, err
	}
	return append(append(body[:len(body)-1], ','), members[1:]...), nil
}

// at returns the problem with the status of the response, and with a title. It does not change p,
// which may be nil.
func (p *Problem) at(status int) *Problem {
	switch {
	case p == nil:
		return &Problem{Title: response.Title(status), Status: status, Code: response.Code(status)}
	case p.Status == status && p.Title != "":
		return p
	}
	whole := *p
	whole.Status = status // must be the status of the response (RFC 9457, 3.1.2)
	whole.Title, whole.declared = cmp.Or(p.Title, response.Title(status)), p.original()
	return &whole
}

// problemIn returns the problem that clients get for err, or nil if they get only its status.
func problemIn(err error) *Problem {
	if problem, _ := find[*Problem](err); problem != nil {
		return problem
	}
	// The key comes from the action. The texts of all other errors may be confidential.
	if missing, _ := find[*ParamError](err); missing != nil {
		return &Problem{Code: response.Code(missing.StatusCode()), Detail: "The parameter " + strconv.Quote(missing.Key) + " is missing."}
	}
	return nil
}
