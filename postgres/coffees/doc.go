// Package coffees keeps the tables of the coffee demo in PostgreSQL, so that several hosts share
// them.
//
//	store, err := coffees.Open(ctx, "postgres://cafe@db1,db2/cafe")
//	if err != nil {
//		log.Fatal(err)
//	}
//	app, err := flowercafe.New(flowercafe.WithCoffee(coffeedemo.WithStore(store)))
//
// # Time
//
// Every call ends within the limit of [WithWaitLimit] plus a second, with its result or with
// [coffeedemo.ErrBusy], whatever delays it: other calls, locks of others, a stalled network, a
// server that restarts. Each transaction sets the same limits on the server (statement_timeout,
// lock_timeout, idle_in_transaction_session_timeout). So nothing keeps running there after the
// call, and a host that stops within a transaction does not block the others. A call that a failing
// server or a conflict interrupts is repeated within the limit, unless it may have been committed.
//
// # Several servers
//
// A connection string may name several servers. The store uses the one that accepts writes:
// target_session_attrs is read-write, unless the string sets another value than any. After a
// failover it finds the new primary without a restart.
//
// # Poolers and other engines
//
// There is no state outside a transaction: no prepared statements, no settings, no locks. So a
// pooler may stand between, such as PgBouncer in transaction mode. Transactions that change the
// tables are serializable, and are repeated after a serialization failure; neither LOCK TABLE nor
// advisory locks are used. Tests run with PostgreSQL, directly and through PgBouncer. SCALING.md
// says what is known about CockroachDB and YugabyteDB.
package coffees
