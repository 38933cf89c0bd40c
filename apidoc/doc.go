// Package apidoc describes the routes of an app for people and programs: one source, the operations that routes carry, and
// three forms of it.
//
//	app.Get("/flowers/:slug", show, apidoc.Describe(&apidoc.Operation{
//		ID:      "findBySlug",
//		Summary: "Find a flower by its slug",
//		Tags:    []string{"Flowers"},
//		Parameters: []apidoc.Parameter{
//			{Name: "slug", In: apidoc.InPath, Description: "The flower's slug"},
//		},
//		Responses: []apidoc.Response{
//			{Status: 200, Description: "OK", Body: apidoc.TypeOf[Flower]()},
//			{Status: 404, Description: "Slug Not Found"},
//		},
//	}))
//
// [Build] collects the operations of an app's routes, in order of definition, into a [Document]. Routes without an operation
// don't appear in it.
//
// # The three forms
//
//   - [Document.Spec] has the members spec, info, paths, definitions and securityDefinitions, and no others.
//   - [Document.Swagger] is Swagger 2.0: the same with "swagger" in place of "spec", and with what viewers and generators need
//     beside it: basePath, produces, tags, and the descriptions of operations.
//   - [Document.OpenAPI] is OpenAPI 3.1, for tools that no longer read 2.0.
//
// None of them names a host or a scheme: behind a proxy these would be wrong, and readers take those they loaded the form from.
//
// # Paths
//
// A described path is the pattern with its parameters in braces: /flowers/:slug becomes /flowers/{slug}. Text that may be missing
// is described as present, so that the pattern /flowers/? is the path /flowers/. What a path in braces cannot say is refused
// when the route is defined: parameters that may be missing (define one route for each form of the path), wildcards, regular
// expressions, patterns without a path, and routes for every method or for one that descriptions don't know.
//
// # Types
//
// Bodies and parameters are described by Go types, as package encoding/json writes them; see [TypeOf].
//
// # What is refused where
//
// An operation that is wrong in itself or doesn't fit its route panics when the route is defined, in the way of all routing
// options. What shows only when the operations are put together is an error of [Build]: an ID, or a method and path, that occurs
// twice, two types with one name, and a reference to a definition that no type brings.
package apidoc
