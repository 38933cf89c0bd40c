// Package outage makes the errors of stores that are unavailable. If an action returns one, perhaps
// wrapped, package routing responds with status 503.
package outage

import "net/http"

// New returns an error with a text.
func New(text string) error { return &failure{text} }

type failure struct{ text string }

func (f *failure) Error() string { return f.text }

// StatusCode is for routing.StatusOf.
func (*failure) StatusCode() int { return http.StatusServiceUnavailable }
