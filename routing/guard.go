package routing

import (
	"runtime"
	"sync/atomic"
)

// guard lets a Context reach its exchange as long as its request lasts, and no longer. It counts the requests that the
// exchange has served; a Context has a ticket for its own. To read or write what the exchange holds, a Context takes the guard,
// which fails once the count has moved on. So nothing that was kept reads or writes what belongs to another request, and the
// race detector sees the order too. As long as nobody misuses a Context, taking it is one uncontended compare-and-swap.
//
// The room for a result is claimed instead: once in a request, and for the rest of it, so that nothing has to be given back.
type guard struct {
	state atomic.Uint64 // the count of requests, and in the lowest bits what follows
}

const (
	guardHeld    = 1 // somebody holds the guard
	guardClaimed = 2 // the room is claimed
	guardFlags   = guardHeld | guardClaimed
)

// ticket tells one request of an exchange: the count, and where the guard has its flags, ticketLate.
type ticket uint64

// ticketLate marks the Context of what runs behind an action, which sees the parameters of the route too.
const ticketLate = 1

// ticket returns the ticket of the present request.
func (g *guard) ticket() ticket { return ticket(g.state.Load() &^ guardFlags) }

// admits reports whether t is of the request that state tells.
func admits(state uint64, t ticket) bool { return (state^uint64(t))&^guardFlags == 0 }

// over reports whether the request of a ticket is over.
func (g *guard) over(t ticket) bool { return !admits(g.state.Load(), t) }

// take takes the guard. It reports false if the request of the ticket is over.
func (g *guard) take(t ticket) bool {
	for {
		state := g.state.Load()
		if !admits(state, t) {
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

// claim claims the room. It reports false if that was done before or the request of the ticket is over.
func (g *guard) claim(t ticket) bool {
	state := uint64(t) &^ guardFlags
	return g.state.CompareAndSwap(state, state|guardClaimed)
}

// seal ends the request of a ticket for every Context, and reports whether the room was claimed. A second call does nothing.
func (g *guard) seal(t ticket) (claimed bool) {
	for {
		state := g.state.Load()
		if !admits(state, t) {
			return false
		}
		if state&guardHeld == 0 && g.state.CompareAndSwap(state, (state|guardFlags)+1) {
			return state&guardClaimed != 0
		}
		runtime.Gosched()
	}
}
