package routing_test

import (
	"fmt"
	"net/http"
	"testing"

	"example.com/flowercafe/routing"
)

// Actions, filters and handlers below a mount have the parameters of its prefix.
func TestMountWithParameters(t *testing.T) {
	show := func(c routing.Context) (routing.Result, error) {
		p := c.Params()
		return routing.Text(fmt.Sprint(p.GetOr("user", "-"), " ", p.GetOr("id", "-"), " ", p.Values("user"), " ", p.Keys())), nil
	}
	values := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.URL.Path, " ", r.PathValue("user"), " ", r.PathValue("id"), " ", r.PathValue("group"))
	})
	inner := routing.New(quiet())
	inner.Get("/", show)
	inner.Get("/:id", show)
	inner.Handle("GET", "/values/:id", values)
	inner.Get("/own/:user", show)
	inner.Get("/used", text(""), routing.Use(func(http.Handler) http.Handler { return values }))
	inner.Before(func(c routing.Context) error {
		c.Header().Set("X-User", c.Params().GetOr("user", "-"))
		return nil
	})
	inner.NotFound(func(c routing.Context) (routing.Result, error) {
		return routing.Text("no " + c.Params().GetOr("user", "-")), nil
	})
	middle := routing.New(quiet())
	middle.Mount("/groups/:group", inner)
	app := routing.New(quiet(), routing.WithBasePath("/shop"))
	app.Mount("/users/:user", inner)
	app.Mount("/nested/:user/x", middle)
	app.Mount("/h/:user/:id/*", values)
	app.Mount("/next/:user", routing.New(quiet(), routing.WithNext(values)))
	address := serve(t, app)
	for _, test := range []struct{ path, want, user string }{
		{"/users/ann", "ann - [ann] [user]", "ann"},
		{"/users/ann/", "ann - [ann] [user]", "ann"},
		{"/users/ann/7", "ann 7 [ann] [id user]", "ann"},
		{"/users/a%20b/7", "a b 7 [a b] [id user]", "a b"},
		{"/users/ann/own/bob", "bob - [bob] [user]", "ann"},
		{"/users/ann/values/7", "/shop/users/ann/values/7 ann 7 ", "ann"},
		{"/users/ann/used", "/shop/users/ann/used ann  ", "ann"},
		{"/users/ann/7/none", "no ann", "ann"},
		{"/nested/ann/x/groups/g/7", "ann 7 [ann] [group id user]", "ann"},
		{"/nested/ann/x/groups/g/values/7", "/shop/nested/ann/x/groups/g/values/7 ann 7 g", "ann"},
		{"/next/ann/7", "/shop/next/ann/7 ann  ", ""},
		{"/h/ann/7", "/shop/h/ann/7 ann 7 ", ""},
		{"/h/ann/7/more", "/shop/h/ann/7/more ann 7 ", ""},
	} {
		got := fetch(t, "GET", address+"/shop"+test.path, "")
		if got.body != test.want || got.header.Get("X-User") != test.user {
			t.Errorf("%s: got %d %q for the user %q, want %q for %q", test.path, got.status, got.body, got.header.Get("X-User"), test.want, test.user)
		}
	}
	for _, path := range []string{"/users", "/users/", "/nested/ann", "/h/ann"} {
		if got := fetch(t, "GET", address+"/shop"+path, ""); got.status != 404 {
			t.Errorf("%s: got %d %q, want 404", path, got.status, got.body)
		}
	}
}
