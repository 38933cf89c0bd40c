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

// Interceptor wraps an operation. It runs after the input was decoded and checked, and before the
// output or error is encoded. It calls next to run the inner interceptors and the operation, and
// returns the result of next, an error, or another value of the operation's output type. Next may
// be called several times in turn, or not at all, but must have returned before the interceptor
// does. An interceptor must be safe for concurrent use.
//
// The operation's context has the values of the context for next. If the operation panics, next
// returns a [routing.PanicError]. An operation that reads its body itself, from an [io.Reader] or
// lines, can be called once.
type Interceptor func(ctx context.Context, call *Call, next func(context.Context) (any, error)) (any, error)

// Call is a call of an operation.
type Call struct {
	ID      string   // of the operation
	Method  string   // of the route
	Pattern string   // of the route, with the prefixes of groups
	Tags    []string // must not be changed

	// Input points to the operation's input, such as a *ByID. Change that, not this field; changes
	// are not checked again.
	Input any

	// Context is the interceptor's. Its Header is the response's.
	Context routing.Context
}

// intercept calls an operation within its interceptors, and sets output, which is zero, to their
// result. Run sets output. If plan has a reader, intercept returns the outputs of the operation and
// of interceptors, whose bodies the result may wrap. After an error, for example of a commit, it
// closes them.
func intercept(
	all []Interceptor, call Call, output reflect.Value, run func(routing.Context, context.Context) error, plan *outputPlan,
) ([]reflect.Value, error) {
	t, isDone := output.Type(), false
	var outputs []reflect.Value // several, if next was called several times
	defer func() {              // also after a panic
		if isDone {
			return
		}
		plan.closeAll(outputs)
	}()
	isOutput := func(result any) bool { return result != nil && reflect.TypeOf(result).AssignableTo(t) }
	keep := func(result any) any {
		if plan.isReader && isOutput(result) {
			outputs = append(outputs, reflect.ValueOf(result))
		}
		return result
	}
	next := func(c routing.Context, ctx context.Context) (any, error) {
		defer output.SetZero() // it is set again at the end
		if err := run(c, ctx); err != nil {
			return nil, err
		}
		return keep(output.Interface()), nil
	}
	for _, around := range slices.Backward(all) {
		inner := next
		next = func(c routing.Context, ctx context.Context) (any, error) {
			own := call
			own.Context = c
			result, err := around(ctx, &own, withRecover(func(ctx context.Context) (any, error) {
				if own.Input != call.Input {
					return nil, fmt.Errorf("apidoc: operation %s: an interceptor has set the field Input of its Call: change the value to which it points", call.ID)
				}
				c, end := c.WithContext(ctx) // code that uses the request's context must be in the transaction too
				defer end()
				return inner(c, ctx)
			}))
			return keep(result), err
		}
	}
	result, err := next(call.Context, call.Context.Request().Context())
	if err != nil {
		return nil, repanicAbort(err)
	}
	switch {
	case isOutput(result):
		output.Set(reflect.ValueOf(result))
	case result != nil || t.Kind() != reflect.Interface && t != reflect.TypeFor[struct{}]():
		return nil, fmt.Errorf("apidoc: operation %s: an interceptor returned a value of type %T: return the %s that next returned, or an error",
			call.ID, result, t)
	}
	isDone = true
	return outputs, nil
}

// withRecover wraps f so that panics become errors.
func withRecover(f func(context.Context) (any, error)) func(context.Context) (any, error) {
	return func(ctx context.Context) (result any, err error) {
		defer func() {
			if v := recover(); v != nil {
				err = &routing.PanicError{Value: v, Stack: debug.Stack()}
			}
		}()
		return f(ctx)
	}
}

// repanicAbort returns err. If err is the panic that closes the connection, it panics again.
func repanicAbort(err error) error {
	var panicked *routing.PanicError
	if errors.As(err, &panicked) && panicked.Value == http.ErrAbortHandler {
		panic(http.ErrAbortHandler)
	}
	return err
}
