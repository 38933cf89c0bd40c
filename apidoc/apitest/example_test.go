package apitest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

type Tree struct {
	ID   int    `json:"id"`
	Name string `json:"name" minLength:"1"`
}

type planted struct {
	Location string `header:"Location"`
	Tree     Tree   `body:""`
}

// trees is a handler with typed operations.
func trees() *routing.App {
	app := routing.New(routing.WithProblemDetails())
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0"})
	type byID struct {
		ID int `path:"id" min:"1"`
	}
	apidoc.Get(api, "/trees/:id", "Read a tree", func(_ context.Context, in byID) (Tree, error) { return Tree{in.ID, "Oak"}, nil })
	apidoc.Post(api, "/trees", "Plant a tree", func(_ context.Context, in Tree) (planted, error) {
		return planted{"/trees/8", Tree{8, in.Name}}, nil
	}, apidoc.Status(http.StatusCreated))
	return app
}

// printer is a T that prints failures. In your tests it is the *testing.T.
type printer struct{}

func (printer) Helper()                           {}
func (printer) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (printer) Fatalf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func Example() {
	var t printer
	c := apitest.New(t, trees())
	c.Get("/trees/7").Want(200, Tree{ID: 7, Name: "Oak"})
	c.Post("/trees", Tree{Name: "Ash"}).Want(201).WantHeader("Location", "/trees/8")
	c.Post("/trees", Tree{}).Want(201)

	var tree Tree
	c.Post("/trees", Tree{Name: "Elm"}).Decode(&tree)
	fmt.Println(tree)
	// Output:
	// POST /trees: got status 422, want 201; the body is {"type":"about:blank","title":"The request is not as described","status":422,"code":"unprocessable_entity","detail":"body /name must have at least 1 character","errors":[{"in":"body","pointer":"/name","detail":"must have at least 1 character","code":"minLength","limit":1}]}
	// {8 Elm}
}

// Each response is checked against the description of its operation, even if the app is wrapped in
// other handlers.
func ExampleNew() {
	app := routing.New()
	app.Get("/trees", func(routing.Context) (routing.Result, error) {
		return routing.JSON(map[string]int{"id": 7, "name": 7})
	}, apidoc.Describe(apidoc.NewOperation[struct{}, Tree]("getTree", "Read a tree")))
	mux := http.NewServeMux()
	mux.Handle("/garden/", http.StripPrefix("/garden", app))
	var t printer
	apitest.New(t, mux).Get("/garden/trees").Want(200)
	// Output: GET /garden/trees: operation getTree: status 200: body /name must be a string
}

// A client with a header shares the cookies of the original client.
func ExampleClient_WithHeader() {
	app := routing.New()
	app.Post("/login", func(c routing.Context) (routing.Result, error) {
		c.Header().Add("Set-Cookie", "user=ann")
		return routing.Result{}, nil
	})
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		user, err := c.Request().Cookie("user")
		if err != nil {
			return routing.Result{}, err
		}
		return routing.Text(user.Value + " reads " + c.Request().Header.Get("Accept-Language")), nil
	})
	var t printer
	c := apitest.New(t, app)
	c.Post("/login", nil).Want(200)
	c.WithHeader("Accept-Language", "de").Get("/").Want(200, "ann reads de")
	c.Get("/").WantText("ann", "en")
	// Output: GET /: got "ann reads ", want it to contain "en"
}

// Bodies other than JSON have their content type in a header, and Send has any method.
func ExampleClient_Send() {
	app := routing.New()
	echo := func(c routing.Context) (routing.Result, error) {
		r := c.Request()
		content, err := io.ReadAll(r.Body)
		return routing.Text(r.Method + " " + r.Header.Get("Content-Type") + " " + string(content)), err
	}
	for _, method := range []string{"PUT", "PATCH", "DELETE", "QUERY"} {
		app.Route(method, routing.Must(routing.Sinatra("/tree")), echo)
	}
	var t printer
	c := apitest.New(t, app)
	c.WithHeader("Content-Type", "text/csv").Put("/tree", "Oak,7").Want(200, "PUT text/csv Oak,7")
	c.Patch("/tree", map[string]string{"name": "Ash"}).Want(200, `PATCH application/json {"name":"Ash"}`)
	c.Delete("/tree").Want(200, "DELETE  ")
	c.Send("QUERY", "/tree", Tree{7, "Oak"}).Want(200, `QUERY application/json {"id":7,"name":"Oak"}`)
	// Output:
}

// A form with a file is sent as multipart/form-data.
func ExampleForm() {
	app := routing.New()
	app.Before(respond.Multipart(1 << 20))
	app.Post("/photos", func(c routing.Context) (routing.Result, error) {
		_, photo, err := c.Request().FormFile("photo")
		if err != nil {
			return routing.Result{}, err
		}
		return routing.Text(c.Params().GetOr("title", "") + ": " + photo.Filename), nil
	})
	var t printer
	c := apitest.New(t, app)
	c.Post("/photos", apitest.Form{"title": "Ash", "photo": apitest.File{Name: "ash.png", Content: []byte("PNG")}}).Want(200, "Ash: ash.png")
	c.Post("/photos", apitest.Form{"title": "Ash"}).Want(415) // urlencoded
	// Output:
}
