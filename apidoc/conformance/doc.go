// Package conformance gives the description to the tools that people read descriptions with:
// validators and linters, generators of clients, players of examples, and a finder of requests
// whose responses are not as described. It is a module of its own, so that the core does not need
// those tools.
//
// Three hosts are described: the module itself; the shop of internal/shop, whose routes are written
// by hand; and the nursery of internal/nursery, whose 14 typed operations have each kind of input,
// output, rule and security. A client of each generator runs the program of testdata/clients, and
// all print the same.
//
//	go test ./...                   Go's validators and generators; fetches modules
//	CONFORMANCE=all go test ./...   all others too: needs Node.js 20, Python 3 and a JDK
//	./schemathesis.sh 500           500 examples for each operation; needs Python 3
//	go run ./compare                what the nursery costs, in apidoc and in huma
package conformance
