package routing

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/routing/internal/match"
	"example.com/flowercafe/routing/internal/response"
)

// This file says who makes the body of an error response that has none of its own. The rule is in
// the package comment, and pagesFor is that rule.

// NotFound sets the action that runs if no route matches or all have passed, with the status 404
// unless it sets another. It is the page of 404 for these requests; see the package comment.
//
// It replaces a next handler. If it returns [Pass], it is as if there were no action. A second call
// replaces the action, nil removes it.
func (a *App) NotFound(action Action) {
	a.change(func(d *definitions) { d.notFound = action })
}

// ErrorBody sets the function that makes the bodies of error responses, whether an error, a halt or
// a missing route caused the status. The package comment has the order of these functions.
//
//	app.ErrorBody(func(_ routing.Context, p *routing.Problem) (routing.Result, error) {
//		return routing.HTML("<h1>Sorry: " + p.Title + "</h1>"), nil
//	})
//
// It runs after the after filters. The problem is the one in the error, or has the status and its
// text alone; it must not be changed. The result becomes the body, and headers that described a
// body before are removed. The status and other headers stay unless the function sets them. If it
// returns [Pass], it is as if there were no function. A [HaltError] is applied; any other error
// leads to a default response. A second call replaces the function, nil removes it.
func (a *App) ErrorBody(f func(Context, *Problem) (Result, error)) {
	a.change(func(d *definitions) { d.errorBody = f })
}

// ErrorBody is [App.ErrorBody] for the errors of a route, and for those of an app that it mounts.
// It comes before the pages of the route's app. A nil f panics.
func ErrorBody(f func(Context, *Problem) (Result, error)) RouteOption {
	if f == nil {
		panic("routing: ErrorBody: pass a function, not nil")
	}
	return routeOption(func(s *routeSettings) { s.errorBody = f })
}

// page is what may make the body of an error response.
type page struct {
	app    *index // the app that has it
	action Action
	shape  errorBody // in place of an action
	early  bool      // if no other page comes first, it runs before the after filters
	mount  *Route    // of which the shape is an option; nil for a page of the app
}

// pagesFor returns the pages for the status of a result that nobody has made. Each is for those
// before it that pass.
func (x *call) pagesFor(status int) (pages []page) {
	skipped := x.pagesPassed
	add := func(p page) {
		switch {
		case p.action == nil && p.shape == nil:
		case p.early && skipped > 0:
			skipped--
		default:
			pages = append(pages, p)
		}
	}
	if x.leaf != nil {
		add(page{app: x.index, shape: x.leaf.Value.route.errorBody})
	}
	for ix := x.index; ; {
		if status == http.StatusNotFound && status == x.absent {
			add(page{app: ix, action: ix.notFound, early: true})
		}
		add(page{app: ix, shape: ix.errorBody})
		if ix.parent == nil {
			return pages
		}
		mounted := ix.route
		ix = ix.parent.current()
		add(page{app: ix, shape: mounted.errorBody, mount: mounted})
	}
}

// respondNotFound responds if no route matches, or only routes of other methods. If the app's
// action for that passes, it returns next.
func (x *call) respondNotFound(next http.Handler) (_ http.Handler, err error) {
	// A 405 must have an Allow header (RFC 9110, 15.5.6). OPTIONS asks for it (RFC 9110, 9.3.7), so
	// that the header alone is the answer.
	status := http.StatusNotFound
	if methods := x.otherMethods(); len(methods) > 0 {
		x.header.Set("Allow", strings.Join(methods, ", "))
		var queries []string
		for _, leaf := range x.Table(method.Query).All(nil, x.path, match.NoBound) {
			queries = append(queries, leaf.Value.route.queries...)
		}
		if queries != nil {
			x.header.Set("Accept-Query", method.Accept(queries...)) // RFC 10008, 3
		}
		if x.r.Method == http.MethodOptions {
			response.SetStatus(x.header, http.StatusNoContent)
			return nil, nil
		}
		status = http.StatusMethodNotAllowed
	}
	// A status that a route has set before it passed is not that of the response. The default is no
	// header, which would be one allocation more.
	response.SetStatus(x.header, 0)
	x.result.body, x.absent = response.Default(status, nil), status
	for _, p := range x.pagesFor(status) {
		if !p.early {
			break
		}
		before := x.header.Clone()
		result, err := runHandler(p.action, x.contextAt(p.app))
		var pass passError
		if !find(err, &pass) {
			x.replace(result)
			x.status = status
			return nil, err
		}
		x.pagesPassed++
		x.resetHeader(before)
		if next != nil && p.app == x.index {
			return next, nil
		}
	}
	x.status = status
	return nil, nil
}

// resetHeader undoes what a page has done that passes.
func (x *call) resetHeader(before http.Header) {
	clear(x.header)
	maps.Copy(x.header, before)
}

// otherMethods returns the other methods under which the path matches, and OPTIONS. It returns
// none if the method matches, or if the app does not use 405.
func (x *call) otherMethods() []string {
	if !x.answers405 {
		return nil
	}
	methods := x.Allowed(x.r.Method, x.path)
	if len(methods) > 0 && !slices.Contains(methods, http.MethodOptions) {
		methods = append(methods, http.MethodOptions)
		slices.Sort(methods)
	}
	return methods
}

// AcceptQuery sets the media types that the body of a QUERY may have, such as application/json.
// They are sent in the header Accept-Query (RFC 10008, 3), together with the header Allow: see
// [WithMethodNotAllowed]. Routes of other methods ignore it. An invalid media type panics.
func AcceptQuery(media ...string) RouteOption {
	for _, m := range media {
		if major, minor, _ := strings.Cut(m, "/"); !method.IsToken(major) || !method.IsToken(minor) {
			panic(fmt.Sprintf("routing: AcceptQuery(%q): write a media type without parameters, such as application/json", m))
		}
	}
	return routeOption(func(s *routeSettings) { s.queries = media })
}

// showPage gives an error response without a body that of a page. It comes after the after filters,
// which may set the status too. It returns the status of the response.
func (x *call) showPage(status int) int {
	if x.result == failure {
		status = http.StatusInternalServerError // whatever was set
	}
	if !isErrorStatus(status) {
		return status
	}
	pages := x.pagesFor(status)
	if len(pages) == 0 {
		return status
	}
	if x.result == failure {
		x.problem = nil // of an error before
		response.ClearFailed(x.header, x.encoded)
	}
	defer x.failOnPanic()
	problem := x.problem.at(status)
	before := x.header.Clone() // for a page that passes, as if there were none
	for _, p := range pages {
		response.SetStatus(x.header, status)
		response.ClearContent(x.header, x.encoded)
		action, c := p.action, x.contextAt(p.app)
		if p.shape != nil {
			action = func(c Context) (Result, error) { return p.shape(c, problem) }
		}
		if p.mount != nil {
			c = x.contextOfMount(p.app, p.mount)
		}
		result, err := runHandler(action, c)
		switch {
		case passed(err):
			x.resetHeader(before)
			continue
		case err == nil:
			x.replace(result)
		case !x.halted(err):
			x.fail(err)
		}
		return x.checkHeader()
	}
	return status
}
