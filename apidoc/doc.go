// Package apidoc makes routes of typed functions, and describes them in Swagger 2.0 and OpenAPI 3.0
// and 3.1. The types of a function are what is described, checked, decoded and encoded.
//
//	type ByID struct {
//		ID int `path:"id" min:"1" doc:"The tree's number"`
//	}
//
//	var notFound = apidoc.Fail(404, "No such tree")
//
//	func getTree(ctx context.Context, in ByID) (Tree, error) { … return Tree{}, notFound }
//
//	api := apidoc.NewAPI(app, apidoc.Info{Title: "Trees", Version: "1.0"})
//	trees := api.Tag("Trees", "What grows here")
//	apidoc.Get(api, "/trees/:id", "Read a tree", getTree, trees, notFound)
//	_, err := api.Serve(viewer.New())
//
// The app is a [routing.App] like any other: its filters, conditions and middleware run around the
// operations, and an operation may return [routing.Pass], a halt or a redirect.
//
// # Input
//
// The input of an operation is a struct, whose tags place its fields in the request:
//
//	path:"id"             a parameter of the pattern
//	query:"limit"         a value of the query; a slice has all of them
//	header:"X-Trace"      a header; a slice has the values between commas
//	cookie:"session"      a cookie
//	form:"title"          a field of a form, urlencoded or multipart; a [File] is an upload
//	body:""               the body as JSON, or with a media type in the tag the body as it is
//
// Parameters are text, numbers, booleans, times and types with UnmarshalText. They are optional
// unless ",required" stands behind the name. A pointer tells whether a value was there. Times are
// as in RFC 3339; in headers, those of responses included, they are HTTP dates (RFC 9110, 5.6.7).
//
// A struct without such tags is the JSON body as a whole, and so is any other type; struct{} reads
// nothing. A body is required unless its field is a pointer. A []byte, string or [io.Reader] with a
// media type in its tag is the body as it came.
//
// The fields of embedded structs count too. A field of type [routing.Context] is set to the
// request's context.
//
// # Output
//
// The output is the body of the response. A string is sent as text, a []byte as bytes, an
// [io.Reader] as a stream, an [iter.Seq] as server-sent events, and any other type as JSON.
// struct{} is no body. A struct with tags tells more:
//
//	header:"Location"     a header, not sent if it is zero; Set-Cookie is an http.Cookie
//	status:"200,201"      an int, one of these statuses; 0 is the first
//	body:"image/png"      the body; of several media types, the field of Content-Type names one
//
// Nil slices are sent as [], nil maps as {} and nil bytes as "". If the function returns a
// [Problem] that is among the operation's options, that is the response. Other errors go to the
// app's error handler.
//
// # Rules
//
// These tags of fields, in parameters and bodies, are described and checked. On a slice of scalars,
// unique, minLength and maxLength are rules for the slice, and the others for each value.
//
//	min, max, multipleOf  of numbers
//	minLength, maxLength  characters of text, items of a slice, members of a map, bytes of a File
//	pattern               a regular expression that the text must contain a match of
//	enum                  the allowed values, with commas between them
//	unique                no item occurs twice
//	format                of text; date-time, date, time, uuid, email, uri, ipv4, ipv6 and byte
//	                      are checked
//	default               the value if there is none
//	example, doc          for people
//	deprecated            for people
//	accept                media types of a File
//
// A type T with a method Values() []T is an enumeration of those values. [Union] and [Described]
// are for other types with a JSON form of their own. Members that a struct does not list are
// ignored. A field _ struct{} with the tag additionalProperties:"false" refuses them, and unknown
// fields of a form.
//
// # What is refused
//
// A body is checked by its type and rules, and for what JSON leaves open: a member must not occur
// twice, nor under a name that differs from a listed one only in letter case. An integer may be
// written 1.0. The response to an invalid request is a [Problem] that lists all that is wrong: 422
// for what is well formed and wrong, 400 for what is not JSON, 415 for another media type, 413 for
// a body over the limit.
//
// # Routes that are written by hand
//
// [Describe] attaches an [Operation] to any route, and [Enforce] also checks its requests. [Build]
// describes all operations of an app, in order of definition. Routes without an operation are left
// out.
//
// # The formats
//
//   - [Document.Spec] has the members spec, info, paths, definitions and securityDefinitions, and no
//     others.
//   - [Document.Swagger] is Swagger 2.0: the same with "swagger" in place of "spec", and with what
//     viewers and generators need.
//   - [Document.OpenAPI] is OpenAPI 3.1, and [Document.OpenAPI30] is 3.0.
//
// Unless [Info] does, they name no host, which would be wrong behind a proxy. Clients use the host
// that they loaded the description from.
//
// # Paths
//
// A described path is the pattern with its parameters in braces: /flowers/:slug becomes
// /flowers/{slug}. Optional text is described as present: /flowers/? becomes /flowers/. Patterns
// that no described path can say are refused when the route is defined: those with optional
// parameters (define two routes), wildcards and regular expressions, and the empty pattern. So are
// routes for every method, and for methods that descriptions don't know.
//
// # Types
//
// Bodies and parameters are described as package encoding/json writes their Go types; see [TypeOf].
//
// # Mistakes in definitions
//
// An invalid definition panics, and so does one that doesn't fit its route. What shows only when
// all operations are known is an error of [Build] and [API.Serve]: two operations with the same ID
// or the same method and path.
package apidoc
