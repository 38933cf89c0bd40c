// Package viewer serves a page on which people read a description and try its operations out. Only hosts that import it carry
// its files, about half a megabyte.
//
//	app, err := flowercafe.New(flowercafe.WithCatalog(flowercatalog.WithViewer(viewer.New())))
//
// The page is Swagger UI, from the files that github.com/swaggest/swgui embeds, around an index page of our own. It loads nothing
// from elsewhere and asks only the server it came from: its Content-Security-Policy allows no more. All its addresses are
// relative, and the calls it makes go to where the page itself was reached, so that it works under any prefix, whether the app
// knows of it, or http.StripPrefix or a proxy has cut it.
package viewer
