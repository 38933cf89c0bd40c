package apidoc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"runtime/debug"

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

// chain is a call of an operation within its interceptors.
type chain struct {
	plan    *plan
	inv     invocation
	input   any // a pointer to the input
	version Version
	outputs []reflect.Value // of the operation and of interceptors, if they have readers
}

// intercept calls an operation within interceptors, and sets its output, which is zero, to their
// result. If the output has a reader, intercept returns all outputs, whose bodies the result may
// wrap. After an error, for example of a commit, it closes them.
func (p *plan) intercept(c routing.Context, all []Interceptor, inv invocation) (_ Version, replaced []reflect.Value, _ error) {
	ch := &chain{plan: p, inv: inv, input: inv.input().Addr().Interface()}
	isDone := false
	defer func() { // also after a panic
		if !isDone {
			p.output.closeAll(ch.outputs)
		}
	}()
	result, err := ch.next(c, c.Request().Context(), all)
	if err != nil {
		return ch.version, nil, repanicAbort(err)
	}
	switch t := inv.output().Type(); {
	case isOf(t, result):
		inv.output().Set(reflect.ValueOf(result))
	case result != nil || t.Kind() != reflect.Interface && t != reflect.TypeFor[struct{}]():
		return ch.version, nil, fmt.Errorf("apidoc: operation %s: an interceptor returned a value of type %T: return the %s that next returned, or an error",
			p.op.ID(), result, t)
	}
	isDone = true
	return ch.version, ch.outputs, nil
}

// next calls the first of the interceptors rest, whose next calls the others, or the operation if
// there is none.
func (ch *chain) next(c routing.Context, ctx context.Context, rest []Interceptor) (any, error) {
	if len(rest) == 0 {
		return ch.call(c, ctx)
	}
	own := ch.plan.about
	own.Context, own.Input = c, ch.input
	result, err := rest[0](ctx, &own, func(ctx context.Context) (_ any, err error) {
		defer recoverAs(&err)
		if own.Input != ch.input {
			return nil, fmt.Errorf("apidoc: operation %s: an interceptor has set the field Input of its Call: change the value to which it points", ch.plan.op.ID())
		}
		c, end := c.WithContext(ctx) // code that uses the request's context must be in the transaction too
		defer end()
		return ch.next(c, ctx, rest[1:])
	})
	ch.keep(result)
	return result, err
}

// call calls the operation, and returns its output.
func (ch *chain) call(c routing.Context, ctx context.Context) (result any, err error) {
	output := ch.inv.output()
	defer output.SetZero() // it is set again at the end
	if ch.version, err = ch.plan.call(c, ctx, ch.inv); err != nil {
		return nil, err
	}
	result = output.Interface()
	ch.keep(result)
	return result, nil
}

// keep keeps a result whose body may have to be closed.
func (ch *chain) keep(result any) {
	if ch.plan.output.isReader && isOf(ch.inv.output().Type(), result) {
		ch.outputs = append(ch.outputs, reflect.ValueOf(result))
	}
}

// isOf reports whether a result can be set as an output of type t.
func isOf(t reflect.Type, result any) bool {
	return result != nil && reflect.TypeOf(result).AssignableTo(t)
}

// recoverAs sets err to a panic. It is deferred.
func recoverAs(err *error) {
	if v := recover(); v != nil {
		*err = &routing.PanicError{Value: v, Stack: debug.Stack()}
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
