// Package pier is a plugin: it gives one house pages of its own.
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

// Install adds routes in front of the pages that all houses have: of the routes that match a
// request, the one defined last runs. They pass to the older ones for all other houses. The filter
// of the app guards the page of the guests, whichever route responds.
func Install(app *routing.App) {
	app.Get("/", atPier(func(c routing.Context) (routing.Result, error) {
		return respond.Template(page, "", map[string]string{"Base": c.Path("/")})
	}))
	app.Get("/guests", atPier(func(routing.Context) (routing.Result, error) {
		return routing.Text("The list of the guests is at the gangway.\n"), nil
	}))
}

func atPier(action routing.Action) routing.Action {
	return func(c routing.Context) (routing.Result, error) {
		if house, _ := c.Params().Path("house"); house != "pier" {
			return routing.Result{}, routing.Pass
		}
		return action(c)
	}
}
