package apidoc_test

import (
	"context"
	"fmt"
	"strings"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// A filter refuses clients that send too many requests. The operation describes this response.
func ExampleResponds() {
	app := routing.New()
	app.Before(func(c routing.Context) error {
		if c.Request().Header.Get("X-Requests") == "many" {
			return &routing.HaltError{Status: 429, Body: routing.Text("slow down")}
		}
		return nil
	})
	api := apidoc.NewAPI(app, info, apidoc.Responds[struct{}](429, "Too many requests"))
	apidoc.Get(api, "/hello", "Say hello", func(context.Context, struct{}) (string, error) { return "hello", nil })
	send(app, "GET", "/hello", "", "X-Requests", "many")
	document, err := api.Document()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Contains(string(document.OpenAPI()), `"description": "Too many requests"`))
	// Output:
	// 429 slow down
	// true
}

// Clients get a token from the authorization server, with the scopes that they need.
func ExampleOAuth2() {
	check := func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
		if c.Token != "token for write" || len(c.Scopes) != 1 || c.Scopes[0] != "write" {
			return nil, apidoc.Forbidden
		}
		return ctx, nil
	}
	oauth := apidoc.OAuth2("oauth", check, apidoc.OAuthFlow{
		Kind:     "clientCredentials",
		TokenURL: "https://login.example.com/token",
		Scopes:   map[string]string{"write": "Change trees"},
	})
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Delete(api, "/trees", "Remove all trees", func(context.Context, struct{}) (struct{}, error) {
		return struct{}{}, nil
	}, oauth.Scopes("write"))
	send(app, "DELETE", "/trees", "", "Authorization", "Bearer token for read")
	send(app, "DELETE", "/trees", "", "Authorization", "Bearer token for write")
	// Output:
	// 403 {"type":"about:blank","title":"Forbidden","status":403,"code":"forbidden"}
	// 204
}

// Middleware and tools can read the operations of an app's routes.
func ExampleOperationOf() {
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/trees/:id", "Read a tree", getTree)
	apidoc.Post(api, "/trees", "Plant a tree", plantTree, apidoc.Deprecated(), apidoc.ID("plant"))
	for _, entry := range app.Routes() {
		if op := apidoc.OperationOf(entry.Route); op != nil {
			fmt.Println(op.ID(), op.Deprecated(), entry.Route)
		}
	}
	// Output:
	// getTree false GET /trees/:id
	// plant true POST /trees
}

// A change needs the version that the client has seen, and a client that has the newest version
// does not get it again.
func ExampleVersioned() {
	oak := Plum{Name: "Oak"}
	version := func(context.Context, PlumByID) (apidoc.Version, error) { return apidoc.Version{Tag: oak.Name}, nil }
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/trees/:id", "Read a tree", func(context.Context, PlumByID) (Plum, error) { return oak, nil }, apidoc.Versioned(version))
	type renaming struct {
		PlumByID
		Name string `query:"name"`
	}
	apidoc.Put(api, "/trees/:id", "Rename a tree", func(_ context.Context, in renaming) (struct{}, error) {
		oak.Name = in.Name
		return struct{}{}, nil
	}, apidoc.MatchRequired(), apidoc.Versioned(func(ctx context.Context, in renaming) (apidoc.Version, error) { return version(ctx, in.PlumByID) }))

	send(app, "GET", "/trees/1", "")
	send(app, "GET", "/trees/1", "", "If-None-Match", `"Oak"`)
	send(app, "PUT", "/trees/1?name=Elm", "")
	send(app, "PUT", "/trees/1?name=Elm", "", "If-Match", `"Oak"`)
	send(app, "PUT", "/trees/1?name=Ash", "", "If-Match", `"Oak"`)
	// Output:
	// 200 {"name":"Oak"}
	// 304
	// 428 {"type":"about:blank","title":"Send If-Match with the version that you change","status":428,"code":"precondition_required"}
	// 204
	// 412 {"type":"about:blank","title":"The entity has another version","status":412,"code":"precondition_failed"}
}
