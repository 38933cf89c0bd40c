// Package pier is a plugin: it gives one house a page of its own.
package pier

import (
	_ "embed"
	"html/template"

	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

//go:embed pier.html
var text string

var page = template.Must(template.New("").Parse(text))

// Install adds a route in front of the page that all houses have: of the routes that match a
// request, the one defined last runs. It passes to the older one for all other houses.
func Install(app *routing.App) {
	app.Get("/", func(c routing.Context) (routing.Result, error) {
		if house, _ := c.Params().Path("house"); house != "pier" {
			return routing.Result{}, routing.Pass
		}
		return respond.Template(page, "", map[string]string{"Base": c.Path("/")})
	})
}
