package apidoc_test

import (
	"context"
	"fmt"
	"html/template"
	"net/http"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// Table is a booking. A page reads it from a form and the API from JSON, by the same rules.
type Table struct {
	Name   string `json:"name" form:"name,required" minLength:"2" maxLength:"40"`
	Guests int    `json:"guests" form:"guests,required" min:"1" max:"8"`
	Window bool   `json:"window,omitempty" form:"window"`
}

var (
	tableForm = apidoc.NewFormReader[Table]()
	tablePage = template.Must(template.New("table").Parse(`
<form method="post">
<input name="name" value="{{.Text "name"}}">{{with .Error "name"}} Name {{.}}{{end}}
<input name="guests" value="{{.Text "guests"}}">{{with .Error "guests"}} Guests {{.}}{{end}}
<input type="checkbox" name="window"{{if .Has "window" "true"}} checked{{end}}>
</form>`))
)

func showTable(routing.Context) (routing.Result, error) {
	return respond.Template(tablePage, "table", tableForm.Blank())
}

func bookTable(c routing.Context) (routing.Result, error) {
	form, err := tableForm.Read(c)
	if err != nil {
		return routing.Result{}, err
	}
	if form.Valid() && form.Value.Name == "Ann" {
		form.Refuse("name", "has a table already")
	}
	if !form.Valid() {
		c.SetStatus(http.StatusUnprocessableEntity)
		return respond.Template(tablePage, "table", form)
	}
	return routing.Result{}, routing.SeeOther(c.Path("/thanks"))
}

// The page shows the form again, with all errors and the user's input. The API uses the same struct
// and its rules.
func ExampleFormReader() {
	app := routing.New()
	app.Get("/table", showTable)
	app.Post("/table", bookTable)
	api := apidoc.NewAPI(app, info)
	type order struct {
		Table Table `body:""`
	}
	apidoc.Post(api, "/api/tables", "Book a table", func(_ context.Context, in order) (Table, error) { return in.Table, nil })

	page := apitest.New(printed{}, app)
	fmt.Println(page.Post("/table", apitest.Form{"name": "<", "guests": "nine", "window": "on"}).Want(422).Body)
	fmt.Println(page.Post("/table", apitest.Form{"name": "Ann", "guests": 2}).Want(422).Body)
	page.Post("/table", apitest.Form{"name": "Ben", "guests": 2}).Want(303).WantHeader("Location", "/thanks")
	send(app, "POST", "/api/tables", `{"name": "<", "guests": "nine"}`)
	// Output:
	// <form method="post">
	// <input name="name" value="&lt;"> Name must have at least 2 characters
	// <input name="guests" value="nine"> Guests must be an integer
	// <input type="checkbox" name="window" checked>
	// </form>
	//
	// <form method="post">
	// <input name="name" value="Ann"> Name has a table already
	// <input name="guests" value="2">
	// <input type="checkbox" name="window">
	// </form>
	// 422 body /name minLength; body /guests type
}

// printed prints the failures of a test. In your tests it is the *testing.T.
type printed struct{}

func (printed) Helper()                           {}
func (printed) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (printed) Fatalf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
