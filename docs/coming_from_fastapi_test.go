package docs_test

import (
	"html/template"
	"net/http"
	"testing"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

type SignUp struct {
	Name string `form:"name,required" minLength:"2"`
	Age  int    `form:"age" min:"18"`
}

var signUp = apidoc.NewFormReader[SignUp]()

var pages = template.Must(template.New("sign-up").Parse(`<form method="post">
<input name="name" value="{{.Text "name"}}">{{with .Error "name"}} Name {{.}}{{end}}
<input name="age" value="{{.Text "age"}}">{{with .Error "age"}} Age {{.}}{{end}}
</form>`))

func showSignUp(c routing.Context) (routing.Result, error) {
	form, err := signUp.Read(c)
	if err != nil {
		return routing.Result{}, err // not a form, or too large
	}
	if !form.Valid() {
		c.SetStatus(http.StatusUnprocessableEntity)
		return respond.Template(pages, "sign-up", form)
	}
	return routing.Result{}, routing.SeeOther("/books")
}

func TestSignUp(t *testing.T) {
	app := routing.New(routing.WithLogger(quiet))
	app.Post("/sign-up", showSignUp)
	c := apitest.New(t, app)
	c.Post("/sign-up", apitest.Form{"name": "a", "age": "old"}).Want(422).
		WantText(`value="a"> Name must have at least 2 characters`, `value="old"> Age must be an integer`)
	c.Post("/sign-up", apitest.Form{"name": "ann"}).Want(303)
}
