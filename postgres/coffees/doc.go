// Package coffees keeps the tables of the coffee demo in PostgreSQL, so that several hosts can
// share them.
//
//	store, err := coffees.Open(ctx, "postgres://cafe@db1,db2/cafe?sslmode=verify-full")
//	if err != nil {
//		log.Fatal(err)
//	}
//	app, err := flowercafe.New(flowercafe.WithCoffee(coffeedemo.WithStore(store)))
//
// # Time
//
// A call that takes longer than the limit of [WithAcquireTimeout] fails with [coffeedemo.ErrBusy],
// at most a second later. The limit includes waiting for other calls and locks, for a stalled
// network, and for a server that restarts, but not the function that List calls. Transactions have
// limits on the server too (statement_timeout, lock_timeout, idle_in_transaction_session_timeout):
// nothing but a COMMIT runs on after its call, and a host that stops within a transaction blocks
// the others for at most half the limit. A call that fails because of the server or a conflict is
// repeated within the limit, unless it may have been committed: then the error is
// [coffeedemo.ErrOutcomeUnknown].
//
// # Several servers
//
// A connection string may name several servers. The store uses the one that accepts writes: it sets
// target_session_attrs to primary if the string sets it to any or not at all. After a failover it
// finds the new primary without a restart. Package postgres describes how it connects.
//
// # Trust
//
// The owner of a table or a view can make roles that use it execute code with their own rights. So
// the store uses only tables of its own role, in the first schema of search_path that exists, and
// resolves names in pg_catalog first. A policy that hides rows from the role is an error. Grant
// TRIGGER on the tables only to roles that you trust like this one.
//
// # Poolers
//
// The store keeps no state outside a transaction: no prepared statements, settings or locks. So it
// works behind a pooler such as PgBouncer in transaction mode. Transactions that change the tables
// are serializable and are repeated after a serialization failure. The tests run with PostgreSQL,
// directly and through PgBouncer, and not with other engines.
package coffees
