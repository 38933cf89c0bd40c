package apidoc

import (
	"fmt"

	"example.com/flowercafe/routing"
)

// This file has problem details (RFC 9457), which are errors of operations and described responses.

// Problem is an error and the response to it. As an [Option] it describes that an operation may
// return it. Make one with [Fail].
type Problem = routing.Problem

// InputError describes an error in one part of a request.
type InputError = routing.InputError

// The places of parameters. An operation has form parameters or one body, not both.
const (
	InPath   routing.Place = "path"
	InQuery  routing.Place = "query"
	InHeader routing.Place = "header"
	InCookie routing.Place = "cookie"
	InForm   routing.Place = "form" // of type application/x-www-form-urlencoded, or multipart/form-data
	InBody   routing.Place = "body" // the whole body, JSON
)

// Fail returns a problem with a status, 400 to 599, and a title that says what went wrong. Return
// it as an error, and pass it as an [Option] to the operations that do. Any other status panics,
// and so does an empty title.
func Fail(status int, title string) *Problem {
	if status < 400 || status > 599 || title == "" {
		panic(fmt.Sprintf("apidoc: Fail(%d, %q): write a status of 400 to 599 and a title", status, title))
	}
	return &Problem{Type: "about:blank", Title: title, Status: status}
}

// refuse returns a problem of this package, with a code: the text of its status.
func refuse(status int, code, title string) *Problem {
	p := Fail(status, title)
	p.Code = code
	return p
}

// failed passes the error to the app's error handler.
func failed(err error) (routing.Result, error) {
	var none routing.Result
	return none, err
}
