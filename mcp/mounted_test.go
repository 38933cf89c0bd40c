package mcp_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/mcp"
	"example.com/flowercafe/routing"
)

// This file tests APIs whose apps are mounted in other apps.

// newTenants returns an app whose filter refuses some users, and the API that is mounted for each
// user.
func newTenants() (outer *routing.App, mount func(), api *apidoc.API) {
	inner, api := newAPI()
	type tenant struct {
		User string `path:"user"`
		ID   string `path:"id"`
	}
	read := func(_ context.Context, in tenant) (string, error) { return "secret of " + in.User + ", " + in.ID, nil }
	apidoc.Get(api, "/notes/:id", "Read a note", read, apidoc.ID("readNote"))
	outer = routing.New()
	outer.Before(func(c routing.Context) error {
		if c.Request().Header.Get("Authorization") != "Bearer "+c.Params().GetOr("user", "") {
			return &routing.HaltError{Status: http.StatusUnauthorized}
		}
		return nil
	}, routing.On("/users/:user/*"))
	return outer, func() { outer.Mount("/users/:user", inner) }, api
}

// New returns an error, and a call fails, if the API's app is mounted and WithHandler is missing.
func TestMounted(t *testing.T) {
	_, _, tenants := newTenants() // whose parameter is in no prefix yet
	if _, err := mcp.New(tenants, mcp.WithOperations("readNote")); err == nil || !strings.Contains(err.Error(), "nor in the prefix of a mount") {
		t.Errorf("got %v", err)
	}
	inner := routing.New()
	api := apidoc.NewAPI(inner, apidoc.Info{Title: "Notes", Version: "1"})
	read := func(context.Context, struct {
		ID string `path:"id"`
	}) (string, error) {
		return "secret", nil
	}
	apidoc.Get(api, "/notes/:id", "Read a note", read, apidoc.ID("readNote"))
	session := serve(t, api, mcp.WithOperations("readNote")) // it is not mounted yet
	routing.New().Mount("/private", inner)
	if got, result := call(t, session, "readNote", map[string]any{"id": "7"}); !result.IsError || strings.Contains(got, "secret") {
		t.Errorf("got %s, %t", got, result.IsError)
	}
	_, err := mcp.New(api, mcp.WithOperations("readNote"))
	if err == nil || !strings.Contains(err.Error(), "mounted in another app") || !strings.Contains(err.Error(), "mcp.WithHandler") {
		t.Errorf("got %v", err)
	}
}

// Calls have the base path, and not the prefix that a proxy removes.
func TestBasePath(t *testing.T) {
	_, api := newAPI(routing.WithBasePath("/my shop"), routing.WithProxyPrefix("/proxy"))
	apidoc.Get(api, "/hello", "Greet", func(context.Context, none) (string, error) { return "hello", nil }, apidoc.ID("greet"))
	if got, result := call(t, serve(t, api, mcp.WithOperations("greet")), "greet", nil); got != "hello" || result.IsError {
		t.Errorf("got %s, %t", got, result.IsError)
	}
}

// The parameters of a mount's prefix are arguments.
func TestPrefix(t *testing.T) {
	outer, mount, api := newTenants()
	mount()
	stripped := http.StripPrefix("/my shop", outer)
	for base, through := range map[string]http.Handler{"/users/:user": outer, "/users/{user}/": outer, "/my shop/users/:user": stripped} {
		handler, err := mcp.New(api, mcp.WithOperations("readNote"), mcp.WithHandler(through, base))
		if err != nil {
			t.Fatal(err)
		}
		server := newServer(t, handler)
		session := connect(t, server, "ann")
		for tool, err := range session.Tools(t.Context(), nil) {
			if schema, _ := json.Marshal(tool.InputSchema); err != nil || !strings.Contains(string(schema), `"required":["id","user"]`) {
				t.Errorf("%s: got %s, %v", base, schema, err)
			}
		}
		for _, test := range []struct{ token, user, id, want string }{
			{"ann", "ann", "7", "secret of ann, 7"},
			{"ann", "bob", "7", `"title":"Unauthorized","status":401`},
			{"bob", "bob", "7", "secret of bob, 7"},
			{"ann", "ann/../bob", "7", "must be a segment of a path"},
			{"ann", "ann%2F..%2Fbob", "7", `"title":"Unauthorized","status":401`},
			{"ann", "..", "7", "must be a segment of a path"},
			{"ann", "", "7", "must be a segment of a path"},
			{"ann", "ann", "../../bob/notes/7", "argument id must be a segment of a path"},
			{"{id}", "{id}", "7", "secret of {id}, 7"},
			{"a b?c#d", "a b?c#d", "7", "secret of a b?c#d, 7"},
		} {
			got, _ := call(t, connect(t, server, test.token), "readNote", map[string]any{"user": test.user, "id": test.id})
			if !strings.Contains(got, test.want) || strings.Contains(got, "secret") != strings.HasPrefix(test.want, "secret") {
				t.Errorf("%s: %+v: got %s", base, test, got)
			}
		}
	}
	for base, want := range map[string]string{
		"/:a-:b": "a parameter fills a segment", "/{a}.json": "a parameter fills a segment", "/{a": "a parameter fills a segment", "/:": "a parameter fills a segment",
		"/*": "a parameter fills a segment", "/:user?": "a parameter fills a segment", "users": "pass a handler and a path", "/:user/{user}": `both the argument`,
	} {
		if _, err := mcp.New(api, mcp.WithOperations("readNote"), mcp.WithHandler(outer, base)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", base, err, want)
		}
	}
}

// The API of an outer app has the operations of a mounted app.
func TestOuterAPI(t *testing.T) {
	outer, mount, _ := newTenants()
	mount()
	outer.Get("/users/ann/notes/admin", func(routing.Context) (routing.Result, error) { return routing.Text("admin"), nil })
	api := apidoc.NewAPI(outer, apidoc.Info{Title: "All", Version: "1.0"})
	handler, err := mcp.New(api, mcp.WithOperations("readNote"))
	if err != nil {
		t.Fatal(err)
	}
	server := newServer(t, handler)
	for user, want := range map[string]string{"ann": "secret of ann, 7", "bob": `"title":"Unauthorized","status":401`, "ann.b": `"title":"Unauthorized","status":401`} {
		if got, _ := call(t, connect(t, server, "ann"), "readNote", map[string]any{"user": user, "id": "7"}); !strings.Contains(got, want) {
			t.Errorf("%s: got %s", user, got)
		}
	}
	if got, _ := call(t, connect(t, server, "ann"), "readNote", map[string]any{"user": "ann", "id": "admin"}); !strings.Contains(got, "make the path of another route") {
		t.Errorf("got %s", got)
	}
}
