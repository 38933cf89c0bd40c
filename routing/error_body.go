package routing

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/internal/private"
	"example.com/flowercafe/routing/internal/response"
)

// This file makes bodies for error responses that have none yet. bodyFuncsFor implements the order
// in the package comment.

// NotFound sets the action that runs if no route matches or all have passed, with the status 404
// unless it sets another. It does not run for the 405 of [WithMethodNotAllowed]. If it returns
// [Pass], the request is handled as without it. Nil removes the action.
func (a *App) NotFound(action Action) {
	a.change(func(d *definitions) { d.notFound = action })
}

// ErrorBody sets the function that makes the bodies of error responses, after the after filters.
// The package comment says when it is called.
//
//	app.ErrorBody(func(_ routing.Context, p *routing.Problem) (routing.Result, error) {
//		return routing.HTML("<h1>Sorry: " + p.Title + "</h1>"), nil
//	})
//
// The problem is the [Problem] in the error. For any other error, and for a zero Result, it has the
// title and code of the status. It must not be changed. The status stays unless another is set or
// the function fails. Nil removes the function.
func (a *App) ErrorBody(f func(Context, *Problem) (Result, error)) {
	a.change(func(d *definitions) { d.errorBody = f })
}

// bodyFunc is a NotFound action or an ErrorBody function that may make the body of an error
// response.
type bodyFunc struct {
	context   Context
	action    Action
	errorBody errorBody // if action is nil

	// Action is a NotFound action. It runs before the after filters, unless an ErrorBody function
	// precedes it.
	isNotFound bool
}

// bodyFuncsFor returns the functions for a default response with a status, in the order in which
// they are tried.
func (c *call) bodyFuncsFor(status int) (funcs []bodyFunc) {
	skip := c.notFoundPassed // the first NotFound actions, which have run
	add := func(f bodyFunc) {
		switch {
		case f.action == nil && f.errorBody == nil:
		case f.isNotFound && skip > 0:
			skip--
		default:
			funcs = append(funcs, f)
		}
	}
	if ran := c.ranOrExpected(); ran != nil {
		f, _ := ran.route.Meta(private.ErrorBody{}).(errorBody)
		add(bodyFunc{context: c.contextOfRoute(ran), errorBody: f})
	}
	for ix := c.index; ; {
		if status == http.StatusNotFound && status == c.noRoute {
			add(bodyFunc{context: c.contextAt(ix), action: ix.notFound, isNotFound: true})
		}
		add(bodyFunc{context: c.contextAt(ix), errorBody: ix.errorBody})
		if ix.parent == nil {
			return funcs
		}
		ix = ix.parent.current()
	}
}

// respondNotFound responds if no route matches, or only routes of other methods. It reports whether
// the app's NotFound action has passed the request to the next handler.
func (c *call) respondNotFound() (goesNext bool, err error) {
	// Drop the status that a filter, or a route before it passed, may have set.
	if c.takeStatus() == response.InvalidStatus {
		c.Report(c.r, errIllegalStatus)
		c.replace(failure)
		return false, nil
	}
	// A 405 must have an Allow header (RFC 9110, 15.5.6). For OPTIONS, this header is the response
	// (RFC 9110, 9.3.7).
	status := http.StatusNotFound
	if methods := c.otherMethods(); len(methods) > 0 {
		c.header.Set("Allow", strings.Join(methods, ", "))
		var queries []string
		for _, l := range c.Index.All(nil, method.Query, c.path, nil) {
			queries = append(queries, l.Value.route.queries...)
		}
		if queries != nil {
			c.header.Set("Accept-Query", method.AcceptQuery(queries...)) // RFC 10008, 3
		}
		if c.r.Method == http.MethodOptions {
			c.setStatus(http.StatusNoContent)
			return false, nil
		}
		status = http.StatusMethodNotAllowed
	}
	if status == http.StatusNotFound && c.next == nil {
		c.warnAbove(c.urlPath, c.muxPattern)
	}
	c.result.body, c.noRoute = response.Default(status, nil), status
	for _, f := range c.bodyFuncsFor(status) {
		if !f.isNotFound {
			break
		}
		before := c.header.Clone()
		c.setStatus(status)
		c.clearAction()
		result, err := runHandler(f.action, f.context)
		c.keepStatus()
		if err == nil || !passed(err) {
			if err != nil && c.kept == status {
				c.takeStatus() // the error has its own
			}
			c.replace(result)
			c.fallback = status
			return false, err
		}
		c.notFoundPassed++
		c.resetHeader(before)
		if c.next != nil { // only this app's own action precedes it
			return true, nil
		}
	}
	c.fallback = status
	return false, nil
}

// resetHeader restores the headers after a NotFound action or an ErrorBody function has passed.
func (c *call) resetHeader(before http.Header) {
	clear(c.header)
	maps.Copy(c.header, before)
	c.kept = response.Status(c.header)
}

// otherMethods returns the other methods for which the path matches, and OPTIONS. It returns nil if
// a route of the request's own method matches, or without [WithMethodNotAllowed].
func (c *call) otherMethods() []string {
	if !c.answers405 {
		return nil
	}
	methods := c.Allowed(c.r.Method, c.path)
	if len(methods) > 0 && !slices.Contains(methods, http.MethodOptions) {
		methods = append(methods, http.MethodOptions)
		slices.Sort(methods)
	}
	return methods
}

// makeErrorBody makes a body for an error response that has none yet. It runs after the after
// filters, which may change the status. It returns the status of the response.
func (c *call) makeErrorBody(status int) int {
	if c.result == failure {
		status = http.StatusInternalServerError // even if a filter has set another
	}
	if !isErrorStatus(status) {
		return status
	}
	funcs := c.bodyFuncsFor(status)
	if len(funcs) == 0 {
		return status
	}
	if c.result == failure {
		c.problem = nil // of an earlier error
		response.ClearFailed(c.header, c.encoded)
	}
	problem := c.problem.at(status)
	before := c.header.Clone() // restored after a function that passes
	for _, f := range funcs {
		c.setStatus(status)
		if f.isNotFound {
			c.clearAction()
		} else {
			response.ClearContent(c.header, c.encoded)
		}
		action := f.action
		if f.errorBody != nil {
			action = func(c Context) (Result, error) { return f.errorBody(c, problem) }
		}
		result, err := runHandler(action, f.context)
		c.keepStatus()
		switch {
		case passed(err):
			c.resetHeader(before)
			continue
		case err == nil:
			c.replace(result)
		default:
			c.settle(err)
		}
		status = c.checkHeader()
		if f.isNotFound && c.result.body.Kind == nil {
			return c.makeErrorBody(status) // by ErrorBody functions alone
		}
		return status
	}
	return status
}
