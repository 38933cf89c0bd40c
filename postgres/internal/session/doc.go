// Package session runs work in sessions of a PostgreSQL server, within a time limit. It repeats
// work that failed because of the server or a conflict, and keeps no state outside a transaction.
//
// A [Pool] has the sessions. Each store has a [Client] of a pool, which makes calls.
//
// The driver, pgx, tries the servers of a connection string, each for a while (ConnectTimeout),
// finds the one that accepts writes (ValidateConnect), pings sessions that were idle (ShouldPing)
// and drops all of them (Reset). This package adds three rules, since recovery was much
// slower without them (postgres/RESULTS.md; TestSilentNetwork tests the last two):
//
//   - the server that accepted the last session is tried first;
//   - one ping without an answer drops all idle sessions, not one after the other;
//   - abandoned sessions close within a second, without a request to cancel their statements. The
//     driver would wait 15 seconds, and count the sessions as open until then.
package session
