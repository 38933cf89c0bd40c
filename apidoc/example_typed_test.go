package apidoc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file has examples of typed operations.

type Plum struct {
	Name   string  `json:"name" minLength:"1" maxLength:"40" example:"Oak"`
	Height float64 `json:"height,omitempty" min:"0" doc:"In metres"`
}

type PlumByID struct {
	ID int `path:"id" min:"1" doc:"The tree's number"`
}

type Planted struct {
	Location string `header:"Location" doc:"Where the tree is"`
	Tree     Plum   `body:""`
}

var noTree = apidoc.NewProblem(404, "No such tree")

func getTree(_ context.Context, in PlumByID) (Plum, error) {
	if in.ID > 1 {
		return Plum{}, noTree
	}
	return Plum{Name: "Oak"}, nil
}

func plantTree(_ context.Context, tree Plum) (Planted, error) {
	return Planted{"/trees/2", tree}, nil
}

// send prints the response to a request: of an invalid one, where the errors are and their codes.
func send(app http.Handler, method, target, body string, headers ...string) {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	app.ServeHTTP(w, r)
	content := strings.TrimSpace(w.Header().Get("Location") + " " + strings.TrimSpace(placesOf(w.Body.String())))
	fmt.Println(strings.TrimSpace(fmt.Sprint(w.Code, " ", content)))
}

// The types of a function determine how requests are decoded and checked, how responses are
// encoded, and the description.
func ExampleNewAPI() {
	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0"})
	trees := api.Tag("Trees", "What grows here")
	apidoc.Get(api, "/trees/:id", "Read a tree", getTree, trees, noTree)
	apidoc.Post(api, "/trees", "Plant a tree", plantTree, trees, apidoc.Status(201))

	send(app, "GET", "/trees/1", "")
	send(app, "GET", "/trees/7", "")
	send(app, "GET", "/trees/oak", "")
	send(app, "POST", "/trees", `{"name":"Ash"}`)
	fmt.Println(call(app, "POST", "/trees", "application/json", `{"name":"","height":-1}`).Body)
	// Output:
	// 200 {"name":"Oak"}
	// 404 {"type":"about:blank","title":"No such tree","status":404}
	// 422 path id type
	// 201 /trees/2 {"name":"Ash"}
	// {"type":"about:blank","title":"The request is not as described","status":422,"code":"unprocessable_entity","detail":"body /name must have at least 1 character; body /height must be at least 0","errors":[{"in":"body","pointer":"/name","detail":"must have at least 1 character","code":"minLength","limit":1},{"in":"body","pointer":"/height","detail":"must be at least 0","code":"minimum","limit":0}]}
}

// Parameters may be in all parts of a request, with rules and defaults. Fields of embedded structs
// are included.
func ExampleGet() {
	type Page struct {
		Limit int `query:"limit" min:"1" max:"50" default:"10"`
	}
	type Search struct {
		Page
		Words   []string `query:"word" maxLength:"3"`
		Session string   `cookie:"session"`
		Trace   string   `header:"X-Trace"`
	}
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Get(api, "/trees", "Find trees", func(_ context.Context, in Search) (string, error) {
		return fmt.Sprint(in.Limit, in.Words, in.Trace), nil
	})
	send(app, "GET", "/trees?word=old&word=tall", "", "X-Trace", "7")
	// Output: 200 10 [old tall]7
}

func ExamplePost() {
	app := routing.New()
	apidoc.Post(apidoc.NewAPI(app, info), "/trees", "Plant a tree", plantTree, apidoc.Status(http.StatusCreated))
	send(app, "POST", "/trees", `{"name":"Ash","Name":"Oak"}`)
	// Output: 422 body /Name letterCase
}

// A QUERY has its parameters in a body, and changes nothing.
func ExampleQuery() {
	type Filter struct {
		Names []string `json:"names" minLength:"1" maxLength:"1000"`
	}
	app := routing.New()
	apidoc.Query(apidoc.NewAPI(app, info), "/trees", "Find trees", func(_ context.Context, in Filter) ([]Plum, error) {
		return []Plum{{Name: in.Names[0]}}, nil
	})
	send(app, "QUERY", "/trees", `{"names":["Elm"]}`)
	send(app, "QUERY", "/trees", `{"names":[]}`, "Content-Type", "text/plain")
	// Output:
	// 200 [{"name":"Elm"}]
	// 415 {"type":"about:blank","title":"The request has another media type than described","status":415,"code":"unsupported_media_type","detail":"Send the body with the content type application/json"}
}

func ExamplePut() {
	app := routing.New()
	apidoc.Put(apidoc.NewAPI(app, info), "/trees/:id", "Replace a tree", func(_ context.Context, in struct {
		PlumByID
		Tree Plum `body:""`
	}) (Plum, error) {
		return in.Tree, nil
	})
	send(app, "PUT", "/trees/1", `{"name":"Elm"}`)
	// Output: 200 {"name":"Elm"}
}

// A pointer is nil if the member was not sent or is null.
func ExamplePatch() {
	type Change struct {
		PlumByID
		Change struct {
			Name   *string  `json:"name,omitempty"`
			Height *float64 `json:"height,omitempty"`
		} `body:""`
	}
	app := routing.New()
	apidoc.Patch(apidoc.NewAPI(app, info), "/trees/:id", "Change a tree", func(_ context.Context, in Change) (string, error) {
		return fmt.Sprint(*in.Change.Name, " ", in.Change.Height == nil), nil
	})
	send(app, "PATCH", "/trees/1", `{"name":"Elm","height":null}`)
	// Output: 200 Elm true
}

// Without a body the status is 204.
func ExampleDelete() {
	app := routing.New()
	apidoc.Delete(apidoc.NewAPI(app, info), "/trees/:id", "Fell a tree", func(_ context.Context, in PlumByID) (struct{}, error) {
		return struct{}{}, nil
	})
	send(app, "DELETE", "/trees/1", "")
	// Output: 204
}

func ExampleRoute() {
	app := routing.New()
	pattern := routing.Must(routing.Rails("/trees/:id(.json)"))
	apidoc.NewAPI(app, info).Group("/v1", func(g *apidoc.Group) {
		apidoc.Route(g, "GET", pattern, "Read a tree", getTree, noTree)
	})
	send(app, "GET", "/v1/trees/1.json", "")
	// Output: 200 {"name":"Oak"}
}

// Serve publishes the description in all formats. With viewer.New() it also serves a page.
func ExampleAPI_Serve() {
	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0"})
	apidoc.Get(api, "/trees/:id", "Read a tree", getTree, noTree)
	if _, err := api.Serve(nil); err != nil {
		fmt.Println(err)
		return
	}
	for _, form := range []string{"swagger", "openapi", "openapi-3.0"} {
		w := httptest.NewRecorder()
		app.ServeHTTP(w, httptest.NewRequest("GET", "/api-docs/"+form+".json", nil))
		fmt.Println(w.Code, strings.Fields(w.Body.String())[1:3])
	}
	// Output:
	// 200 ["swagger": "2.0",]
	// 200 ["openapi": "3.1.0",]
	// 200 ["openapi": "3.0.3",]
}

// The detail of a problem describes a single error.
func ExampleProblem_Detailf() {
	err := fmt.Errorf("read: %w", noTree.Detailf("there are %d trees", 1))
	fmt.Println(err)
	// Output: read: No such tree: there are 1 trees
}

// The token is checked before the operation runs. The user is passed in the context.
func ExampleBearer() {
	type userKey struct{}
	bearer := apidoc.Bearer("bearer", func(ctx context.Context, c apidoc.Credentials) (context.Context, error) {
		if c.Token != "secret" {
			return nil, apidoc.ErrUnauthorized
		}
		return context.WithValue(ctx, userKey{}, "Ann, for "+strings.Join(c.Scopes, " ")), nil
	})
	app := routing.New()
	apidoc.Get(apidoc.NewAPI(app, info), "/me", "Who am I", func(ctx context.Context, _ struct{}) (string, error) {
		return ctx.Value(userKey{}).(string), nil
	}, bearer.Scopes("profile"))
	send(app, "GET", "/me", "", "Authorization", "Bearer secret")
	send(app, "GET", "/me", "")
	// Output:
	// 200 Ann, for profile
	// 401 {"type":"about:blank","title":"Unauthorized","status":401,"code":"unauthorized"}
}

// Clients use either of the two schemes.
func ExampleAnyOf() {
	anyone := func(ctx context.Context, c apidoc.Credentials) (context.Context, error) { return ctx, nil }
	ways := apidoc.AnyOf(apidoc.Basic("basic", anyone), apidoc.APIKey("key", apidoc.InHeader, "X-Key", anyone))
	app := routing.New()
	api := apidoc.NewAPI(app, info, ways) // for all operations
	ok := func(context.Context, struct{}) (string, error) { return "welcome", nil }
	apidoc.Get(api, "/inside", "", ok)
	apidoc.Get(api, "/outside", "", ok, apidoc.Public())
	send(app, "GET", "/inside", "", "X-Key", "any")
	send(app, "GET", "/outside", "")
	// Output:
	// 200 welcome
	// 200 welcome
}

// An upload of images of up to 1 MB.
func ExampleFile() {
	type Upload struct {
		Title string      `form:"title,required"`
		Image apidoc.File `form:"image,required" accept:"image/png,image/jpeg" maxLength:"1000000"`
	}
	app := routing.New()
	apidoc.Post(apidoc.NewAPI(app, info), "/images", "Store an image", func(_ context.Context, in Upload) (string, error) {
		content, err := in.Image.Bytes()
		return fmt.Sprint(in.Title, ": ", len(content), " bytes"), err
	}, apidoc.BodyLimit(2<<20))
	contentType, body := multipartBody(part{"title", "", "Oak"}, part{"image", "image/png", "\x89PNG\r\n\x1a\n"})
	send(app, "POST", "/images", body, "Content-Type", contentType)
	// Output: 200 Oak: 8 bytes
}

// A sequence is sent as server-sent events. A client that reconnects sends the ID of the last event
// that it has. An error becomes a last event; its text is only in the log.
func ExampleEvent() {
	type Watch struct {
		After int `header:"Last-Event-ID"`
	}
	app := routing.New(routing.WithLogger(slog.New(slog.DiscardHandler)))
	watch := func(_ context.Context, in Watch) (iter.Seq2[apidoc.Event[Plum], error], error) {
		return func(yield func(apidoc.Event[Plum], error) bool) {
			for i, name := range []string{"Oak", "Ash"} {
				e := apidoc.Event[Plum]{ID: fmt.Sprint(i + 1), Name: "planted", Data: Plum{Name: name}, Retry: time.Second}
				if i >= in.After && !yield(e, nil) {
					return
				}
			}
			yield(apidoc.Event[Plum]{}, errors.New("the database is away"))
		}, nil
	}
	apidoc.Get(apidoc.NewAPI(app, info), "/events", "Watch trees", watch, apidoc.Heartbeat(time.Minute))
	send(app, "GET", "/events", "", "Last-Event-ID", "1")
	// Output:
	// 200 :
	//
	// id: 2
	// retry: 1000
	// event: planted
	// data: {"name":"Ash"}
	//
	// event: problem
	// data: {"type":"about:blank","title":"Internal Server Error","status":500}
}

// Each line of a body is checked when the loop reaches it, so the body may be long.
func ExampleLineLimit() {
	app := routing.New()
	plant := func(_ context.Context, trees iter.Seq2[Plum, error]) (planted int, err error) {
		for tree, err := range trees {
			if err != nil {
				return 0, err
			}
			planted += len(tree.Name)
		}
		return planted, nil
	}
	apidoc.Post(apidoc.NewAPI(app, info), "/trees", "Plant many trees", plant, apidoc.LineLimit(1000), apidoc.BodyLimit(1<<30))
	send(app, "POST", "/trees", `{"name":"Oak"}`+"\n"+`{"name":"Ash"}`+"\n", "Content-Type", "application/jsonl")
	send(app, "POST", "/trees", `{"name":"Oak"}`+"\n"+`{"name":""}`+"\n", "Content-Type", "application/x-ndjson")
	// Output:
	// 200 6
	// 422 body line 2 /name minLength
}

// A sequence with the media type of JSON Lines is sent line by line.
func ExampleGet_lines() {
	type Trees struct {
		All iter.Seq2[Plum, error] `body:"application/jsonl"`
	}
	app := routing.New()
	apidoc.Get(apidoc.NewAPI(app, info), "/trees", "Export trees", func(context.Context, struct{}) (Trees, error) {
		return Trees{func(yield func(Plum, error) bool) {
			_ = yield(Plum{Name: "Oak"}, nil) && yield(Plum{Name: "Ash"}, nil)
		}}, nil
	})
	send(app, "GET", "/trees", "")
	// Output:
	// 200 {"name":"Oak"}
	// {"name":"Ash"}
}

// Metres are text in JSON.
type Metres int

func (Metres) DescribedAs() (any, reflect.StructTag) { return "", `pattern:"^[0-9]+ m$"` }

func (m Metres) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%d m", int(m)), nil }

func (m *Metres) UnmarshalText(text []byte) error {
	_, err := fmt.Sscanf(string(text), "%d m", (*int)(m))
	return err
}

func ExampleSchemaProvider() {
	app := routing.New()
	apidoc.Get(apidoc.NewAPI(app, info), "/trees", "Find trees", func(_ context.Context, in struct {
		Above Metres `query:"above"`
	}) (string, error) {
		return fmt.Sprint(int(in.Above)), nil
	})
	send(app, "GET", "/trees?above=20+m", "")
	// Output: 200 20
}

// Plant is an oak or an ash.
type Plant struct{ Of any }

type Oak struct {
	Acorns int `json:"acorns"`
}

type Ash struct {
	Keys int `json:"keys"`
}

func (Plant) OneOf() []any { return []any{Oak{}, Ash{}} }

func (p Plant) MarshalJSON() ([]byte, error) { return json.Marshal(p.Of) }

func (p *Plant) UnmarshalJSON(b []byte) error {
	if strings.Contains(string(b), `"acorns"`) {
		p.Of = &Oak{}
	} else {
		p.Of = &Ash{}
	}
	return json.Unmarshal(b, p.Of)
}

func ExampleUnion() {
	app := routing.New()
	apidoc.Post(apidoc.NewAPI(app, info), "/plants", "Plant something", func(_ context.Context, in Plant) (Plant, error) { return in, nil })
	send(app, "POST", "/plants", `{"keys":3}`)
	send(app, "POST", "/plants", `{"leaves":3}`)
	// Output:
	// 200 {"keys":3}
	// 422 body oneOf
}

// A test checks that all responses match the description.
func ExampleCheckResponses() {
	app := routing.New()
	app.Get("/trees", func(routing.Context) (routing.Result, error) {
		return routing.JSON(map[string]int{"name": 7})
	}, apidoc.Describe(apidoc.NewOperation[struct{}, Plum]("getTree", "Read a tree")))
	checked := apidoc.CheckResponses(app, func(r *http.Request, err error) { fmt.Println(r.URL.Path, err) })
	checked.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/trees", nil))
	// Output: /trees operation getTree: status 200: body /name must be a string
}

// Webhooks describe the requests that subscribers receive.
func ExampleWebhook() {
	app := routing.New()
	api := apidoc.NewAPI(app, info)
	apidoc.Webhook[Plum](api, "treeFelled", "A tree was felled")
	apidoc.Post(api, "/trees", "Plant a tree", plantTree, apidoc.Status(201),
		apidoc.Callback[Plum]("grown", "{$request.header.X-Callback}", "The tree has grown"),
		apidoc.RequestExample(Plum{Name: "Oak", Height: 2}))
	d, err := api.Document()
	fmt.Println(err, strings.Contains(string(d.OpenAPI()), `"treeFelled"`), strings.Contains(string(d.OpenAPI30()), `"grown"`))
	// Output: <nil> true true
}

// Conditions and middleware of the router apply to typed operations too.
func ExampleRouteOptions() {
	app := routing.New()
	preview := routing.When(func(r *http.Request) bool { return r.Header.Get("X-Preview") != "" })
	apidoc.Get(apidoc.NewAPI(app, info), "/trees/:id", "Read a tree", getTree, noTree, apidoc.RouteOptions(preview))
	send(app, "GET", "/trees/1", "", "X-Preview", "1")
	// Output: 200 {"name":"Oak"}
}
