// Package flowers keeps the flower catalog in PostgreSQL, for catalogs that do not fit in memory
// and for several hosts that share a catalog.
//
//	store, err := flowers.Open(ctx, "postgres://cafe@db1,db2/cafe?sslmode=verify-full")
//	if err != nil {
//		log.Fatal(err)
//	}
//	app, err := flowercafe.New(flowercafe.WithCatalog(flowercatalog.WithStore(store)))
//
// A store only reads, so its servers may be standbys.
//
// [Load] and the program cmd/flowerload replace the flowers in one transaction. Hosts serve the old
// flowers until it commits. It changes the rows that differ and keeps the tables, with
// additions by others, such as rights and views.
//
// # Time
//
// A read that takes longer than the limit of [WithAcquireTimeout] fails with
// [flowercatalog.ErrBusy], at most a second later. A long list consists of many reads of 2,000
// flowers each. Between them it holds no connection, so slow clients cost only memory. If the
// flowers are replaced meanwhile, the list fails with [flowercatalog.ErrChanged].
//
// # Requirements
//
// The package needs PostgreSQL 13 or newer in UTF-8 with the extension pg_trgm, which Load creates.
// It works behind a pooler such as PgBouncer in transaction mode. Searches for three characters or
// more use an index of trigrams. Shorter texts, and those without letters in the database's locale,
// need a scan, and texts of letters that most names have cost as much: up to 0.3 s of the server's
// CPU for each million flowers. A search that fills its page stops earlier.
//
// Do not edit the rows by hand, but load again: only a load changes the revision, of which the
// ETags of lists are made.
package flowers
