// Package pier is a plugin: it gives one house pages, an operation and rules of its own.
package pier

import (
	"context"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
	"time"

	"example.com/flowercafe/apidoc"
	"example.com/flowercafe/examples/with/service/booking"
	"example.com/flowercafe/examples/with/service/store"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

//go:embed pier.html
var text string

var page = template.Must(template.New("").Parse(text))

var errClosed = apidoc.NewProblem(http.StatusServiceUnavailable, "The gangway is closed")

// pier keeps its state in the store, which all hosts share.
type pier struct{ store *store.Store }

// The counters.
const (
	requests = "pier requests" // for bookings by the API
	closed   = "pier closed"   // 1 while the gangway is closed
)

var never = time.Unix(1<<40, 0)

func (p pier) isClosed(ctx context.Context) (bool, error) {
	n, err := p.store.Counter(ctx, closed)
	return n == 1, err
}

// Install adds the plugin to the app of a house and to its API. Requests for other houses pass to
// the older routes.
func Install(app *routing.App, described *apidoc.API, s *store.Store, write *apidoc.Security) {
	p := pier{s}

	// Pages in place of those that all houses have: of the routes that match a request, the one
	// defined last runs. The filter of the app guards the page of the guests, whichever responds.
	app.Get("/", atPier(p.home))
	app.Get("/guests", atPier(func(routing.Context) (routing.Result, error) {
		return routing.Text("The list of the guests is at the gangway.\n"), nil
	}))

	// A filter. While the gangway is closed, the booking page redirects to the home page, which
	// says so.
	app.Before(func(c routing.Context) error {
		if !isPier(c) {
			return nil
		}
		isClosed, err := p.isClosed(c.Request().Context())
		if isClosed {
			return routing.SeeOther(c.Path("/"))
		}
		return err
	}, routing.On("/book"))

	// A route in front of operations. It runs before authorization and validation, so it only
	// counts. It has no description, so the operations stay described.
	app.Post("/api/:version/bookings", atPier(func(c routing.Context) (routing.Result, error) {
		if _, err := s.Count(c.Request().Context(), requests, never); err != nil {
			return routing.Result{}, err
		}
		return routing.Result{}, routing.Pass
	}))

	// An interceptor. It runs after authorization and validation, for every operation that changes
	// bookings, including the import.
	described.Intercept(func(ctx context.Context, call *apidoc.Call, next func(context.Context) (any, error)) (any, error) {
		if !isPier(call.Context) || call.Method == http.MethodGet || !slices.Contains(call.Tags, "Bookings") {
			return next(ctx)
		}
		switch isClosed, err := p.isClosed(ctx); {
		case err != nil:
			return nil, err
		case isClosed:
			return nil, errClosed
		}
		return next(ctx)
	})

	// An operation.
	apidoc.Put(described, "/api/v2/gangway", "Open or close the gangway", p.setGangway,
		described.Tag("Pier", "What only the pier has"), write, apidoc.ID("v2Gangway"))
}

func (p pier) home(c routing.Context) (routing.Result, error) {
	ctx := c.Request().Context()
	isClosed, err := p.isClosed(ctx)
	if err != nil {
		return routing.Result{}, err
	}
	asked, err := p.store.Counter(ctx, requests)
	if err != nil {
		return routing.Result{}, err
	}
	return respond.Template(page, "", map[string]any{"Base": c.Path("/"), "Requests": asked, "Closed": isClosed})
}

type gangway struct {
	House string `path:"house" doc:"The ID of the house"`
	State struct {
		Open bool `json:"open"`
	} `body:""`
}

func (p pier) setGangway(ctx context.Context, in gangway) (struct{}, error) {
	if in.House != house {
		return struct{}{}, booking.ErrNotFound
	}
	value := 1
	if in.State.Open {
		value = 0
	}
	return struct{}{}, p.store.SetCounter(ctx, closed, value, never)
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
