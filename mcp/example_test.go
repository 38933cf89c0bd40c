package mcp_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/mcp"
	"example.com/flowercafe/routing"
)

func ExampleHandler() {
	type byID struct {
		ID int `path:"id" min:"1" doc:"The tree's number"`
	}
	type tree struct {
		Name string `json:"name"`
	}
	api := apidoc.NewAPI(routing.New(), apidoc.Info{Title: "Trees", Version: "1.0"})
	trees := api.Tag("Trees", "What grows here")
	getTree := func(_ context.Context, in byID) (tree, error) { return tree{fmt.Sprintf("Oak %d", in.ID)}, nil }
	apidoc.Get(api, "/trees/:id", "Read a tree", getTree, trees, apidoc.ID("getTree"))

	tools, err := mcp.New(api, mcp.WithTags("Trees"))
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", api)
	mux.Handle("/mcp", tools)
	server := httptest.NewServer(mux)
	defer server.Close()

	// A client lists the tools and calls one.
	ctx := context.Background()
	client := sdk.NewClient(&sdk.Implementation{Name: "example", Version: "1.0"}, nil)
	session, err := client.Connect(ctx, &sdk.StreamableClientTransport{Endpoint: server.URL + "/mcp"}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	for tool, err := range session.Tools(ctx, nil) {
		fmt.Println(tool.Name, "·", tool.Title, err)
	}
	for _, id := range []int{7, 0} {
		result, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "getTree", Arguments: map[string]any{"id": id}})
		fmt.Println(result.StructuredContent, result.IsError, err)
	}
	// Output:
	// getTree · Read a tree <nil>
	// map[name:Oak 7] false <nil>
	// <nil> true <nil>
}
