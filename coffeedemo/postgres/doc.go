// Package postgres keeps the tables of the coffee demo in PostgreSQL, so that several hosts share them.
//
//	store, err := postgres.Open(ctx, "postgres://cafe@db1,db2/cafe")
//	if err != nil {
//		log.Fatal(err)
//	}
//	app, err := flowercafe.New(flowercafe.WithCoffee(coffeedemo.WithStore(store)))
//
// It speaks the wire protocol by pgx, so that distributed databases which speak it too can be used; it is tested with PostgreSQL.
//
// # Several servers
//
// A connection string may name several hosts. Of these the one that takes writes is used (target_session_attrs=read-write, unless the
// string has another value; any is read as read-write too), so that after a failover the new primary is found without a restart. Work
// that a failing server has interrupted is repeated as long as it is sure that nothing of it was committed.
package postgres
