// Package flowercafe is a flower catalog and a coffee demo for other Go services to mount: a read-only JSON API with a description
// that viewers and client generators read, and a small application over an in-memory SQLite database. The routing engine
// that both are written in is package routing.
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
// In a service with a mux of its own, [Mount] puts everything below a prefix:
//
//	app, err := flowercafe.Mount(mux, flowercafe.WithBasePath("/shop"))
//
// # What is served
//
//	/flowers, /flowers/{slug}                        the catalog
//	/api-docs/spec.json, swagger.json, openapi.json  its description
//	/coffees                                         the coffee demo's list
//	/db/create-tables, load-data, drop-tables        its tables
//	/                                                a page with links, with [WithHome]
//
// # One request
//
// [App.ServeHTTP] cuts the base path and looks the first segment up in the mount table: the catalog, a mount of the host's
// ([WithMount]), or else the coffee demo. That application answers by the rules of package routing. What it does not have
// goes to the handler of [WithNext], or is answered with a short 404 page.
//
// # Parts
//
// The imports go one way: flowercafe, then flowercatalog and coffeedemo, then apidoc, then routing. Each part can be used alone.
package flowercafe
