// Package conformance tests the description with the usual tools: validators, linters, client
// generators, mock servers, and Schemathesis, which looks for responses that differ from the
// description. It is a separate module, so that the core does not depend on these tools.
//
// There are four hosts: the module itself; the shop of internal/shop; the nursery of
// internal/nursery, whose operations have each kind of input, output, rule and security; and the
// depot of internal/depot, with two versions of its API. The programs of testdata/clients use
// generated clients of the nursery, and all must print the same.
//
//	go test ./...                   validators and generators in Go; fetches modules
//	CONFORMANCE=all go test ./...   all others too: needs Node.js 20, Python 3 and a JDK
//	./schemathesis.sh 500           500 examples for each operation; needs Python 3
//	go run ./compare                CPU time and allocations of the nursery, in apidoc and in huma
//	go run ./features               which features work in apidoc, huma and FastAPI: RESULTS.md
//
// # Tools that read openapi-3.2.json
//
// The description of the shop has a QUERY, nested tags and the OAuth 2 flow for devices. The
// description of the nursery has events and JSON Lines. The results with both:
//
//	libopenapi-validator 0.13.8     valid by the published schema
//	openapi-spec-validator 0.9.0    valid
//	redocly 2.77, spectral 6.16.3   no errors
//	@scalar/openapi-parser 0.29.22  valid
//	kin-openapi 0.152               valid, but the flow and the tags are unknown
//	Swagger UI 5.35, Scalar 1.72    show everything
//	RapiDoc 9.3.8                   shows all but QUERY
//	openapi-typescript 7.13         generates all but QUERY
//	hey-api 0.99                    generates all but QUERY
//	Swagger UI 5.29                 refuses the version; package viewer has this Swagger UI
//	Redoc 2.5                       refuses the version
//	swagger-parser 13.1             refuses the version
//	@readme/openapi-parser 9.0      refuses the version
//	openapi-spec-validator 0.7.2    refuses the version
package conformance
