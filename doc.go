// Package flowercafe gives other Go services two applications to mount: a flower catalog, which is
// a read-only JSON API with a description for viewers and client generators, and a coffee demo over
// an in-memory SQLite database. Both are written with package routing, which hosts can use, too.
//
// The shortest program:
//
//	app, err := flowercafe.New()
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer app.Close()
//	log.Print(http.ListenAndServe("127.0.0.1:8080", app))
//
// In a service with a mux of its own, [Mount] registers everything below a prefix:
//
//	app, err := flowercafe.Mount(mux, flowercafe.WithBasePath("/shop"))
//
// # What is served
//
//	/flowers, /flowers/{slug}                        the catalog
//	/api-docs/spec.json, swagger.json, openapi.json  its description
//	/coffees                                         the coffee demo's list
//	/db/create-tables, load-data, drop-tables        its tables
//	/                                                a page with links, if WithHome is given
//
// # One request
//
// [App.ServeHTTP] cuts the base path and looks the first segment up in the mount table. It finds
// the catalog, a mount of the host ([WithMount]), or else takes the coffee demo. That application
// serves the request by the rules of package routing. A request that matches no route goes to the
// handler of [WithNext], or gets a short 404 page.
//
// # Parts
//
// Imports go one way: flowercafe, then flowercatalog and coffeedemo, then apidoc, then routing.
// Each package can be used alone.
package flowercafe
