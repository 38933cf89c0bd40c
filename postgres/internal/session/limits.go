package session

import "time"

// This file derives all limits from the wait limit, so that nothing runs longer than its caller
// waits, neither here nor on the server.

// limits are the time limits of the parts of a call.
type limits struct {
	// call is the wait limit. The server gets the rest of it as statement_timeout.
	call time.Duration

	// connect is for opening a connection, and for a cancel request.
	connect time.Duration

	// ping is for checking an idle connection, so that a few lost ones leave time for a new one.
	ping time.Duration

	// lock is for one lock (lock_timeout). Readers queue behind a writer that waits for a lock, so
	// the writer gives up early and tries again.
	lock time.Duration

	// idle is for a transaction whose host sends nothing (idle_in_transaction_session_timeout). It
	// is short, so that the writers of other hosts do not reach their limits.
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

// milliseconds returns a duration as the server reads it. 0 would be no limit.
func milliseconds(d time.Duration) int64 { return max(1, d.Milliseconds()) }
