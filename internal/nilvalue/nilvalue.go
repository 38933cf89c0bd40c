// Package nilvalue finds nil pointers and functions in interface values. For example, a nil
// *routing.App that is passed as an http.Handler is not equal to nil, and panics when it is used.
package nilvalue

import (
	"fmt"
	"net/http"
	"reflect"
)

// In reports whether v is nil, or holds a nil pointer or function.
func In(v any) bool {
	if v == nil {
		return true
	}
	switch value := reflect.ValueOf(v); value.Kind() {
	case reflect.Pointer, reflect.Func:
		return value.IsNil()
	default:
		return false
	}
}

// CheckOptional returns an error for a handler that holds a nil pointer or function. Nil itself is
// valid and means no handler.
func CheckOptional(option string, handler http.Handler) error {
	if handler == nil || !In(handler) {
		return nil
	}
	return fmt.Errorf("%s: the handler is a nil %T: pass a plain nil", option, handler)
}
