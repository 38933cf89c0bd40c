package routing

import (
	"runtime"
	"sync/atomic"
)

// guard lets a Context reach its exchange as long as its request lasts, and no longer. It counts the requests that the
// exchange has served; a Context has the count of its own. To read or write what the exchange holds, a Context takes the guard,
// which fails once the count has moved on. So nothing that was kept reads or writes what belongs to another request, and the
// race detector sees the order too. Nobody misusing it, it is one uncontended compare-and-swap.
//
// The room for a result is claimed instead: once in a request, and for the rest of it, so that nothing has to be given back.
type guard struct {
	state atomic.Uint64 // the count of requests, and in the lowest bits what follows
}

const (
	guardHeld    = 1 // somebody holds the guard
	guardClaimed = 2 // the room is claimed
	guardBits    = 2
)

// count returns the count of the present request.
func (g *guard) count() uint64 { return g.state.Load() >> guardBits }

// take takes the guard for the request of that count. It reports false if the request is over.
func (g *guard) take(count uint64) bool {
	for {
		state := g.state.Load()
		if state>>guardBits != count {
			return false
		}
		if state&guardHeld == 0 && g.state.CompareAndSwap(state, state|guardHeld) {
			return true
		}
		runtime.Gosched() // two goroutines of one request use its Context at once
	}
}

// give gives the guard back.
func (g *guard) give() { g.state.Store(g.state.Load() &^ guardHeld) }

// claim claims the room for the request of that count. It reports false if that was done before or the request is over.
func (g *guard) claim(count uint64) bool {
	state := count << guardBits
	return g.state.CompareAndSwap(state, state|guardClaimed)
}

// seal ends the request of that count for every Context, and reports whether the room was claimed. A second call does nothing.
func (g *guard) seal(count uint64) (claimed bool) {
	for {
		state := g.state.Load()
		if state>>guardBits != count {
			return false
		}
		if state&guardHeld == 0 && g.state.CompareAndSwap(state, (count+1)<<guardBits) {
			return state&guardClaimed != 0
		}
		runtime.Gosched()
	}
}
