package apidoc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/internal/reuse"
	"example.com/flowercafe/routing"
	"example.com/flowercafe/routing/respond"
)

// This file plans, once for each operation, how the output of a typed operation becomes a response,
// and makes the response.

// outputPlan is the plan to make a response from a value of one type.
type outputPlan struct {
	id          string // of the operation
	in          *inputPlan
	statuses    []int // of success, the default first
	statusAt    []int // the field that names another one of them, if there is one
	headers     []outputHeader
	bodyAt      []int // the field of the body, nil for the whole output
	bodyType    reflect.Type
	bodyTag     reflect.StructTag
	send        func(c routing.Context, media string, v reflect.Value) (routing.Result, error) // makes the body; nil for none
	media       []string                                                                       // that the body may have
	contentType string                                                                         // by default, for the first of media
	schema      *schema.Schema                                                                 // of JSON
	options     []respond.EventsOption
	problem     func(routing.Context, error) ([]byte, error) // the data of the event that tells of an error
	tagged      bool                                         // a GET sends the version of what it returns, so a client may know it
	seekable    bool                                         // a GET sends ranges of the body
	discard     func(output, sent reflect.Value)             // closes a body that is not sent; nil if none can be closed

	headersOnly, whole Response // the descriptions of responses, without and with the body
}

// outputHeader is a field that is sent as a header.
type outputHeader struct {
	name   string
	index  []int
	schema *schema.Schema // nil for a cookie and a NextPage
	isNext bool           // a NextPage
}

// planOutput plans an output type, and describes the responses in d.
func planOutput(t reflect.Type, in *inputPlan, d *definition) (*outputPlan, error) {
	p := &outputPlan{id: d.op.ID, in: in, options: d.events}
	plan := func(f reflect.StructField) (bool, error) { return p.planField(t, f) }
	placed, err := eachField(t, []string{"header", "status", "body"}, plan, gotype.Marshaler, gotype.TextMarshaler)
	if err != nil {
		return nil, err
	}
	if !placed {
		p.bodyType = t
	}
	if err := p.planBody(); err != nil {
		return nil, err
	}
	if p.media != nil {
		p.contentType = message.ContentType(p.media[0])
	}
	p.setStatus(d.status)
	if p.send != nil && !slices.ContainsFunc(p.statuses, bodyAllowed) {
		return nil, fmt.Errorf("a %d has no body: write struct{}, or another status", p.statuses[0])
	}
	if d.conditions.find != nil && isSafe(d.method) {
		p.headersOnly.Headers = append(p.headersOnly.Headers, tagHeaders...)
	}
	p.tagged = isSafe(d.method) && (hasHeader(p.headersOnly.Headers, "ETag") || hasHeader(p.headersOnly.Headers, "Last-Modified"))
	p.seekable = isSafe(d.method) && p.bodyType != nil && p.bodyType.Implements(reflect.TypeFor[io.ReadSeeker]())
	if p.bodyType != nil && (p.bodyType.Implements(readerType) || p.bodyType.Implements(reflect.TypeFor[io.Closer]())) {
		p.discard = p.close
	}
	p.describe(d)
	return p, nil
}

// planField plans a field, and reports whether it is a part of the response.
func (p *outputPlan) planField(t reflect.Type, f reflect.StructField) (bool, error) {
	name, isHeader := f.Tag.Lookup("header")
	statuses, isStatus := f.Tag.Lookup("status")
	_, isBody := f.Tag.Lookup("body")
	if !isHeader && !isStatus && !isBody {
		return false, nil
	}
	if err := checkReachable(t, f); err != nil {
		return false, err
	}
	switch {
	case isHeader:
		return true, p.planHeader(f, name)
	case isStatus:
		p.statusAt = f.Index
		return true, p.planStatus(f, statuses)
	case p.bodyType != nil:
		return false, errors.New("a response has one body: write one body tag")
	}
	p.bodyType, p.bodyAt, p.bodyTag = f.Type, f.Index, f.Tag
	return true, nil
}

// planHeader plans a header. Set-Cookie and Content-Type require certain types.
func (p *outputPlan) planHeader(f reflect.StructField, name string) error {
	key := http.CanonicalHeaderKey(name)
	isNext := f.Type.Implements(reflect.TypeFor[nextPage]())
	described := Parameter{Name: name, In: InHeader, Description: f.Tag.Get("doc"), Type: Type{goType: f.Type}, Rules: f.Tag}
	switch {
	case !isToken(name):
		return fmt.Errorf("tag header:%q: write the header's name alone; it is sent unless the value is zero", name)
	case key == "Content-Type" && f.Type.Kind() != reflect.String:
		return errors.New("a Content-Type is a string")
	case isNext:
		described.Type, described.Description = Type{}, cmp.Or(described.Description, `The address of the next page (RFC 8288, rel="next")`)
		if err := checkNext(f, key, p.in); err != nil {
			return err
		}
	case isCookie(f.Type):
		described.Type = Type{}
	}
	h := outputHeader{name: key, index: f.Index, isNext: isNext}
	if !isNext && !isCookie(f.Type) {
		var err error
		if h.schema, err = described.ruled(gotype.NewDefinitions()); err != nil {
			return err
		}
	}
	p.headers = append(p.headers, h)
	if key != "Content-Type" { // which the body's media types describe
		p.headersOnly.Headers = append(p.headersOnly.Headers, described)
	}
	return nil
}

func (p *outputPlan) planStatus(f reflect.StructField, list string) error {
	if f.Type.Kind() != reflect.Int {
		return fmt.Errorf("a status is an int, not a %s", f.Type)
	}
	for _, text := range strings.Split(list, ",") {
		status, err := strconv.Atoi(text)
		if err != nil || status < 200 || status > 599 {
			return fmt.Errorf(`tag status:%q: write all statuses that it may have, such as status:"200,201"`, list)
		}
		p.statuses = append(p.statuses, status)
	}
	return nil
}

// planBody plans how the body is encoded.
func (p *outputPlan) planBody() (err error) {
	t, normal := p.bodyType, message.JSON
	if t == nil || t == reflect.TypeFor[struct{}]() {
		return nil
	}
	var types []string
	if list := p.bodyTag.Get("body"); list != "" {
		if p.media, types, err = message.Types(list); err != nil {
			return err
		}
	}
	isJSON := types != nil && message.IsJSON(types...)
	isText := t.Kind() == reflect.String && !gotype.Implements(t, gotype.TextMarshaler) && !gotype.Implements(t, gotype.Marshaler)
	p.whole.Body, p.whole.rules = Type{goType: t}, p.bodyTag
	switch element, hasErrors := elementOf(t); {
	case t.Implements(readerType):
		p.send, normal = sendStream, message.Bytes
	case element != nil && types != nil && message.AreLines(types...):
		p.send, normal = p.sendLines, message.Lines
		p.whole.Body, p.whole.areLines = Type{goType: element}, true
		p.schema, err = sequenceSchema(element, p.bodyTag, types, true)
	case element != nil:
		p.send, normal = p.sendEvents, message.Events
		p.whole.Body, p.whole.events = TypeOf[string](), Type{goType: dataOf(element)}
		if hasErrors {
			p.whole.problems = problemType()
		}
		p.schema, err = sequenceSchema(element, p.bodyTag, types, false)
	case t == reflect.TypeFor[[]byte]() && !isJSON:
		p.send, normal = sendBytes, message.Bytes
	case isText && !isJSON:
		p.send, normal = sendText, message.Text
	default:
		p.send = p.sendJSON
		if p.schema, err = gotype.NewDefinitions().Read(t); err == nil {
			p.schema, err = Parameter{In: InBody, Rules: p.bodyTag}.addRules(p.schema)
		}
	}
	if types == nil {
		p.media = []string{normal}
	}
	for _, m := range types {
		if err == nil && normal == message.JSON && !message.IsJSON(m) {
			err = fmt.Errorf("a body of %s is a string, a []byte or an io.Reader, not %s", m, t)
		}
	}
	return err
}

// setStatus makes the default the first status of success.
func (p *outputPlan) setStatus(chosen int) {
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

// describe adds the responses of success.
func (p *outputPlan) describe(d *definition) {
	p.whole.Headers, p.whole.ContentType = p.headersOnly.Headers, strings.Join(p.media, ", ")
	add := func(r Response, status int, text string) {
		r.Status, r.Description = status, text
		d.op.responds(r)
	}
	for _, status := range p.statuses {
		r := p.headersOnly
		if p.send != nil && bodyAllowed(status) {
			r = p.whole
		}
		add(r, status, cmp.Or(http.StatusText(status), strconv.Itoa(status)))
	}
	if p.tagged {
		add(p.headersOnly, http.StatusNotModified, "Not Modified")
	}
	if p.seekable {
		part := p.whole
		part.rules = "" // which are those of the whole body
		add(part, http.StatusPartialContent, "A range of the body")
		add(Response{}, http.StatusRequestedRangeNotSatisfiable, "The body has no such range")
	}
}

func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// body returns the body of an output.
func (p *outputPlan) body(v reflect.Value) reflect.Value {
	if p.bodyAt != nil {
		return v.FieldByIndex(p.bodyAt)
	}
	return v
}

// close closes the body of an output that is not sent, unless it is that of the one that is.
func (p *outputPlan) close(v, sent reflect.Value) {
	body, _ := p.body(v).Interface().(io.Closer)
	if body == nil || reflect.ValueOf(body).Comparable() && sent.IsValid() && p.body(sent).Interface() == any(body) {
		return
	}
	body.Close() // a failure changes nothing: it was not read
}

// write makes the response. Whatever happens, the body is closed: by the result that sends it, or
// here.
func (p *outputPlan) write(c routing.Context, v reflect.Value) (result routing.Result, err error) {
	isSent := false
	if p.discard != nil {
		defer func() {
			if !isSent {
				p.discard(v, reflect.Value{})
			}
		}()
	}
	status := p.statuses[0]
	if p.statusAt != nil {
		if set := int(v.FieldByIndex(p.statusAt).Int()); set != 0 {
			if status = set; !slices.Contains(p.statuses, set) {
				return failed(fmt.Errorf("apidoc: operation %s: status %d is not described: write it in the tag", p.id, set))
			}
		}
	}
	media, err := p.writeHeaders(c.Header(), v)
	if err != nil {
		return failed(fmt.Errorf("apidoc: operation %s: %w", p.id, err))
	}
	if status != http.StatusOK {
		c.SetStatus(status)
	}
	if p.send == nil || !bodyAllowed(status) {
		return failed(nil)
	}
	if p.tagged && status == http.StatusOK && isKnown(c) {
		c.SetStatus(http.StatusNotModified)
		return failed(nil)
	}
	isSent = true
	v = p.body(v)
	if p.seekable && status == http.StatusOK && !v.IsZero() {
		return sendRange(c, media, v.Interface().(io.ReadSeeker))
	}
	return p.send(c, media, v)
}

// writeHeaders adds the headers, and returns the content type of the body.
func (p *outputPlan) writeHeaders(to http.Header, v reflect.Value) (media string, err error) {
	media = p.contentType
	for _, h := range p.headers {
		field := v.FieldByIndex(h.index)
		var texts []string
		switch {
		case h.isNext:
			texts, err = p.in.nextLink(field)
		case h.schema == nil:
			texts, err = cookieTexts(field)
		default:
			texts, err = shownTexts(h.schema, field)
		}
		switch {
		case err != nil:
			return "", fmt.Errorf("header %s: %w", h.name, err)
		case len(texts) == 0:
		case h.name != "Content-Type" && to[h.name] == nil:
			to[h.name] = texts
		case h.name != "Content-Type":
			to[h.name] = append(to[h.name], texts...)
		case !message.Accepts(p.media, texts[0]):
			return "", fmt.Errorf("content type %q is not described", texts[0])
		default:
			media = texts[0]
		}
	}
	return media, nil
}

// isKnown reports whether the client has the version that the response's headers name.
func isKnown(c routing.Context) bool {
	r, h := c.Request(), c.Header()
	if r.Header["If-None-Match"] == nil && r.Header["If-Modified-Since"] == nil {
		return false
	}
	at, _ := http.ParseTime(h.Get("Last-Modified")) // the zero time if there is none
	return refusedBy(r, Version{h.Get("ETag"), at}) == http.StatusNotModified
}

func sendText(_ routing.Context, media string, v reflect.Value) (routing.Result, error) {
	return routing.Bytes(media, []byte(v.String())), nil
}

func sendBytes(_ routing.Context, media string, v reflect.Value) (routing.Result, error) {
	return routing.Bytes(media, v.Bytes()), nil
}

func sendStream(_ routing.Context, media string, v reflect.Value) (routing.Result, error) {
	if reader, _ := v.Interface().(io.Reader); reader != nil {
		return routing.Stream(media, reader), nil
	}
	return routing.Bytes(media, nil), nil
}

func (p *outputPlan) sendEvents(c routing.Context, _ string, v reflect.Value) (routing.Result, error) {
	return sendEvents(p.schema, v, func(err error) ([]byte, error) { return p.problem(c, err) }, p.options), nil
}

func (p *outputPlan) sendLines(_ routing.Context, media string, v reflect.Value) (routing.Result, error) {
	return sendLines(p.schema, media, v), nil
}

func (p *outputPlan) sendJSON(_ routing.Context, media string, v reflect.Value) (routing.Result, error) {
	body := reuse.Get()
	var err error
	if body.Bytes, err = value.Encode(body.Bytes, p.schema, v, value.InResponses); err != nil {
		return failed(fmt.Errorf("apidoc: operation %s: encode the response: %w", p.id, err))
	}
	if p.in == nil { // the body of an error, whose result App.OnError may keep
		return routing.Bytes(media, body.Bytes), nil
	}
	return routing.Stream(media, body), nil
}

// sendRange sends a body, or the range of it that the client asks for (RFC 9110, 14). The body is
// closed at the end of the request.
func sendRange(c routing.Context, media string, body io.ReadSeeker) (routing.Result, error) {
	end := func() {
		if closer, ok := body.(io.Closer); ok {
			closer.Close() // a failure changes nothing: it was only read
		}
	}
	ended := context.AfterFunc(c.Request().Context(), end) // even if the result is not rendered
	return routing.HandlerResult(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ended() {
			defer end()
		}
		w.Header().Set("Content-Type", media)
		at, _ := http.ParseTime(w.Header().Get("Last-Modified")) // the zero time if there is none
		http.ServeContent(w, r, "", at, body)
	})), nil
}
