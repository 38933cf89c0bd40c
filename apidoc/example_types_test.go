package apidoc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// Examples of types and of the description.

// Types may refer to each other. Each becomes a definition of its name.
func ExampleTypeOf() {
	type Fruit struct {
		Name  string `json:"name"`
		Grams int32  `json:"grams,omitempty"`
	}
	type Tree struct {
		Fruits []Fruit `json:"fruits"`
	}
	fmt.Println(apidoc.TypeOf[Tree](), apidoc.TypeOf[[]Fruit](), apidoc.TypeOf[int64]())
	// Output: apidoc_test.Tree []apidoc_test.Fruit int64
}

// The base path is the prefix of the app's addresses.
func ExampleBuild() {
	app := routing.New(routing.WithBasePath("/shop"))
	app.Get("/trees", routing.Handler(http.NotFoundHandler()), apidoc.Describe(&apidoc.Operation{
		ID:        "listTrees",
		Responses: []apidoc.Response{{Status: 200, Description: "OK"}},
	}))
	document, err := apidoc.Build(app, apidoc.Info{Title: "Trees", Version: "1"}, "/shop")
	if err != nil {
		fmt.Println(err)
		return
	}
	var swagger struct{ Swagger, BasePath string }
	var openAPI struct{ Servers []struct{ URL string } }
	fmt.Println(json.Unmarshal(document.Swagger(), &swagger), json.Unmarshal(document.OpenAPI(), &openAPI))
	fmt.Println(swagger, openAPI)
	// Output:
	// <nil> <nil>
	// {2.0 /shop} {[{/shop}]}
}

// A Go client decodes the problem.
func ExampleProblem() {
	app := routing.New()
	type ByID struct {
		ID int `path:"id"`
	}
	apidoc.Get(apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1"}), "/trees/:id", "Find a tree",
		func(context.Context, ByID) (string, error) { return "oak", nil })
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/trees/oak", nil))
	var problem apidoc.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range problem.Errors {
		fmt.Println(problem.Status, e.In, e.Name, e.Detail)
	}
	// Output: 422 path id must be an integer
}
