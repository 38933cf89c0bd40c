// Package flowercatalog serves a read-only catalog of flowers as a JSON API with a description.
// Mount it in your own mux or serve it alone.
//
//	catalog, err := flowercatalog.New(flowercatalog.WithFlowers(flowers...))
//	if err != nil {
//		log.Fatal(err)
//	}
//	http.ListenAndServe("127.0.0.1:8080", catalog)
//
// Below a prefix of another router, it needs [WithBasePath] with the prefix, "/shop" here:
//
//	r.Any("/shop", gin.WrapH(catalog))         // gin
//	r.Any("/shop/*path", gin.WrapH(catalog))
//	e.Any("/shop", echo.WrapHandler(catalog))  // echo
//	e.Any("/shop/*", echo.WrapHandler(catalog))
//
// # Paths
//
//	/flowers, /flowers/     all flowers as a JSON array, in catalog order; with ?name=… only
//	                        those whose name contains the text; in pages, with [WithPageSize]
//	/flowers/{slug}         one flower, or 404
//	/api-docs/openapi.json  the description in OpenAPI 3.1; also openapi-3.0.json, -3.2.json,
//	                        swagger.json (2.0), and spec.json, with "spec" in place of "swagger"
//	/api-docs/ui/           a page for the description, with [WithViewer]
//
// Search ignores letter case by the rules of Unicode (canonical caseless matching, D145). Hosts
// with the same flowers send the same ETags for lists, flowers and the description.
//
// # Changing flowers and large catalogs
//
// [App.SetFlowers] replaces the flowers while they are served. Memory holds a few million flowers.
// For more, or for several hosts that share a catalog, keep them in a database with [WithStore]:
// package postgres/flowers does, and package catalogtest tests other implementations of [Store].
//
// # Your own routes
//
// Add routes and filters to [App.Routes]. They follow the rules of package routing: the route that
// is defined last is tried first. Routes with [apidoc.Describe] and typed operations of package
// apidoc appear in the description. [WithInfo] sets the title and the other facts about the API.
package flowercatalog
