// Package mcp serves operations of an API as tools of AI clients, by the Model Context Protocol
// over HTTP.
//
//	tools, err := mcp.Handler(api, mcp.Tagged("Flowers"))
//	if err != nil {
//		log.Fatal(err)
//	}
//	mux.Handle("/mcp", tools)
//
// The protocol is that of the official SDK: the revision 2026-07-28 and, for older clients, those
// back to 2024-11-05. There are no sessions, so any of several hosts may answer a request.
//
// # Tools
//
// No operation is a tool unless [Tagged] or [Operations] chooses it. The tool's name is the
// operation's ID, in which letters, digits, _ and - stay and others become _. Its title is the
// summary. Tools for GET and QUERY are read-only; these and those for PUT and DELETE are idempotent;
// those for DELETE are destructive. Clients take the others as possibly destructive.
//
// The arguments are the parameters by their names, and the request's body is the argument body. A
// parameter that shares its name with another, or is called body, has its place in front:
// query.body. An argument that is null is none. Left out is what no model should choose:
// Authorization, and the conditions and ranges of a GET, which are for caches.
//
// A body of JSON is as it is, a form an object, JSON Lines an array and text a string. Other bytes
// are base64, and a file of a form is an object with its name, type and content.
//
// The result is the response. An object in JSON is the structured content, and any other JSON value
// its member result. Text, images and sound are content of these kinds, and other bytes an embedded
// resource. Described headers follow as text, but no cookies. Events and JSON Lines are collected in
// the member items, and are told as progress to clients that ask for it; the member complete is
// false if the call ended before the stream, see [StreamTime].
//
// A status of 400 or more is an error of the tool (isError), whose text is the problem that was sent.
//
// # Calls
//
// A call is a request to the app, in the same process: filters, security, checks, limits and logs
// see it as any other. It has the Host, the client's address, TLS and the Authorization of the MCP
// request, so a tool may do what the client's token may do. [Headers] passes on others. Its context
// ends when the client goes away. An argument never leads to another described operation.
package mcp
