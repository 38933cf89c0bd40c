package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"example.com/flowercafe/examples/with/service/api"
	"example.com/flowercafe/examples/with/service/pier"
	"example.com/flowercafe/examples/with/service/web"
	"example.com/flowercafe/mcp"
)

// startTools serves the site, and the operations of the API of one house as tools.
func startTools(t *testing.T) string {
	t.Helper()
	data, err := openStore(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { data.Close() })
	if err := data.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	site, access := &web.Site{Store: data}, api.Access{}
	access.Allow("writer", "bookings:read", "bookings:write")
	house := site.House()
	token := access.Token()
	described := api.Define(house, data, token)
	pier.Install(house, described, data, token.Scopes("bookings:write"))
	app := site.App("/base", house)
	tools, err := mcp.New(described, mcp.WithTags("Rooms", "Bookings"), mcp.WithHandler(app, "/base/houses/mill"))
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/base/", app)
	mux.Handle("/mcp", tools)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// writer sends the token of a client that may change bookings.
type writer struct{}

func (writer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer writer")
	return http.DefaultTransport.RoundTrip(r)
}

type object = map[string]any

// toolCall is a call of a tool and the equivalent request.
type toolCall struct {
	tool      string
	arguments object
	request   string // the rest of the name, and after a space the body
	match     string // If-Match
	want      int
}

// plainCalls depend on no call before them.
var plainCalls = []toolCall{
	{"v1Rooms", nil, "GET /api/v1/rooms", "", 200},
	{"v2Rooms", nil, "GET /api/v2/rooms", "", 200},
	{"v1Photo", object{"room": "attic"}, "GET /api/v1/rooms/attic/photo", "", 404},
	{"v2Photo", object{"room": "none"}, "GET /api/v2/rooms/none/photo", "", 404},
	{"v1List", object{"from": "2000-01-01"}, "GET /api/v1/bookings?from=2000-01-01", "", 200},
	{"v2List", object{"from": "soon"}, "GET /api/v2/bookings?from=soon", "", 422},
	{"v1Add", object{"body": object{"room": "attic"}}, `POST /api/v1/bookings {"room":"attic"}`, "", 422},
	{"v2Read", object{"id": "none"}, "GET /api/v2/bookings/none", "", 404},
	{"v2AddAll", object{"body": []object{{"room": "attic"}}}, `POST /api/v2/bookings/import {"room":"attic"}`, "", 422},
}

// mediaOf returns the content type of a request.
func mediaOf(method, path string) string {
	switch {
	case method == http.MethodPatch:
		return "application/merge-patch+json"
	case strings.HasSuffix(path, "/import"):
		return "application/jsonl"
	}
	return "application/json"
}

// details is a booking for which there is room; booked is the same as an argument of a tool.
const details = `{"day":"2031-06-01","guests":5,"name":"Dan Poe","room":"attic"}`

var booked = object{"day": "2031-06-01", "guests": 5, "name": "Dan Poe", "room": "attic"}

// TestTools calls each operation of the API as a tool, and compares the result with the response to
// the equivalent request to another service.
func TestTools(t *testing.T) {
	address, plain := startTools(t), startTools(t)
	browser := &http.Client{Transport: writer{}}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1.0"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: address + "/mcp", HTTPClient: browser}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	listed, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	left := make(map[string]bool)
	for _, tool := range listed.Tools {
		left[tool.Name] = true
	}
	ids := make(map[string]string) // of the booking that is added, by the address of the service
	for _, test := range slices.Concat(plainCalls, []toolCall{
		{"v2Add", object{"body": booked}, "POST /api/v2/bookings " + details, "", 201},
		{"v2Add", object{"body": booked}, "POST /api/v2/bookings " + details, "", 409},
		{"v1Read", object{"id": "ID"}, "GET /api/v1/bookings/ID", "", 200},
		{"v2Change", object{"id": "ID", "body": object{"note": "late"}}, `PATCH /api/v2/bookings/ID {"note":"late"}`, "", 428},
		{"v2Change", object{"id": "ID", "If-Match": `"1"`, "body": object{"note": "late"}}, `PATCH /api/v2/bookings/ID {"note":"late"}`, `"1"`, 200},
		{"v2Change", object{"id": "ID", "If-Match": `"1"`, "body": object{"note": nil}}, `PATCH /api/v2/bookings/ID {"note":null}`, `"1"`, 412},
		{"v2Remove", object{"id": "ID", "If-Match": `"2"`}, "DELETE /api/v2/bookings/ID", `"2"`, 204},
		{"v2Remove", object{"id": "ID", "If-Match": `"2"`}, "DELETE /api/v2/bookings/ID", `"2"`, 404},
	}) {
		delete(left, test.tool)
		if test.arguments["id"] == "ID" {
			test.arguments["id"] = ids[address]
		}
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: test.tool, Arguments: test.arguments})
		if err != nil {
			t.Fatal(err)
		}
		got := result.Content[0].(*sdk.TextContent).Text

		method, rest, _ := strings.Cut(test.request, " ")
		path, body, _ := strings.Cut(strings.ReplaceAll(rest, "ID", ids[plain]), " ")
		r, err := http.NewRequest(method, plain+"/base/houses/mill"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {mediaOf(method, path)}, "Accept": {"application/json"}}
		if test.match != "" {
			r.Header.Set("If-Match", test.match)
		}
		response, err := browser.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if location := response.Header.Get("Location"); location != "" { // the tool has it in a text
			ids[plain] = location[strings.LastIndexByte(location, '/')+1:]
			for _, c := range result.Content {
				if text := c.(*sdk.TextContent).Text; strings.HasPrefix(text, "Location: ") {
					ids[address] = text[strings.LastIndexByte(text, '/')+1:]
				}
			}
		}
		want := strings.ReplaceAll(string(answer), ids[plain], ids[address])
		if want == "" {
			want = response.Status
		}
		if got != want || response.StatusCode != test.want || result.IsError != (test.want >= 400) {
			t.Errorf("%s %v: got %s, %t; want %d %s", test.tool, test.arguments, got, result.IsError, response.StatusCode, want)
		}
	}
	if len(left) > 0 || len(listed.Tools) != 13 {
		t.Errorf("got %d tools, and did not call %v", len(listed.Tools), left)
	}
}
