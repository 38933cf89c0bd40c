// Package session runs work in sessions of a PostgreSQL server, within a time limit. It repeats
// work that failed because of the server or a conflict, and keeps no state outside a transaction.
//
// A [Pool] has the sessions. A [Client] of it makes calls; each store has one.
package session
