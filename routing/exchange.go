package routing

import (
	"errors"
	"net/http"
	"runtime/debug"
	"sync/atomic"
)

// exchange is one request and its answer in the making. Exchanges are used again, so that a request costs no allocation; what
// keeps a Context that an action has kept away from the next request is told at guard.
type exchange struct {
	output // the writer, the request with its method overridden, and, under the guard until it is sealed, the status

	app   *App
	guard guard

	// For the engine alone.
	ticket   ticket        // of the guard, for this request
	entrance *entrance     // the way that the request came
	received *http.Request // as it came
	index    *index
	path     string // what patterns see
	ran      *shape // of the route whose action ran
	result   Result
	step     step // what the engine is at
	sealed   bool // the guard is sealed for this request
	claimed  bool // the room was claimed, as the guard told when it was sealed
	had      bool // the engine has had the result that is in the room

	lent bool // other goroutines may still use the exchange; it is not used again

	// What few requests set: unusual tells that something of it is.
	unusual bool
	settled bool // the request has ended with an error, which decides the answer
	uploads bool // the request has a body, and had no form when it began

	// candidates is room for the routes to try when several have passed.
	candidates []*leaf

	// refused tells that input.refused is set, without the guard.
	refused atomic.Bool

	// Under the guard until it is sealed, as is the status. The engine alone has what stands behind touched.
	input        *input // what was read of the body, or could not be
	touched      bool   // the status was set, a header may have been, or the input was refused
	failed       bool   // the answer is the plain 500, whatever was set
	reason       string // the reason phrase of a halt
	reasonStatus int    // and the status that it belongs to

	// room is a result for Contexts to use without an allocation. It belongs to who has claimed it at the guard.
	room      content
	typeValue []string // the header value of the content type last used there
}

func newExchange(a *App) *exchange {
	x := &exchange{app: a}
	x.x = x
	x.room.owner = x
	return x
}

// context returns the Context of what has its own parameters cut out of the path by own. Late is ticketLate for what runs behind an
// action, else 0.
func (x *exchange) context(own *shape, late ticket) Context {
	return Context{x: x, ticket: x.ticket | late, r: x.r, own: own}
}

// finish ends a request. It is deferred, and makes an answer of a panic of what acts.
func (x *exchange) finish() {
	if x.step != answering {
		x.recovered(recover())
	}
	if x.lent {
		return
	}
	x.seal()
	if x.unusual || x.touched {
		x.tidy()
	}
	if x.claimed {
		if !x.had {
			return // who has claimed the room may still be writing to it
		}
		x.room.empty()
	}
	x.claimed, x.had = false, false
	x.w, x.r, x.received, x.result = nil, nil, nil, nil
	x.sealed, x.step = false, acting
	x.app.exchange.Put(x)
}

// tidy puts back what few requests set.
func (x *exchange) tidy() {
	x.removeUploads()
	x.unusual, x.settled = false, false
	x.touched, x.failed, x.status, x.input = false, false, 0, nil
	x.reason, x.reasonStatus = "", 0
	x.refused.Store(false)
}

// recovered goes on where the request has panicked with v. Without a value the goroutine ends by runtime.Goexit.
func (x *exchange) recovered(v any) {
	defer x.abandon() // also where the panic goes on, or there is another one
	switch {
	case v == nil:
	case v != http.ErrAbortHandler && x.step == acting:
		defer x.cutRendering()
		x.answer(nothing, &PanicError{Value: v, Stack: debug.Stack()})
	default:
		x.cut(v, x.received)
	}
}

// abandon ends the request where it may not be ended otherwise.
func (x *exchange) abandon() {
	if !x.lent {
		x.seal()
		x.removeUploads()
	}
}

// cutRendering is deferred where something is rendered. A panic is too late for another answer then, and cuts the connection.
func (x *exchange) cutRendering() {
	if x.step == rendering {
		if v := recover(); v != nil {
			x.cut(v, x.received)
		}
	}
}

// cut ends the connection of a request. The exchange is not used again.
func (x *exchange) cut(v any, r *http.Request) {
	if v != http.ErrAbortHandler {
		x.app.report(r, &PanicError{Value: v, Stack: debug.Stack()})
	}
	panic(http.ErrAbortHandler)
}

// seal ends the request for every Context. A second call does nothing.
func (x *exchange) seal() {
	if !x.sealed {
		x.sealed = true
		x.claimed = x.guard.seal(x.ticket)
	}
}

// What Contexts may use at the same time is changed under the guard by the engine as well.

func (x *exchange) setStatus(status int) {
	x.guard.take(x.ticket)
	x.status, x.touched = status, true
	x.guard.give()
}

// defaultStatus sets the status if none was set.
func (x *exchange) defaultStatus(status int) {
	x.guard.take(x.ticket)
	if x.status == 0 {
		x.status, x.touched = status, true
	}
	x.guard.give()
}

// touch notes that a header was set.
func (x *exchange) touch() {
	x.guard.take(x.ticket)
	x.touched = true
	x.guard.give()
}

// report logs an error that no handler has answered.
func (x *exchange) report(err error) { x.app.report(x.r, err) }

func (a *App) report(r *http.Request, err error) {
	attributes := []any{"method", r.Method, "path", r.URL.Path, "route", r.Pattern, "error", err.Error()}
	var panicked *PanicError
	if errors.As(err, &panicked) {
		attributes = append(attributes, "stack", string(panicked.Stack))
	}
	a.logger().ErrorContext(r.Context(), "request failed", attributes...)
}
