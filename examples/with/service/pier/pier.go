// Package pier is a plugin: it gives one house pages, an operation and rules of its own.
package pier

import (
	"context"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"sync/atomic"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/examples/with/service/booking"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

//go:embed pier.html
var text string

var page = template.Must(template.New("").Parse(text))

var errClosed = apidoc.NewProblem(http.StatusServiceUnavailable, "The gangway is closed")

type pier struct {
	requests atomic.Int64 // for bookings by the API
	isClosed atomic.Bool  // the gangway
}

// Install adds the plugin to the app of a house and to its API. Requests for other houses pass to
// the older routes.
func Install(app *routing.App, described *apidoc.API, write *apidoc.Security) {
	p := new(pier)

	// Pages in place of those that all houses have: of the routes that match a request, the one
	// defined last runs. The filter of the app guards the page of the guests, whichever responds.
	app.Get("/", atPier(func(c routing.Context) (routing.Result, error) {
		return respond.Template(page, "", map[string]any{"Base": c.Path("/"), "Requests": p.requests.Load(), "Closed": p.isClosed.Load()})
	}))
	app.Get("/guests", atPier(func(routing.Context) (routing.Result, error) {
		return routing.Text("The list of the guests is at the gangway.\n"), nil
	}))

	// A filter. While the gangway is closed, the booking page redirects to the home page, which
	// says so.
	app.Before(func(c routing.Context) error {
		if isPier(c) && p.isClosed.Load() {
			return routing.SeeOther(c.Path("/"))
		}
		return nil
	}, routing.On("/book"))

	// A route in front of operations. It runs before authorization and validation, so it only
	// counts. It has no description, so the operations stay described.
	app.Post("/api/:version/bookings", atPier(func(routing.Context) (routing.Result, error) {
		p.requests.Add(1)
		return routing.Result{}, routing.Pass
	}))

	// An interceptor. It runs after authorization and validation, for every operation that changes
	// bookings, including the import.
	described.Intercept(func(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		if isPier(call.Context) && p.isClosed.Load() && call.Method != http.MethodGet && slices.Contains(call.Tags, "Bookings") {
			return nil, errClosed
		}
		return next(ctx)
	})

	// An operation.
	apidoc.Put(described, "/api/v2/gangway", "Open or close the gangway", p.setGangway,
		described.Tag("Pier", "What only the pier has"), write, apidoc.ID("v2Gangway"))
}

type gangway struct {
	House string `path:"house" doc:"The ID of the house"`
	State struct {
		Open bool `json:"open"`
	} `body:""`
}

func (p *pier) setGangway(_ context.Context, in gangway) (struct{}, error) {
	if in.House != house {
		return struct{}{}, booking.ErrNotFound
	}
	p.isClosed.Store(!in.State.Open)
	return struct{}{}, nil
}

const house = "pier"

func isPier(c routing.Context) bool {
	id, _ := c.Params().Path("house")
	return id == house
}

func atPier(action routing.Action) routing.Action {
	return func(c routing.Context) (routing.Result, error) {
		if !isPier(c) {
			return routing.Result{}, routing.Pass
		}
		return action(c)
	}
}
