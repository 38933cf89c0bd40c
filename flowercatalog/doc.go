// Package flowercatalog serves a read-only catalog of flowers as a JSON API with a description.
//
//	catalog, err := flowercatalog.New(flowercatalog.WithFlowers(flowers...))
//	if err != nil {
//		log.Fatal(err)
//	}
//	http.ListenAndServe("127.0.0.1:8080", catalog)
//
// Below a prefix that another router leaves in the path, use [WithBasePath].
//
// # Paths
//
//	/flowers, /flowers/     the flowers as a JSON array; with ?name=… only those whose name
//	                        contains the text, in any letter case
//	/flowers/{slug}         one flower, or 404
//	/api-docs/openapi.json  the description in OpenAPI 3.1; also openapi-3.0.json,
//	                        openapi-3.2.json, swagger.json (2.0), and spec.json
//	/api-docs/ui/           a page for the description, with WithViewer
//
// # Your own routes
//
// Add routes and filters to [App.Routes]. Routes with [apidoc.Describe] appear in the description,
// and so do typed operations of an API without an Info.
package flowercatalog
