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
// The package uses the official SDK, which supports revision 2026-07-28 of the protocol and, for
// older clients, revisions back to 2024-11-05. There are no sessions, so several hosts may share
// the requests of a client. The README lists the clients that were tried.
//
// # Tools
//
// [WithTags] and [WithOperations] choose the operations that become tools. The tool's name is the
// operation's ID, with _ in place of all characters but a-z, A-Z, 0-9 and -. Its title is the
// summary, and its hints follow from the method.
//
// Each parameter is an argument with the same name, with _ in place of all characters but a-z, A-Z,
// 0-9, periods and -. The request's body is the argument body. A parameter that shares its name
// with another, or is called body, has a prefix: query.body. Headers that no model should choose,
// such as Accept and the headers of [WithHeaders], are not arguments.
//
// A JSON body stays as it is. A form is an object, JSON Lines are an array, and text/* is a string.
// Other bytes are base64. A file of a form is an object with its name, type and content.
//
// The result is the response. JSON becomes the structured content: an object, or the member result
// of one. Valid UTF-8 becomes text, images and audio become content of these kinds, and other bytes
// an embedded resource. Described headers, except cookies, follow as text. Events and JSON Lines
// are collected in the member items, and reported to clients that ask for progress. The member
// complete is false if the call ended before the stream.
//
// A status of 400 or more is an error of the tool (isError), with the body as content, or without
// one the status. So is a status that the operation does not describe (by number, if the tool has
// an output schema), such as a redirect to a login page.
//
// # Calls
//
// A call is a request to the app in the same process, with the app's filters, security, validation,
// limits and logs. It has the Host, the client's address, TLS and the headers of [WithHeaders] of
// the MCP request, such as Authorization, so a tool has the permissions of the client's token. On a
// writer with deadlines, it may last longer than the server's WriteTimeout; each part of the
// response to the client must be sent within 10 seconds.
//
// The context of a call ends when the client disconnects, and after [WithCallTime], or
// [WithStreamTime] for a stream.
//
// A call is refused if its path leads to another route of the API's app: to GET /trees/export in
// place of GET /trees/:id, for the argument export.
package mcp
