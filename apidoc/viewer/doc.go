// Package viewer serves a page on which people read a description and try its operations out. Only
// hosts that import it carry its files, about 430 kB.
//
//	app, err := flowercafe.New(flowercafe.WithCatalog(flowercatalog.WithViewer(viewer.New())))
//
// The page is Swagger UI's program, from the files that github.com/swaggest/swgui embeds, with a
// style of our own: light or dark as the reader's system prefers, and made for keyboards, screen
// readers and phones. It shows OpenAPI 3.1 and switches to the other formats.
//
// It loads and calls only the server it came from: its Content-Security-Policy allows no more. All
// its addresses are relative, and the requests that readers try out go to where the page itself was
// reached. It works under any prefix, whether the app knows of it, or http.StripPrefix or a proxy
// has cut it.
package viewer
