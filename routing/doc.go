// Package routing is an HTTP router with the patterns and rules of Sinatra, Scalatra and Rails.
// Patterns may overlap: of the routes that match a request, the one defined last runs, as in
// Scalatra, or with [WithFirstMatch] the one defined first, as in Sinatra and Rails.
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
// # Overview
//
//	define routes        App.Get and the like, App.Route, App.Handle, RouteOption
//	filters, conditions  App.Before, App.After, FilterOption, When, Provides
//	patterns             Pattern, Sinatra, Rails, Regexp, Where, WithSyntax
//	groups, other apps   App.Group, App.Mount, App.Middleware, WithNext, App.Use
//	in an action         Context, Params, Key, and a Result: Text, HTML, JSON, Stream
//	control flow         Pass, HaltError, Redirect, SeeOther, IsFailure
//	errors and pages     App.OnError, App.NotFound, App.ErrorBody, WithProblemDetails, StatusOf
//	URLs                 Route.URL, Context.URL, Context.Path
//	inspecting           App.Table, App.Explain, App.Shadowed, RouteFromContext
//
// # How a request is handled
//
// An [App] is an [http.Handler]. Filters and routes match the decoded path without the base path.
//
//  1. The before filters run, in order of definition.
//  2. Of the routes whose method, pattern and conditions match, the one defined last runs, or with
//     [WithFirstMatch] the first. If it returns [Pass], the next one runs. If no route matches, or
//     all have passed, the [App.NotFound] action runs; without one, the response is a 404.
//  3. Errors and panics of these steps go to the [App.OnError] function; without one, [StatusOf]
//     has the status. A [HaltError], such as a [Redirect], becomes the response. A panic with
//     [http.ErrAbortHandler] aborts the response, as in net/http.
//  4. The after filters run, in order of definition.
//  5. The [Result] is sent.
//
// [App.Middleware] and [WithNext] set a handler for the requests that no route matches.
//
// # The body of an error response
//
// An error response that already has a body, or that a handler writes, is sent as is. Otherwise
// these functions are called in order. The first that does not return [Pass] makes the body:
//
//  1. For a typed operation of package apidoc, its error body, also if a before filter refuses the
//     request.
//  2. The app's [App.NotFound] action, for the 404 if no route responded; then its [App.ErrorBody]
//     function. If the app is mounted, then step 2 for the outer app, and so on.
//  3. The default: no body after a halt or a zero [Result]; otherwise a page, a text or problem
//     details.
//
// # Patterns
//
//	kind     made by    matches                                   parameters
//	Sinatra  [Sinatra]  the whole path: /hello/:name, /files/*    by name; * is "splat"
//	Rails    [Rails]    the whole path: /doc/:id(.:format)        by name
//	regexp   [Regexp]   anywhere in the path, unless anchored     "captures"; named ones by name too
//	zero     Pattern{}  every path, for routes with conditions    -
//
// A pattern given as a string has the app's syntax: [Sinatra], unless [WithSyntax] sets another. It
// is written decoded: "/café", not "/caf%C3%A9". For routes from Rails, use
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
// empty prefix the routes only share options, and filters are for every path. For an optional
// prefix, define the group twice:
//
//	for _, prefix := range []string{"", "/:locale"} {
//		app.Group(prefix, pages)
//	}
//
// A [Condition] of a group is for its filters too, and gets only the parameters of the prefix. A
// regular expression below a prefix matches the rest of the path, and comes from [WholeRegexp].
//
// # Mounts
//
// A mount is a route of the app, with a prefix as in a group: the filters of the app run, and
// routes defined after the mount, or with [WithFirstMatch] before it, are tried first. No route is
// tried after it: a mounted App responds itself if none of its routes matches, as with a 404.
//
// The handler receives the complete URL: use [http.StripPrefix] if it expects a shorter one. A
// mounted App removes the prefix, and its own base path, for matching. Its routes also have the
// parameters of the prefix. If a filter of the outer app checks one, give it a name that no route
// of the mounted App uses: there the parameter of the route would take precedence. Handlers read
// the parameters with [http.Request.PathValue].
//
// For a handler other than an App, an unclean path such as "/files/x/../a" is redirected to
// "/files/a" with status 307. A route for [Any] and "/files/*" does not redirect.
package routing
