// Package apidoc makes routes from typed functions, and describes them in Swagger 2.0 and OpenAPI
// 3.0, 3.1 and 3.2. The types of a function determine how its input is checked and decoded, how its
// output is encoded, and how both are described.
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
// The app is an ordinary [routing.App], whose filters, conditions and middleware also run for
// operations. An operation may return [routing.Pass], a [routing.HaltError] or a
// [routing.Redirect]. After a pass the next route reads the body again, but for lines and streams.
//
// # What is where
//
//	operations          Get, Query, Post, Put, Patch, Delete, Route, API.Group; Intercept
//	options             Status, Fail, ErrorBody, Versioned, BodyLimit: an Option
//	plugins             Replaces, Hidden, API.Intercept
//	types               Optional, File, Event, SelfChecked, Described
//	security            Bearer, Basic, AnyOf, Public, Unchecked, Unauthorized
//	the description     API.Serve, Build, Document; Describe for routes written by hand
//	pages               NewFormReader
//	tests               package apitest, CheckResponses
//
// # Input
//
// The input of an operation is a struct. The tags of its fields name the parts of the request:
//
//	path:"id"             a parameter of the pattern, or of the prefix at which the app is mounted
//	query:"limit"         a value of the query; a slice gets all values
//	query:"tag,commas"    a slice gets the values between commas, as ?tag=a,b; %2C is none of them
//	header:"X-Trace"      a header; a slice gets the values between commas
//	cookie:"session"      a cookie
//	form:"title"          a field of a form, urlencoded or multipart; a [File] is an upload, and a
//	                      struct or map a part with JSON
//	body:""               the body as JSON; with media types in the tag, JSON of these, or the raw body
//
// Parameters are text, numbers, booleans, times and types with UnmarshalText. They are optional,
// unless ",required" follows the name. A pointer is nil if there is no value. Browsers send an
// empty value for a field that was not filled in. In queries and forms it counts as absent if the
// field is optional and its type or rules do not allow an empty text. For booleans, "on" is true.
// Times have the format of RFC 3339, or with the tag format:"date" that of a day, which is read as
// its beginning in UTC. In headers, also of responses, they are HTTP dates (RFC 9110, 5.6.7), but
// not in slices or with one of the tags format:"date-time" and format:"date".
//
// A struct without such tags, and any other type, is the whole body as JSON; struct{} reads
// nothing. A type with form tags is read as a form: to read it as JSON, make it a field with
// body:"". A body is required unless its field is a pointer. A []byte, string or [io.Reader] with a
// media type in its tag gets the raw body; of JSON media types, only a reader does. A field
// header:"Content-Type" tells which of several media types was sent.
//
// An [iter.Seq2] of a T and an error gets a body of JSON Lines (application/jsonl or
// application/x-ndjson). Each line is read and checked when the operation asks for it. If it does
// not match T, the error is a [Problem] with the line's number: the operation may return it, or go
// on with the next line. It may send lines or events meanwhile. [LineLimit] and [BodyLimit] limit
// what is read.
//
// If one field has such a tag, each exported field needs one, or json:"-". A GET or HEAD has no
// body, and a QUERY has one. Fields of embedded structs are included, and those of other structs
// with such tags. A query has no objects: write fields such as query:"size[min]", or define a
// [Query], whose body is JSON. A field of type [routing.Context] is set to the request's context.
//
// # Output
//
// The output is the body of the response. A string is sent as text, a []byte as bytes, an
// [io.Reader] as a stream, an [iter.Seq] as server-sent events, and any other type as JSON. A
// func(io.Writer) error in a field with body:"text/csv", or another type, writes the body itself.
// An iter.Seq in a field with body:"application/jsonl" is sent as JSON Lines, each line at once. An
// [iter.Seq2] of a T and an error can fail: for events see [Event]; a response of lines breaks off,
// so that the client sees that some are missing. With struct{} there is no body.
//
// Readers, functions that write and lines are called when the response is sent. By then the after
// filters have run, and wrappers and interceptors have returned: what these release is gone. An error
// before the first byte is handled like one returned by the operation's function, except that after
// filters do not see its status, and [routing.Pass] is a 500. Later, the connection is closed and the
// error is logged. Write fails once the context of the request has ended, with its cause, and after
// the function has returned. For HEAD, and if the client has the version, the function is not called.
// For a HEAD of events, neither is the operation's function.
// A reader that can seek is sent with its Content-Length.
//
// A struct with tags also sets headers and the status:
//
//	header:"Location"     a header, not sent if it is zero, unless that is behind a pointer;
//	                      Set-Cookie is an http.Cookie
//	status:"200,201"      an int, one of these statuses; 0 means the first
//	body:"image/png"      the body; a Content-Type field selects one of several media types
//
// A GET or QUERY whose output has a header ETag or Last-Modified responds with 304 to a client that
// has this version; see also [Versioned]. An ETag may be any text, as in a [Version].
//
// Nil slices are sent as [], nil maps as {} and nil bytes as "". If the function returns a
// [Problem], that becomes the response. Other errors go to [routing.App.OnError] first, like those of
// any action, and then become a problem with their status, 500 by default, without their text. If
// the operation does not describe the status, the first such error is logged as a warning, and
// [CheckResponses] reports all. [ErrorBody] sets another body for errors, [API.ShapeErrors] for those
// of the app's other routes too.
//
// # Rules
//
// These tags on fields of parameters and bodies are described and checked. On a slice of scalars,
// unique, minLength and maxLength apply to the slice, and the others to each value.
//
//	min, max, multipleOf  of numbers; exclusiveMin and exclusiveMax are not allowed themselves
//	readOnly, writeOnly   a member that is only in responses, or only in requests
//	dependentRequired     names of members, form fields or query parameters that this one requires
//	minLength, maxLength  of text in characters, also of base64; slices in items, maps in members, a
//	                      File in bytes
//	pattern               a regular expression that must match a part of the text; it is published as
//	                      it is written, so syntax that only Go has is refused
//	enum                  the allowed values, with commas between them
//	unique                no item occurs twice: text, numbers or booleans
//	format                of text; date-time, date, time, http-date, uuid, email, uri, uri-reference,
//	                      ip, ipv4, ipv6, cidr and byte are checked; of a time.Duration: duration
//	default               the value of a missing parameter or member
//	nullable              "false": an Optional, or a pointer with omitempty, is never null
//	example, doc          for people
//	deprecated            for people
//	accept                media types of a File, by its first bytes where they tell
//
// In a response a member is sent with the others that require it, although omitempty would omit it.
//
// A type T with a method Values() []T is an enumeration of those values. [Union] and [Described]
// are for other types that encode themselves. Unknown members of objects are ignored. A field _
// struct{} with the tag additionalProperties:"false" makes them an error. In an input it refuses
// unknown form fields, and unknown query parameters if the input has any. [SelfChecked] is for
// rules that tags cannot express.
//
// # Forms of pages
//
// In an action, a [FormReader] reads the form of an HTML page into a struct with the same tags. A
// template can then show the form again with all mistakes.
//
// # Refused requests
//
// A body must match its type and the rules. A member must not occur twice, or have a name that
// differs from a known one only in letter case. Names of a map such as "1" and "01" that stand for
// the same key count as the same. An integer may be written as 1.0. The response to
// an invalid request is a [Problem] that lists all errors. The status is 422 for invalid values,
// 400 for invalid JSON, 415 for another media type or a Content-Encoding, and 413 for a body over
// the limit. For a QUERY, 415 and OPTIONS list the media types in Accept-Query (RFC 10008, 3).
//
// An [InputError] has a text. For programs and other languages it also has the rule as a code, and
// what the rule allows: the keyword of JSON Schema and its value, such as maxLength and 80, or enum
// and a list. Some rules have no keyword:
//
//	duplicate             the name of a member occurs twice
//	letterCase            it differs only in letter case from the limit
//	minBytes, maxBytes    the length of a file
//	encoding              a parameter is not UTF-8, or has a NUL
//	invalid               the type's UnmarshalJSON or UnmarshalText refuses it
//
// # Groups and interceptors
//
// [API.Group] defines operations below a prefix and with shared options. [Intercept] adds a
// function that wraps operations and sees their input and output; [Transaction] runs them in a
// transaction. An app may have several APIs with different descriptions; see [API.ServeAt].
//
// # Hand-written routes
//
// [Describe] attaches an [Operation] to any route, which is then described but not checked.
// [NewOperation] makes one from an input, an output and options. For checks write a typed
// operation; a field of type [routing.Context] in its input gives it the request. [Build] describes
// all operations of an app, in order of definition. Routes without an operation are left out.
//
// # Plugins
//
// Of the routes that match a request, the one defined last runs, and may pass: so a plugin overrides
// what it is added to. A route without a description leaves the description as it is. Two operations
// with the same method and path are an error, unless the one that is tried first [Replaces] the
// other, or is [Hidden] since it only looks at requests and passes.
//
// A route in front of an operation runs before the operation's security and checks. What belongs
// behind them is an interceptor: see [API.Intercept].
//
// # The formats
//
//   - [Document.Swagger] is Swagger 2.0.
//   - [Document.OpenAPI] is OpenAPI 3.1, [Document.OpenAPI30] is 3.0 and [Document.OpenAPI32] 3.2.
//
// Only 3.2 has QUERY, the items of events and JSON Lines, nested tags and the flow of OAuth 2 for
// devices. OpenAPI 3.0 and 3.1 have a QUERY in the extension x-oai-additionalOperations.
//
// They name no host, which would be wrong behind a proxy, unless [Info] has Servers. Clients use
// the host and the base path from which they loaded it, also for an app that is mounted in others.
//
// # Paths
//
// A described path is the pattern with its parameters in braces: /flowers/:slug becomes
// /flowers/{slug}. Optional text is described as present: /flowers/? becomes /flowers/. Patterns
// that cannot be described panic when the route is defined: those with optional parameters (define
// two routes), wildcards and regular expressions, and the empty pattern. So do routes for every
// method, and for methods that OpenAPI does not have.
//
// # Types
//
// Bodies and parameters are described as [encoding/json] writes their Go types:
//
//   - text, integers with their size, or in a [math/big.Int] with at most 4,000 digits, numbers,
//     booleans; a [time.Time] is text of the format date-time, bytes are text of the format byte
//     (base64), and a type with MarshalText is text;
//   - unlike there, a [net/url.URL] is text of the format uri, or uri-reference if the field's tag
//     says so; a [time.Duration] is a number of nanoseconds, or text of ISO 8601 if its field has
//     the tag format:"duration"; a [time.Time] with the tag format:"date" is its day, in its own
//     zone; and a [database/sql.Null] is its value or null;
//   - a zero [net/url.URL], [net/netip.Addr] or [net/netip.Prefix] counts as absent: responses omit
//     such a member, unless its format allows an empty text, and requests need it;
//   - arrays for slices and arrays, objects for maps and structs; a slice or map is described as if
//     it were never nil;
//   - properties by the rules of json tags, embedding included: a field with omitempty or omitzero
//     is not required, nor is one of an embedded pointer, and a pointer may be null, unless its tag
//     is nullable:"false"; an [Optional] is both;
//   - for a type with a method Values, a [Union] or a [Described], what these methods return;
//   - requests omit the members that are readOnly, and responses those that are writeOnly: a type
//     with such a member, anywhere in it, has another definition for requests, with Input behind
//     its name;
//   - any value for interfaces, and for other types with MarshalJSON, whose values their
//     UnmarshalJSON checks.
//
// Each named struct, slice, array or map becomes a definition with its name, so types may refer to
// each other and to themselves. The name of a generic type is followed by those of its arguments,
// joined by underscores. An operation panics if it uses functions, channels, complex numbers, or
// map keys that JSON does not allow.
//
// # Mistakes in definitions
//
// An invalid definition panics, and so does one that does not fit its route. Conflicts between
// operations, such as two with the same ID, are errors of [Build] and [API.Serve].
package apidoc
