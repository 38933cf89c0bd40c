package apidoc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/openapi"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/internal/method"
	"example.com/flowercafe/internal/nilvalue"
	"example.com/flowercafe/internal/streaming"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file plans, once for each operation, how the output of a typed operation becomes a response,
// and makes the response.

// outputPlan is the plan to make a response from a value of a type.
type outputPlan struct {
	id          string // of the operation
	statuses    []int  // of success, the default first
	isChosen    bool   // the option Status is given
	statusAt    []int  // the field with the tag status, if any
	headers     []outputHeader
	bodyAt      []int // the field of the body, nil for the whole output
	bodyType    reflect.Type
	bodyTag     reflect.StructTag
	send        func(reply) (routing.Result, error) // makes the body; may be nil
	isSentLate  bool                                // when the response is sent: a reader, a function or a sequence
	media       []string                            // that the body may have
	contentType string                              // by default, for the first of media
	schema      *schema.Schema                      // of JSON
	options     []respond.EventsOption
	timeouts    timeouts
	problem     func(routing.Context, error) ([]byte, error)         // the data of the event for an error
	respondTo   func(routing.Context, error) (routing.Result, error) // responds to an error; nil if the plan is for an error response
	isVersioned bool                                                 // a GET or QUERY that sends ETag or Last-Modified
	isReader    bool                                                 // the body is a reader, which may be closed

	headersOnly, described openapi.Response // the descriptions of responses, without and with the body
}

// reply is a response that is made from an output.
type reply struct {
	routing.Context
	status   int         // set before the output's status, or 0
	replaced http.Header // by headers of the output
	media    string
	output   reflect.Value
	body     reflect.Value
	close    func() // closes the body, and those that it replaces; may be nil
}

// planOutput plans an output type, and describes the responses in d.
func planOutput(t reflect.Type, d *definition) (*outputPlan, error) {
	p := &outputPlan{id: d.doc.ID, options: append([]respond.EventsOption{respond.SendTimeout(d.timeouts.send)}, d.events...), timeouts: d.timeouts}
	plan := func(f reflect.StructField) (bool, error) { return p.planField(t, f, d.types) }
	tagged, err := eachField(t, []string{"header", "status", "body"}, plan, gotype.Marshaler, gotype.TextMarshaler)
	if err != nil {
		return nil, err
	}
	if !tagged {
		p.bodyType = t
	}
	if err := p.planBody(d.types); err != nil {
		return nil, err
	}
	if p.media != nil {
		p.contentType = message.ContentType(p.media[0])
	}
	p.setStatus(d.status)
	if p.send != nil && !slices.ContainsFunc(p.statuses, bodyAllowed) {
		return nil, fmt.Errorf("a %d has no body: write struct{}, or another status", p.statuses[0])
	}
	if d.conditions.find != nil && method.IsRead(d.method) {
		for _, h := range versionHeaders {
			if headerIndex(p.headersOnly.Headers, h.Name) < 0 {
				p.headersOnly.Headers = append(p.headersOnly.Headers, h)
			}
		}
	}
	p.isVersioned = method.IsRead(d.method) && (headerIndex(p.headersOnly.Headers, "ETag") >= 0 || headerIndex(p.headersOnly.Headers, "Last-Modified") >= 0)
	p.isReader = p.bodyType != nil && p.bodyType.Implements(readerType)
	p.describe(d)
	return p, nil
}

// planField plans a field, and reports whether the response uses it.
func (p *outputPlan) planField(t reflect.Type, f reflect.StructField, types *gotype.Definitions) (bool, error) {
	name, isHeader := f.Tag.Lookup("header")
	statuses, isStatus := f.Tag.Lookup("status")
	_, isBody := f.Tag.Lookup("body")
	if _, ok := f.Tag.Lookup("cookie"); ok {
		return false, errors.New(`a response sends a cookie with the tag header:"Set-Cookie", on a field of type http.Cookie`)
	}
	if !isHeader && !isStatus && !isBody {
		return false, nil
	}
	if err := checkReachable(t, f); err != nil {
		return false, err
	}
	switch {
	case isHeader:
		return true, p.planHeader(f, name, types)
	case isStatus:
		p.statusAt = f.Index
		return true, p.planStatus(f, statuses)
	case p.bodyType != nil:
		return false, errors.New("a response has one body: write one body tag")
	}
	p.bodyType, p.bodyAt, p.bodyTag = f.Type, f.Index, f.Tag
	return true, nil
}

func (p *outputPlan) planStatus(f reflect.StructField, list string) error {
	if f.Type.Kind() != reflect.Int {
		return fmt.Errorf("a status is an int, not a %s", f.Type)
	}
	for _, text := range strings.Split(list, ",") {
		status, err := strconv.Atoi(text)
		switch {
		case err != nil || status < 200 || status > 599:
			return fmt.Errorf(`tag status:%q: write all statuses that it may have, such as status:"200,201"`, list)
		case status >= 400:
			return fmt.Errorf("tag status:%q: a %d is an error, which rolls back a transaction: return a Problem, and describe its body with ErrorBody or Response", list, status)
		}
		p.statuses = append(p.statuses, status)
	}
	return nil
}

// planBody plans how the body is encoded, and describes it.
func (p *outputPlan) planBody(types *gotype.Definitions) (err error) {
	t, normal := p.bodyType, message.JSON
	if t == nil || t == reflect.TypeFor[struct{}]() {
		return nil
	}
	var media []string // of the tag, without parameters
	if list := p.bodyTag.Get("body"); list != "" {
		if p.media, media, err = message.Types(list); err != nil {
			return err
		}
	}
	p.described.AreListed = media != nil
	isJSON := media != nil && message.IsJSON(media...)
	isText := t.Kind() == reflect.String && !gotype.Implements(t, gotype.TextMarshaler) && !gotype.Implements(t, gotype.Marshaler)
	element, hasErrors := elementOf(t)
	p.isSentLate = element != nil || t == writtenType || t.Implements(readerType)
	switch isLines := media != nil && message.AreLines(media...); {
	case t.Implements(readerType):
		p.send, normal = p.sendReader, message.Bytes
	case hasEvent(t):
		return fmt.Errorf("an Event is sent in a sequence: write an iter.Seq of %s", t)
	case t == writtenType && media == nil:
		return errors.New(`a function writes any content: write its type, such as body:"text/csv"`)
	case t == writtenType:
		p.send, normal = p.sendWritten, message.Bytes
	case element != nil && isLines:
		p.send, normal, p.described.AreLines = p.sendLines, message.Lines, true
	case element != nil:
		p.send, normal = p.sendEvents, message.Events
	case t == reflect.TypeFor[[]byte]() && isJSON:
		return errors.New("a []byte would be sent as base64 text in JSON: write a json.RawMessage, or an io.Reader")
	case t == reflect.TypeFor[[]byte]():
		p.send, normal = sendPlain, message.Bytes
	case isText && !isJSON:
		p.send, normal = sendPlain, message.Text
	default:
		p.send = p.sendJSON
	}
	if media == nil {
		p.media, media = []string{normal}, []string{normal}
	}
	for _, m := range media {
		if normal == message.JSON && !message.IsJSON(m) {
			return fmt.Errorf("a body of %s is a string, a []byte, an io.Reader or a func(io.Writer) error, not %s", m, t)
		}
	}
	p.described.Sent, p.described.Media, p.described.GoType = p.media, responseMedia(p.media, media), t
	if element != nil {
		return p.planSequence(element, hasErrors, media, types)
	}
	plain, err := schemaOf(t, types, media...)
	if err != nil {
		return err
	}
	p.described.Body, err = newParameter(InBody, "", nil, p.bodyTag).addRules(plain)
	if normal == message.JSON {
		p.schema = p.described.Body
	}
	return err
}

// planSequence describes a sequence, sent as lines or as events.
func (p *outputPlan) planSequence(element reflect.Type, hasErrors bool, media []string, types *gotype.Definitions) (err error) {
	if p.schema, err = sequenceSchema(element, p.bodyTag, media, p.described.AreLines, types); err != nil {
		return err
	}
	p.described.Body = p.schema
	if p.described.AreLines {
		return nil
	}
	p.described.Body, p.described.Events = &schema.Schema{Kind: "string"}, p.schema
	if hasErrors {
		p.described.Problems, err = types.Read(problemType)
	}
	return err
}

// setStatus puts the default first among the statuses: the chosen one if it is not 0, else the
// first of the tag, else 200, or 204 if there is no body.
func (p *outputPlan) setStatus(chosen int) {
	p.isChosen = chosen != 0
	switch {
	case chosen != 0:
	case len(p.statuses) > 0:
		return
	case p.send == nil:
		chosen = http.StatusNoContent
	default:
		chosen = http.StatusOK
	}
	others := slices.DeleteFunc(p.statuses, func(status int) bool { return status == chosen })
	p.statuses = append([]int{chosen}, others...)
}

// describe adds the successful responses.
func (p *outputPlan) describe(d *definition) {
	p.described.Headers = p.headersOnly.Headers
	for _, status := range p.statuses {
		r := p.headersOnly
		if p.send != nil && bodyAllowed(status) {
			r = p.described
		}
		d.addResponse(status, cmp.Or(http.StatusText(status), strconv.Itoa(status)), r)
	}
	if p.isVersioned {
		d.addResponse(http.StatusNotModified, "Not Modified", p.headersOnly)
		d.moreResponses = append(d.moreResponses, problemResponse(outdated, p.headersOnly.Headers...))
	}
}

// describeResponse describes a response, without its status.
func (p *outputPlan) describeResponse() openapi.Response {
	if p.send == nil {
		return p.headersOnly
	}
	return p.described
}

func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusResetContent && status != http.StatusNotModified
}

// body returns the body of an output.
func (p *outputPlan) body(v reflect.Value) reflect.Value {
	if p.bodyAt != nil {
		return v.FieldByIndex(p.bodyAt)
	}
	return v
}

// closer returns a function that closes the bodies of outputs once, the last one first, or nil.
// Bodies that cannot be compared are the same if they have the same type.
func (p *outputPlan) closer(outputs []reflect.Value) func() {
	var bodies []io.Closer
	for _, v := range slices.Backward(outputs) {
		body, _ := p.body(v).Interface().(io.Closer)
		isSame := func(other io.Closer) bool {
			if reflect.ValueOf(body).Comparable() && reflect.ValueOf(other).Comparable() {
				return body == other
			}
			return reflect.TypeOf(body) == reflect.TypeOf(other)
		}
		if body != nil && !nilvalue.In(body) && !slices.ContainsFunc(bodies, isSame) {
			bodies = append(bodies, body)
		}
	}
	if bodies == nil {
		return nil
	}
	return sync.OnceFunc(func() {
		for _, body := range bodies {
			body.Close() // a failure changes nothing
		}
	})
}

// closeAll closes the bodies of outputs that are not sent.
func (p *outputPlan) closeAll(outputs []reflect.Value) {
	if end := p.closer(outputs); end != nil {
		end()
	}
}

// write makes the response from an output. Its body may read the bodies of the outputs that it has
// replaced, so all are closed together: when the result is sent or dropped, or by write if the
// result has no body.
func (p *outputPlan) write(c routing.Context, v reflect.Value, replaced []reflect.Value) (result routing.Result, err error) {
	to, isSent := reply{Context: c, output: v, body: p.body(v)}, false
	if p.isReader {
		if to.close = p.closer(append(replaced, v)); to.close != nil {
			defer func() {
				if !isSent {
					to.close()
				}
			}()
		}
	}
	before, status := c.Status(), p.statuses[0]
	if p.statusAt != nil {
		if set := int(v.FieldByIndex(p.statusAt).Int()); set != 0 {
			if status = set; !slices.Contains(p.statuses, set) {
				return routing.Result{}, fmt.Errorf("apidoc: operation %s: status %d is not described: write it in the tag", p.id, set)
			}
		}
	}
	if before >= http.StatusBadRequest { // a failure, also for Transaction
		status = before
	}
	to.status = before
	to.media, to.replaced, err = p.writeHeaders(c.Header(), v)
	if err != nil {
		p.undo(to)
		return routing.Result{}, fmt.Errorf("apidoc: operation %s: %w", p.id, err)
	}
	setStatus := func() {
		if p.statusAt != nil || p.isChosen || status != http.StatusOK {
			c.SetStatus(status)
		}
	}
	if p.isVersioned && status == http.StatusOK { // RFC 9110, 15.4.5
		switch refused := refusedByHeaders(c); refused {
		case http.StatusNotModified:
			c.SetStatus(refused)
			return routing.Result{}, nil
		case http.StatusPreconditionFailed:
			return routing.Result{}, outdated
		}
	}
	switch {
	case !bodyAllowed(status):
		setStatus()
		return routing.Result{}, nil
	case p.send == nil:
		setStatus()
		return noBody(c)
	}
	isSent = true
	if result, err = p.send(to); err != nil {
		p.undo(to)
		return result, err
	}
	setStatus()
	return result, nil
}

// noBody responds without a body or a Content-Type. An empty Result would be sent with a
// Content-Type, and with the operation's error body if the status is an error's.
var noBody = routing.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))

// fail responds to an error of a body before its first byte.
func (p *outputPlan) fail(to reply, err error) (routing.Result, error) {
	if errors.Is(err, routing.Pass) {
		err = fmt.Errorf("apidoc: operation %s: a function that writes the body runs when the response is sent, so it cannot pass to another route: %v", p.id, err)
	}
	p.undo(to)
	if to.status != 0 {
		to.SetStatus(to.status)
	}
	if p.respondTo == nil {
		return routing.Result{}, err
	}
	return p.respondTo(to.Context, err)
}

// sendPlain sends a text or bytes.
func sendPlain(to reply) (routing.Result, error) {
	if to.body.Kind() == reflect.String {
		return routing.Bytes(to.media, []byte(to.body.String())), nil
	}
	return routing.Bytes(to.media, to.body.Bytes()), nil
}

func (p *outputPlan) sendReader(to reply) (routing.Result, error) {
	reader, _ := to.body.Interface().(io.Reader)
	if reader != nil && !nilvalue.In(reader) {
		return p.sendStream(to, &streamed{reader: reader, close: to.close})
	}
	if to.close != nil { // of a body that nothing replaces
		to.close()
	}
	return routing.Bytes(to.media, nil), nil
}

func (p *outputPlan) sendWritten(to reply) (routing.Result, error) {
	if write, _ := to.body.Interface().(func(io.Writer) error); write != nil {
		return p.sendStream(to, &streamed{write: write})
	}
	return routing.Bytes(to.media, nil), nil
}

func (p *outputPlan) sendLines(to reply) (routing.Result, error) {
	write := func(w io.Writer) error { return writeLines(to.Request(), p.schema, w, to.body) }
	return p.sendStream(to, &streamed{write: write, flushes: true})
}

func (p *outputPlan) sendStream(to reply, s *streamed) (routing.Result, error) {
	s.Result, s.c, s.media = streaming.Result{Send: s.send, Timeout: p.timeouts.send}, to.Context, to.media
	s.fail = func(err error) (routing.Result, error) { return p.fail(to, err) }
	return s.result()
}

func (p *outputPlan) sendEvents(to reply) (routing.Result, error) {
	request := streaming.RequestContext(to.Request().Context())
	return sendEvents(request, p.schema, to.body, func(err error) ([]byte, error) { return p.problem(to.Context, err) }, p.options), nil
}

func (p *outputPlan) sendJSON(to reply) (routing.Result, error) {
	b := scratch.Get().(*[]byte)
	body, err := value.Encode((*b)[:0], p.schema, to.body, schema.InResponses)
	if err != nil {
		return routing.Result{}, fmt.Errorf("apidoc: operation %s: encode the response: %w", p.id, err)
	}
	if cap(body) <= maxScratch {
		*b, body = body, bytes.Clone(body) // a Result may be kept
		scratch.Put(b)
	}
	return routing.Bytes(to.media, body), nil
}

// scratch is memory in which JSON grows. The pool would keep slices larger than maxScratch for
// small bodies.
var scratch = sync.Pool{New: func() any { return new([]byte) }}

const maxScratch = 64 << 10
