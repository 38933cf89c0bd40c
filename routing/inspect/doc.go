// Package inspect serves a page that shows the routes of an app: all routes and filters in the
// order in which they are tried, what hides what, and for a method and a URL which route runs, with
// which parameters, and why every other one does not. Only hosts that import it carry it.
//
//	app.Mount("/debug/routes", inspect.New(app))
//
// The page is for developers. It tells the inner structure of a program, file names among it, and
// asks the conditions of routes about requests that its reader makes up. It runs no action and no
// filter, changes nothing, and has no script. By default it responds to programs on the same
// machine alone; see [WithAccess].
package inspect
