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
// [coffeedemo.ErrBusy], whatever holds it up: other calls, locks of others, a network that stalls,
// a server that restarts. The server gets the same limits (statement_timeout, lock_timeout,
// idle_in_transaction_session_timeout), for each transaction, so nothing goes on there when the
// call has ended, and a host that stops in a transaction does not stop the others. Work that a
// failing server or a conflict has interrupted is repeated within the limit if it is sure that
// nothing of it was committed.
//
// # Several servers
//
// A connection string may name several hosts. The one that takes writes is used
// (target_session_attrs=read-write, unless the string has another value; any is read as read-write
// too). After a failover the new primary is found without a restart.
//
// # Poolers and other engines
//
// There is no state outside a transaction: no prepared statements, no settings, no locks. So a
// pooler may stand between, PgBouncer in transaction mode for instance. Transactions that change
// the tables are serializable, and are repeated after a serialization failure; neither LOCK TABLE
// nor advisory locks are used. Tests run with PostgreSQL, directly and through PgBouncer;
// SCALING.md tells what the documentation of CockroachDB and of YugabyteDB says about the
// statements used here.
package coffees
