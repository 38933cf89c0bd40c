// Package resources defines routes as Rails' routes.rb does.
//
//	app := routing.New(routing.WithSyntax(routing.Rails), routing.WithFirstMatch(),
//		routing.WithFormatSuffix(), routing.WithLooseSlashes())
//	routes := resources.Draw(app, func(r *resources.Scope) {
//		r.Root(home)
//		actions := resources.Actions{Index: listPosts, Show: showPost}
//		r.Resources("posts", "post", actions, resources.Inside(func(r *resources.Scope) {
//			r.Member(func(r *resources.Scope) { r.Post("publish", publishPost) }) // POST /posts/:id/publish
//			r.Resources("comments", "comment", comments) // /posts/:post_id/comments
//		}))
//	})
//	location, err := routes.URL(c, "publish_post", "id", "7") // "/posts/7/publish"
//
// Paths, order and the names of resources are as in Rails 6.1
// (https://guides.rubyonrails.org/v6.1/routing.html), but a [Scope.Scope] in [Inside] is below the
// member. The four options are the defaults of Rails.
package resources
