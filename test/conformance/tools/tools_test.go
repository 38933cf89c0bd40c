// Package tools tests the tools of package mcp with other projects' clients: the official SDKs for
// Go, TypeScript and Python, the inspector, and the conformance suite of the protocol. The SDKs
// call all operations of the nursery, and the tests compare the results with responses over HTTP.
package tools

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/conformance/internal/nursery"
	"example.com/flowercafe/apidoc/conformance/internal/stock"
	"example.com/flowercafe/flowercatalog"
	"example.com/flowercafe/internal/testenv"
	"example.com/flowercafe/mcp"
	"example.com/flowercafe/routing"
)

// exchange is a call of a tool, and the equivalent HTTP request.
type exchange struct {
	Tool          string            `json:"tool"`
	Arguments     any               `json:"arguments"`
	Header        map[string]string `json:"header"` // of both requests: the credentials
	Method        string            `json:"method"`
	Path          string            `json:"path"`
	RequestHeader map[string]string `json:"requestHeader"`
	Body          []byte            `json:"body"` // nil for none
}

func (e exchange) String() string {
	arguments, _ := json.Marshal(e.Arguments)
	return fmt.Sprintf("%s %.80s", e.Tool, arguments)
}

// exchanges reads the table. Its words in capitals are values of the nursery.
func exchanges(t *testing.T) (all []exchange) {
	t.Helper()
	text, err := os.ReadFile("testdata/calls.json")
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.NewReplacer("ROSE", stock.Rose.String(), "SECRET", stock.Secret, "VISITOR", stock.Visitor,
		`"PNG"`, `"`+base64.StdEncoding.EncodeToString(stock.PNG)+`"`).Replace(string(text)))
	var rows []struct {
		Tool, Authorization, Key string
		Arguments                any
		Request                  []any
	}
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		e := exchange{Tool: row.Tool, Arguments: row.Arguments, Header: map[string]string{}, RequestHeader: map[string]string{}}
		if name, ok := strings.CutPrefix(row.Authorization, "Basic "); ok {
			row.Authorization = "Basic " + base64.StdEncoding.EncodeToString([]byte(name))
		}
		for name, value := range map[string]string{"Authorization": row.Authorization, "X-Key": row.Key} {
			if value != "" {
				e.Header[name] = value
			}
		}
		e.Method, e.Path = row.Request[0].(string), row.Request[1].(string)
		if len(row.Request) > 2 {
			for name, value := range row.Request[2].(map[string]any) {
				e.RequestHeader[name] = value.(string)
			}
		}
		if len(row.Request) > 3 {
			body := row.Request[3].(string)
			if encoded, ok := strings.CutPrefix(body, "base64:"); ok {
				e.Body, _ = base64.StdEncoding.DecodeString(encoded)
			} else {
				e.Body = []byte(strings.ReplaceAll(body, "RAWPNG", string(stock.PNG)))
			}
		}
		all = append(all, e)
	}
	return all
}

// newServer serves the nursery below /shop and its tools at /mcp.
func newServer(t *testing.T) string {
	t.Helper()
	api, err := nursery.Described("/shop")
	if err != nil {
		t.Fatal(err)
	}
	tools, err := mcp.New(api, mcp.WithTags("Items", "Photos", "Visitors", "Orders"), mcp.WithHeaders("X-Key"))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/shop/", api)
	mux.Handle("/mcp", tools)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// withHeader adds headers to requests.
type withHeader map[string]string

func (h withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func connect(t *testing.T, address string, header map[string]string) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: address + "/mcp", HTTPClient: &http.Client{Transport: withHeader(header)}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// varying matches IDs and times, which differ between two equal servers.
var varying = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|20\d\d-\d\d-\d\dT[0-9:.]+Z`)

func steady(text string) string { return varying.ReplaceAllString(text, "…") }

func TestGo(t *testing.T) {
	plain, address := newServer(t), newServer(t)
	called := make(map[string]bool)
	for _, e := range exchanges(t) {
		called[e.Tool] = true
		request, err := http.NewRequest(e.Method, plain+"/shop"+e.Path, bytes.NewReader(e.Body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Accept", "application/json, */*;q=0.5")
		for _, header := range []map[string]string{e.Header, e.RequestHeader} {
			for name, value := range header {
				request.Header.Set(name, value)
			}
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		result, err := connect(t, address, e.Header).CallTool(t.Context(), &sdk.CallToolParams{Name: e.Tool, Arguments: e.Arguments})
		if err != nil {
			t.Errorf("%v: %v", e, err)
			continue
		}
		t.Logf("%v: %d %.120s", e, response.StatusCode, body)
		compare(t, e, response, string(body), result)
	}
	if len(called) != 14 {
		t.Errorf("got calls of %d tools, want those of 14", len(called))
	}
}

// compare compares the result of a tool with the response to the same request.
func compare(t *testing.T, e exchange, response *http.Response, body string, result *sdk.CallToolResult) {
	t.Helper()
	if want := response.StatusCode >= 400; result.IsError != want {
		t.Errorf("%v: got isError %t, want %t", e, result.IsError, want)
	}
	var got string
	switch c := result.Content[0].(type) {
	case *sdk.TextContent:
		got = c.Text
	case *sdk.ImageContent:
		if c.MIMEType != response.Header.Get("Content-Type") {
			t.Errorf("%v: got an image of type %s", e, c.MIMEType)
		}
		got = string(c.Data)
	}
	media := response.Header.Get("Content-Type")
	switch {
	case body == "":
		body = response.Status
	case media == "text/event-stream":
		var data []any
		for line := range strings.Lines(body) {
			if text, ok := strings.CutPrefix(line, "data: "); ok {
				data = append(data, decode(t, text))
			}
		}
		var items []any
		for _, item := range result.StructuredContent.(map[string]any)["items"].([]any) {
			items = append(items, item.(map[string]any)["data"])
		}
		if len(data) == 0 || !reflect.DeepEqual(items, data) {
			t.Errorf("%v: got %v, want %v", e, items, data)
		}
		return
	case media == "application/json" && !result.IsError:
		structured, err := json.Marshal(result.StructuredContent)
		if err != nil {
			t.Fatal(err)
		}
		if want := decode(t, steady(body)); !reflect.DeepEqual(decode(t, steady(string(structured))), want) {
			t.Errorf("%v: got %s, want %s", e, structured, body)
		}
	}
	if steady(got) != steady(body) {
		t.Errorf("%v: got %s, want %s", e, got, body)
	}
	for _, c := range result.Content[1:] {
		name, value, ok := strings.Cut(c.(*sdk.TextContent).Text, ": ")
		if want := response.Header.Get(name); !ok || name == "Set-Cookie" || steady(value) != steady(want) {
			t.Errorf("%v: got %s: %s, want %s", e, name, value, want)
		}
	}
}

func decode(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// clients installs the clients of npm, and returns the directory they are in.
var clients = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "npm")
	if err := os.CopyFS(dir, os.DirFS("testdata/npm")); err != nil {
		return "", err
	}
	return dir, testenv.Install(context.Background(), dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
})

var scratch string // of this test run

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "tools")
	if err != nil {
		panic(err)
	}
	scratch = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// run runs a program for at most 5 minutes, and returns what it prints.
func run(dir, input, name string, arguments ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, name, arguments...)
	c.Dir, c.Stdin = dir, strings.NewReader(input)
	out, err := c.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, arguments, err, out)
	}
	return string(out), err
}

// runClient runs a client's program with Node.js.
func runClient(t *testing.T, input, program string, arguments ...string) string {
	t.Helper()
	if os.Getenv("CONFORMANCE") != "all" {
		t.Skip("it needs CONFORMANCE=all, and then Node.js 20 and npm")
	}
	dir, err := clients()
	if err != nil {
		t.Fatal(err)
	}
	out, err := run(dir, input, "node", append([]string{program}, arguments...)...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTypeScript(t *testing.T) {
	all := exchanges(t)
	input, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	for _, revision := range []string{"2026-07-28", "2025-11-25", "v1"} {
		t.Run(revision, func(t *testing.T) {
			want := fmt.Sprintf("14 tools, %d calls\n", len(all))
			if got := runClient(t, string(input), "client.mjs", revision, newServer(t)+"/mcp", newServer(t)+"/shop"); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestPython calls the tools with the Python SDK, in both of its versions.
func TestPython(t *testing.T) {
	all := exchanges(t)
	input, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("CONFORMANCE") != "all" {
		t.Skip("it needs CONFORMANCE=all, and then Python 3.10 with venv")
	}
	for _, version := range []string{"1.30.0", "2.3.0"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if _, err := run(".", "", "python3", "-m", "venv", dir); err != nil {
				t.Fatal(err)
			}
			bin := filepath.Join(dir, "bin")
			if err := testenv.Install(t.Context(), dir, filepath.Join(bin, "pip"), "install", "--quiet", "--no-compile", "--disable-pip-version-check", "mcp=="+version); err != nil {
				t.Fatal(err)
			}
			out, err := run("testdata/python", string(input), filepath.Join(bin, "python"), "client.py", newServer(t)+"/mcp", newServer(t)+"/shop", newSuiteServer(t))
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("14 tools, %d calls, response:/bytes ff00\n", len(all)); out != want {
				t.Errorf("got %s, want %s", out, want)
			}
		})
	}
}

// TestLimits sends a call that is too large, which is an error of the tool, and cancels another
// call. With the newest revision the cancellation ends it; with earlier revisions, its time limit
// does.
func TestLimits(t *testing.T) {
	for revision, want := range map[string]string{
		"2026-07-28": "context canceled", "2025-11-25": "mcp: the call has reached its time limit", "v1": "mcp: the call has reached its time limit",
	} {
		t.Run(revision, func(t *testing.T) {
			api := apidoc.NewAPI(routing.New(), apidoc.Info{Title: "Limits", Version: "1.0"})
			begun, ended := make(chan bool, 1), make(chan error, 1)
			type query struct {
				Text string `query:"text"`
			}
			wait := func(ctx context.Context, _ query) (string, error) {
				begun <- true
				<-ctx.Done()
				ended <- context.Cause(ctx)
				return "", ctx.Err()
			}
			apidoc.Get(api, "/wait", "Wait", wait, apidoc.ID("wait"))
			limit := time.Hour // the newest revision needs none
			if revision != "2026-07-28" {
				limit = 2 * time.Second
			}
			tools, err := mcp.New(api, mcp.WithOperations("wait"), mcp.WithCallTime(limit))
			if err != nil {
				t.Fatal(err)
			}
			mux := http.NewServeMux()
			mux.Handle("/mcp", tools)
			mux.HandleFunc("/begun", func(http.ResponseWriter, *http.Request) { <-begun })
			mux.HandleFunc("/ended", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, <-ended) })
			server := httptest.NewServer(mux)
			defer server.Close()
			want := "true The arguments have more than 4194304 bytes\ncancelled\n" + want + "\n"
			if got := runClient(t, "", "limits.mjs", revision, server.URL); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestInspector(t *testing.T) {
	const program = "node_modules/@modelcontextprotocol/inspector-cli/build/cli.js"
	address := newServer(t) + "/mcp"
	out := runClient(t, "", program, "--cli", address, "--transport", "http", "--method", "tools/list")
	if n := strings.Count(out, `"inputSchema"`); n != 14 {
		t.Errorf("got %d tools, want 14: %s", n, out)
	}
	out = runClient(t, "", program, "--cli", address, "--transport", "http", "--method", "tools/call",
		"--tool-name", "getItem", "--tool-arg", "id="+stock.Rose.String())
	if !strings.Contains(out, `"name": "Tea rose"`) {
		t.Errorf("got %s, want the rose", out)
	}
}

// TestReadme runs the program in the README of examples/with/tools.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../../examples/with/tools/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```js\n")
	program, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("got no program")
	}
	catalog, err := flowercatalog.New()
	if err != nil {
		t.Fatal(err)
	}
	handler, err := mcp.New(catalog, mcp.WithOperations("getFlowers", "findBySlug"))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	program = strings.ReplaceAll(program, "http://127.0.0.1:8080", server.URL)
	const want = `findBySlug · Find a flower by its slug
getFlowers · Show all flowers
Red Rose
Rose
true {"status":404,"message":"Slug Not Found","type":"about:blank","title":"Not Found"}
`
	if got := runClient(t, program, "--input-type=module"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
