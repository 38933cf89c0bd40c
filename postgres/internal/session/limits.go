package session

import "time"

// This file derives all limits from the acquire timeout, so that nothing runs longer than its
// caller waits, neither here nor on the server.

// limits are the time limits of the parts of a call.
type limits struct {
	// call is the acquire timeout. Statements get nine tenths of what is left of it as
	// statement_timeout.
	call time.Duration

	// ping is for the response to a ping, and for the end of an abandoned session. It is short, so
	// that a call whose connection was lost has time left to open a new one.
	ping time.Duration

	// lock is the limit for a lock (lock_timeout). Readers queue behind a writer that waits for a
	// lock, so the writer gives up early and tries again.
	lock time.Duration

	// idle is for a transaction whose host sends nothing (idle_in_transaction_session_timeout). It
	// is short, so that the writers of other hosts do not reach their limits.
	idle time.Duration
}

func limitsFor(wait time.Duration) limits {
	return limits{
		call: wait,
		ping: min(max(wait/10, 50*time.Millisecond), time.Second),
		lock: wait / 4,
		idle: wait / 2,
	}
}

// connect is for opening a session on one of several servers. Those that do not respond leave time
// for the others, and for a statement.
func (l limits) connect(servers int) time.Duration {
	return min(l.call*2/3/time.Duration(max(1, servers)), 2*time.Second)
}

// milliseconds returns a duration as the server reads it. 0 would be no limit.
func milliseconds(d time.Duration) int64 { return max(1, d.Milliseconds()) }
