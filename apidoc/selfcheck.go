package apidoc

import "context"

// This file has the interface of types that check themselves.

// SelfChecked is an input, or a struct, slice or map anywhere in a body, with rules that tags
// cannot express: a date is before another one, or a name is free. CheckInput returns what is
// wrong, which is reported with the other errors in one 422. Pointers are relative to the value:
// "/until" is the member of that name. An input may report a parameter by its Name alone. A second
// result other than nil is an error of the operation.
//
// CheckInput is called once for each value, inner ones first, in the order of the request: also for
// parameters, for structs that are embedded or named in the input, and for parts of forms. It is
// not called on nil, on a value that breaks a rule or contains one that does, or on an input with
// any error. Values inside a type that decodes itself are not checked. A method that is promoted
// from an embedded struct is called on that struct alone.
type SelfChecked interface {
	CheckInput(ctx context.Context) ([]InputError, error)
}
