package apidoc

// Place is the part of a request that has a parameter.
type Place string

// The places of parameters. An operation has form parameters or one body, not both.
const (
	InPath   Place = "path"
	InQuery  Place = "query"
	InHeader Place = "header"
	InCookie Place = "cookie"
	InForm   Place = "form" // of type application/x-www-form-urlencoded, or multipart/form-data
	InBody   Place = "body" // the whole body, JSON
)
