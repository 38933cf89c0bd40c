// Package resources defines routes as Rails' routes.rb does: resources with their seven actions,
// nested and shallow ones, members and collections, namespaces and scopes.
//
//	app := routing.New(routing.WithSyntax(routing.Rails), routing.WithFirstMatch(),
//		routing.WithFormatSuffix(), routing.WithLooseSlashes())
//	routes := resources.Draw(app, func(r *resources.Scope) {
//		r.Root(home)
//		actions := resources.Actions{Index: listPosts, Show: showPost}
//		r.Resources("posts", "post", actions, resources.Inside(func(r *resources.Scope) {
//			r.Member(func(r *resources.Scope) { r.Post("publish", publishPost) }) // POST /posts/:id/publish
//			r.Resources("comments", "comment", comments)                         // /posts/:post_id/comments
//		}))
//	})
//	location, err := routes.URL(c, "publish_post", "id", "7") // "/posts/7/publish"
//
// The rules follow Rails 6.1 (https://guides.rubyonrails.org/v6.1/routing.html). Differences in Go:
//
//   - An action is a function in [Actions]. A nil action has no route.
//   - The singular is written, not guessed: Resources("people", "person", …).
//   - A concern is a function of a Scope, which is passed to [Inside] of several resources.
//   - Constraints are expressions of package regexp, without look-ahead; see [Where].
//   - A route of [Scope.Get] and the like has no name if its path has parameters, unless [As] sets
//     one.
//
// The four options of the app above are the behavior of Rails. Without [routing.WithFirstMatch],
// the first route of a drawing that matches runs here too.
package resources
