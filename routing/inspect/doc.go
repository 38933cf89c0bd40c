// Package inspect serves a page that shows the routes of an app: all routes and filters in the
// order in which they are tried, and the pairs of [routing.App.Shadowed]. For a method and a URL it
// shows which route runs, with which captures, and why the others do not.
//
//	app.Mount("/debug/routes", inspect.New(app))
//
// The page is for developers: it shows the structure of a program, with file names, and checks
// conditions for requests that the reader enters. It runs no action or filter, changes nothing, and
// has no script. To see it, open the URL that [Inspector.URL] returns. The URL has a token, which
// the browser stores in a cookie. [WithAccess] replaces the token by a function.
package inspect
