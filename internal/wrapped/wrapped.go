// Package wrapped finds an error in another one.
package wrapped

import (
	"errors"
	"reflect"
)

// In reports whether err is target or wraps it, like [errors.Is], which panics for a target such as
// a struct with a slice of errors in an interface, and never finds a slice. Errors that cannot be
// compared are the same if they have the same type.
func In(err, target error) bool {
	if reflect.ValueOf(target).Comparable() {
		return errors.Is(err, target)
	}
	return contains(err, reflect.TypeOf(target))
}

// contains reports whether err has the type or wraps an error that has it.
func contains(err error, t reflect.Type) bool {
	if reflect.TypeOf(err) == t {
		return true
	}
	switch err := err.(type) {
	case interface{ Unwrap() error }:
		return contains(err.Unwrap(), t)
	case interface{ Unwrap() []error }:
		for _, one := range err.Unwrap() {
			if contains(one, t) {
				return true
			}
		}
	}
	return false
}
