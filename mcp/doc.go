// Package mcp serves operations of an API as tools of AI clients, by the Model Context Protocol
// over HTTP.
//
//	api := apidoc.NewAPI(routing.New(), apidoc.Info{Title: "Trees", Version: "1.0"})
//	apidoc.Get(api, "/trees", "List the trees", listTrees, api.Tag("Trees", "What grows here"))
//
//	tools, err := mcp.New(api, mcp.WithTags("Trees"))
//	if err != nil {
//		log.Fatal(err)
//	}
//	http.Handle("/", api)
//	http.Handle("/mcp", tools)
//	log.Fatal(http.ListenAndServe("127.0.0.1:8080", nil))
//
// The protocol is the official SDK's: the revision 2026-07-28 and, for older clients, revisions
// back to 2024-11-05. There are no sessions, so any of several hosts may answer a request.
//
// # Tools
//
// No operation is a tool unless [WithTags] or [WithOperations] chooses it. The tool's name is the
// operation's ID, with _ for all characters but letters, digits and -, and at most 64 characters.
// Its title is the summary. Tools for GET and QUERY are read-only; these and those for PUT and
// DELETE are idempotent; those for DELETE are destructive. Clients treat all others as possibly
// destructive.
//
// The arguments are the parameters by their names, with _ for all characters but letters, digits,
// periods and -, and the request's body is the argument body. A parameter that shares its name with
// another, or is called body, has the prefix path, query, header or cookie: query.body. An argument
// that is null counts as absent. Some headers are not arguments, because no model should choose
// them: headers that calls copy from the MCP request, an override of the method, and the conditions
// and ranges of a GET, HEAD or QUERY, which are for caches.
//
// A JSON body stays as it is. A form is an object, JSON Lines are an array, and text is a string.
// Other bytes are base64. A file of a form is an object with its name, type and content.
//
// The result is the response. A JSON object is the structured content, and any other JSON value is
// its member result. It has an output schema if all media types of all successes are JSON. Valid
// UTF-8 is text, other images and sound are content of these kinds, and other bytes an embedded
// resource. Described headers follow as text, but no cookies. Events and JSON Lines are collected
// in the member items, and sent as progress to clients that ask for it. The member complete is
// false if the call ended before the stream; see [WithStreamTime].
//
// A status of 400 or more is an error of the tool (isError), whose text is the problem that was
// sent. A status that the operation does not describe is also an error, such as the redirect of a
// filter to a login page.
//
// # Calls
//
// A call is a request to the app, in the same process: filters, security, checks, limits and logs
// see it as any other. It has the Host, the client's address, TLS, the X-Forwarded headers and the
// Authorization of the MCP request, so a tool has the permissions of the client's token.
// [WithHeaders] passes on others. A call may last longer than the server's WriteTimeout; each part
// of the response to the client must be sent within 10 seconds.
//
// The context of a call ends when the client disconnects, and after [WithCallTime]. From then on
// Write and Flush return its cause. Clients of the protocol before 2026, such as the SDK for
// TypeScript before version 2, do not disconnect to cancel a call but send a notification. Without
// sessions the notification reaches no call: the call continues until it ends or its time limit.
//
// A call is refused if an argument makes its path match another route: with a route GET
// /trees/export, a tool for GET /trees/:id with the argument export. Arguments must also match the
// rules of [routing.Where] for :id, and a tag pattern. The routes of other handlers, such as a
// handler in front of the API's app, are not compared.
package mcp
