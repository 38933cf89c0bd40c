package apidoc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"runtime/debug"
	"slices"

	"example.com/flowercafe/routing"
)

// This file runs interceptors, which see the values of operations.

// Interceptor runs around an operation, after its input was decoded and checked, and before its
// output or error is encoded. It calls next to run further interceptors and then the operation, and
// returns what next returned, or something else: an error, or another value of the operation's
// output type. A value of any other type is an error of the operation. Nil is one too, except
// for an output without content (struct{}) or of an interface type. Next may be called several
// times, or not at all. The conditions of [Versioned] are checked in next: their 304, 412 and 428
// are errors here.
//
// If the operation or a further interceptor panics, next returns a [routing.PanicError]. Streams
// and events are only produced when the interceptors have returned. It must be safe for concurrent
// use.
type Interceptor func(ctx context.Context, call *Call, next func(context.Context) (any, error)) (any, error)

// Call is one call of an operation.
type Call struct {
	ID      string   // of the operation
	Method  string   // of the route; it is GET for a HEAD request
	Pattern string   // of the route, with the prefixes of groups
	Tags    []string // must not be changed

	// Input is a pointer to the input, such as *ByID. The operation gets what an interceptor
	// changes in it, without further checks.
	Input any

	// Context is the context of the request. Its Header is that of the response.
	Context routing.Context
}

// intercept calls an operation within its interceptors.
func intercept[I, O any](all []Interceptor, call Call, input *I, f func(context.Context, I) (O, error)) (output O, err error) {
	call.Input = input
	next := func(ctx context.Context) (any, error) {
		output, err := f(ctx, *input)
		if err != nil {
			return nil, err
		}
		return output, nil
	}
	for _, around := range slices.Backward(all) {
		inner := contained(next)
		next = func(ctx context.Context) (any, error) { return around(ctx, &call, inner) }
	}
	result, err := next(call.Context.Request().Context())
	if err != nil {
		return output, aborted(err)
	}
	output, ok := result.(O)
	if t := reflect.TypeFor[O](); !ok && (result != nil || t.Kind() != reflect.Interface && t != reflect.TypeFor[struct{}]()) {
		err = fmt.Errorf("apidoc: operation %s: an interceptor returned a value of type %T: return the %s that next returned, or an error",
			call.ID, result, t)
	}
	return output, err
}

// contained returns f, which returns its panics as errors.
func contained[A, R any](f func(A) (R, error)) func(A) (R, error) {
	return func(a A) (result R, err error) {
		defer func() {
			if v := recover(); v != nil {
				err = &routing.PanicError{Value: v, Stack: debug.Stack()}
			}
		}()
		return f(a)
	}
}

// aborted returns an error, unless it is the panic that closes the connection.
func aborted(err error) error {
	var panicked *routing.PanicError
	if errors.As(err, &panicked) && panicked.Value == http.ErrAbortHandler {
		panic(http.ErrAbortHandler)
	}
	return err
}
