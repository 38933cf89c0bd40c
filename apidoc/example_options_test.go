package apidoc_test

import (
	"context"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// A filter refuses clients that send too many requests. The operation describes this response.
func ExampleResponse() {
	app := routing.New()
	app.Before(func(c routing.Context) error {
		if c.Request().Header.Get("X-Requests") == "many" {
			return &routing.HaltError{Status: 429, Body: routing.Text("slow down")}
		}
		return nil
	})
	api := apidoc.NewAPI(app, info, apidoc.Response[struct{}](429, "Too many requests"))
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
			return nil, apidoc.ErrForbidden
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
	for _, entry := range app.Table() {
		if op := apidoc.OperationOf(entry.Route); op != nil {
			fmt.Println(op.ID(), op.Deprecated(), entry.Route)
		}
	}
	// Output:
	// getTree false GET /trees/:id
	// plant true POST /trees
}

// A write needs the ETag that the client has seen. A client that has the newest version gets a 304.
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
	}, apidoc.RequireIfMatch(), apidoc.Versioned(func(ctx context.Context, in renaming) (apidoc.Version, error) { return version(ctx, in.PlumByID) }))

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

// A limit that only the running program knows.
func ExampleRules() {
	most := 20 // from the configuration
	type Search struct {
		Limit int `query:"limit" min:"1"`
	}
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/trees", "List the trees", func(_ context.Context, in Search) (int, error) { return in.Limit, nil },
		apidoc.ID("listTrees"), apidoc.Rules(apidoc.InQuery, "limit", reflect.StructTag(fmt.Sprintf(`max:"%d" default:"%[1]d"`, most))))

	send(app, "GET", "/trees", "")
	send(app, "GET", "/trees?limit=50", "")
	// Output:
	// 200 20
	// 422 query limit maximum
}

// All errors of an app have the body of the operations' errors, also the 404 of an unknown path.
func ExampleErrorBody_everywhere() {
	type Failure struct {
		Message string `json:"message"`
	}
	failure := func(_ routing.Context, p *apidoc.Problem) Failure { return Failure{p.Title} }
	app := routing.New()
	app.ErrorBody(func(c routing.Context, p *apidoc.Problem) (routing.Result, error) { return routing.JSON(failure(c, p)) })
	api := apidoc.NewAPI(app, info, apidoc.ErrorBody(failure))
	apidoc.Get(api, "/trees/:id", "Read a tree", func(context.Context, PlumByID) (Plum, error) { return Plum{}, noTree }, noTree, apidoc.ID("getTree"))

	send(app, "GET", "/trees/7", "")
	send(app, "GET", "/flowers", "")
	// Output:
	// 404 {"message":"No such tree"}
	// 404 {"message":"Not Found"}
}

// A filter checks the token, here for all routes of the app. The scheme is only described.
func ExampleCheckedElsewhere() {
	app := routing.New(routing.WithProblemDetails())
	app.Before(func(c routing.Context) error {
		if c.Request().Header.Get("Authorization") != "Bearer secret" {
			return apidoc.ErrUnauthorized
		}
		return nil
	})
	token := apidoc.Bearer("token", apidoc.CheckedElsewhere)
	api := apidoc.NewAPI(app, info, token, apidoc.ErrUnauthorized)
	apidoc.Get(api, "/name", "Say a name", func(context.Context, struct{}) (string, error) { return "Ann", nil }, apidoc.ID("name"))

	send(app, "GET", "/name", "", "Authorization", "Bearer secret")
	send(app, "GET", "/name", "")
	// Output:
	// 200 Ann
	// 401 {"type":"about:blank","title":"Unauthorized","status":401,"code":"unauthorized"}
}

// An import may take an hour, if the client sends a part of it every minute.
func ExampleReceiveTimeout() {
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	count := func(_ context.Context, trees iter.Seq2[Plum, error]) (n int, err error) {
		for _, err := range trees {
			if err != nil {
				return n, err
			}
			n++
		}
		return n, nil
	}
	apidoc.Post(api, "/trees", "Import trees", count, apidoc.ID("importTrees"),
		apidoc.ReceiveTimeout(time.Minute, time.Hour), apidoc.BodyLimit(1<<30))

	send(app, "POST", "/trees", "{\"name\":\"Oak\"}\n{\"name\":\"Elm\"}\n", "Content-Type", "application/jsonl")
	// Output:
	// 200 2
}
