// Package session runs work on sessions of a PostgreSQL server: within a limit of time, again after
// what a failing server or a conflict has interrupted, and without state outside a transaction.
package session
