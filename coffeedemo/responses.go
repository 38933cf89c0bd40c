package coffeedemo

import (
	"errors"
	"html"
	"net/http"

	"example.com/flowercafe/routing"
)

// This file has the texts of the responses, and turns errors of the Store into responses.

// The messages name the paths of routes relative to the base path, so that they are right behind a
// proxy that removes a prefix, too.
const (
	created = "Tables created. Call db/load-data next."
	loaded  = "Data loaded. Call coffees next."
	dropped = "Tables dropped."
)

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
func refusal(c routing.Context, err error) error {
	var obstacle interface{ Obstacle() string }
	switch {
	case errors.As(err, &obstacle):
		return conflict("The database has " + obstacle.Obstacle() + ", which prevents this. Rename or drop it there.")
	case errors.Is(err, ErrTablesExist):
		return conflict("The tables exist already. Call db/drop-tables first.")
	case errors.Is(err, ErrTablesMissing):
		return conflict("There are no tables. Call db/create-tables first.")
	case errors.Is(err, ErrDataLoaded):
		return conflict("The data is loaded already. Call db/drop-tables to begin again.")
	case errors.Is(err, ErrClosed):
		return unavailable("The database is closed.")
	case errors.Is(err, ErrBusy), c.Request().Context().Err() != nil: // also if the request's deadline has passed
		return unavailable("The database is busy. Try again later.")
	}
	return err
}

// page is the body of /coffees, as HTML.
type page []byte

// add adds a line.
func (p *page) add(coffee, supplier string) error {
	b := *p
	if len(b) > 0 {
		b = append(b, "<br />"...)
	}
	b = append(b, "  "...)
	b = append(b, html.EscapeString(coffee)...)
	b = append(b, " supplied by "...)
	*p = append(b, html.EscapeString(supplier)...)
	return nil
}
