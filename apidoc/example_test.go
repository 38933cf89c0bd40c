package apidoc_test

import (
	"net/http"

	"fmt"
	"regexp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// Describe is for hand-written actions.
func ExampleDescribe() {
	type Tree struct {
		Name   string  `json:"name"`
		Height float64 `json:"height,omitempty"`
	}
	type ByName struct {
		Name string `path:"name"`
	}
	app := routing.New()
	app.Get("/trees/:name", func(c routing.Context) (routing.Result, error) {
		return routing.JSON(Tree{Name: "Oak"})
	}, apidoc.Describe(apidoc.NewOperation[ByName, Tree]("findTree", "Find a tree by its name")))

	description, err := apidoc.Build(app, apidoc.Info{Title: "Trees", Version: "1.0"}, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(oneLine(description.Swagger()))
	// Output:
	// {"swagger":"2.0","info":{"title":"Trees","version":"1.0"},"produces":["application/json"],"security":[],"paths":{"/trees/{name}":{"get":{"operationId":"findTree","summary":"Find a tree by its name","deprecated":false,"parameters":[{"name":"name","in":"path","required":true,"type":"string"}],"responses":{"200":{"description":"OK","schema":{"$ref":"#/definitions/Tree"}}}}}},"definitions":{"Tree":{"type":"object","properties":{"name":{"type":"string"},"height":{"type":"number","format":"double"}},"required":["name"]}},"securityDefinitions":{}}
}

// A parameter of the pattern that the operation does not describe is an error.
func ExampleDescribe_refused() {
	defer func() { fmt.Println(recover()) }()
	app := routing.New()
	app.Get("/trees/:name", routing.Handler(http.NotFoundHandler()), apidoc.Describe(
		apidoc.NewOperation[struct{}, string]("findTree", "Find a tree")))
	// Output:
	// routing: route GET /trees/:name: apidoc: operation findTree: the pattern's parameter "name" is not described: write a field of the input with the tag path:"name"
}

// oneLine removes the line breaks from a description.
func oneLine(b []byte) string {
	return regexp.MustCompile(`\n *|(": )`).ReplaceAllStringFunc(string(b), func(s string) string {
		if s == `": ` {
			return `":`
		}
		return ""
	})
}
