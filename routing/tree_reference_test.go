package routing_test

// This file is a reference for apps in apps: mounts, groups, middleware, 405, functions for error
// bodies, formats, slashes that do not count and next handlers. It follows one request from app to
// app, rule by rule, with lists and regular expressions, so that it can be checked by reading.
// reference_test.go is the one for a single app, parameters and bodies.

import (
	"cmp"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A treeApp is an app with its definitions in order.
type treeApp struct {
	base                  string
	first, tells, next    bool // the options of these rules
	loose, trims, formats bool // formats have the syntax of Rails
	use                   []treeMiddleware
	notFound, onError     *treeSteps         // may be nil
	pages                 map[int]*treeSteps // of the function for error bodies; it passes for other statuses
	defs                  []*treeDef
}

// A treeDef is a route, a mount or a filter, perhaps in groups.
type treeDef struct {
	treeSteps
	kind      string // "route", "handler", "mount", "files", "before" or "after"
	method    string // of a route or handler
	pattern   string // of a filter: empty for all paths; of a mount: the prefix
	condition bool   // on the header X-C
	format    string // the media type that it provides; empty for no condition
	where     string // an expression for the parameter format
	use       []treeMiddleware
	groups    []treeGroup // outermost first
	app       *treeApp    // of a mount
	in        *treeApp    // the app that has it

	matcher func(path string) ([]capture, bool) // made once
}

type treeGroup struct {
	prefix    string
	condition bool
	use       []treeMiddleware
}

// treeSteps are the steps of a function, in order.
type treeSteps struct {
	id    string
	steps []string
}

// A treeMiddleware calls the next handler, or responds itself.
type treeMiddleware struct {
	id       string
	responds bool
	copies   bool // passes on a copy of the request
	wraps    bool // passes on a writer of its own
}

// A treeResponse has the fields of a response that are compared.
type treeResponse struct {
	status                   int
	body, set, allow, target string // the text, and the headers X-Set, Allow and Location
	mediaType                string // of a text
	pattern                  string // the name of the route
	trace                    string // which functions ran, in order
}

const ownPage = "(a default page)"

// A treeRequest is a request in progress.
type treeRequest struct {
	method, path string
	escaped      string // path as the client sent it
	tidy         string // path without the slashes that the outermost app ignores
	opaque       bool   // the target has no path
	rawQuery     string
	query        []capture
	condition    bool   // whether conditions hold
	accept       string // a media type; empty for all

	status   int // set by actions and filters of the current app
	header   map[string]string
	trace    []string
	pattern  string
	response treeResponse
}

// A treeLevel is an app on the way of a request, with its outer apps.
type treeLevel struct {
	*treeApp
	up       *treeLevel
	base     string    // the literal part of the path before path
	name     string    // the same in names of routes
	path     string    // what patterns match
	prefixes []capture // of the mounts, outermost first
	status   int       // set by the outer apps
	late     bool      // the after filters have run
}

// treeReference returns the response to a request.
func treeReference(top *treeApp, method, target string, condition bool, accept string) treeResponse {
	u, err := url.ParseRequestURI(target)
	if err != nil {
		panic(err)
	}
	q := &treeRequest{method: method, path: u.Path, escaped: u.EscapedPath(), tidy: top.tidy(u.Path), opaque: u.Opaque != "", rawQuery: u.RawQuery, query: referencePairs(u.RawQuery), condition: condition, accept: accept, header: map[string]string{}}
	q.enter(treeLevel{treeApp: top, path: q.tidy})
	r := q.response
	r.pattern, r.trace = q.pattern, strings.Join(q.trace, " ")
	if method == "HEAD" {
		r.body = ""
	}
	return r
}

func (q *treeRequest) note(text string) { q.trace = append(q.trace, text) }

func (q *treeRequest) send(status int, body string) {
	if status == 0 {
		status = 200
	}
	if status == 204 {
		body = ""
	}
	q.response = treeResponse{status: status, body: body, set: q.header["X-Set"], allow: q.header["Allow"], target: q.header["Location"], mediaType: q.header["Content-Type"]}
}

// around runs middleware around inner. It reports whether inner was called.
func (q *treeRequest) around(use []treeMiddleware, inner func()) bool {
	if len(use) == 0 {
		inner()
		return true
	}
	m := use[0]
	q.note(m.id + ">")
	defer q.note("<" + m.id)
	if m.responds {
		q.send(299, m.id)
		return false
	}
	return q.around(use[1:], inner)
}

// enter serves the request with an app. The level has the path before the app's base path is cut.
func (q *treeRequest) enter(l treeLevel) {
	q.around(l.use, func() {
		if q.opaque {
			q.send(400, ownPage)
			return
		}
		rest, inside := strings.CutPrefix(l.path, l.treeApp.base)
		if inside && rest == "" {
			rest = "/"
		}
		if !inside || rest[0] != '/' {
			q.outside(&l)
			return
		}
		l.base, l.name, l.path = l.base+l.treeApp.base, l.name+l.treeApp.base, rest
		q.status = 0
		if end := q.filters(&l, "before", nil); end.kind != finished {
			q.finish(&l, nil, end)
			return
		}
		q.routes(&l, l.candidates(q.method), q.pattern)
	})
}

// cleaned is path.Clean, but keeps a slash at the end.
func cleaned(sent string) string {
	clean := path.Clean(sent)
	if strings.HasSuffix(sent, "/") && clean != "/" {
		clean += "/"
	}
	return clean
}

// tidy removes the slashes that the options ignore.
func (a *treeApp) tidy(path string) string {
	if a.loose {
		path = slashes.ReplaceAllString(path, "/")
	}
	if (a.loose || a.trims && !strings.HasSuffix(path, "//")) && path != "/" {
		path = strings.TrimSuffix(path, "/")
	}
	return path
}

var slashes = regexp.MustCompile("/+")

// outside is the response to a request outside of the app's base path: the outer app responds as if
// it had no route.
func (q *treeRequest) outside(l *treeLevel) {
	switch {
	case l.next:
		q.sendNext(l)
	case l.up == nil:
		q.send(404, ownPage)
	default:
		around := *l.up
		around.late, around.status, q.status = true, l.status, 0
		q.finish(&around, nil, treeEnd{kind: errNothing})
	}
}

// sendNext is the next handler's response. Only a status of an outer app applies to it.
func (q *treeRequest) sendNext(l *treeLevel) { q.send(l.status, "next "+q.method+" "+q.path) }

// holds reports whether the conditions of a definition and its groups hold.
func (q *treeRequest) holds(d *treeDef) bool {
	isConditional := d.condition || slices.ContainsFunc(d.groups, func(g treeGroup) bool { return g.condition })
	if !q.condition && isConditional {
		return false
	}
	if d.format != "" && q.accept != "" && q.accept != d.format {
		return false
	}
	return true
}

// middleware returns the middleware of the groups and of the route, outermost first.
func (d *treeDef) middleware() []treeMiddleware {
	var all []treeMiddleware
	for _, g := range d.groups {
		all = append(all, g.use...)
	}
	return append(all, d.use...)
}

// A treeEnd is the way in which a function ended.
type treeEnd struct {
	kind   outcome
	result treeResult
	err    string // if it failed
	status int    // of the error; 0 for 500
	toNext func() // of a not-found action that passes

	skipped int // the number of not-found actions that have passed
}

// errNothing is the end if no route responds.
const errNothing outcome = -1

// A treeResult is a text, or a handler or mount that responds later.
type treeResult struct {
	text    string
	handler *treeDef
	plain   bool // the plain 500, whose status is final
	absent  int  // 404 or 405 if no page has responded yet
}

// isOwn reports whether a function of the app made the result, so that no page replaces it.
func (r treeResult) isOwn() bool { return r.handler != nil || r.text != "" && r.text != ownPage }

// A treeView has the captures that a function can read.
type treeView struct {
	level    *treeLevel
	own, ran []capture
}

// routes tries the routes of a list. The request's pattern was before if none responds.
func (q *treeRequest) routes(l *treeLevel, list []*treeDef, before string) {
	for i, d := range list {
		captures, ok := d.match(l.path)
		if !ok || !q.holds(d) {
			continue
		}
		q.pattern = strings.TrimLeft(d.method+" "+l.name+d.name(), " ")
		ran := &treeView{level: l, own: captures}
		action := func() treeEnd {
			if clean := cleaned(q.tidy); d.kind == "files" && q.tidy != clean {
				q.status, q.header["Location"] = 307, (&url.URL{Path: clean, RawPath: cleaned(q.escaped), RawQuery: q.rawQuery}).String()
				return treeEnd{kind: halted}
			}
			if d.isMount() || d.kind == "handler" {
				return treeEnd{result: treeResult{handler: d}}
			}
			end := q.run(d.treeSteps, *ran)
			if d.format != "" && end.kind == finished {
				q.header["Content-Type"] = d.format
			}
			return end
		}
		if use := d.middleware(); len(use) > 0 {
			status := q.status
			called := q.around(use, func() {
				q.status = status
				end := action()
				if end.kind == passed {
					q.routes(l, list[i+1:], before)
					return
				}
				q.finish(l, ran, end)
			})
			if !called { // the response was sent, so that after filters change nothing
				kept := q.header
				q.header = map[string]string{}
				q.filters(l, "after", ran)
				q.header = kept
			}
			return
		}
		if end := action(); end.kind != passed {
			q.finish(l, ran, end)
			return
		}
	}
	q.pattern = before
	q.finish(l, nil, treeEnd{kind: errNothing})
}

// filters runs the before or after filters.
func (q *treeRequest) filters(l *treeLevel, kind string, ran *treeView) treeEnd {
	for _, d := range l.defs {
		captures, ok := d.match(l.path)
		if d.kind != kind || !ok || !q.holds(d) {
			continue
		}
		view := treeView{level: l, own: captures}
		if ran != nil {
			view.ran = ran.own
		}
		if end := q.run(d.treeSteps, view); end.kind == halted || end.kind == failed {
			return end
		}
	}
	return treeEnd{}
}

// run runs a function. A function that received an error adds it to the trace.
func (q *treeRequest) run(f treeSteps, view treeView) (end treeEnd) {
	q.note(f.id)
	for _, step := range f.steps {
		switch step {
		case "text":
			end.result = treeResult{text: f.id + q.params(view)}
		case "set":
			q.header["X-Set"] = f.id
		case "201":
			q.status = 201
		case "404":
			q.status = 404
		case "pass":
			return treeEnd{kind: passed}
		case "halt":
			return treeEnd{kind: halted, result: treeResult{text: "halted " + f.id}}
		case "halt403":
			q.status = 403
			return treeEnd{kind: halted}
		case "redirect":
			q.status, q.header["Location"] = 302, "/"+f.id
			return treeEnd{kind: halted}
		case "raise", "panic":
			return treeEnd{kind: failed, err: "boom " + f.id}
		}
	}
	return end
}

// params returns the parameters that a function sees, and the app's address of /t.
func (q *treeRequest) params(view treeView) string {
	text := ""
	for _, key := range treeKeys {
		values := valuesIn(view.own, key)
		if len(values) == 0 {
			values = valuesIn(view.ran, key)
		}
		if len(values) == 0 {
			if values = valuesIn(view.level.prefixes, key); len(values) > 0 {
				values = values[len(values)-1:] // the innermost mount's
			}
		}
		if len(values) == 0 {
			values = valuesIn(q.query, key)
		}
		text += " " + strings.Join(values, ",")
	}
	return text + " " + (&url.URL{Path: view.level.base}).EscapedPath() + "/t"
}

// nearest returns the level, or the nearest one outside, for which has is true.
func (l *treeLevel) nearest(has func(*treeApp) bool) *treeLevel {
	for l != nil && !has(l.treeApp) {
		l = l.up
	}
	return l
}

// viewAt returns the view of an inherited handler. At its own level it includes the route that ran.
func (l *treeLevel) viewAt(at *treeLevel, ran *treeView) treeView {
	if at == l && ran != nil {
		return treeView{level: l, ran: ran.own}
	}
	return treeView{level: at}
}

// finish ends the request in an app: errors and 404, after filters, the response.
func (q *treeRequest) finish(l *treeLevel, ran *treeView, end treeEnd) {
	var toNext func()
	if end.kind == errNothing && l.next && l.notFound == nil {
		toNext = func() { q.sendNext(l) }
	} else if end.kind == errNothing {
		end = q.nothing(l)
		toNext = end.toNext
	}
	if end.kind == failed {
		end = q.failed(l, ran, end)
	}
	if l.late { // they have run
	} else if late := q.filters(l, "after", ran); late.kind == halted {
		end, toNext = late, nil
	} else if late.kind == failed {
		end, toNext = treeEnd{result: treeResult{plain: true}}, nil
	}
	if toNext == nil {
		end = q.page(l, ran, end)
	}
	status := q.status
	q.status = 0
	if status == 0 {
		status = l.status
	}
	switch d := end.result.handler; {
	case toNext != nil:
		toNext()
	case end.result.plain:
		delete(q.header, "Location")
		delete(q.header, "Content-Type")
		q.send(500, ownPage)
	case d == nil:
		q.send(status, end.result.text)
		if q.response.mediaType == "" && q.response.body != "" && q.response.body != ownPage {
			q.response.mediaType = "text/plain"
		}
	case d.kind == "handler" || d.kind == "files":
		q.note(d.id)
		values := map[string]string{}
		for _, c := range append(slices.Clip(l.prefixes), ran.own...) {
			values[c.key] = c.value
		}
		text := "handler " + d.id
		for _, key := range treeKeys {
			text += " " + values[key]
		}
		q.send(status, text)
	default:
		prefix := strings.TrimSuffix(l.prefixExpression(strings.TrimSuffix(d.whole(), "/*")).FindString(l.path), "/")
		rest := l.path[len(prefix):]
		if rest == "" {
			rest = "/"
		}
		q.enter(treeLevel{
			treeApp: d.app, up: l, base: l.base + prefix, name: l.name + strings.TrimSuffix(d.whole(), "/*"), path: rest,
			prefixes: append(slices.Clip(l.prefixes), ran.own...), status: status,
		})
	}
}

// page lets the nearest page for the status make the response, if it has no body of its own.
func (q *treeRequest) page(l *treeLevel, ran *treeView, end treeEnd) treeEnd {
	status := q.status
	if end.result.plain {
		status = 500
	} else if status == 0 {
		status = l.status
	}
	if end.result.isOwn() {
		return end
	}
	var pages []*treeSteps
	var levels []*treeLevel // that have them
	for at := l; at != nil; at = at.up {
		if status == 404 && status == end.result.absent {
			if end.skipped > 0 && at.notFound != nil {
				end.skipped--
			} else {
				pages, levels = append(pages, at.notFound), append(levels, at)
			}
		}
		pages, levels = append(pages, at.pages[status]), append(levels, at)
	}
	for i, page := range pages {
		if page == nil {
			continue
		}
		before, statusBefore := maps.Clone(q.header), q.status
		q.status = status
		delete(q.header, "Content-Type")
		if end.result.plain {
			delete(q.header, "Location")
		}
		switch made := q.run(*page, l.viewAt(levels[i], ran)); {
		case made.kind == passed:
			q.header, q.status = before, statusBefore
		case made.kind == failed:
			return treeEnd{result: treeResult{plain: true}}
		case page == levels[i].notFound && !made.result.isOwn():
			return q.page(l, ran, made)
		default:
			return made
		}
	}
	return end
}

// nothing is the response if no route responds: 404, or 405 if there are routes of other methods.
func (q *treeRequest) nothing(l *treeLevel) treeEnd {
	status := 404
	if methods := q.otherMethods(l); methods != "" {
		q.header["Allow"] = methods
		if q.method == "OPTIONS" {
			q.status = 204
			return treeEnd{}
		}
		status = 405
	}
	skipped := 0
	for at := l; at != nil; at = at.up {
		if status == 404 && at.notFound != nil {
			before := maps.Clone(q.header)
			q.status = 0
			end := q.run(*at.notFound, l.viewAt(at, nil))
			if end.kind == failed && q.status == status {
				q.status = 0 // as if the action had not set the status that it begins with
			}
			if end.kind != passed {
				if q.status == 0 && end.kind != failed {
					q.status = status
				}
				return end
			}
			q.header, q.status = before, 0
			skipped++
			if at == l && l.next {
				return treeEnd{toNext: func() { q.sendNext(l) }}
			}
		}
		if len(at.pages) > 0 {
			break
		}
	}
	q.status = status
	return treeEnd{result: treeResult{text: ownPage, absent: status}, skipped: skipped}
}

// otherMethods returns the Allow header, or an empty string if the method matches or no app
// responds with 405.
func (q *treeRequest) otherMethods(l *treeLevel) string {
	matches := func(method string) bool {
		return slices.ContainsFunc(l.candidates(method), func(d *treeDef) bool { _, ok := d.match(l.path); return ok })
	}
	if l.nearest(func(a *treeApp) bool { return a.tells }) == nil || matches(q.method) {
		return ""
	}
	var methods []string
	for _, method := range treeMethods {
		if matches(method) {
			methods = append(methods, method)
		}
	}
	if len(methods) > 0 && !slices.Contains(methods, "OPTIONS") {
		methods = append(methods, "OPTIONS")
	}
	slices.Sort(methods)
	return strings.Join(methods, ", ")
}

// failed is the response to an error.
func (q *treeRequest) failed(l *treeLevel, ran *treeView, end treeEnd) treeEnd {
	plain := treeEnd{result: treeResult{plain: true}}
	at := l.nearest(func(a *treeApp) bool { return a.onError != nil })
	status := cmp.Or(end.status, 500)
	if at == nil {
		q.status = status // a halt of an after filter keeps it
		if status == 500 {
			return plain
		}
		return treeEnd{result: treeResult{text: ownPage}}
	}
	if q.status == 0 {
		q.status = status
	}
	q.note("(" + end.err + ")")
	if handled := q.run(*at.onError, l.viewAt(at, ran)); handled.kind == finished || handled.kind == halted {
		return handled
	}
	q.status = 500
	return plain
}
