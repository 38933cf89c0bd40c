package mcp_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/mcp"
	"example.com/flowercafe/routing"
)

func ExampleNew() {
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
	session := dial(server.URL + "/mcp")
	defer session.Close()
	ctx := context.Background()
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

// dial connects a client.
func dial(endpoint string) *sdk.ClientSession {
	client := sdk.NewClient(&sdk.Implementation{Name: "example", Version: "1.0"}, nil)
	session, err := client.Connect(context.Background(), &sdk.StreamableClientTransport{Endpoint: endpoint}, nil)
	if err != nil {
		log.Fatal(err)
	}
	return session
}

// Calls go through middleware that puts the app below /shop, and have a header of the MCP request.
func ExampleWithHandler() {
	app := routing.New(routing.WithBasePath("/shop"))
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0"})
	trees := api.Tag("Trees", "What grows here")
	apidoc.Get(api, "/trees", "List the trees", func(context.Context, struct{}) (string, error) { return "Oak, Ash", nil }, trees, apidoc.ID("list"))
	apidoc.Delete(api, "/trees", "Fell all trees", func(context.Context, struct{}) (struct{}, error) { return struct{}{}, nil }, trees, apidoc.ID("fell"))
	logged := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Method, r.URL, r.Header.Get("X-Forwarded-For"))
		app.ServeHTTP(w, r)
	})
	tools, err := mcp.New(api, mcp.WithTags("Trees"), mcp.WithoutOperations("fell"),
		mcp.WithHandler(logged, "/shop"), mcp.WithHeaders("X-API-Key"), mcp.WithCallTime(10*time.Second),
		mcp.WithResponseLimit(10_000), mcp.WithStreamTime(time.Minute), mcp.WithAllowedOrigins("https://chat.example.com"))
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("X-Forwarded-For", "192.0.2.1") // as a proxy does
		tools.ServeHTTP(w, r)
	}))
	defer server.Close()

	session := dial(server.URL)
	defer session.Close()
	for tool, err := range session.Tools(context.Background(), nil) {
		fmt.Println(tool.Name, err)
	}
	result, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "list"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Content[0].(*sdk.TextContent).Text)
	// Output:
	// list <nil>
	// GET /shop/trees 192.0.2.1
	// Oak, Ash
}

// An operation learns that a tool called it, for an audit log.
func ExampleWithHandler_audit() {
	api := apidoc.NewAPI(routing.New(), apidoc.Info{Title: "Trees", Version: "1.0"})
	byTool := routing.NewKey[bool]()
	apidoc.Post(api, "/trees", "Plant a tree", func(ctx context.Context, _ struct{}) (struct{}, error) {
		tool, _ := byTool.From(ctx)
		fmt.Println("planted, by a tool:", tool)
		return struct{}{}, nil
	}, apidoc.ID("plant"))

	calls := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.ServeHTTP(w, r.WithContext(byTool.With(r.Context(), true)))
	})
	tools, err := mcp.New(api, mcp.WithOperations("plant"), mcp.WithHandler(calls, ""))
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(tools)
	defer server.Close()

	session := dial(server.URL)
	defer session.Close()
	if _, err := session.CallTool(context.Background(), &sdk.CallToolParams{Name: "plant"}); err != nil {
		log.Fatal(err)
	}
	api.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/trees", nil))
	// Output:
	// planted, by a tool: true
	// planted, by a tool: false
}
