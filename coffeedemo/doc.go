// Package coffeedemo is a small application over a database: suppliers and coffees in SQLite in memory, behind a growing pool of
// connections, on four routes.
//
//	app, err := coffeedemo.New()
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer app.Close()
//	http.ListenAndServe("127.0.0.1:8080", app)
//
// # Routes
//
//	GET /db/create-tables  makes the tables SUPPLIERS and COFFEES
//	GET /db/load-data      inserts the sample rows, all or none
//	GET /coffees           lists every coffee with its supplier, as HTML
//	GET /db/drop-tables    removes the tables
//
// A route that does not fit the state the tables are in answers 409, says which route to call, and changes nothing. A database
// that is busy or closed is a 503 with Retry-After. As GET routes that change data are what crawlers and prefetching browsers trip
// over, hosts that are open to them use [WithGuard].
//
// # Sessions
//
// Each route is one session: one connection and one transaction, under the request's context. Whatever ends it (a return, an error,
// a panic, a client that leaves, a deadline, the closing of the app), the transaction is committed or rolled back, and the
// connection comes back clean or is replaced. Nothing is written to a client while a connection is held.
//
// [SQLite] offers the same sessions to routes of the host's own; give the App the database with [WithStore] and keep it.
//
// # Stores
//
// What the routes need of a database is [Store]. The one in memory is for one process; package postgres beside this one keeps the
// tables on a PostgreSQL server, for hosts on several machines. Package storetest tells whether another one is right.
package coffeedemo
