package coffeedemo

import (
	"errors"
	"net/http"

	"example.com/flowercafe/routing"
)

// This file says what the client reads: the sentences, and the one place where an error of the Store becomes a status.

// answers holds the sentences of an app, made once, because they name its routes below its base path.
type answers struct {
	created, loaded, dropped                  routing.Result
	tablesExist, tablesMissing, alreadyLoaded *routing.HaltError
	busy, closed                              *routing.HaltError
}

func newAnswers(create, load, drop, list *routing.Route) (answers, error) {
	address := make(map[*routing.Route]string)
	for _, route := range []*routing.Route{create, load, drop, list} {
		url, err := route.URL()
		if err != nil {
			return answers{}, err
		}
		address[route] = url
	}
	return answers{
		created: routing.Text("The tables are there. Call " + address[load] + " to fill them."),
		loaded:  routing.Text("The data is loaded. Call " + address[list] + " to see it."),
		dropped: routing.Text("The tables are gone."),

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

// refusal returns how the request ends that the Store has refused. An error that is not a refusal stays one: the client reads
// nothing of it, the log everything.
func (a *answers) refusal(c routing.Context, err error) error {
	var obstacle *ObstacleError
	switch {
	case errors.As(err, &obstacle):
		return conflict("In the way of the tables is " + obstacle.What + ". Rename or remove it in the database.")
	case errors.Is(err, ErrTablesExist):
		return a.tablesExist
	case errors.Is(err, ErrTablesMissing):
		return a.tablesMissing
	case errors.Is(err, ErrDataLoaded):
		return a.alreadyLoaded
	case errors.Is(err, ErrClosed):
		return a.closed
	case errors.Is(err, ErrBusy):
		return a.busy
	case c.Request().Context().Err() != nil:
		// The client has gone and reads nothing, or the host has set a deadline for the request.
		return a.busy
	}
	return err
}
