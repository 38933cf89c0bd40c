// Package conformance gives the description to the tools that people read descriptions with: validators of both formats, a
// generator of clients, and a finder of requests that break what is described. It is tests alone, in a module of its own, so that the
// core does not need those tools. The tests fetch the generated client's modules and so need the Go module proxy or a full cache.
//
// Two hosts are described: the module itself, and the shop of internal/shop, which has something of everything. The script
// schemathesis.sh needs Python besides Go, and sends both hosts what Schemathesis thinks of.
package conformance
