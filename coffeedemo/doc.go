// Package coffeedemo is a small application over a database: four routes for suppliers and coffees,
// kept in SQLite in memory behind a pool of connections that grows on demand.
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
// A route that does not fit the state of the tables responds with 409, says which route to call,
// and changes nothing. A database that is busy or closed is a 503 with Retry-After. Crawlers and
// prefetching browsers call GET routes; hosts that they can reach use [WithGuard].
//
// # Sessions
//
// Each route is one session: one connection and one transaction, under the request's context.
// However it ends (a return, an error, a panic, a client that leaves, a deadline, the closing of
// the app), the transaction is committed or rolled back, and the connection comes back clean or is
// replaced. Nothing is written to a client while a connection is held.
//
// [SQLite] offers the same sessions to routes of the host: open it, pass it to [WithStore], and
// keep it.
//
// # Stores
//
// [Store] is what the routes need of a database. The default one is in memory, for one process.
// Package postgres/coffees keeps the tables in PostgreSQL, for several hosts. Package storetest
// tests other implementations.
package coffeedemo
