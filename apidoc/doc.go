// Package apidoc makes routes from typed functions, and describes them in Swagger 2.0 and OpenAPI
// 3.0, 3.1 and 3.2. The types of a function determine how its input is checked and decoded, how its
// output is encoded, and how both are described.
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
// The app is an ordinary [routing.App], whose filters, conditions and middleware also run for
// operations. [API.Group] defines operations below a prefix and with shared options. [Intercept]
// wraps operations; [Transaction] runs them in a transaction.
//
// # Input
//
// The input is a struct whose tags name the parts of the request. A struct without such tags is the
// body as JSON. struct{} reads nothing. [Get] documents all rules.
//
//	type AddTree struct {
//		Garden string `path:"garden"`             // a parameter of the pattern
//		DryRun bool   `query:"dryRun"`            // optional, unless ",required" follows the name
//		Trace  string `header:"X-Trace,required"` // also cookie:"session"
//		Tree   Tree   `body:""`                   // JSON; required unless it is a pointer
//	}
//
//	type Upload struct {
//		Title string      `form:"title" maxLength:"80"` // urlencoded or multipart
//		Photo apidoc.File `form:"photo" accept:"image/png,image/jpeg"`
//	}
//
// # Output
//
// The output is the body of the response: JSON, a string as text, a []byte as bytes, an
// [io.Reader] as a stream, an [iter.Seq] as server-sent events, and struct{} for no body. A struct
// with tags also sets headers and the status. [Get] documents all rules.
//
//	type Added struct {
//		Location string `header:"Location"`
//		Status   int    `status:"201,200"` // 0 means 201
//		Tree     Tree   `body:""`
//	}
//
// # Rules
//
// Tags on fields restrict the values of parameters, forms and JSON. They are checked, and appear in
// the description. [InputError] has a table of them. [Validator] is for rules that tags cannot
// express.
//
//	type Tree struct {
//		Name   string   `json:"name" minLength:"1" maxLength:"80"`
//		Height float64  `json:"height" exclusiveMin:"0" max:"130" doc:"In metres"`
//		Kind   string   `json:"kind" enum:"oak,elm,ash"`
//		Tags   []string `json:"tags,omitempty" unique:"true"`
//	}
//
// # Errors
//
// The response to an invalid request is a [Problem]. Its status is 422 for invalid values, 400 for
// invalid JSON, 415 for another media type, and 413 for a body over the limit. A 422 has an
// [InputError] for each invalid value, at most 100 for a body. A [Problem] that a function returns
// becomes the response. Pass it as an option to describe the response. Other errors, and problems
// with a status of 500 and above, go to [routing.App.OnError] first. For an error without a
// problem, the response is a problem without the error's text. [ErrorBody] sets another body.
//
//	var taken = apidoc.NewProblem(409, "There is a tree of that name")
//
//	apidoc.Post(api, "/trees", "Plant a tree", plant, taken)
//
// # Security
//
// A [Security] is an option that checks requests before their input is read.
//
//	var user = apidoc.Bearer("user", findUser)
//
//	api := apidoc.NewAPI(app, info, user)
//	apidoc.Get(api, "/news", "Read news", news, apidoc.Public())
//
// # Overview
//
//	operations          Get, Query, Post, Put, Patch, Delete, Route, API.Group; Intercept
//	options             Option: Status, NewProblem, ErrorBody, Versioned, BodyLimit
//	plugins             Replaces, Hidden, API.Intercept
//	other values        NewChecker, Invalid
//	types               Optional, File, Event, Union, Validator, SchemaProvider
//	security            Bearer, Basic, APIKey, OAuth2, AnyOf, Public, CheckedElsewhere, ErrUnauthorized
//	the description     API.Serve, Build; Document has the rules for paths and Go types
//	written by hand     Describe, NewOperation
//	pages               NewFormReader: HTML forms, with the same tags
//	tests               package apitest, CheckResponses
//
// An invalid definition panics with a message that names the fix. Conflicts between operations,
// such as two with the same ID, are errors of [Build] and [API.Serve].
package apidoc
