package routing

import (
	"errors"
	"net/http"
	"runtime"
	"sync/atomic"
)

// exchange is one request and its answer in the making. Exchanges are used again, so that a request costs no allocation; what
// keeps a Context that an action has kept away from the next request is told at guard.
type exchange struct {
	app   *App
	guard guard

	// Set when the request begins, and read by the engine alone.
	count   uint64 // of the guard, for this request
	index   *index
	w       http.ResponseWriter
	r       *http.Request // with its method overridden
	path    string        // what patterns see
	base    string        // what was cut from the path
	ran     *shape        // of the route whose action ran
	result  Result
	failed  bool // the answer is the plain 500, whatever was set
	sealed  bool // the guard is sealed for this request
	settled bool // the request has ended with an error, which decides the answer

	// The reason phrase of a halt, and the status that it belongs to.
	reason       string
	reasonStatus int

	// candidates is room for the routes to try when several have passed.
	candidates []*leaf

	// lent is set when other goroutines may still use the exchange; it is not used again then.
	lent bool

	// refused tells that input.refused is set, without the guard.
	refused atomic.Bool

	// Under the guard until it is sealed.
	status    int
	touched   bool   // a header was set
	input     *input // what was read of the body, or could not be
	kept      kept
	typeValue []string // the header value of the content type last used by Bytes
}

func newExchange(a *App) *exchange {
	x := &exchange{app: a}
	x.kept.owner = x
	return x
}

// kept is the result that an exchange has room for.
type kept struct {
	owner *exchange // never changes
	taken bool
	content
}

// render renders the content, unless the result was kept from another request.
func (k *kept) render(out output) {
	if k.owner != out.x || !k.taken {
		out.x.report(errors.New("the result was made by the Context of another request"))
		out.internalError()
		return
	}
	k.content.render(out)
}

// empty makes room for another result.
func (k *kept) empty() {
	k.taken = false
	if k.kind == typed {
		k.content = content{}
	} else {
		k.text = ""
	}
}

// guard lets a Context reach its exchange as long as its request lasts, and no longer. It counts the requests that the
// exchange has served; a Context has the count of its own. To read or write what the exchange holds, a Context takes the guard,
// which fails once the count has moved on. So nothing that was kept reads or writes what belongs to another request, and the
// race detector sees the order too. Nobody misusing it, it is one uncontended compare-and-swap.
type guard struct {
	state atomic.Uint64 // the count of requests, shifted by one; the lowest bit is set while somebody holds the guard
}

// count returns the count of the present request.
func (g *guard) count() uint64 { return g.state.Load() >> 1 }

// take takes the guard for the request of that count. It reports false if the request is over.
func (g *guard) take(count uint64) bool {
	return g.state.CompareAndSwap(count<<1, count<<1|1) || g.wait(count, count<<1|1)
}

// wait is for two goroutines of one request that use its Context at once.
func (g *guard) wait(count, state uint64) bool {
	for !g.state.CompareAndSwap(count<<1, state) {
		if g.state.Load()>>1 != count {
			return false
		}
		runtime.Gosched()
	}
	return true
}

// give gives the guard back.
func (g *guard) give(count uint64) { g.state.Store(count << 1) }

// seal ends the request of that count for every Context; a second call does nothing.
func (g *guard) seal(count uint64) {
	if !g.state.CompareAndSwap(count<<1, (count+1)<<1) {
		g.wait(count, (count+1)<<1)
	}
}

// context returns the Context of a part of the request: of a filter or an action with the parameters of own, and of what runs
// behind an action with those of ran too.
func (x *exchange) context(own, ran *shape) Context {
	return Context{x: x, count: x.count, r: x.r, path: x.path, own: own, ran: ran}
}

// release empties x and makes it available for another request.
func (x *exchange) release() {
	if x.lent {
		return
	}
	if !x.sealed {
		x.guard.seal(x.count)
	}
	x.sealed = false
	x.w, x.r, x.ran, x.result = nil, nil, nil, nil
	x.failed, x.settled = false, false
	x.status, x.touched, x.input = 0, false, nil
	if x.refused.Load() {
		x.refused.Store(false)
	}
	if x.reason != "" {
		x.reason, x.reasonStatus = "", 0
	}
	if x.kept.taken {
		x.kept.empty()
	}
	x.app.exchange.Put(x)
}

// What Contexts may use at the same time is changed under the guard by the engine as well.

func (x *exchange) setStatus(status int) {
	x.guard.take(x.count)
	x.status = status
	x.guard.give(x.count)
}

// defaultStatus sets the status if none was set.
func (x *exchange) defaultStatus(status int) {
	x.guard.take(x.count)
	if x.status == 0 {
		x.status = status
	}
	x.guard.give(x.count)
}

// touch notes that a header was set.
func (x *exchange) touch() {
	x.guard.take(x.count)
	x.touched = true
	x.guard.give(x.count)
}

// report logs an error that no handler has answered.
func (x *exchange) report(err error) {
	attributes := []any{"method", x.r.Method, "path", x.r.URL.Path, "route", x.r.Pattern, "error", err.Error()}
	var panicked *PanicError
	if errors.As(err, &panicked) {
		attributes = append(attributes, "stack", string(panicked.Stack))
	}
	x.app.logger().ErrorContext(x.r.Context(), "request failed", attributes...)
}
