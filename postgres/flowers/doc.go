// Package flowers keeps the flower catalog in PostgreSQL, for catalogs that outgrow a process and
// for several hosts over one catalog.
//
//	store, err := flowers.Open(ctx, "postgres://cafe@db1,db2/cafe")
//	if err != nil {
//		log.Fatal(err)
//	}
//	app, err := flowercafe.New(flowercafe.WithCatalog(flowercatalog.WithStore(store)))
//
// [Load], or the program cmd/flowerload, replaces the flowers in one transaction: hosts serve the
// old ones until it commits, and then the new ones.
//
// # Time
//
// Each read ends within the limit of [WithWaitLimit] plus a second, with its result or with
// [flowercatalog.ErrBusy]. A long list is many reads of 2,000 flowers each. In between it holds no
// connection, so clients that read slowly cost only memory. If the flowers are replaced meanwhile,
// it ends with [flowercatalog.ErrChanged].
//
// # What it needs
//
// PostgreSQL 13 or newer in UTF-8, with its extension pg_trgm, which Load creates. An index of
// trigrams finds texts of three characters or more in names. A scan finds shorter ones, and those
// without letters that the database's locale knows. It stops at the page's limit, so it is quick if
// names have the text, and takes 0.1 s for each million flowers if none has it. A pooler such as
// PgBouncer in transaction mode may stand between a host and the server.
package flowers
