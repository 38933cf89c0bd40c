package apidoc

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/routing"
)

// This file has problem details (RFC 9457), including the problems of invalid requests.

// Problem is an error and the response to it; make one with [NewProblem]. As an [Option] it
// describes that the operation may return it.
type Problem = routing.Problem

// InputError describes an error in one part of a request.
//
// These tags restrict the values of inputs. On a slice, the rules of numbers, pattern, enum, format
// and accept apply to each item, and the others to the slice.
//
//	min, max, multipleOf  of numbers; exclusiveMin and exclusiveMax exclude the limit itself
//	minLength, maxLength  of text in characters, slices in items, maps in members, a File or raw
//	                      []byte in bytes
//	pattern               a regular expression that must match a part of the text
//	enum                  the allowed values, with commas between them
//	unique                no item occurs twice: text, numbers or booleans
//	format                date-time, date, time, http-date, uuid, email, uri, uri-reference, ip,
//	                      ipv4, ipv6, cidr and byte are checked
//	default               the value of a missing parameter or member
//	nullable              "false": an Optional, or a pointer with omitempty, is never null
//	readOnly, writeOnly   a member that is only in responses, or only in requests
//	dependentRequired     members, form fields or query parameters that this one requires
//	accept                media types of a File
//	doc, example          documentation only, as is deprecated
//
// A type T with a method Values() []T is an enumeration of those values.
//
// Unknown members of an object are ignored, except those that occur twice or are known in another
// letter case. A field _ struct{} with the tag additionalProperties:"false" refuses them all. In an
// input it refuses unknown form fields except _method, and unknown query parameters if the input
// has any.
//
// Code is a keyword of JSON Schema or OpenAPI, such as maxLength, and Limit its value or nil. Some
// errors have another Code, such as duplicate, letterCase and minBytes, or none.
type InputError = routing.InputError

// The locations of values in a request.
const (
	InPath   routing.Location = "path"
	InQuery  routing.Location = "query"
	InHeader routing.Location = "header"
	InCookie routing.Location = "cookie"
	InForm   routing.Location = "form" // urlencoded, or multipart/form-data
	InBody   routing.Location = "body" // the body, or the value in it at Pointer
)

// NewProblem returns a problem with a status, 400 to 599, and a title.
func NewProblem(status int, title string) *Problem {
	if status < 400 || status > 599 || title == "" {
		panic(fmt.Sprintf("apidoc: NewProblem(%d, %q): write a status of 400 to 599 and a title", status, title))
	}
	return &Problem{Type: "about:blank", Title: title, Status: status}
}

// newRefusal returns a problem of this package. Its code is the name of its status.
func newRefusal(status int, code, title string) *Problem {
	p := NewProblem(status, title)
	p.Code = code
	return p
}

// The problems of invalid requests.
var (
	badRequest      = newRefusal(http.StatusBadRequest, "bad_request", "The request cannot be read")
	tooLarge        = newRefusal(http.StatusRequestEntityTooLarge, "request_entity_too_large", "The request is too large")
	unsupportedType = newRefusal(http.StatusUnsupportedMediaType, "unsupported_media_type", "The request has another media type than described")
	invalidInput    = newRefusal(http.StatusUnprocessableEntity, "unprocessable_entity", "The request is not as described")
)

// Invalid returns a *[Problem] with errors, the 422 of invalid requests, or nil without errors. It
// lists the first 100.
func Invalid(errs []InputError) error {
	if len(errs) == 0 {
		return nil
	}
	p := invalidInput.Detailf("") // a copy
	p.Detail, p.Errors = summary(errs), errs[:min(len(errs), value.MaxProblems)]
	return p
}

// summary returns a sentence for each of the first errors.
func summary(errs []InputError) string {
	const most = 3
	var buffer [256]byte // usually enough
	b := buffer[:0]
	for i, e := range errs {
		if i == most {
			b = fmt.Appendf(b, "; and %d more", len(errs)-most)
			break
		}
		if i > 0 {
			b = append(b, "; "...)
		}
		b = append(b, e.In...)
		if e.Name != "" {
			b = strconv.AppendQuote(append(b, ' '), e.Name)
		}
		if e.Line > 0 {
			b = strconv.AppendInt(append(b, " line "...), int64(e.Line), 10)
		}
		if e.Pointer != "" {
			b = append(append(b, ' '), e.Pointer...)
		}
		b = append(append(b, ' '), e.Detail...)
	}
	return string(b)
}

// problemResponse describes the response to a problem. Its body is added later.
func problemResponse(p *Problem, headers ...openapi.Parameter) openapi.Response {
	return openapi.Response{Status: p.Status, Description: p.Title, IsProblem: true, Headers: headers}
}

// withResponse adds a response to a list, unless its status is described already. Problems of one
// status are joined.
func withResponse(list []openapi.Response, r openapi.Response) []openapi.Response {
	i := slices.IndexFunc(list, func(other openapi.Response) bool { return other.Status == r.Status })
	switch {
	case i < 0:
		return append(list, r)
	case !r.IsProblem || !list[i].IsProblem:
		return list
	}
	joined := &list[i]
	if titles := strings.Split(joined.Description, "; "); !slices.Contains(titles, r.Description) {
		joined.Description += "; " + r.Description
	}
	for _, h := range r.Headers {
		if headerIndex(joined.Headers, h.Name) < 0 {
			joined.Headers = append(slices.Clip(joined.Headers), h)
		}
	}
	return list
}
