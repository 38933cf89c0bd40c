package resources_test

import (
	"fmt"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/resources"
)

func Example() {
	show := func(c routing.Context) (routing.Result, error) { return routing.Text("shown"), nil }
	posts := resources.Actions{Index: show, Show: show}

	app := routing.New(routing.WithSyntax(routing.Rails), routing.WithFirstMatch())
	// A concern: a function for several resources.
	commentable := resources.Inside(func(r *resources.Scope) {
		r.Resources("comments", "comment", resources.Actions{Index: show})
	})
	routes := resources.Draw(app, func(r *resources.Scope) {
		r.Resources("posts", "post", posts, commentable, resources.Where("id", "[0-9]+"))
		r.Namespace("admin", func(r *resources.Scope) {
			r.Resources("users", "user", resources.Actions{Edit: show}, commentable)
		})
	})
	for _, name := range routes.Names() {
		fmt.Println(name, routes.Route(name))
	}
	// Output:
	// admin_user_comments GET /admin/users/:user_id/comments
	// edit_admin_user GET /admin/users/:id/edit
	// post GET /posts/:id
	// post_comments GET /posts/:post_id/comments
	// posts GET /posts
}
