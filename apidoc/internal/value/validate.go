package value

import (
	"context"
	"reflect"

	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/routing"
)

// This file calls the Validate methods of values.

// Validate calls the Validate method of a value that was set from text; of a list, after the
// methods of its items.
func Validate(ctx context.Context, s *schema.Schema, v reflect.Value) (problems []routing.InputError, err error) {
	if v = s.Content(v); !v.IsValid() {
		return nil, nil
	}
	s = s.Resolve()
	root := func() string { return "" }
	for i := 0; s.Items != nil && i < v.Len() && err == nil; i++ {
		if item := s.Items.Content(v.Index(i)); item.IsValid() {
			problems, err = validate(ctx, s.Items.Resolve(), item, root, problems)
		}
	}
	if err == nil {
		problems, err = validate(ctx, s, v, root, problems)
	}
	return problems, err
}

// validate appends the errors of the Validate methods of v and its embedded structs. It calls
// pointer only for an error.
func validate(
	ctx context.Context, s *schema.Schema, v reflect.Value, pointer func() string, problems []routing.InputError,
) ([]routing.InputError, error) {
	for _, path := range s.ValidatorPaths {
		part, ok := embedded(v, path)
		if !ok {
			continue
		}
		found, err := PointerTo(part).(Validator).Validate(ctx)
		if err != nil {
			return problems, err
		}
		for _, e := range found {
			e.In, e.Name, e.Pointer = "body", "", pointer()+e.Pointer
			if len(problems) < MaxProblems {
				problems = append(problems, e)
			}
		}
	}
	return problems, nil
}

// PointerTo returns a pointer to a value. The value may be an embedded struct of a type that is not
// exported, for which [reflect.Value.Interface] panics.
func PointerTo(v reflect.Value) any {
	return reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Interface()
}

// Validator is apidoc.Validator.
type Validator interface {
	Validate(ctx context.Context) ([]routing.InputError, error)
}

// embedded returns a struct that is embedded in v. It reports false if a pointer to it is nil.
func embedded(v reflect.Value, path []int) (reflect.Value, bool) {
	for _, at := range path {
		if v = v.Field(at); v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return v, false
			}
			v = v.Elem()
		}
	}
	return v, true
}
