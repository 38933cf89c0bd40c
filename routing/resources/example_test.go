package resources_test

import (
	"fmt"
	"net/http/httptest"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/resources"
)

// drawn prints the routes of a drawing by their names.
func drawn(draw func(*resources.Scope)) {
	app := routing.New(routing.WithSyntax(routing.Rails), routing.WithFirstMatch(), routing.WithFormatSuffix())
	routes := resources.Draw(app, draw)
	for _, name := range routes.Names() {
		fmt.Println(name, routes.Route(name))
	}
}

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

func ExampleDraw() {
	app := routing.New(routing.WithSyntax(routing.Rails), routing.WithFirstMatch())
	routes := resources.Draw(app, func(r *resources.Scope) {
		r.Root(ok)
		r.Get("about", ok)
		r.Get("old/:id", ok, resources.As("old"))
	})
	for _, name := range routes.Names() {
		fmt.Println(name, routes.Route(name))
	}
	// Output:
	// about GET /about
	// old GET /old/:id
	// root GET /
}

func ExampleScope_Resources() {
	drawn(func(r *resources.Scope) {
		all := resources.Actions{Index: ok, New: ok, Create: ok, Show: ok, Edit: ok, Update: ok, Destroy: ok}
		r.Resources("posts", "post", all, resources.Except("destroy"), resources.Param("slug"))
	})
	// Output:
	// edit_post GET /posts/:slug/edit(.:format)
	// new_post GET /posts/new(.:format)
	// post GET /posts/:slug(.:format)
	// posts GET /posts(.:format)
}

func ExampleScope_Resource() {
	drawn(func(r *resources.Scope) {
		r.Resource("profile", resources.Actions{Show: ok, Edit: ok}, resources.PathName("edit", "change"))
	})
	// Output:
	// edit_profile GET /profile/change(.:format)
	// profile GET /profile(.:format)
}

// Routes of one member, and routes of the whole collection.
func ExampleScope_Member() {
	drawn(func(r *resources.Scope) {
		r.Resources("posts", "post", resources.Actions{}, resources.Inside(func(r *resources.Scope) {
			r.Member(func(r *resources.Scope) { r.Post("publish", ok) })
			r.Collection(func(r *resources.Scope) { r.Get("drafts", ok) })
		}))
	})
	// Output:
	// drafts_posts GET /posts/drafts(.:format)
	// publish_post POST /posts/:id/publish(.:format)
}

// A namespace is in the paths and in the names, a scope in the paths alone.
func ExampleScope_Namespace() {
	drawn(func(r *resources.Scope) {
		r.Namespace("admin", func(r *resources.Scope) { r.Get("users", ok) }, resources.Path("office"))
		r.Scope("(/:locale)", func(r *resources.Scope) { r.Get("help", ok) }, resources.Where("locale", "de|en"))
	})
	// Output:
	// admin_users GET /office/users(.:format)
	// help GET (/:locale)/help(.:format)
}

// The members of a shallow resource have paths without its parent.
func ExampleShallow() {
	drawn(func(r *resources.Scope) {
		r.Resources("posts", "post", resources.Actions{}, resources.Shallow(), resources.Inside(func(r *resources.Scope) {
			r.Resources("comments", "comment", resources.Actions{Index: ok, Show: ok})
		}))
	})
	// Output:
	// comment GET /comments/:id(.:format)
	// post_comments GET /posts/:post_id/comments(.:format)
}

func ExampleRoutes_URL() {
	app := routing.New(routing.WithSyntax(routing.Rails), routing.WithFirstMatch(), routing.WithBasePath("/blog"))
	var routes *resources.Routes
	routes = resources.Draw(app, func(r *resources.Scope) {
		r.Resources("posts", "post", resources.Actions{
			Show: ok,
			Create: func(c routing.Context) (routing.Result, error) {
				location, err := routes.URL(c, "post", "id", "7")
				if err != nil {
					return routing.Result{}, err
				}
				return routing.Result{}, routing.SeeOther(location)
			},
		})
	})
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("POST", "/blog/posts", nil))
	fmt.Println(w.Code, w.Header().Get("Location"))
	// Output: 303 /blog/posts/7
}
