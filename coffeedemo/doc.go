// Package coffeedemo is a small database application: four routes for suppliers and coffees, which
// are kept in SQLite in memory.
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
//	GET /db/load-data      inserts the sample rows
//	GET /coffees           lists every coffee with its supplier, as HTML
//	GET /db/drop-tables    drops the tables
//
// A route that does not fit the state of the tables changes nothing and responds with 409. If the
// database is busy or closed, the response is a 503 with Retry-After. HEAD changes nothing.
// Crawlers and prefetching browsers call GET routes: protect yours with [WithGuard] and a login.
//
// # Sessions
//
// Each of these requests has a connection and a transaction of its own. An error or a panic in it
// rolls it back, and so does a client that disconnects. Your own routes can use a [SQLite] that you
// pass to [WithStore]. For several hosts, package postgres/coffees is a [Store].
package coffeedemo
