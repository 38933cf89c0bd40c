package apidoc

import "context"

// This file has the interface of types that check themselves.

// SelfChecked is an input, or a struct, slice or map anywhere in a body, that checks itself after
// its rules, for what tags cannot say: that a date is before another one, or that a name is free.
// It returns what is wrong, which is reported with the other errors in one 422. Pointers are
// relative to the value: "/until" is the member of that name. For a parameter the Name is enough,
// as part of the input itself. Another error is an error of the operation.
//
// It is called once for each value, those inside before those around, in the order of the request:
// of parameters, of structs that are embedded or named in the input, and of parts of forms too. It
// is not called on nil, nor if a rule refuses the value or something in it, and for the input
// itself if there is any error. The type of a part that decodes itself is not entered. A method
// that is promoted from an embedded struct is called on that struct alone.
type SelfChecked interface {
	CheckInput(ctx context.Context) ([]InputError, error)
}
