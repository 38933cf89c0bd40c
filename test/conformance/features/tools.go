package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/mcp"
	"example.com/flowercafe/routing"
)

// This file has the operations that AI clients use as tools.

type treeID struct {
	ID int `path:"id" min:"1"`
}

var noTree = apidoc.NewProblem(404, "No such tree")

// toolsAPI returns an API whose tools are at /mcp.
func toolsAPI() http.Handler {
	app := routing.New(routing.WithProblemDetails(), routing.WithLogger(quiet))
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0"})
	tag := api.Tag("tools", "For AI clients")
	apidoc.Get(api, "/trees/:id", "Read a tree", func(_ context.Context, in treeID) (open, error) {
		if in.ID > 9 {
			return open{}, noTree
		}
		return open{"oak"}, nil
	}, tag, apidoc.ID("readTree"), noTree)
	apidoc.Get(api, "/me", "Say who I am", func(_ context.Context, in struct {
		Token string `header:"Authorization"`
	}) (open, error) {
		return open{in.Token}, nil
	}, tag, apidoc.ID("whoAmI"))
	apidoc.Get(api, "/all", "List", func(context.Context, nothing) ([]open, error) { return []open{{"oak"}}, nil }, tag, apidoc.ID("listTrees"))
	apidoc.Delete(api, "/trees", "Cut all trees", readTree, apidoc.ID("cutTrees"))
	if _, err := api.Serve(viewer.New()); err != nil {
		panic(err)
	}
	tools, err := mcp.New(api, mcp.WithTags("tools"))
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", app)
	mux.Handle("/mcp", tools)
	return mux
}

var tools = feature{
	key: "tools", name: "Operations as tools of AI clients (Model Context Protocol)",
	apidoc: toolsAPI,
	probes: []probe{
		listsTool("readTree", `"required":["id"]`), listsTool("readTree", `"minimum":1`), listsTool("readTree", `"title":"Read a tree"`),
		listsTool("readTree", `"readOnlyHint":true`), listsTool("readTree", `"outputSchema":{`), listsNoTool("cutTrees"),
		callsTool("readTree", `{"id":7}`, `"structuredContent":{"name":"oak"}`),
		callsTool("readTree", `{"id":10}`, `No such tree`), callsTool("readTree", `{"id":10}`, `"isError":true`),
		callsTool("readTree", `{"id":0}`, `"isError":true`), callsTool("listTrees", `{}`, `"structuredContent":{"result":[{"name":"oak"}]}`),
		callsTool("whoAmI", `{}`, `Bearer correct-horse`),
		refusesOrigin, speaksNewest,
	},
}

type bearer struct{}

func (bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer correct-horse")
	return http.DefaultTransport.RoundTrip(r)
}

// withTools calls f with a client of the tools, and returns what f has seen.
func withTools(s service, f func(context.Context, *sdk.ClientSession) (string, error)) string {
	ctx, cancel := context.WithTimeout(context.Background(), client.Timeout)
	defer cancel()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "features", Version: "1.0"}, nil).Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: s.origin + "/mcp", HTTPClient: &http.Client{Transport: bearer{}}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return "no tools at `/mcp`"
	}
	defer session.Close()
	seen, err := f(ctx, session)
	if err != nil {
		return "an error of the client"
	}
	return seen
}

// listsTool is a probe for a text in the description of a tool.
func listsTool(name, want string) probe {
	return func(s service) string {
		return withTools(s, func(ctx context.Context, session *sdk.ClientSession) (string, error) {
			listed, err := session.ListTools(ctx, nil)
			if err != nil {
				return "", err
			}
			for _, tool := range listed.Tools {
				if text, _ := json.Marshal(tool); tool.Name == name && strings.Contains(string(text), want) {
					return "", nil
				}
			}
			return fmt.Sprintf("the tool %s without `%s`", name, want), nil
		})
	}
}

// listsNoTool is a probe that a tool is not listed, and others are.
func listsNoTool(name string) probe {
	return func(s service) string {
		return withTools(s, func(ctx context.Context, session *sdk.ClientSession) (string, error) {
			listed, err := session.ListTools(ctx, nil)
			if err != nil {
				return "", err
			}
			for _, tool := range listed.Tools {
				if tool.Name == name {
					return "the tool " + name, nil
				}
			}
			return "", nil
		})
	}
}

// callsTool is a probe for a text in the result of a tool.
func callsTool(name, arguments, want string) probe {
	return func(s service) string {
		return withTools(s, func(ctx context.Context, session *sdk.ClientSession) (string, error) {
			result, err := session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
			if err != nil {
				return "", err
			}
			if text, _ := json.Marshal(result); !strings.Contains(string(text), want) {
				return fmt.Sprintf("`%s %s` without `%s`", name, arguments, want), nil
			}
			return "", nil
		})
	}
}

// refusesOrigin is a probe that pages of others cannot use the tools.
func refusesOrigin(s service) string {
	r, err := http.NewRequest(http.MethodPost, s.origin+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		return err.Error()
	}
	r.Header = http.Header{"Origin": {"https://evil.example"}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	response, err := client.Do(r)
	if err != nil {
		return "no response"
	}
	response.Body.Close()
	if response.StatusCode != http.StatusForbidden {
		return fmt.Sprintf("a page of another origin: %d", response.StatusCode)
	}
	return ""
}

// speaksNewest is a probe for the revision of 2026-07-28.
func speaksNewest(s service) string {
	return withTools(s, func(_ context.Context, session *sdk.ClientSession) (string, error) {
		if version := session.InitializeResult().ProtocolVersion; version != "2026-07-28" {
			return "the revision " + version, nil
		}
		return "", nil
	})
}
