// Package flowercatalog is a read-only catalog of flowers as a JSON API with a description, for
// hosts to mount.
//
//	catalog, err := flowercatalog.New(flowercatalog.WithFlowers(flowers...))
//	if err != nil {
//		log.Fatal(err)
//	}
//	http.ListenAndServe("127.0.0.1:8080", catalog)
//
// # Paths
//
//	/flowers, /flowers/     all flowers as a JSON array, in catalog order; with ?name=… those
//	                        whose name contains the text; in pages, with [WithPages]
//	/flowers/{slug}         one flower, or 404
//	/api-docs/spec.json     the description; also swagger.json (Swagger 2.0) and
//	                        openapi.json (OpenAPI 3.1)
//	/api-docs/ui/           a page for it, if the host brings one; see [WithViewer]
//
// Names are compared without regard to letter case, by the rules of Unicode (canonical caseless
// matching, D145). Every list, flower and form of the description has an ETag made of its content
// alone, so that several hosts give the same.
//
// # Flowers that change, and many of them
//
// [App.SetFlowers] replaces the flowers while they are served. Memory holds some millions of
// flowers and searches them in microseconds. For more, or for several hosts over one catalog,
// [WithStore] sets a database instead. Package catalogtest tests a [Store].
//
// # Routes of the host's own
//
// Routes and filters that a host adds to [App.Routes] follow the rules of package routing: a later
// route goes before an earlier one. Routes with [apidoc.Describe] appear in the description, and so
// do typed operations of package apidoc. What the description says about the API as a whole is set
// by [WithInfo] alone.
package flowercatalog
