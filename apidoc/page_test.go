package apidoc_test

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/apitest"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file tests the forms of pages.

type stay struct {
	House  string      `path:"house" maxLength:"5"`
	Name   string      `form:"name,required" minLength:"2"`
	Guests *int        `form:"guests" min:"1"`
	Rooms  []string    `form:"room" enum:"blue,green"`
	Days   []int       `form:"days" max:"9"`
	From   time.Time   `form:"from"`
	Pets   bool        `form:"pets"`
	Meal   string      `form:"meal" default:"none" enum:"none,half,full"`
	Photo  apidoc.File `form:"photo" accept:"image/png" maxLength:"100"`
}

type guest struct {
	Name string `form:"name,required" minLength:"2"`
}

var guestForm = apidoc.NewFormReader[guest]()

var stayForm = apidoc.NewFormReader[stay](apidoc.BodyLimit(2000))

// stays responds with the content of the form.
func stays(options ...routing.Option) *routing.App {
	app := routing.New(options...)
	app.Post("/:house/stays", func(c routing.Context) (routing.Result, error) {
		form, err := stayForm.Read(c)
		if err != nil {
			return routing.Result{}, err
		}
		var b strings.Builder
		for _, name := range []string{"name", "guests", "room", "from", "pets", "meal", "photo", "house"} {
			fmt.Fprintf(&b, "%s %q %q; ", name, form.Text(name), codeIn(form.Errors, name))
		}
		fmt.Fprintf(&b, "green %t, pets %t, valid %t", form.Has("room", "green"), form.Has("pets", "true"), form.Valid())
		if form.Valid() {
			photo, err := form.Value.Photo.Bytes()
			fmt.Fprintf(&b, ", photo %d %v", len(photo), err)
		}
		return routing.Text(strings.ReplaceAll(b.String(), `\"`, "'")), nil
	})
	app.Post("/guests", func(c routing.Context) (routing.Result, error) {
		form, err := guestForm.Read(c)
		if err != nil {
			return routing.Result{}, err
		}
		return routing.Text(fmt.Sprintf("name %q %q; valid %t", form.Text("name"), codeIn(form.Errors, "name"), form.Valid())), nil
	})
	return app
}

// codeIn returns the code of the first error of a field.
func codeIn(errs []apidoc.InputError, name string) string {
	if i := slices.IndexFunc(errs, func(e apidoc.InputError) bool { return e.Name == name }); i >= 0 {
		return errs[i].Code
	}
	return ""
}

func TestFormOfPage(t *testing.T) {
	file := apitest.File{Name: "a.png", Content: []byte(pngStart)}
	for _, c := range []struct {
		name, target string
		form         apitest.Form
		want         string
	}{
		{"all right", "/rose/stays", apitest.Form{"name": "Ann", "guests": 2, "room": []string{"blue", "green"}, "pets": "on", "meal": "full", "photo": file},
			`name "Ann" ""; guests "2" ""; room "blue" ""; from "" ""; pets "true" ""; meal "full" ""; photo "" ""; house "rose" ""; ` +
				`green true, pets true, valid true, photo 8 <nil>`},
		{"as a browser sends empty fields", "/rose/stays", apitest.Form{"name": "", "guests": "", "from": "", "photo": apitest.File{}},
			`name "" "required"; guests "" ""; room "" ""; from "" ""; pets "" ""; meal "" ""; photo "" ""; house "rose" ""; ` +
				`green false, pets false, valid false`},
		{"all wrong", "/tulips/stays", apitest.Form{"name": "A", "guests": "0", "room": "red", "from": "soon", "pets": "yes", "meal": "two",
			"photo": apitest.File{Name: "a.gif", Content: []byte("GIF89a")}},
			`name "A" "minLength"; guests "0" "minimum"; room "red" "enum"; from "soon" "format"; pets "yes" "type"; ` +
				`meal "two" "enum"; photo "" "contentMediaType"; house "tulips" "maxLength"; green false, pets false, valid false`},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.New(t, stays()).Post(c.target, c.form).Want(200, c.want)
		})
	}
}

// The form can be read after a filter has called Params, or after middleware has parsed it with the
// request's methods, whether the middleware copies the request or not.
func TestParsedForm(t *testing.T) {
	parsers := map[string]func(*http.Request){
		"ParseForm":          func(r *http.Request) { r.ParseForm() },
		"ParseMultipartForm": func(r *http.Request) { r.ParseMultipartForm(1 << 20) },
		"FormValue":          func(r *http.Request) { r.FormValue("token") },
		"PostFormValue":      func(r *http.Request) { r.PostFormValue("token") },
		"nothing":            func(*http.Request) {},
	}
	forms := map[string]apitest.Form{
		"/guests":     {"name": "A", "token": "t"},
		"/rose/stays": {"name": "A", "token": "t", "photo": apitest.File{Name: "a.png", Content: []byte(pngStart)}},
	}
	for name, parse := range parsers {
		inside := stays(routing.WithMethodOverride())
		inside.Before(respond.Multipart(1 << 20))
		inside.Before(func(c routing.Context) error { c.Params().GetOr("token", ""); return nil })
		used := stays()
		used.Use(func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { parse(r); next.ServeHTTP(w, r) })
		})
		for place, handler := range map[string]http.Handler{
			"around": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				parse(r)
				inside.ServeHTTP(w, r.WithContext(r.Context()))
			}), "inside": inside, "used": used,
		} {
			t.Run(name+" "+place, func(t *testing.T) {
				for target, form := range forms {
					apitest.New(t, handler).Post(target+"?name=Query", form).
						WantText(`name "A" "minLength"`, "valid false")
				}
			})
		}
	}
}

// Requests that are not a form are refused with the status that an operation would send.
func TestRefusedForms(t *testing.T) {
	c := apitest.New(t, stays(routing.WithProblemDetails()))
	c.Post("/rose/stays", `{"name": "Ann"}`).Want(415)
	c.WithHeader("Content-Type", "multipart/form-data; boundary=b").Post("/rose/stays", "--b").Want(400)
	c.WithHeader("Content-Encoding", "gzip").Post("/rose/stays", apitest.Form{"name": "Ann"}).Want(415)
	big := apitest.File{Name: "a.png", Content: []byte(pngStart + strings.Repeat("x", 3000))}
	c.Post("/rose/stays", apitest.Form{"name": "Ann", "photo": big}).Want(413)
	c.Post("/rose/stays", apitest.Form{"name": "Ann"}).Want(415).WantText("multipart/form-data") // the page lacks its enctype
	c.Post("/rose/stays", nil).Want(200).WantText(`name "" "required"`)
}

// A page reports the same errors as an operation with the same input, both for invalid fields and
// for a body that is not a form.
func TestErrorsOfPagesAndOperations(t *testing.T) {
	type body struct {
		Status int                 `json:"status"`
		Code   string              `json:"code"`
		Errors []apidoc.InputError `json:"wrong,omitempty"`
	}
	app := routing.New()
	failure := func(_ routing.Context, p *apidoc.Problem) body { return body{p.Status, p.Code, p.Errors} }
	api := apidoc.NewAPI(app, info, apidoc.BodyLimit(2000), apidoc.ErrorBody(failure))
	app.ErrorBody(func(c routing.Context, p *apidoc.Problem) (routing.Result, error) { return routing.JSON(failure(c, p)) })
	apidoc.Post(api, "/api/:house/stays", "", func(context.Context, stay) (struct{}, error) { return struct{}{}, nil })
	app.Post("/:house/stays", func(c routing.Context) (routing.Result, error) {
		form, err := stayForm.Read(c)
		if err != nil {
			return routing.Result{}, err
		}
		c.SetStatus(422)
		return routing.JSON(body{422, "unprocessable_entity", form.Errors})
	})
	c := apitest.New(t, app)
	file := func(name, content string) apitest.File { return apitest.File{Name: name, Content: []byte(content)} }
	for name, test := range map[string]struct {
		house  string
		form   any
		status int
		want   string
	}{
		"empty":          {"rose", apitest.Form{"photo": file("", "")}, 422, `"code":"required"`},
		"wrong values":   {"rose", apitest.Form{"name": "A", "guests": "0", "room": "red", "days": "10", "photo": file("a.png", "x")}, 422, `"code":"minLength","limit":2`},
		"in the path":    {"lavender", apitest.Form{"name": "A", "photo": file("", "")}, 422, `"in":"path","name":"house"`},
		"not a form":     {"rose", `{"name": "A"}`, 415, `"code":"unsupported_media_type"`},
		"too large":      {"rose", apitest.Form{"name": "Ann", "photo": file("a.png", strings.Repeat("x", 3000))}, 413, `"code":"request_entity_too_large"`},
		"without a type": {"rose", apitest.Form{"name": "Ann"}, 415, `"code":"unsupported_media_type"`},
	} {
		operation := c.Post("/api/"+test.house+"/stays", test.form).Want(test.status).WantText(test.want)
		page := c.Post("/"+test.house+"/stays", test.form).Want(test.status)
		if page.Body != operation.Body {
			t.Errorf("%s: the page has %s, the operation %s", name, page.Body, operation.Body)
		}
	}
	form := guestForm.Blank()
	form.Refuse("name", "is taken")
	if got, want := form.Errors, []apidoc.InputError{{In: apidoc.InForm, Name: "name", Detail: "is taken"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("refused: got %+v, want %+v", got, want)
	}
}

// The files of a form are removed from the disk after the response.
func TestFilesOfPages(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	type upload struct {
		File apidoc.File `form:"file,required"`
	}
	reader := apidoc.NewFormReader[upload](apidoc.BodyLimit(20 << 20))
	stored := func() int {
		files, err := filepath.Glob(filepath.Join(os.TempDir(), "multipart-*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	app := routing.New()
	app.Post("/files", func(c routing.Context) (routing.Result, error) {
		form, err := reader.Read(c)
		if err != nil {
			return routing.Result{}, err
		}
		content, err := form.Value.File.Bytes()
		return routing.Text(fmt.Sprint(len(content), stored())), err
	})
	c := apitest.New(t, http.StripPrefix("/below", app)) // which copies the request: net/http removes only files of the original
	c.Post("/below/files", apitest.Form{"file": apitest.File{Name: "a", Content: make([]byte, 10<<20)}}).Want(200, fmt.Sprint(10<<20, 1))
	if n := stored(); n != 0 {
		t.Errorf("%d files are left", n)
	}
}

// A form that is sent with GET has its fields in the query.
func TestSearchForm(t *testing.T) {
	type search struct {
		Text string `query:"q" maxLength:"3"`
		Page int    `query:"page" default:"1" min:"1"`
	}
	reader := apidoc.NewFormReader[search]()
	app := routing.New()
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		form, err := reader.Read(c)
		return routing.Text(fmt.Sprintf("%q %q %d %q %t", form.Text("q"), form.Error("q"), form.Value.Page, form.Text("page"), form.Has("page", 2))), err
	})
	c := apitest.New(t, app)
	c.Get("/?q=rose&page=").Want(200, `"rose" "must have at most 3 characters" 1 "" false`)
	c.Get("/?q=ash&page=2").Want(200, `"ash" "" 2 "2" true`)
	c.Get("/?q=ash&page=02").Want(200, `"ash" "" 2 "02" false`)
	form := reader.Blank()
	form.Refuse("q", "is odd")
	if in := form.Errors[0].In; in != apidoc.InQuery {
		t.Errorf("refused in %q", in)
	}
}

type full struct {
	Text string `query:"q"`
	Page string `form:"page"`
}

func (full) Validate(context.Context) ([]apidoc.InputError, error) {
	return nil, apidoc.Invalid([]apidoc.InputError{{In: apidoc.InForm, Name: "page", Detail: "is full"}})
}

// A form that a Validator refuses with Invalid shows the user's input, too.
func TestFormThatInvalidRefuses(t *testing.T) {
	reader := apidoc.NewFormReader[full]()
	app := routing.New()
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		form, err := reader.Read(c)
		return routing.Text(fmt.Sprintf("%q %q %q", form.Text("q"), form.Text("page"), form.Error("page"))), err
	})
	apitest.New(t, app).Post("/?q=oak", apitest.Form{"page": "7"}).Want(200, `"oak" "7" "is full"`)
}

func TestBlankAndFilledForm(t *testing.T) {
	blank := stayForm.Blank()
	if !blank.Valid() || blank.Text("meal") != "none" || blank.Text("name") != "" || blank.Has("pets", "true") || blank.Text("photo") != "" {
		t.Errorf("blank: got %+v", blank)
	}
	guests := 0
	from := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	filled, err := stayForm.Fill(stay{Name: "Ann", Guests: &guests, Rooms: []string{"blue", "green"}, Days: []int{1, 2}, From: from, Pets: true})
	if err != nil || filled.Text("name") != "Ann" || filled.Text("guests") != "0" || !filled.Has("room", "green") || !filled.Has("days", "2") ||
		!filled.Has("guests", &guests) || !filled.Has("from", &from) || filled.Has("name", (*string)(nil)) || !filled.Has("days", 2) || filled.Has("days", 3) || !filled.Has("pets", true) || !filled.Has("from", from) ||
		filled.Text("from") != "2026-01-31T12:00:00Z" || !filled.Has("pets", "true") || filled.Text("meal") != "" || !filled.Valid() {
		t.Errorf("filled: got %+v, %v", filled, err)
	}
	filled.Refuse("", "comes too late")
	filled.Refuse("name", "is taken")
	filled.Refuse("name", "is odd")
	if filled.Valid() || filled.Error("") != "comes too late" || filled.Error("name") != "is taken" || len(filled.Errors) != 3 {
		t.Errorf("refused: got %+v", filled.Errors)
	}
}

// trunk is a form whose Validator names no field, or a misspelled one.
type trunk struct {
	_    struct{} `additionalProperties:"false"`
	Tree string   `form:"tree"`
}

func (b trunk) Validate(context.Context) ([]apidoc.InputError, error) {
	if b.Tree == "" {
		return nil, nil
	}
	return []apidoc.InputError{{Name: b.Tree, Detail: "is rotten"}}, nil
}

// An error with the name of no field is an error of the whole form.
func TestErrorsOfNoField(t *testing.T) {
	app := routing.New()
	branches := apidoc.NewFormReader[trunk]()
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		form, err := branches.Read(c)
		if err != nil {
			return routing.Result{}, err
		}
		return routing.Text(fmt.Sprintf("%t, form %q, tree %q", form.Valid(), form.Error(""), form.Error("tree"))), nil
	})
	for _, c := range []struct {
		form apitest.Form
		want string
	}{
		{apitest.Form{"tree": "tree"}, `false, form "", tree "is rotten"`},
		{apitest.Form{"tree": "tere"}, `false, form "is rotten", tree ""`},
		{apitest.Form{"tere": "oak"}, `false, form "is not a described field", tree ""`},
	} {
		apitest.New(t, app).Post("/", c.form).Want(200, c.want)
	}
}

// The name of an unknown field is an error of the template.
func TestUnknownFieldOfPage(t *testing.T) {
	for _, text := range []string{`{{.Text "nmae"}}`, `{{.Error "nmae"}}`, `{{.First "nmae"}}`, `{{.Has "nmae" "x"}}`} {
		err := template.Must(template.New("").Parse(text)).Execute(httptest.NewRecorder(), stayForm.Blank())
		if err == nil || !strings.Contains(err.Error(), `has no field "nmae"`) {
			t.Errorf("%s: got %v", text, err)
		}
	}
	if got := panicOf(func() { stayForm.Blank().Refuse("nmae", "x") }); !strings.Contains(got, `has no field "nmae"`) {
		t.Errorf("Refuse panics with %q", got)
	}
}

func TestInvalidFormTypes(t *testing.T) {
	for _, c := range []struct {
		define func()
		want   string
	}{
		{func() { apidoc.NewFormReader[string]() }, "NewFormReader[string]: pass a struct"},
		{func() { apidoc.NewFormReader[struct{ Name string }]() }, "a form has no other body: write form tags"},
		{func() {
			apidoc.NewFormReader[struct {
				Name func() `form:"name"`
			}]()
		}, "Name"},
		{func() {
			apidoc.NewFormReader[struct {
				A string `form:"name"`
				B string `query:"name"`
			}]()
		}, `two fields are named "name"`},
		{func() {
			apidoc.NewFormReader[struct {
				A string `form:"name"`
			}](nil)
		}, "an option is nil"},
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, c.want) {
					t.Errorf("got %s, want %s", got, c.want)
				}
			}()
			c.define()
		}()
	}
}

// A template can write errors in another language, from their codes and limits.
func TestErrorsOfPageInAnotherLanguage(t *testing.T) {
	type sign struct {
		Name string `form:"name,required" minLength:"2"`
	}
	reader := apidoc.NewFormReader[sign]()
	page := template.Must(template.New("page").Funcs(template.FuncMap{"german": func(e apidoc.InputError) string {
		return translated(e)
	}}).Parse(`{{with .First "name"}}Der Name {{german .}}{{end}}`))
	app := routing.New()
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		form, err := reader.Read(c)
		if err != nil {
			return routing.Result{}, err
		}
		return respond.Template(page, "page", form)
	})
	c := apitest.New(t, app)
	c.Post("/", apitest.Form{"name": "A"}).Want(200, "Der Name braucht mindestens 2 Zeichen")
	c.Post("/", apitest.Form{}).Want(200, "Der Name fehlt")
	c.Post("/", apitest.Form{"name": "Ann"}).Want(200, "")
}

// Has takes the text of a value, or a value of the field's type.
func TestHasOfEnumerations(t *testing.T) {
	type choice struct {
		Light  light   `form:"light"`
		Lights []light `form:"lights"`
	}
	form, err := apidoc.NewFormReader[choice]().Fill(choice{1, []light{1}})
	if err != nil {
		t.Fatal(err)
	}
	page := template.Must(template.New("").Parse(
		`{{range .All}}{{$.Form.Has "light" .}} {{$.Form.Has "lights" .}} {{end}}{{.Form.Has "light" "shade"}} {{.Form.Has "light" "sun"}}`))
	var text strings.Builder
	err = page.Execute(&text, map[string]any{"All": light(0).Values(), "Form": form})
	if want := "false false true true true false"; err != nil || text.String() != want {
		t.Errorf("got %s %v, want %s", &text, err, want)
	}
}

// An empty required field is missing if its type or its rules do not allow an empty text.
func TestEmptyRequiredFields(t *testing.T) {
	type order struct {
		Count int       `form:"count,required"`
		Price float64   `form:"price,required"`
		Until time.Time `form:"until,required"`
		Gift  bool      `form:"gift,required"`
		Code  string    `form:"code,required" pattern:"^[A-Z]+$"`
		Sizes []int     `form:"size,required"`
		Note  string    `form:"note,required"`
	}
	names := []string{"count", "price", "until", "gift", "code", "size"}
	read := apidoc.NewFormReader[order]()
	app, api := newTyped()
	app.Post("/page", func(c routing.Context) (routing.Result, error) {
		form, err := read.Read(c)
		if err != nil {
			return routing.Result{}, err
		}
		for _, name := range names {
			if got := codeIn(form.Errors, name); got != "required" {
				t.Errorf("page: %s %s", name, got)
			}
		}
		if got := form.Error("note"); got != "" {
			t.Errorf("page: note %s", got)
		}
		return routing.Result{}, nil
	})
	apidoc.Post(api, "/orders", "", func(context.Context, order) (struct{}, error) { return struct{}{}, nil })
	empty := apitest.Form{"note": ""}
	for _, name := range names {
		empty[name] = ""
	}
	apitest.New(t, app).Post("/page", empty).Want(200)
	var problem apidoc.Problem
	apitest.New(t, app).Post("/orders", empty).Want(422).Decode(&problem)
	if len(problem.Errors) != len(names) {
		t.Fatalf("errors are %+v", problem.Errors)
	}
	for i, e := range problem.Errors {
		if e.Name != names[i] || e.Code != "required" {
			t.Errorf("operation: %+v", e)
		}
	}
}

// A field with an error is zero in the form's value. So is a list with one invalid item.
func TestInvalidFieldsAreZero(t *testing.T) {
	type order struct {
		Sizes []int         `form:"size" max:"9"`
		Tags  []string      `form:"tag" enum:"a,b" unique:"true"`
		Count int           `form:"count" max:"3"`
		Files []apidoc.File `form:"file" maxLength:"1"`
	}
	read := apidoc.NewFormReader[order]()
	app := routing.New()
	app.Post("/", func(c routing.Context) (routing.Result, error) {
		form, err := read.Read(c)
		if err != nil {
			return routing.Result{}, err
		}
		if v := form.Value; len(form.Errors) != 4 || v.Sizes != nil || v.Tags != nil || v.Count != 0 || v.Files != nil {
			t.Errorf("got %+v with the errors %+v", v, form.Errors)
		}
		return routing.Result{}, nil
	})
	apitest.New(t, app).Post("/", apitest.Form{
		"size": []int{1, 10, 2}, "tag": []string{"a", "a"}, "count": 4,
		"file": []apitest.File{{Name: "a.txt", Content: []byte("a")}, {Name: "b.txt", Content: []byte("b")}},
	}).Want(200)
}

// A text field that is sent with a file name is an error, not missing.
func TestTextWithAFileName(t *testing.T) {
	type note struct {
		Title string `form:"title"`
		Count int    `form:"count,required"`
	}
	app, api := newTyped()
	apidoc.Post(api, "/", "", func(_ context.Context, in note) (string, error) { return in.Title, nil })
	c := apitest.New(t, app)
	for _, form := range []apitest.Form{
		{"title": apitest.File{Name: "a.txt", Content: []byte("Roses")}, "count": 1},
		{"title": "Roses", "count": apitest.File{Name: "a.txt", Content: []byte("1")}},
	} {
		var problem apidoc.Problem
		c.Post("/", form).Want(422).Decode(&problem)
		if len(problem.Errors) != 1 || problem.Errors[0].Detail != "must be sent without a file name" {
			t.Errorf("errors are %+v", problem.Errors)
		}
	}
	c.Post("/", apitest.Form{"title": "Roses", "count": 1}).Want(200, "Roses")
}
