package routing

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"
)

// This file runs routes with middleware. The middleware calls the rest of the request, or doesn't, in this goroutine or another,
// before it returns or later; it may answer by itself, and it may panic. Who answers is decided once, by the state of the visit.

// visit is the way of one request through the middleware of a route.
type visit struct {
	x     *exchange
	leaf  *leaf
	state atomic.Int32
}

// The states of a visit.
const (
	visitOutside  int32 = iota // the middleware has not called what it wraps
	visitInside                // the rest of the request goes on there
	visitPassed                // the action has passed; an answer that the middleware begins now is dropped
	visitAnswered              // the answer is rendered
	visitOver                  // the middleware has returned without calling what it wraps; a call now does nothing
	visitLeft                  // it has returned, and what it wraps is still at work: that is too late to pass
)

type visitKey struct{}

// end ends a visit when the middleware has returned or panicked, and returns its last state.
func (v *visit) end() int32 {
	if !v.state.CompareAndSwap(visitOutside, visitOver) {
		v.state.CompareAndSwap(visitInside, visitLeft)
	}
	return v.state.Load()
}

// passed reports whether the action has passed. A nil visit has no action.
func (v *visit) passed() bool { return v != nil && v.state.Load() == visitPassed }

// through runs a route with middleware. As long as the exchange is lent, other goroutines may have it.
func (x *exchange) through(l *leaf) (found finding, err error) {
	v := &visit{x: x, leaf: l}
	w, r := x.w, x.r
	writer := &responseWriter{ResponseWriter: w, app: x.app, r: r, visit: v}
	copied := x.withPathValues(r.WithContext(context.WithValue(r.Context(), visitKey{}, v)))
	defer removeFiles(copied, hasForm(copied))
	x.lent = true
	returned := false
	defer func() {
		tooLate := writer.sent // for another answer
		switch v.end() {
		case visitAnswered, visitLeft:
			tooLate = true
			if x.uploads {
				removeFiles(r, false)
			}
		default: // nobody else has the exchange any more
			x.lent = false
			x.w, x.r = w, r
			if returned && v.passed() && !tooLate {
				found = nothing
			} else if returned {
				x.behindMiddleware()
			}
		}
		if !returned && tooLate {
			x.step = rendering
		}
	}()
	l.route.chain.ServeHTTP(writer.full(), copied)
	returned = true
	return elsewhere, nil
}

// behindMiddleware ends a request that the middleware of a route has answered.
func (x *exchange) behindMiddleware() {
	if err := x.runAfter(); err != nil {
		x.report(err)
	}
	x.seal()
}

// serveInside is what the middleware of a route goes around: the action and the rest of the request, as in exchange.answer.
func serveInside(w http.ResponseWriter, r *http.Request) {
	v, ok := r.Context().Value(visitKey{}).(*visit)
	if !ok {
		slog.Error("the middleware of a route has passed on a request without the context of the one it got", "path", r.URL.Path)
		http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
		return
	}
	if !v.state.CompareAndSwap(visitOutside, visitInside) {
		return // called twice, or too late
	}
	x := v.x
	defer func() {
		if !v.passed() {
			x.seal() // also where the goroutine ends
		}
	}()
	defer removeFiles(r, hasForm(r))
	x.w, x.r = w, r
	x.touch() // what the middleware has set
	err := x.runInside(v.leaf)
	if err != nil && passed(err) {
		v.state.CompareAndSwap(visitInside, visitPassed)
		return
	}
	defer v.state.CompareAndSwap(visitInside, visitAnswered)
	if err == nil {
		err = x.refusal()
	}
	if err != nil {
		x.settle(err)
	}
	if len(x.index.after) > 0 {
		x.after()
	}
	defer func() {
		if v := recover(); v != nil {
			x.cut(v, r)
		}
	}()
	x.render()
}

// runInside runs the action of a route with middleware.
func (x *exchange) runInside(l *leaf) (err error) {
	defer contain(&err)
	result, err := l.route.action(x.context(l.shape, 0))
	if err != nil {
		x.drop(result)
		return err
	}
	x.result = result
	return nil
}
