// Package coffeedemo is a small database application: four routes for suppliers and coffees, which
// are kept in SQLite in memory. A pool opens connections on demand.
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
//	GET /db/create-tables  creates the tables SUPPLIERS and COFFEES
//	GET /db/load-data      inserts the sample rows in one transaction
//	GET /coffees           lists every coffee with its supplier, as HTML
//	GET /db/drop-tables    drops the tables
//
// A route that does not fit the state of the tables changes nothing and responds with 409 and the
// route to call first. If the database is busy or closed, the response is a 503 with Retry-After.
// After [ErrOutcomeUnknown] it is a 503 without Retry-After. Crawlers and prefetching browsers call
// GET routes: if they can reach yours, use [WithGuard], which documents its limits.
//
// # Sessions
//
// A request for one of these routes is a session: it has one connection and one transaction, and is
// interrupted when the request's context ends. After an error, a panic, a timeout, or if the client
// disconnects, the transaction is rolled back, and the connection is cleaned or replaced. No
// connection is held while the response is written.
//
// Your own routes can use the same sessions: open a [SQLite], pass it to [WithStore], and call
// [SQLite.Read] and [SQLite.Write].
//
// # Stores
//
// [Store] is the interface to a database. The default is SQLite in memory, for a single process.
// Package postgres/coffees keeps the tables in PostgreSQL, for several hosts. Package storetest
// tests other implementations.
package coffeedemo
