// Package apidoc makes routes of typed functions, and describes them: what is described is what is
// checked, decoded and encoded.
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
// The app is a [routing.App] as any other: its filters, conditions and middleware run around the
// operations, and an operation may return [routing.Pass], a halt or a redirect.
//
// # Input
//
// The input of an operation is a struct. Tags place its fields in the request:
//
//	path:"id"             a parameter of the pattern
//	query:"limit"         a value of the query; a slice has all of them
//	header:"X-Trace"      a header; a slice has the values between commas
//	cookie:"session"      a cookie
//	form:"title"          a field of a form, urlencoded or multipart; a [File] is an upload
//	body:""               the body as JSON, or with a media type in the tag the body as it is
//
// Parameters are text, numbers, booleans, times and types with UnmarshalText. They may be left out
// unless ",required" stands behind the name; a pointer tells whether a value was there. A struct
// without such tags is the JSON body as a whole, as is any other type, and struct{} reads nothing.
// Embedded structs bring their fields. A body is required unless its field is a pointer; as a
// []byte, string or [io.Reader] with a media type in the tag it is handed on as it came. A field of
// type [routing.Context] gets that of the request.
//
// # Output
//
// The output is the body: JSON, and for a string, a []byte, an [io.Reader] or an [iter.Seq] text,
// bytes, a stream or server-sent events. struct{} is no body. A struct with tags tells more:
//
//	header:"Location"     a header; the zero value is none. http.Cookie is for Set-Cookie
//	status:"200,201"      an int with one of these statuses; 0 is the first
//	body:"image/png"      the body, with its media types; of several, a Content-Type header chooses
//
// Nil slices are sent as [] and nil maps as {}. An error is a [Problem] that the operation's
// options name, or the app's error handler gets it.
//
// # Rules
//
// These tags of a field, in a body too, are described and checked. Of a slice of scalars, all but
// unique, minLength and maxLength are rules for each value.
//
//	min, max, multipleOf  of numbers
//	minLength, maxLength  characters of text, items of a slice, members of a map, bytes of a File
//	pattern               a regular expression that is found in the text
//	enum                  the values that there are, with commas between them
//	unique                no item occurs twice
//	format                of text; date-time, date, time, uuid, email, uri, ipv4, ipv6 and byte
//	                      are checked
//	default               what stands for a value that is left out
//	example, doc          for people
//	deprecated            for people
//	accept                media types of a File
//
// A type with a method Values() []T has those values. [Union] and [Described] tell more of a type.
// Members that a struct does not list are let through; a field _ struct{} with the tag
// additionalProperties:"false" refuses them, in a form too.
//
// # What is refused
//
// A body is checked before it is decoded: by its type, its rules, and what JSON leaves open. A
// member that occurs twice is refused, and so is one whose name differs from a listed one in letter
// case alone. An integer may be written 1.0. The response is a [Problem] that lists all that is
// wrong: 422 for what is well formed and wrong, 400 for what is not JSON, 415 for another media
// type, 413 for a body over the limit.
//
// # Routes that are written by hand
//
// [Describe] attaches an [Operation] to any route, and [Enforce] checks its requests too. [Build]
// collects all operations of an app, in order of definition, into a [Document]. Routes without an
// operation don't appear in it.
//
// # The forms
//
//   - [Document.Spec] has the members spec, info, paths, definitions and securityDefinitions, and no
//     others.
//   - [Document.Swagger] is Swagger 2.0: the same with "swagger" in place of "spec", and with what
//     viewers and generators need beside it.
//   - [Document.OpenAPI] is OpenAPI 3.1, [Document.OpenAPI30] is 3.0.
//
// None of them names a host or a scheme unless [Info] does: behind a proxy these would be wrong,
// and readers take those that they loaded the form from.
//
// # Paths
//
// A described path is the pattern with its parameters in braces: /flowers/:slug becomes
// /flowers/{slug}. Text that may be missing is described as present, so that the pattern /flowers/?
// is the path /flowers/. What a path in braces cannot say is refused when the route is defined:
// parameters that may be missing (define one route for each form of the path), wildcards, regular
// expressions, patterns without a path, and routes for every method or for one that descriptions
// don't know.
//
// # Types
//
// Bodies and parameters are described by Go types, as package encoding/json writes them; see
// [TypeOf].
//
// # What is refused where
//
// A definition that is wrong in itself or doesn't fit its route panics, as all definitions of
// routes do. What shows only when the operations are put together is an error of [Build]: an ID, or
// a method and path, that occurs twice, and a reference to a definition that no type brings.
package apidoc
