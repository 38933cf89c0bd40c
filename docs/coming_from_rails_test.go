package docs_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/resources"
	"example.com/flowercafe/routing/respond"
)

// tell returns an action that says its name and the parameters, as each controller of the Rails app
// does that the guide compares with.
func tell(name string) routing.Action {
	return func(c routing.Context) (routing.Result, error) {
		words := []string{name}
		for _, key := range c.Params().Keys() {
			words = append(words, key+"="+c.Params().GetOr(key, ""))
		}
		return routing.Text(strings.Join(words, " ")), nil
	}
}

// crud returns the actions of a controller.
func crud(name string) resources.Actions {
	return resources.Actions{
		Index: tell(name + "#index"), New: tell(name + "#new"), Create: tell(name + "#create"), Show: tell(name + "#show"),
		Edit: tell(name + "#edit"), Update: tell(name + "#update"), Destroy: tell(name + "#destroy"),
	}
}

// blog is the app of the guide "Coming from Rails' routes".
func blog() (http.Handler, *resources.Routes) {
	app := routing.New(
		routing.WithSyntax(routing.Rails), routing.WithFirstMatch(), routing.WithFormatSuffix(), routing.WithLooseSlashes(),
		routing.WithMethodOverride(http.MethodPatch),
	)
	app.Before(respond.Multipart(32 << 20))
	routes := resources.Draw(app, func(r *resources.Scope) {
		r.Root(tell("home#index"))
		r.Resources("posts", "post", crud("posts"), resources.Where("id", `\d+`), resources.Inside(func(r *resources.Scope) {
			r.Member(func(r *resources.Scope) { r.Post("publish", tell("posts#publish")) })
			r.Collection(func(r *resources.Scope) { r.Get("search", tell("posts#search")) })
			r.Resources("comments", "comment", crud("comments"), resources.Only("index", "create", "destroy"), resources.Shallow())
		}))
		profiles := crud("profiles")
		profiles.Index = nil // a resource with one member has no list
		r.Resource("profile", profiles, resources.Only("show", "edit", "update"))
		r.Namespace("admin", func(r *resources.Scope) {
			r.Resources("users", "user", crud("admin/users"), resources.Only("index", "show"),
				resources.Param("name"), resources.Where("name", `[^/]+`))
		})
		r.Scope("(:locale)", func(r *resources.Scope) {
			r.Get("about", tell("pages#about"))
		}, resources.Where("locale", "de|fr"))
		r.Get("files/*path", tell("files#show"))
		r.Get("old/:id", respond.RedirectAction(http.StatusMovedPermanently, "/posts/:id"))
	})
	app.NotFound(func(routing.Context) (routing.Result, error) { return routing.Text("Not found"), nil })
	return app, routes
}

// The same responses as those of Rails 6.1.7.
func Example_rails() {
	blog, routes := blog()
	for _, target := range []string{
		"/", "/posts", "/posts/", "/posts/7.json", "/posts/x", "/posts/search", "/posts/7/comments", "/profile/edit", "/profile/new",
		"/admin/users/ann.lee", "/about", "/de/about", "/it/about", "/files/a/b.txt", "/old/7",
	} {
		show(blog, "GET", target)
	}
	show(blog, "DELETE", "/comments/3")
	show(blog, "POST", "/posts/7/publish")
	fmt.Println(slices.Contains(routes.Names(), "publish_post"))
	// Output:
	// GET / 200 home#index
	// GET /posts 200 posts#index
	// GET /posts/ 200 posts#index
	// GET /posts/7.json 200 posts#show format=json id=7
	// GET /posts/x 404 Not found
	// GET /posts/search 200 posts#search
	// GET /posts/7/comments 200 comments#index post_id=7
	// GET /profile/edit 200 profiles#edit
	// GET /profile/new 404 Not found
	// GET /admin/users/ann.lee 200 admin/users#show name=ann.lee
	// GET /about 200 pages#about
	// GET /de/about 200 pages#about locale=de
	// GET /it/about 404 Not found
	// GET /files/a/b.txt 200 files#show format=txt path=a/b
	// GET /old/7 301 /posts/7
	// DELETE /comments/3 200 comments#destroy id=3
	// POST /posts/7/publish 200 posts#publish id=7
	// true
}
