// Package conformance tests the description with the usual tools: validators, linters, client
// generators, mock servers, and Schemathesis, which looks for responses that differ from the
// description. It is a separate module, so that the core does not depend on these tools.
//
// There are three hosts: the module itself; the shop of internal/shop, with hand-written routes;
// and the nursery of internal/nursery, whose 14 typed operations have each kind of input, output,
// rule and security. The programs of testdata/clients use the generated clients, and all must print
// the same.
//
//	go test ./...                   Go's validators and generators; fetches modules
//	CONFORMANCE=all go test ./...   all others too: needs Node.js 20, Python 3 and a JDK
//	./schemathesis.sh 500           500 examples for each operation; needs Python 3
//	go run ./compare                what the nursery costs, in apidoc and in huma
//	go run ./features               which features work in apidoc, huma and FastAPI: RESULTS.md
package conformance
