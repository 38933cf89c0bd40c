// Package viewer serves a page to read a description and try out its operations. Only programs that
// import it contain its files, and are about 800 kB larger.
//
//	app, err := flowercafe.New(flowercafe.WithCatalog(flowercatalog.WithViewer(viewer.New())))
//
// The page is Swagger UI, from the files that github.com/swaggest/swgui embeds, with its own style:
// light or dark as the user's system prefers, and usable with keyboards, screen readers and phones.
// It shows OpenAPI 3.1 and can switch to 3.0 and to Swagger 2.0.
//
// Its Content-Security-Policy forbids loading anything from other servers. It works below any
// prefix, even if http.StripPrefix or a proxy has removed it.
package viewer
