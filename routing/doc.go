// Package routing is an HTTP router with the patterns and rules of Sinatra, Scalatra and Rails.
// Patterns may overlap: of the routes that match a request, the one defined last runs, as in
// Scalatra, or with [WithFirstMatch] the one defined first, as in Sinatra and Rails. An action may
// pass to the next route. Filters run before and after the action. Filters and actions can end the
// request early.
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
// An [App] is an [http.Handler]. It handles a request in these steps:
//
//  1. The base path is removed for matching. With [WithMethodOverride], a POST may become another
//     method. Filters and routes match the decoded path.
//  2. The before filters run, in order of definition.
//  3. Of the routes whose method, pattern and conditions match, the one defined last runs, or with
//     [WithFirstMatch] the first. If it returns [Pass], the next one runs. If no route matches, or
//     all have passed, the [App.NotFound] action runs; without one, the response is a default 404.
//  4. Errors and panics of the steps above go to the [App.OnError] function. Without one, the
//     status of the response is [StatusOf] of the error. A [HaltError], such as a [Redirect], does
//     not go there: it ends the steps above and becomes the response. Nor does a panic with
//     [http.ErrAbortHandler], which closes the connection.
//  5. The after filters run, also after an error. They can still change the status and the headers.
//  6. The [Result] is rendered. Nothing is sent before this step, except by middleware that
//     responds itself.
//
// A HEAD request tries the HEAD routes first, then the GET routes. [App.Middleware] and [WithNext]
// put the app in front of another handler, which serves the requests that no route matches, after
// the after filters.
//
// A [Key] passes values from filters to actions and handlers. [App.Group] defines filters and
// routes below a prefix, [App.Mount] mounts other apps and handlers. [WithProblemDetails] turns
// errors into problem details (RFC 9457). [Context.URL] and [Context.Path] make links.
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
// A pattern given as a string has the app's syntax: [Sinatra], unless [WithSyntax] sets another.
// [Where] restricts the values of a parameter. For routes from Rails, use
//
//	routing.New(routing.WithSyntax(routing.Rails), routing.WithFirstMatch(),
//		routing.WithFormatSuffix(), routing.WithLooseSlashes())
//
// For routes from Sinatra, use WithFirstMatch, and WithOptionalSlash if strict_paths is false.
package routing
