package apidoc

import (
	"reflect"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file has the definition of an operation, which options change and plans read.

// definition is an operation that is being defined: its description so far, and how a typed
// operation runs.
type definition struct {
	Operation                         // so far
	method        string              // empty for a route that is written by hand
	types         *gotype.Definitions // the definitions that its schemas refer to
	moreResponses []openapi.Response  // besides the output's; a problem has no GoType
	rules         map[parameterName]reflect.StructTag
	examples      []bodyExample

	status    int
	limit     int64
	lineLimit int
	idPrefix  string
	events    []respond.EventsOption
	around    []Interceptor // the outermost first
	routing   []routing.RouteOption

	errorType reflect.Type // of the bodies of errors
	errorBody func(routing.Context, *Problem) reflect.Value

	conditions conditions
	timeouts   timeouts
}

func newDefinition(method string) *definition {
	return &definition{
		method: method, limit: DefaultBodyLimit, types: gotype.NewDefinitions(), timeouts: defaultTimeouts,
		Operation: Operation{doc: openapi.Operation{Extensions: make(map[string]any)}},
		rules:     make(map[parameterName]reflect.StructTag),
	}
}

// bodyExample is an example of the response with a status, or of the request's body for 0.
type bodyExample struct {
	status int
	value  any
}

// parameterName is the location (in) and name of a parameter.
type parameterName struct {
	in   routing.Location
	name string
}

// The defaults of [BodyLimit] and [LineLimit], in bytes.
const (
	DefaultBodyLimit = 1 << 20
	DefaultLineLimit = 64 << 10
)
