package routing

import (
	"net/http"
	"strings"
)

// This file is the story of one request, from top to bottom.

// ServeHTTP answers the request, or passes it on to the handler of [WithNext].
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if ix := a.index.Load(); ix != nil && len(ix.middleware) == 0 {
		a.front.serve(ix, w, r)
		return
	}
	a.front.ServeHTTP(w, r)
}

// serve answers one request by the definitions of ix, in five steps.
func (e *entrance) serve(ix *index, w http.ResponseWriter, r *http.Request) {
	path, inside := below(e.base, r.URL.Path)
	if !inside {
		notFoundHere(w, r, e.next)
		return
	}
	x := e.app.exchange.Get().(*exchange)
	defer x.finish()
	x.received = r
	x.ticket = x.guard.ticket()
	x.entrance, x.index, x.w, x.r, x.path, x.ran = e, ix, w, r, path, nil
	if e.app.settings.override || r.Body != nil && !sameType(r.Body, http.NoBody) {
		x.receive()
	}

	// 1. and 2. The before filters, then the routes.
	found, err := x.act()
	if found == something && err == nil && len(ix.after) == 0 && !x.refused.Load() {
		x.send() // nothing is left of the other steps but the last
		return
	}
	x.answer(found, err)
}

// answer takes the other steps.
func (x *exchange) answer(found finding, err error) {
	x.step = answering
	next := x.entrance.next
	if found == elsewhere {
		return
	}

	// 3. What was not found, and what ended with an error.
	if err == nil && found == nothing {
		if next != nil && x.index.notFound == nil {
			found = others
		} else {
			err = x.notFound()
		}
	}
	if err == nil && x.refused.Load() {
		err = x.refusal()
	}
	if err != nil {
		found = something
		x.settle(err)
	}

	// 4. The after filters.
	if len(x.index.after) > 0 && x.after() {
		found = something
	}

	// 5. Rendering: nothing has reached the client before.
	if found == others {
		x.seal()
		next.ServeHTTP(x.w, x.r)
		return
	}
	x.send()
}

// step tells what a panic means.
type step uint8

const (
	acting    step = iota // it is an error of a filter, a condition or an action
	answering             // it was let through, or is the next handler's
	rendering             // it is too late for another answer
)

// finding tells what the routes have made of a request.
type finding uint8

const (
	nothing   finding = iota // no route matches, or all have passed
	something                // there is an answer
	others                   // the next handler will answer
	elsewhere                // a route's middleware has answered, or goes on with it by itself
)

// below cuts base from path. It reports false for a path outside of base, which ends at a slash.
func below(base, path string) (string, bool) {
	if base != "" {
		if !strings.HasPrefix(path, base) {
			return "", false
		}
		path = path[len(base):]
	}
	switch {
	case path == "":
		return "/", true
	case base != "" && path[0] != '/':
		return "", false
	}
	return path, true
}

// receive prepares for reading a body, and overrides the method.
func (x *exchange) receive() {
	if x.r.Body != nil && x.r.Body != http.NoBody {
		x.input = newInput(x.r, &x.app.settings)
		x.uploads = !hasForm(x.r)
		x.unusual = true
	}
	if x.app.settings.override {
		x.r = override(x.r, x.input, x.app.settings.bodyLimit)
	}
}

// sameType reports whether a is of the type of b. The type of http.NoBody has no name outside of its package, and comparing values
// in interfaces takes longer.
func sameType[T any](a any, _ T) bool {
	_, same := a.(T)
	return same
}

// act runs the before filters, and then the newest route that matches, and as long as one passes the next newest. The request the
// app received gets the name of the route.
func (x *exchange) act() (finding, error) {
	if x.app.settings.strictPaths {
		if err := checkStrict(x.r.URL, x.path); err != nil {
			return nothing, err
		}
	}
	if limit := x.app.settings.pathLimit; len(x.path) > limit {
		if x.entrance.next == nil {
			return nothing, pathTooLong(limit)
		}
		return nothing, x.filter(x.index.before, 0) // the next handler's
	}
	if len(x.index.before) > 0 {
		if err := x.filter(x.index.before, 0); err != nil {
			return nothing, err
		}
	}

	outer := x.received.Pattern // what leads to this app, in a ServeMux say
	first, second := x.index.tables(x.r.Method)
	l := first.newest(x.path, noBound)
	if l == nil && second != nil {
		first, second = second, nil
		l = first.newest(x.path, noBound)
	}
	more := candidates{table: first, second: second}
	for ; l != nil; l = more.behind(l, x.path, &x.candidates) {
		if !l.simple && firstRefusal(l.route.conditions, x.r) != nil {
			continue
		}
		x.name(x.nameOf(l))
		x.ran = l.shape
		if !l.simple && l.route.chain != nil {
			if found, err := x.through(l); found != nothing || err != nil {
				return found, err
			}
			continue
		}
		result, err := l.action(x.context(l.shape, 0))
		if err == nil {
			x.result = result
			return something, nil
		}
		x.drop(result)
		if !passed(err) {
			return nothing, err
		}
	}
	x.ran = nil
	x.name(outer)
	return nothing, nil
}

// filter runs filters in order until one ends the request. Late is ticketLate for the after filters, else 0.
func (x *exchange) filter(filters []filter, late ticket) error {
	for i := range filters {
		f := &filters[i]
		own, applies := f.only, strings.HasPrefix(x.path, f.prefix)
		if f.prefix == "" {
			own, applies = f.applies(x.path)
		}
		if !applies || len(f.conditions) > 0 && firstRefusal(f.conditions, x.r) != nil {
			continue
		}
		if err := f.run(x.context(own, late)); err != nil && !passed(err) {
			return err
		}
	}
	return nil
}

// nameOf returns the name of a route, which begins with the outer app's base path where the app is mounted in another one.
func (x *exchange) nameOf(l *leaf) string {
	if x.entrance.mounted {
		return l.route.nameBelow(x.entrance.base)
	}
	return l.name
}

// name tells everyone who has the request which route runs.
func (x *exchange) name(name string) {
	x.received.Pattern = name
	if x.r != x.received {
		x.r.Pattern = name
	}
}

// tellName gives the request that the app received the name of the route of a mounted app, which has had a copy perhaps.
func (x *exchange) tellName(name string) {
	if !x.lent {
		x.received.Pattern = name
	}
}

// after runs the after filters, and reports whether they have decided the answer by an error.
func (x *exchange) after() bool {
	err := x.runAfter()
	if err == nil {
		err = x.refusal()
	}
	if err != nil {
		x.settleLate(err)
	}
	return err != nil
}

func (x *exchange) runAfter() (err error) {
	defer contain(&err)
	return x.filter(x.index.after, ticketLate)
}
