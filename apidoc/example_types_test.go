package apidoc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/routing"
)

// This file has examples of types and of the description.

// The base path is the prefix of the app's URLs.
func ExampleBuild() {
	app := routing.New(routing.WithBasePath("/shop"))
	app.Get("/trees", routing.Handler(http.NotFoundHandler()), apidoc.Describe(
		apidoc.NewOperation[struct{}, []string]("listTrees", "List the trees")))
	document, err := apidoc.Build(app, apidoc.Info{Title: "Trees", Version: "1"}, "/shop")
	if err != nil {
		fmt.Println(err)
		return
	}
	var swagger struct{ Swagger, BasePath string }
	var openAPI struct{ Servers []struct{ URL string } }
	fmt.Println(json.Unmarshal(document.Swagger(), &swagger), json.Unmarshal(document.OpenAPI(), &openAPI))
	fmt.Println(swagger, openAPI)
	// Output:
	// <nil> <nil>
	// {2.0 /shop} {[{/shop}]}
}

// A Go client decodes the problem.
func ExampleProblem() {
	app := routing.New()
	type ByID struct {
		ID int `path:"id"`
	}
	apidoc.Get(apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1"}), "/trees/:id", "Find a tree",
		func(context.Context, ByID) (string, error) { return "oak", nil })
	w := httptest.NewRecorder()
	app.ServeHTTP(w, httptest.NewRequest("GET", "/trees/oak", nil))
	var problem apidoc.Problem
	if err := json.Unmarshal(w.Body.Bytes(), &problem); err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range problem.Errors {
		fmt.Println(problem.Status, e.In, e.Name, e.Detail)
	}
	// Output: 422 path id must be an integer
}

// german has the texts of rules in German, by their codes.
var german = map[string]string{
	"required":  "fehlt",
	"type":      "hat einen falschen Typ",
	"minLength": "braucht mindestens %v Zeichen",
	"maximum":   "darf höchstens %v sein",
	"enum":      "muss eins von %v sein",
}

// translated returns the text of an error in German, if there is one.
func translated(e apidoc.InputError) string {
	text, ok := german[e.Code]
	switch {
	case !ok:
		return e.Detail
	case e.Limit == nil || !strings.Contains(text, "%v"):
		return text
	}
	return fmt.Sprintf(text, e.Limit)
}

// The server translates errors by their codes and limits. A client can do the same.
func ExampleInputError() {
	type Baum struct {
		Name  string `json:"name" minLength:"3"`
		Alter int    `json:"alter" max:"4000"`
		Art   string `json:"art" enum:"Eiche,Esche"`
		Ort   string `json:"ort"`
	}
	type Fehler struct {
		Texte map[string]string `json:"texte"`
	}
	app := routing.New()
	api := apidoc.NewAPI(app, info, apidoc.ErrorBody(func(_ routing.Context, p *apidoc.Problem) Fehler {
		texts := make(map[string]string)
		for _, e := range p.Errors {
			texts[e.Pointer] = translated(e)
		}
		return Fehler{texts}
	}))
	apidoc.Post(api, "/baum", "Pflanze einen Baum", func(context.Context, Baum) (string, error) { return "", nil })
	send(app, "POST", "/baum", `{"name":"Ei","alter":5000,"art":"Rose"}`)
	// Output: 422 {"texte":{"/alter":"darf höchstens 4000 sein","/art":"muss eins von [Eiche Esche] sein","/name":"braucht mindestens 3 Zeichen","/ort":"fehlt"}}
}

// Stay is an input with a Validate method.
type Stay struct {
	From time.Time `json:"from" format:"date-time"`
	To   time.Time `json:"to" format:"date-time"`
	Room string    `json:"room" minLength:"2"`
}

// Validate could also ask a database.
func (s Stay) Validate(context.Context) ([]apidoc.InputError, error) {
	if !s.From.Before(s.To) {
		return []apidoc.InputError{{Pointer: "/to", Detail: "must be after from", Code: "after", Limit: "from"}}, nil
	}
	return nil, nil
}

// Validate checks two members together, after the rules of each, for all values of a list.
func ExampleValidator() {
	app := routing.New()
	apidoc.Post(apidoc.NewAPI(app, info), "/stays", "Book rooms", func(context.Context, []Stay) (string, error) { return "", nil })
	send(app, "POST", "/stays", `[{"from":"2026-05-02T15:00:00Z","to":"2026-05-01T10:00:00Z","room":"12"}]`)
	// Output: 422 body /0/to after
}

// A pointer is nil if its member is absent. This member must not be null.
func ExamplePatch_notNullable() {
	type Change struct {
		Name *string `json:"name,omitempty" nullable:"false"`
	}
	app := routing.New()
	apidoc.Patch(apidoc.NewAPI(app, info), "/oak", "Change the oak", func(_ context.Context, in Change) (bool, error) {
		return in.Name != nil, nil
	})
	for _, body := range []string{`{}`, `{"name":"Old oak"}`, `{"name":null}`} {
		send(app, "PATCH", "/oak", body)
	}
	// Output:
	// 200 false
	// 200 true
	// 422 body /name type
}

// A merge patch (RFC 7396): a member that is absent stays unchanged, and null removes it.
func ExampleOptional() {
	type Tree struct {
		Name   string  `json:"name"`
		Height float64 `json:"height,omitempty"`
	}
	type Change struct {
		Name   apidoc.Optional[string]  `json:"name" minLength:"1"`
		Height apidoc.Optional[float64] `json:"height" min:"0"`
	}
	oak := Tree{"Oak", 20}
	app := routing.New()
	apidoc.Patch(apidoc.NewAPI(app, info), "/oak", "Change the oak", func(_ context.Context, in struct {
		Change Change `body:"application/merge-patch+json"`
	}) (Tree, error) {
		if in.Change.Name.Set {
			oak.Name = in.Change.Name.Value
		}
		if in.Change.Height.Set {
			oak.Height = in.Change.Height.Value // null is the zero value
		}
		return oak, nil
	})
	for _, patch := range []string{`{}`, `{"name":"Old oak"}`, `{"height":null}`, `{"height":-1}`} {
		send(app, "PATCH", "/oak", patch, "Content-Type", "application/merge-patch+json")
	}
	// Output:
	// 200 {"name":"Oak","height":20}
	// 200 {"name":"Old oak","height":20}
	// 200 {"name":"Old oak"}
	// 422 body /height minimum
}
