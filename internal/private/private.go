// Package private has what packages of this module share without exported names in public packages:
// types to embed, and functions that package routing or apidoc sets when it is initialized.
package private

import "net/http"

// Option marks an option of typed operations. Embed it.
type Option struct{}

func (Option) operationOption() {}

// IsOption is implemented by types that embed [Option].
type IsOption interface{ operationOption() }

// DescribeOption marks an option of operations that are only described, too. Embed it.
type DescribeOption struct{ Option }

func (DescribeOption) describeOption() {}

// IsDescribeOption is implemented by types that embed [DescribeOption].
type IsDescribeOption interface {
	IsOption
	describeOption()
}

// ResponseOption marks an option that describes a response. Embed it.
type ResponseOption struct{ DescribeOption }

func (ResponseOption) responseOption() {}

// IsResponseOption is implemented by types that embed [ResponseOption].
type IsResponseOption interface {
	IsDescribeOption
	responseOption()
}

// Package routing sets these functions. An app is a *routing.App, a route is a *routing.Route, and
// a context is a routing.Context.
var (
	// FirstMatch reports whether an app has routing.WithFirstMatch.
	FirstMatch func(app any) bool

	// SourceHere returns a routing.RouteOption, for a route that is defined later: its Source is the
	// caller outside of package resources.
	SourceHere func(app any) any

	// ProxyPrefix returns the path of routing.WithProxyPrefix without a trailing slash.
	ProxyPrefix func(app any) string

	// IsMounted reports whether an app is mounted in another app.
	IsMounted func(app any) bool

	// HasPrefixParam reports whether the prefix of a mount of an app, or of an outer mount, has the
	// parameter name.
	HasPrefixParam func(app any, name string) bool

	// URLBelow is the URL method of a route that outer reaches through mounts, without the prefix
	// of the proxy and the base path of outer. The mounts are a []*routing.Route, outermost first.
	URLBelow func(route, outer, mounts any, pairs ...string) (string, error)

	// LimitsBody reports whether a routing.RouteOption is, or has, a routing.BodyLimit.
	LimitsBody func(option any) bool

	// Writer returns the writer of a context.
	Writer func(context any) http.ResponseWriter

	// RequestWithPathValues returns a copy of the request of a context that has the captures as
	// path values, or the request itself if there are none.
	RequestWithPathValues func(context any) *http.Request
)

// ServedApp returns the *routing.App of an *apidoc.API, or nil for another handler. Package apidoc
// sets it.
var ServedApp = func(handler http.Handler) (app any) { return nil }

// ErrorBody is the key of routing.Meta for the function that makes the bodies of a route's error
// responses. It has the type of the argument of routing.App.ErrorBody. If a before filter refuses a
// request for the route, the function makes the body too.
type ErrorBody struct{}
