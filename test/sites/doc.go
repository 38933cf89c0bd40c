// Package sites ports the routes of six public applications to package routing. Its test compares
// the route that runs for a request, and its parameters, with recorded responses of Rails and
// Sinatra. The files of testdata have the methods, patterns and constraints of the routes, with
// their source and license. They contain no code of the applications.
package sites
