package coffeedemo

import (
	"errors"
	"net/http"

	"example.com/flowercafe/routing"
)

// This file has the texts of the responses, and turns errors of the Store into responses.

// responses are the responses of an app. They are made once and name its routes below its base
// path.
type responses struct {
	created, loaded, dropped                  routing.Result
	tablesExist, tablesMissing, alreadyLoaded *routing.HaltError
	busy, closed                              *routing.HaltError
}

func newResponses(create, load, drop, list *routing.Route) (responses, error) {
	address := make(map[*routing.Route]string)
	for _, route := range []*routing.Route{create, load, drop, list} {
		url, err := route.URL()
		if err != nil {
			return responses{}, err
		}
		address[route] = url
	}
	return responses{
		created: routing.Text("Tables created. Call " + address[load] + " to fill them."),
		loaded:  routing.Text("Data loaded. Call " + address[list] + " to see it."),
		dropped: routing.Text("Tables dropped."),

		tablesExist:   conflict("The tables exist already. Call " + address[drop] + " first."),
		tablesMissing: conflict("There are no tables. Call " + address[create] + " first."),
		alreadyLoaded: conflict("The data is loaded already. Call " + address[drop] + " to begin again."),

		busy:   unavailable("The database is busy. Try again later."),
		closed: unavailable("The database is closed."),
	}, nil
}

func conflict(sentence string) *routing.HaltError {
	return &routing.HaltError{Status: http.StatusConflict, Body: routing.Text(sentence)}
}

func unavailable(sentence string) *routing.HaltError {
	return &routing.HaltError{
		Status: http.StatusServiceUnavailable,
		Header: http.Header{"Retry-After": {"1"}}, // seconds
		Body:   routing.Text(sentence),
	}
}

// refusal returns the response to an error of the Store. Other errors are returned unchanged: they
// are logged, and the client gets a 500 without their text.
func (r *responses) refusal(c routing.Context, err error) error {
	var obstacle *ObstacleError
	switch {
	case errors.As(err, &obstacle):
		return conflict("The database has " + obstacle.What + ", which prevents this. Rename or drop it there.")
	case errors.Is(err, ErrTablesExist):
		return r.tablesExist
	case errors.Is(err, ErrTablesMissing):
		return r.tablesMissing
	case errors.Is(err, ErrDataLoaded):
		return r.alreadyLoaded
	case errors.Is(err, ErrClosed):
		return r.closed
	case errors.Is(err, ErrBusy):
		return r.busy
	case c.Request().Context().Err() != nil:
		// The client has gone, or the request's deadline has passed.
		return r.busy
	}
	return err
}
