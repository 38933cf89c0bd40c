package apidoc

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// This file checks values that did not come in the body of a request.

// Checker checks values of a type like the body of a request: rows of a file, messages of a queue,
// or a value after a PATCH was merged. It is safe for concurrent use.
type Checker[T any] struct {
	schema        *schema.Schema
	hasValidators bool // a nested value may implement Validator
}

// NewChecker returns a Checker.
func NewChecker[T any]() *Checker[T] {
	t := reflect.TypeFor[T]()
	c, err := newChecker[T](t)
	if err != nil {
		panic(fmt.Sprintf("apidoc: NewChecker[%s]: %v", t, err))
	}
	return c
}

func newChecker[T any](t reflect.Type) (*Checker[T], error) {
	if hasTag(t, inputTags) {
		return nil, fmt.Errorf("it reads JSON: write a struct without the tags %q", inputTags)
	}
	if _, err := gotype.NewDefinitions().Read(t); err != nil { // the value is encoded too
		return nil, err
	}
	types := gotype.NewDefinitions()
	types.Input = true
	s, err := types.Read(t)
	return &Checker[T]{s, types.HasValidators}, err
}

// Check returns nil for a valid value, and a *[Problem] with the errors, a 422, for an invalid one.
// Other errors are of a Validator or of encoding v. It leaves out readOnly members.
func (c *Checker[T]) Check(ctx context.Context, v T) error {
	text, err := value.Encode(nil, c.schema, reflect.ValueOf(&v).Elem(), schema.InRequests)
	switch {
	case errors.Is(err, value.ErrNotUTF8):
		return Invalid([]InputError{{In: InBody, Code: notText.Code, Detail: "must be text in UTF-8"}})
	case err != nil:
		return fmt.Errorf("apidoc: check a %T: %w", v, err)
	}
	errs, err := value.Decode(ctx, c.schema, string(text), reflect.New(reflect.TypeFor[T]()).Elem(), c.hasValidators)
	if err != nil {
		return err
	}
	return Invalid(errs)
}
