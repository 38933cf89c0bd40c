// Package holidays is a plugin: it refuses bookings on days on which the houses are closed.
package holidays

import (
	"net/http"
	"slices"

	"example.com/flowercafe/routing"
)

// Install adds routes in front of those of the booking page: the route defined last runs first. They
// pass to the older ones on all other days.
func Install(app *routing.App, days ...string) {
	closed := func(c routing.Context) (routing.Result, error) {
		if !slices.Contains(days, c.Params().GetOr("day", "")) { // of the query, or of the form
			return routing.Result{}, routing.Pass
		}
		return routing.Result{}, &routing.Problem{Status: http.StatusConflict, Detail: "The house is closed on that day."}
	}
	app.Get("/book", closed)
	app.Post("/book", closed)
}
