package session

import "time"

// This file derives every limit from one, the wait limit, so that nothing goes on longer than a
// caller waits: neither here nor on the server.

// limits are how long the parts of a call may take.
type limits struct {
	// call is the wait limit. The server also gets what is left of it as statement_timeout.
	call time.Duration

	// connect is for making one connection, and for asking the server to cancel a statement.
	connect time.Duration

	// ping is for the check of a connection that was idle, so that a few dead ones leave time for a
	// new one.
	ping time.Duration

	// lock is for one lock (lock_timeout). Readers queue behind a writer that waits for a lock, so
	// a writer leaves the queue after a while and comes again.
	lock time.Duration

	// idle is for a transaction whose host says nothing (idle_in_transaction_session_timeout). It
	// is short enough for the writers of other hosts to get their turn before they give up.
	idle time.Duration
}

func limitsFor(wait time.Duration) limits {
	return limits{
		call:    wait,
		connect: min(wait, 2*time.Second),
		ping:    wait / 4,
		lock:    wait / 4,
		idle:    wait / 2,
	}
}

// milliseconds is how the server takes a time. 0 would be no limit.
func milliseconds(d time.Duration) int64 { return max(1, d.Milliseconds()) }
