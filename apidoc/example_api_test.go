package apidoc_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/apidoc/viewer"
	"example.com/flowercafe/routing"
)

// Pear is the input and output of the operations. Its rules are described and checked.
type Pear struct {
	Name  string  `json:"name" minLength:"1" maxLength:"40"`
	Grams float64 `json:"grams,omitempty" min:"0"`
}

type PearByID struct {
	ID int `path:"id" min:"1" doc:"The pear's number"`
}

var noPear = apidoc.NewProblem(http.StatusNotFound, "No such pear") // an error, and a described response

func getPear(_ context.Context, in PearByID) (Pear, error) {
	if in.ID > 1 {
		return Pear{}, noPear
	}
	return Pear{Name: "Conference"}, nil
}

func addPear(_ context.Context, pear Pear) (Pear, error) { return pear, nil }

// Operations are Go functions. Their types determine the input, the output and the description.
func Example() {
	app := routing.New()
	api := apidoc.NewAPI(app, apidoc.Info{Title: "Pears", Version: "1.0"})
	pears := api.Tag("Pears", "What is in the bowl")
	apidoc.Get(api, "/pears/:id", "Read a pear", getPear, pears, noPear)
	apidoc.Post(api, "/pears", "Add a pear", addPear, pears, apidoc.Status(http.StatusCreated))
	_, err := api.Serve(viewer.New()) // the description and its page, below /api-docs
	if err != nil {
		panic(err)
	}

	for _, request := range []*http.Request{
		httptest.NewRequest("GET", "/pears/1", nil),
		httptest.NewRequest("GET", "/pears/2", nil),
		httptest.NewRequest("POST", "/pears", strings.NewReader(`{"name": "", "grams": -1}`)),
		httptest.NewRequest("GET", "/api-docs/openapi.json", nil),
	} {
		request.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		app.ServeHTTP(w, request)
		fmt.Println(w.Code, w.Header().Get("Content-Type"))
	}
	// Output:
	// 200 application/json
	// 404 application/problem+json
	// 422 application/problem+json
	// 200 application/json; charset=utf-8
}
