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
// No operation is a tool unless [Tagged] or [Operations] chooses it. The name of the tool is the
// operation's ID, in which letters, digits, _ and - stay and others become _. Its title is the
// summary. GET and QUERY are read-only, these, PUT and DELETE idempotent, and DELETE destructive.
// Of the others a client must assume that they may be destructive.
//
// The arguments are the parameters of the operation by their names, and its body in the argument
// body. A parameter that shares its name with another, or is called body or contentType, has its
// place in front: query.body. Left out are parameters that no model should choose: Authorization,
// and of a GET the conditions and ranges that caches send. An argument that is null is none.
//
// A body of JSON is as it is, a form an object, JSON Lines an array and text a string. Other bytes
// are base64; a file of a form is an object with its name, type and content. If a body of text or
// bytes may have several media types, contentType chooses one.
//
// The result is the response. An object in JSON is the structured content as it is, and another
// JSON value its member result. Text, images and sound are content of these kinds, and other bytes
// an embedded resource. Headers that are described follow as text, except for cookies. Events and
// JSON Lines are collected in the member items, and each is told as progress to clients that ask
// for it; the member complete is false if the call ended before the stream, see [StreamTime].
//
// A status of 400 or more is an error of the tool (isError), and the problem that the operation
// sent is its text.
//
// # Calls
//
// A call is a request to the app, in the same process: filters, security, checks, limits and logs
// see it as any other. It has the Host, the address of the client, TLS and the Authorization of the
// MCP request, so the tools may do what the client's token may do. [Headers] passes on others. Its
// context ends when the client goes away.
//
// # Browsers
//
// A request with an Origin is from a page in a browser. It is refused unless [Origins] has that
// origin, so pages of attackers cannot use the tools, not even by DNS rebinding. See also [Hosts].
package mcp
