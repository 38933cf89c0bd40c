// Package flowercafe provides two small applications that a Go service mounts: a flower catalog (a
// JSON API with search and a machine-readable description), and a coffee demo on SQLite behind a
// pool of connections. They are built on packages that can be used alone: routing, a router with
// the rules of Sinatra, Scalatra and Rails, and apidoc, typed operations.
//
// In a clone of the repository, this serves everything on http://127.0.0.1:8080/:
//
//	go run ./examples/host
//
// To mount it in your own mux below a prefix, use [Mount]. [New] returns the App as a handler.
//
//	app, err := flowercafe.Mount(mux, flowercafe.WithBasePath("/shop"))
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer app.Close()
//
// # What is served
//
//	/flowers/, /flowers/{slug}                       the catalog; ?name= searches
//	/api-docs/openapi.json                           its description in OpenAPI 3.1
//	/api-docs/openapi-3.0.json, openapi-3.2.json     the same in OpenAPI 3.0 and 3.2
//	/api-docs/swagger.json                           the same in Swagger 2.0
//	/api-docs/spec.json                              a form of that, with "spec" for "swagger"
//	/api-docs/ui/                                    a page for it, with flowercatalog.WithViewer
//	/coffees                                         the list of the coffee demo
//	/db/create-tables, load-data, drop-tables        change its tables
//	/                                                a page with links, with WithHome
//	/healthz, /readyz                                health checks, with WithHealth
//
// The catalog gets all requests below /flowers and /api-docs, the health checks and the handlers of
// [WithMount] those below their paths, and the coffee demo the others.
package flowercafe
