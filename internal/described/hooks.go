package described

import "net/url"

// Package apidoc sets these functions. A document is an *apidoc.Document.
var (
	// Model returns the described operations.
	Model func(document any) (API, error)

	// Target returns the path, below the base path, and the query of a request for the operation
	// with an ID, from the texts of its parameters.
	//
	// It returns an error if the route would read other texts back from the path, if the path lacks
	// a text, and for a parameter that the operation does not have. It does not check whether
	// another route gets the request.
	Target func(document any, id string, path map[string]string, query url.Values) (string, error)

	// Mounted reports whether the described app is mounted in another app.
	Mounted func(document any) bool
)
