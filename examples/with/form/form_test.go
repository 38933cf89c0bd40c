// Package form_test reads forms with brackets in their keys into structs, as Rails and Sinatra do
// into hashes.
package form_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/go-playground/form/v4"

	"example.com/flowercafe/routing"
)

type post struct {
	Title  string `form:"title"`
	Author struct {
		City string `form:"city"`
	} `form:"author"`
	Tags []string `form:"tags"`
}

// decoder returns a decoder for keys such as post[author][city] and post[tags][0].
func decoder() *form.Decoder {
	d := form.NewDecoder()
	d.SetMode(form.ModeExplicit)
	d.SetNamespacePrefix("[")
	d.SetNamespaceSuffix("]")
	return d
}

// blog is an app with a form of Rails. A decoder is safe for concurrent use.
func blog(d *form.Decoder) *routing.App {
	app := routing.New()
	app.Post("/posts", func(c routing.Context) (routing.Result, error) {
		values, err := c.Params().Form() // within the limits, without the query
		if err != nil {
			return routing.Result{}, err
		}
		var sent struct {
			Post post `form:"post"`
		}
		if err := d.Decode(&sent, values); err != nil {
			return routing.Result{}, &routing.Problem{Status: http.StatusUnprocessableEntity}
		}
		p := sent.Post
		return routing.Text(fmt.Sprintf("%s of %s, %q", p.Title, p.Author.City, p.Tags)), nil
	})
	return app
}

func Example() {
	app := blog(decoder())
	for _, body := range []string{
		"post[title]=Roses&post[author][city]=Bonn&post[tags][0]=new&post[tags][1]=red",
		"post[title]=Roses&post[tags]=new&post[tags]=red",
		"post[tags][x]=1",
	} {
		r := httptest.NewRequest("POST", "/posts?post[title]=query", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		app.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Body)
	}
	// Output:
	// 200 Roses of Bonn, ["new" "red"]
	// 200 Roses of , ["new" "red"]
	// 422 Unprocessable Entity
}
