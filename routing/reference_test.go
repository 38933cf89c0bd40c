package routing_test

// This file is a reference router to compare the real one with. It follows the rules one after the
// other, with lists and regular expressions, so that it can be checked by reading.

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// An outcome is the way in which an action or a filter ended.
type outcome int

const (
	finished outcome = iota
	passed
	halted
	failed
)

// A reference computes the response to one request of a case.
type reference struct {
	filterType     string // the Content-Type after the before filters
	app            appCase
	request        requestCase
	method         string // the overriding one
	path           string // decoded, below the mount
	query, form    []capture
	json           *string // a JSON body
	status         int
	header         map[string]string
	result         *string   // nil for no result
	ownPage        bool      // the response is a default page
	plain          bool      // the response is the plain 500, even if another status was set
	callNext       bool      // the response is the next handler's
	actionCaptures []capture // of the action that ran
	problem        string    // the message of the error to handle
	problemStatus  int       // and its status
}

// referenceResponse is the expected response, without the parts that the rules leave open.
func referenceResponse(app appCase, r requestCase) expectation {
	ref := &reference{app: app, request: r, method: r.Method, header: map[string]string{}}
	target, err := url.ParseRequestURI(r.Target)
	if err != nil {
		panic(err) // the tables make targets that parse
	}
	if target.Opaque != "" {
		ref.status, ref.ownPage = 400, true
		return ref.response()
	}
	ref.query = referencePairs(target.RawQuery)
	if !ref.cutMount(target.Path) {
		ref.notFoundByDefault() // nothing of the application runs
		return ref.response()
	}
	ref.readBody()
	ref.override()
	end := ref.beforeFilters()
	if end == finished {
		end = ref.routes()
	}
	if end == failed {
		ref.handleError()
	}
	ref.afterFilters()
	return ref.response()
}

func (ref *reference) readBody() {
	media, _, _ := strings.Cut(ref.request.Headers["Content-Type"], ";")
	media = strings.ToLower(strings.TrimSpace(media))
	switch method := ref.request.Method; {
	case ref.request.Body == "":
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		ref.json = &ref.request.Body
	case media == "application/x-www-form-urlencoded" && (method == "POST" || method == "PUT" || method == "PATCH" || method == "QUERY"):
		ref.form = referencePairs(ref.request.Body)
	}
}

func (ref *reference) override() {
	if !ref.app.MethodOverride || ref.method != "POST" {
		return
	}
	wishes := []string{ref.request.Headers["X-HTTP-METHOD-OVERRIDE"]}
	if fromBody := valuesIn(ref.form, "_method"); len(fromBody) > 0 {
		wishes = []string{fromBody[0], wishes[0]}
	}
	for _, wish := range wishes {
		if wish = strings.ToUpper(wish); wish == "PUT" || wish == "DELETE" {
			ref.method = wish
			return
		}
	}
}

func (ref *reference) cutMount(path string) bool {
	if ref.app.LooseSlashes {
		path = "/" + strings.Join(strings.FieldsFunc(path, func(c rune) bool { return c == '/' }), "/")
	}
	rest, ok := strings.CutPrefix(path, ref.app.Mount)
	if ok && rest == "" {
		rest = "/"
	}
	ref.path = rest
	return ok && rest[0] == '/'
}

func (ref *reference) beforeFilters() outcome {
	defer func() { ref.filterType = ref.header["Content-Type"] }()
	for _, d := range ref.app.Define {
		captures, ok := ref.applies(d, "", d.Before.pattern)
		if !d.Before.given || !ok {
			continue
		}
		switch end := ref.run(d.Action, captures, nil); end {
		case halted, failed:
			return end
		}
	}
	return finished
}

func (ref *reference) routes() outcome {
	methods := []string{ref.method}
	if ref.method == "HEAD" {
		methods = []string{"HEAD", "GET"}
	}
	inOrder := slices.Clone(ref.app.Define)
	if !ref.app.FirstMatch {
		slices.Reverse(inOrder) // the last defined wins
	}
	for _, method := range methods {
		for _, d := range inOrder {
			if d.Route != method {
				continue
			}
			captures, ok := ref.applies(d, d.Syntax, d.Pattern)
			if !ok {
				continue
			}
			ref.actionCaptures = captures
			if end := ref.run(d.Action, captures, nil); end != passed {
				return end
			}
			ref.actionCaptures = nil
		}
	}
	handler, ok := ref.last(func(d definition) bool { return d.NotFound })
	if !ok {
		ref.notFoundByDefault()
		return finished
	}
	ref.status = 0
	before := maps.Clone(ref.header)
	ref.clearAction()
	end := ref.run(handler.Action, nil, nil)
	if end == passed { // as if there were no handler
		ref.header, ref.status = before, 0
		ref.notFoundByDefault()
		return finished
	}
	if end != failed && ref.status == 0 {
		ref.status = 404
	}
	return end
}

func (ref *reference) notFoundByDefault() {
	ref.result = nil
	if ref.app.Style == "filter" {
		ref.callNext = true
		return
	}
	ref.status, ref.ownPage = 404, true
}

func (ref *reference) handleError() {
	status := ref.problemStatus
	if handler, ok := ref.last(func(d definition) bool { return d.Error }); ok {
		ref.clearAction()
		if end := ref.run(handler.Action, ref.actionCaptures, nil); end == finished || end == halted {
			if ref.status == 0 {
				ref.status = status
			}
			return
		}
		status = 500 // the handler itself fails
	}
	ref.plainError(status)
}

// clearAction removes the headers that describe the body of an action.
func (ref *reference) clearAction() {
	delete(ref.header, "Location")
	delete(ref.header, "Content-Type")
	if ref.filterType != "" {
		ref.header["Content-Type"] = ref.filterType
	}
}

func (ref *reference) plainError(status int) {
	ref.result = nil
	ref.status, ref.ownPage, ref.callNext, ref.plain = status, true, false, status == 500
	if !ref.plain { // a plain one does so at the end
		delete(ref.header, "Location")
		delete(ref.header, "Content-Type")
	}
}

func (ref *reference) afterFilters() {
	for _, d := range ref.app.Define {
		captures, ok := ref.applies(d, "", d.After.pattern)
		if !d.After.given || !ok {
			continue
		}
		result := ref.result
		switch ref.run(d.Action, captures, ref.actionCaptures) {
		case halted:
			ref.ownPage, ref.callNext = false, false
			return
		case failed:
			ref.plainError(ref.problemStatus)
			return
		}
		ref.result = result // results of filters are ignored
	}
}

// applies reports whether the pattern matches and all conditions hold.
func (ref *reference) applies(d definition, syntax string, pattern *string) ([]capture, bool) {
	where := make(map[string]string)
	for _, pair := range d.Where {
		where[pair[0]] = pair[1]
	}
	p, err := newReferencePattern(cmp.Or(syntax, ref.app.defaultSyntax()), pattern, rules{where, ref.app.LooseSlashes, ref.app.Format, ref.app.Format && d.Route == ""})
	if err != nil {
		panic(err)
	}
	captures, ok := p.match(ref.path)
	if !ok {
		return nil, false
	}
	for _, c := range d.Conditions {
		var values []string
		switch c.kind {
		case "query":
			values = valuesIn(ref.query, c.pair[0])
		case "header":
			if value, ok := ref.request.Headers[c.pair[0]]; ok {
				values = []string{value}
			}
		default:
			if !c.constant {
				return nil, false
			}
			continue
		}
		if len(values) == 0 || values[0] != c.pair[1] {
			return nil, false
		}
	}
	return captures, true
}

func (ref *reference) last(is func(definition) bool) (definition, bool) {
	for i := len(ref.app.Define) - 1; i >= 0; i-- {
		if is(ref.app.Define[i]) {
			return ref.app.Define[i], true
		}
	}
	return definition{}, false
}

// run runs the steps of an action that sees its own parameters before those of
// the action that ran before it, if any, and those before the request's.
func (ref *reference) run(steps []step, own, other []capture) outcome {
	var results []string
	ref.result = nil
	for _, s := range steps {
		switch s.do {
		case "text":
			results = append(results, s.text)
		case "param":
			values := ref.values(s.text, own, other)
			if len(values) == 0 {
				ref.problem, ref.problemStatus = "routing: no parameter "+strconv.Quote(s.text), 400
				return failed
			}
			results = append(results, values[0])
		case "param_get":
			if values := ref.values(s.text, own, other); len(values) > 0 {
				results = append(results, "some:"+values[0])
			} else {
				results = append(results, "none")
			}
		case "param_or":
			results = append(results, append(ref.values(s.pair[0], own, other), s.pair[1])[0])
		case "multi":
			results = append(results, plainJSON(append([]string{}, ref.values(s.text, own, other)...)))
		case "all":
			results = append(results, ref.all(own, other))
		case "error_message":
			results = append(results, ref.problem)
		case "status":
			ref.status = s.number
		case "content_type":
			ref.header["Content-Type"] = s.text
		case "header":
			ref.header[s.pair[0]] = s.pair[1]
		case "trace":
			ref.header["X-Trace"] = appendTrace(ref.header["X-Trace"], s.text)
		case "pass":
			return passed
		case "halt":
			ref.halt(s.halt)
			return halted
		case "redirect":
			ref.halt(haltParts{Status: 302, Headers: map[string]string{"Location": s.text}})
			return halted
		case "raise":
			ref.problem, ref.problemStatus = s.text, 500
			return failed
		}
	}
	if results != nil {
		joined := strings.Join(results, "|")
		ref.result = &joined
	}
	return finished
}

func (ref *reference) halt(h haltParts) {
	ref.plain, ref.ownPage = false, false
	if h.Status != 0 {
		ref.status = h.Status
	}
	for name, value := range h.Headers {
		ref.header[name] = value
	}
	ref.result = h.Body
}

// values returns all values of a key. They come from the first source that has one; the query and
// the form are one source.
func (ref *reference) values(key string, own, other []capture) []string {
	if values := valuesIn(own, key); len(values) > 0 {
		return values
	}
	if values := valuesIn(other, key); len(values) > 0 {
		return values
	}
	if key == "" && ref.json != nil {
		return []string{*ref.json}
	}
	return append(valuesIn(ref.query, key), valuesIn(ref.form, key)...)
}

func (ref *reference) all(own, other []capture) string {
	first := map[string]string{}
	for _, source := range [][]capture{own, other, ref.query, ref.form} {
		for _, c := range source {
			first[c.key] = ref.values(c.key, own, other)[0]
		}
	}
	if ref.json != nil {
		first[""] = ref.values("", own, other)[0]
	}
	keys := make([]string, 0, len(first))
	for key := range first {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	var members []string
	for _, key := range keys {
		members = append(members, plainJSON(key)+":"+plainJSON(first[key]))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// response is the expected response.
func (ref *reference) response() expectation {
	var body, media string
	if ref.result != nil {
		body, media = *ref.result, "text/plain"
	}
	if given, ok := ref.header["Content-Type"]; ok {
		media, _, _ = strings.Cut(given, ";")
	}
	if ref.status == 0 {
		ref.status = 200
	}
	if ref.plain {
		ref.status = 500
		delete(ref.header, "Location") // of a response that is not sent
	}
	if ref.callNext {
		ref.status, media = 200, "text/plain"
		body = "next " + ref.method + " " + ref.request.Target + " " + ref.request.Body
	}
	e := expectation{Status: &ref.status, Headers: map[string]*string{"X-Trace": nil, "Location": nil, "X-A": nil}}
	for name, value := range ref.header {
		e.Headers[name] = &value
	}
	if e.Headers["Content-Type"] = &media; media == "" {
		e.Headers["Content-Type"] = nil
	}
	if ref.status == 204 || ref.status == 205 || ref.status == 304 || ref.method == "HEAD" {
		body = ""
	}
	e.Body = &body
	if ref.ownPage {
		delete(e.Headers, "Content-Type")
		if ref.method != "HEAD" {
			e.Body = nil
		}
	}
	if ref.status == 204 || ref.status == 205 || ref.status == 304 {
		delete(e.Headers, "Content-Type") // the type of an empty response is left open
	}
	return e
}

func valuesIn(pairs []capture, key string) []string {
	var values []string
	for _, p := range pairs {
		if p.key == key {
			values = append(values, p.value)
		}
	}
	return values
}

// referencePairs reads a urlencoded text as the URL Standard's parser does
// (https://url.spec.whatwg.org/#urlencoded-parsing), but keeps bytes that are not
// UTF-8 as they are.
func referencePairs(text string) []capture {
	var pairs []capture
	for _, piece := range strings.Split(text, "&") {
		if piece == "" {
			continue
		}
		key, value, _ := strings.Cut(piece, "=")
		pairs = append(pairs, capture{percentDecode(key), percentDecode(value)})
	}
	return pairs
}

func percentDecode(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '+':
			b.WriteByte(' ')
		case s[i] == '%' && i+2 < len(s) && hexDigit(s[i+1]) >= 0 && hexDigit(s[i+2]) >= 0:
			b.WriteByte(byte(hexDigit(s[i+1])<<4 | hexDigit(s[i+2])))
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// hexDigit returns the value of a hexadecimal digit in either letter case, and -1 for any other
// byte.
func hexDigit(c byte) int {
	if 'A' <= c && c <= 'F' {
		c += 'a' - 'A'
	}
	return strings.IndexByte("0123456789abcdef", c)
}

// asCase returns a table and its requests as a conformance case.
func asCase(app appCase, requests ...requestCase) string {
	text, err := json.MarshalIndent(conformanceCase{
		Name: "found by comparison", Rule: "-", Source: "rule", Note: "the reference router's response",
		App: app, Requests: requests,
	}, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text)
}
