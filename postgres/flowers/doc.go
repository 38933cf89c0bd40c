// Package flowers keeps the flower catalog in PostgreSQL, for catalogs that outgrow a process and
// for several hosts over one catalog.
//
//	store, err := flowers.Open(ctx, "postgres://cafe@db1,db2/cafe")
//	if err != nil {
//		log.Fatal(err)
//	}
//	app, err := flowercafe.New(flowercafe.WithCatalog(flowercatalog.WithStore(store)))
//
// [Load], or the program cmd/flowerload, brings flowers into the database, all at once: hosts serve
// the flowers that were there before until it commits, and the new ones from then on.
//
// # Time
//
// Each read ends within the limit of [WithWaitLimit] plus a second, with its result or with
// [flowercatalog.ErrBusy]. A long list is many reads, 2,000 flowers each. In between it holds no
// connection, so clients that read slowly cost memory alone; when the flowers are replaced
// meanwhile, it ends with [flowercatalog.ErrChanged].
//
// # What it needs
//
// PostgreSQL 13 or newer in UTF-8, with its extension pg_trgm, which Load creates. An index of
// trigrams finds texts of three characters or more in names; shorter ones, and those without
// letters that the database's locale knows, are found by a scan, in catalog order and up to the
// page's limit: quickly if names have them, and in the time of a whole scan (0.1 s a million) if
// none has. A pooler such as PgBouncer in transaction mode may stand between a host and the server.
package flowers
