// Package routing is an HTTP router with the rules of Sinatra and Scalatra: of the routes that match, the one defined last runs; an
// action may pass to the next; filters run before and after; anything may halt.
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
// # One request
//
// An [App] is an [http.Handler]. A request for it takes these steps; serve.go is the same in code, from the before filters on:
//
//  1. The base path is cut off, for matching only. A POST becomes a PUT or DELETE if that is enabled and asked for
//     ([WithMethodOverride]). The path is taken once, decoded, and filters and routes see that same text.
//  2. The before filters run, in order of definition.
//  3. Of the routes that match by method, pattern and conditions, the one defined last runs. If it returns [Pass], the next newest
//     does. When none is left the [App.NotFound] action runs, or the response is the default page.
//  4. An error, or a panic, goes to the function of [App.OnError], with the status that [StatusOf] tells. A [HaltError], such as a
//     [Redirect], is no error: it ends the steps before and becomes the response.
//  5. The after filters run, whatever happened before. They can still change the status and the headers.
//  6. The [Result] is rendered. Nothing has reached the client before.
//
// In the filter style, [App.Middleware] and [WithNext], what no route answers goes to the next handler behind the after filters.
//
// Values go from filters to what runs later by a [Key]. [App.Group] is for filters and routes below a prefix, [App.Mount] for apps of
// their own. [Problems] makes problem details of all that goes wrong, [Context.URL] and [Context.Path] make links and redirects.
//
// # Patterns
//
//	kind     made by    matches                                   parameters
//	Sinatra  [Sinatra]  the whole path: /hello/:name, /files/*    by name; wildcards are "splat"
//	Rails    [Rails]    the whole path: /doc/:id(.:format)        by name
//	regexp   [Regexp]   anywhere in the path, unless anchored     groups are "captures", named ones also by name
//	none     Pattern{}  every path: a route of conditions alone   none
//
// A pattern given as a string has the app's default syntax, [Sinatra] unless [WithSyntax] says otherwise. A request for HEAD tries the
// routes for HEAD, then those for GET.
//
// # Contexts
//
// A [Context] is a value that holds the request and the response headers. It is for one goroutine at a time, like the
// [http.ResponseWriter] in it. One that is kept longer still reads its own request.
package routing
