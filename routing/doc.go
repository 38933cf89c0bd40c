// Package routing is an HTTP router with the patterns and rules of Sinatra, Scalatra and Rails.
// Patterns may overlap: of a method's routes that match, the one defined last runs, as in Scalatra,
// or with [WithFirstMatch] the one defined first, as in Sinatra and Rails.
//
//	app := routing.New()
//	app.Get("/hello/:name", func(c routing.Context) (routing.Result, error) {
//		name, err := c.Params().Require("name")
//		if err != nil {
//			return routing.Result{}, err
//		}
//		return routing.Text("hello " + name), nil
//	})
//	http.ListenAndServe("127.0.0.1:8080", app)
//
// An [Action] reads the request from a [Context] and its [Params], and returns a [Result], such as
// [Text] or [JSON], or an error, such as a [Redirect]. [Route.URL] and [Context.URL] return links
// to routes. [App.Table] and [App.Shadowed] list routes, and [App.Explain] says why one runs.
//
// # How a request is handled
//
// An [App] is an [http.Handler]. Filters and routes match the decoded path without the base path.
//
//  1. The before filters run, in order of definition.
//  2. Of the routes whose method, pattern and conditions match, the one defined last runs, or with
//     [WithFirstMatch] the first; HEAD tries routes of [App.Head] first. If it returns [Pass], the
//     next one runs. If no route matches, or all have passed, the response is a 404 by default: see
//     [App.NotFound], [WithNext] and [WithMethodNotAllowed].
//  3. An error or a panic of a before filter or an action, or of their conditions, goes to the
//     [App.OnError] function; without one, the response has the status of [StatusOf]. A
//     [HaltError], such as a Redirect, becomes the response. A panic with [http.ErrAbortHandler]
//     aborts the response, as in net/http.
//  4. The after filters run, in order of definition.
//  5. The Result is sent.
//
// # The body of an error response
//
// Before an OnError function or a NotFound action runs, headers such as ETag and Location are
// removed, and a Cache-Control becomes no-store.
//
// An error response that has a body, or that a handler or middleware sends, is sent as is; so is
// the 500 after a panic of a handler or in [App.Use]. Otherwise these functions are called in
// order. The first that does not return [Pass] makes the body:
//
//  1. For a typed operation of package apidoc, its error body, also if a filter refuses the
//     request.
//  2. The app's [App.NotFound] action, for the 404 if neither a route nor another such action
//     responded; then its [App.ErrorBody] function, also after a zero Result. If the app is
//     mounted, then step 2 for the outer app, and so on.
//  3. The default: no body after a halt or a zero [Result]; otherwise a page, a text or problem
//     details.
//
// # Patterns
//
// A pattern given as a string has the app's syntax: [Sinatra], unless [WithSyntax] sets another. It
// is written decoded: "/café", not "/caf%C3%A9". [App.Route] takes a [Pattern], such as one of
// [Regexp].
//
// For routes from Rails, use
//
//	routing.New(routing.WithSyntax(routing.Rails), routing.WithFirstMatch(),
//		routing.WithFormatSuffix(), routing.WithLooseSlashes())
//
// For routes from Sinatra, use WithFirstMatch, and WithOptionalSlash if strict_paths is false.
//
// # Groups
//
//	app.Group("/admin", func(g *routing.Group) {
//		g.Before(requireLogin) // for /admin and everything below
//		g.Get("/", dashboard)  // GET /admin and /admin/
//		g.Get("", dashboard)   // GET /admin only
//		g.Get("/users/:name", showUser)
//	}, routing.Use(noStore))
//
// The prefix is literal text, with parameters that fill a segment, such as "/users/:user". With an
// empty prefix, the group only shares options: its filters also run outside of it. A [Condition] of
// a group is for its filters too, and gets only the parameters of prefixes. A regular expression
// below a prefix matches the rest of the path, and comes from [WholeRegexp].
//
// # Mounts
//
//	app.Mount("/shop", shop) // another App
//	app.Mount("/debug/vars", expvar.Handler())
//
// A mount is a route of the app, with a prefix as in a group. Routes defined after it, or with
// WithFirstMatch before it, are tried first. If no route of a mounted App matches, no more routes
// are tried. The filters of the app run before the handler, also the after filters.
//
// The handler receives the complete URL: use [http.StripPrefix] if it expects a shorter one. A
// mounted App matches the rest of the path, below its own base path if it has one, and its routes
// have the parameters of the prefix. A parameter of a route takes precedence over one of the prefix
// with the same name: use another name if a filter of the outer app checks it. Other handlers read
// the parameters with [http.Request.PathValue].
//
// For a handler other than an App, a path with dot segments such as "/files/x/../a" is redirected
// to "/files/a" with status 307. A route for [Any] and "/files/*" does not redirect.
package routing
