// Package apidoc makes routes from typed functions, and describes them in Swagger 2.0 and OpenAPI
// 3.0, 3.1 and 3.2. The types of a function, with the tags of their fields, determine how its input
// is decoded and checked, how its output is encoded, and how both are described.
//
//	type ByID struct {
//		ID int `path:"id" min:"1" doc:"The tree's number"`
//	}
//
//	var notFound = apidoc.NewProblem(404, "No such tree")
//
//	func getTree(ctx context.Context, in ByID) (Tree, error) { … return Tree{}, notFound }
//
//	api := apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0"})
//	trees := api.Tag("Trees", "What grows here")
//	apidoc.Get(api, "/trees/:id", "Read a tree", getTree, trees, notFound)
//	_, err := api.Serve(viewer.New())
//
// The app is an ordinary [routing.App], whose filters and middleware also run for operations.
//
// # Input
//
// The tag of an input's field names a part of the request:
//
//	path:"id"            a parameter of the pattern, or of the prefix of a mount
//	query:"limit"        a value of the query; a slice gets all values
//	query:"tag,commas"   a slice gets the values between commas, as in ?tag=a,b
//	header:"X-Trace"     a header; a slice gets the values between commas
//	cookie:"session"     a cookie
//	form:"title"         a field of a form; a File is an upload, a struct or map a part with JSON
//	body:""              the body, as below
//	body:"text/csv"      a body other than JSON, in a string, a []byte or an io.Reader
//
// Parameters are text, numbers, booleans, times, base64 in a []byte, or types with UnmarshalText.
// Outside the path they are optional, unless ",required" follows the name. Without a value and a
// default, a pointer is nil. An empty value in a query or form is missing if its type or tags do
// not allow it, but ?dryRun is true. A time is text of RFC 3339, or, alone in a header, an HTTP
// date; with format:"date" a day.
//
// The body is JSON, or raw in a []byte or an [io.Reader], or JSON Lines in an [iter.Seq2] of a T
// and an error: see [LineLimit]. It is required, unless it is a pointer, a reader or a sequence.
//
// If one field has a tag, each exported field needs one, or json:"-". A field of type
// [routing.Context], which is the action's, counts as tagged. The fields of embedded structs, and
// of structs with such tags, count as fields of the input.
//
// An input without tags is the body. The input struct{} reads nothing.
//
// # Output
//
// The output is the body of the response:
//
//	string                  text
//	[]byte, io.Reader       bytes, or a stream
//	iter.Seq[T]             server-sent events: see Event
//	iter.Seq2[T, error]     events that may end with an error
//	struct{}                no body
//	other types             JSON: see Document
//
// A struct with tags also sets headers and the status:
//
//	header:"Location"       a header; a zero value is not sent, but a pointer to zero is
//	header:"Set-Cookie"     an http.Cookie
//	header:"ETag"           any text; a 200 of a GET or QUERY is a 304 if the client has it
//	status:"201,200"        an int, one of these; 0 means the option Status, or the first
//	body:""                 the body as above
//	body:"image/png"        text, bytes, a stream, or a func(io.Writer) error that writes it
//	body:"application/jsonl"
//	                        a sequence as JSON Lines
//
// Streams and sequences are sent after the operation, its interceptors and the after filters: see
// [SendTimeout].
//
// # Rules
//
// Tags restrict the values of inputs: see [InputError]. [Validator] is for other rules.
//
//	type Tree struct {
//		Name   string  `json:"name" minLength:"1" maxLength:"80"`
//		Kind   string  `json:"kind" enum:"oak,elm,ash"`
//		Height float64 `json:"height" exclusiveMin:"0" doc:"In metres"`
//	}
//
// # Errors
//
// The response to an invalid request is a [Problem]: 422 for invalid values, which it lists, 400
// for a body that is not JSON, 415 for another media type, and 413 for a body over the limit. A
// Problem below 500 that a function returns becomes the response. Pass it as an option to describe
// it.
//
// For other errors see [routing.App.OnError]. By default, clients do not see the text of an error
// that is no problem. [ErrorBody] sets another body for errors.
//
// # Security
//
// A [Security] is an option that checks a request before the operation reads it.
//
//	var user = apidoc.Bearer("user", findUser)
//
//	api := apidoc.NewAPI(app, info, user)
//	apidoc.Get(api, "/news", "Read news", news, apidoc.Public())
//
// # Overview
//
//	operations          Get, Query, Post, Put, Patch, Delete, Route, API.Group
//	options             Status, NewProblem, ErrorBody, Versioned, BodyLimit, Intercept, Transaction
//	types               Optional, File, Event, Union, Validator, SchemaProvider
//	security            Bearer, Basic, APIKey, OAuth2, AnyOf, Public, CheckedElsewhere
//	the description     API.Serve, Build, Document
//	written by hand     Describe, NewOperation
//	plugins             Replaces, Hidden, API.Intercept
//	HTML forms          NewFormReader
//	other values        NewChecker, Invalid
//	tests               package apitest, CheckResponses
//
// An invalid definition panics. Conflicts between operations, such as two with the same ID, are
// errors of [Build] and [API.Serve].
package apidoc
