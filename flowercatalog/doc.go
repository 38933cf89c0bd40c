// Package flowercatalog serves a read-only catalog of flowers as a JSON API with a description.
//
//	catalog, err := flowercatalog.New(flowercatalog.WithFlowers(flowers...))
//	if err != nil {
//		log.Fatal(err)
//	}
//	http.ListenAndServe("127.0.0.1:8080", catalog)
//
// Below a prefix of another router, such as gin's or echo's, it needs [WithBasePath].
//
// # Paths
//
//	/flowers, /flowers/     all flowers as a JSON array, in catalog order; with ?name=… only
//	                        those whose name contains the text, in any letter case
//	/flowers/{slug}         one flower, or 404
//	/api-docs/openapi.json  the description in OpenAPI 3.1; also openapi-3.0.json, -3.2.json,
//	                        swagger.json (2.0), and spec.json, with "spec" in place of "swagger"
//	/api-docs/ui/           a page for the description, with [WithViewer]
//
// # Large catalogs
//
// Memory holds a few million flowers. For more, or for several hosts that share a catalog, use a
// database: package postgres/flowers is a [Store].
//
// # Your own routes
//
// Add routes and filters to [App.Routes]. The route that is defined last is tried first. Routes
// with [apidoc.Describe] appear in the description, and so do typed operations, unless their API
// has an Info of its own.
package flowercatalog
