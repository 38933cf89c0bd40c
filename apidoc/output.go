package apidoc

import (
	"encoding"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/routing"
)

// This file plans, once per operation, how the output of a typed operation becomes a response, and
// makes it.

// outputPlan tells how a value of one type becomes a response.
type outputPlan struct {
	op       *Operation
	status   int
	statuses []int // that the field at statusAt may name
	statusAt []int
	headers  []outputHeader
	bodyAt   []int // the field, nil for the whole output
	kind     outputKind
	media    []string
	// contentType is the first of media, as a header has it.
	contentType string
	schema      *schema.Schema // of JSON
}

type outputKind uint8

const (
	noBody outputKind = iota
	jsonOutput
	textOutput
	bytesOutput
	readerOutput
	eventsOutput
)

// outputHeader is a field that becomes a header.
type outputHeader struct {
	name  string
	index []int
}

// planOutput reads an output type, and describes the responses in d.
func planOutput(t reflect.Type, d *definition) (*outputPlan, error) {
	p := &outputPlan{op: &d.op}
	body, media, placed := t, "", false
	var headers []Parameter
	if t.Kind() == reflect.Struct && !gotype.Implements(t, gotype.Marshaler) && !gotype.Implements(t, gotype.TextMarshaler) {
		body = nil
		for _, f := range reflect.VisibleFields(t) {
			header, isHeader := f.Tag.Lookup("header")
			list, isStatus := f.Tag.Lookup("status")
			kind, isBody := f.Tag.Lookup("body")
			if !isHeader && !isStatus && !isBody {
				continue
			}
			placed = true
			if !f.IsExported() || throughPointer(t, f.Index) {
				return nil, fmt.Errorf("field %s: write its name with a capital letter, outside of an embedded pointer", f.Name)
			}
			var err error
			switch {
			case isHeader:
				var described *Parameter
				if described, err = p.planHeader(f, header); described != nil {
					headers = append(headers, *described)
				}
			case isStatus:
				p.statusAt, err = f.Index, p.planStatus(f, list)
			case body != nil:
				err = errors.New("a response has one body: write one body tag")
			default:
				body, media, p.bodyAt = f.Type, kind, f.Index
			}
			if err != nil {
				return nil, fmt.Errorf("field %s: %w", f.Name, err)
			}
		}
		if !placed && t.NumField() > 0 {
			body = t
		}
	}
	if err := p.planBody(body, media); err != nil {
		return nil, err
	}
	p.setStatus(d)
	for _, status := range p.statuses {
		r := Response{Status: status, Description: http.StatusText(status), Headers: headers}
		if r.Description == "" {
			r.Description = strconv.Itoa(status)
		}
		if p.kind != noBody && bodyAllowed(status) {
			r.Body, r.ContentType = Type{goType: body}, strings.Join(p.media, ", ")
			if p.kind == eventsOutput {
				r.Body, r.events = TypeOf[string](), Type{goType: eventType(body)}
			}
		}
		d.op.responds(r)
	}
	return p, nil
}

func bodyAllowed(status int) bool {
	return status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// setStatus decides on the statuses of success.
func (p *outputPlan) setStatus(d *definition) {
	p.status = d.status
	if len(p.statuses) > 0 && p.status == 0 {
		p.status = p.statuses[0]
	}
	if p.status == 0 {
		if p.status = http.StatusOK; p.kind == noBody {
			p.status = http.StatusNoContent
		}
	}
	if !slices.Contains(p.statuses, p.status) {
		p.statuses = append([]int{p.status}, p.statuses...)
	}
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

// planHeader plans a header, and describes it. Set-Cookie and Content-Type have places of their
// own.
func (p *outputPlan) planHeader(f reflect.StructField, name string) (*Parameter, error) {
	if name == "" {
		return nil, errors.New(`tag header:"": write the header's name`)
	}
	key := http.CanonicalHeaderKey(name)
	p.headers = append(p.headers, outputHeader{key, f.Index})
	if key == "Content-Type" {
		if f.Type.Kind() != reflect.String {
			return nil, errors.New("a Content-Type is a string")
		}
		return nil, nil
	}
	described := &Parameter{Name: name, In: InHeader, Description: f.Tag.Get("doc"), Type: Type{goType: f.Type}, Rules: f.Tag}
	if isCookie(f.Type) {
		described.Type = Type{}
		return described, nil
	}
	s, err := described.schema(gotype.NewDefinitions())
	if err != nil {
		return nil, err
	}
	if s = s.Resolve(); s.Kind == "array" {
		s = s.Items.Resolve()
	}
	if !s.Scalar() {
		return nil, fmt.Errorf("a header is text, a number, a boolean, a time, an http.Cookie, or a slice of these, not %s", f.Type)
	}
	return described, nil
}

func isCookie(t reflect.Type) bool {
	if t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == reflect.TypeFor[http.Cookie]() || t == reflect.TypeFor[*http.Cookie]()
}

// planBody plans what a type is on the wire.
func (p *outputPlan) planBody(t reflect.Type, media string) (err error) {
	if t == nil || t == reflect.TypeFor[struct{}]() {
		return nil
	}
	def := ""
	switch {
	case t.Implements(readerType):
		p.kind, def = readerOutput, typeBytes
	case eventType(t) != nil:
		p.kind, def = eventsOutput, typeEvents
		if p.schema, err = gotype.NewDefinitions().Read(eventType(t)); err != nil {
			return err
		}
	case t == reflect.TypeFor[[]byte]() && !isJSON(media):
		p.kind, def = bytesOutput, typeBytes
	case t.Kind() == reflect.String && !isJSON(media) && !gotype.Implements(t, gotype.TextMarshaler) && !gotype.Implements(t, gotype.Marshaler):
		p.kind, def = textOutput, typeText
	default:
		p.kind, def = jsonOutput, typeJSON
		if p.schema, err = gotype.NewDefinitions().Read(t); err != nil {
			return err
		}
	}
	if media == "" {
		media = def
	}
	p.media = splitMedia(media)
	p.contentType = headerOf(p.media[0])
	for _, m := range p.media {
		if p.kind == jsonOutput && !isJSON(m) {
			return fmt.Errorf("a body of %s is a string, a []byte or an io.Reader, not %s", m, t)
		}
	}
	return nil
}

// write makes the response.
func (p *outputPlan) write(c routing.Context, v reflect.Value) (routing.Result, error) {
	status, media := p.status, p.contentType
	if p.statusAt != nil {
		if set := int(v.FieldByIndex(p.statusAt).Int()); set != 0 {
			if status = set; !slices.Contains(p.statuses, set) {
				return failed(fmt.Errorf("apidoc: operation %s: status %d is not described: write it in the tag", p.op.ID, set))
			}
		}
	}
	for _, h := range p.headers {
		texts, err := headerTexts(v.FieldByIndex(h.index))
		if err != nil {
			return failed(fmt.Errorf("apidoc: operation %s: header %s: %w", p.op.ID, h.name, err))
		}
		if h.name != "Content-Type" {
			if header := c.Header(); len(texts) > 0 && header[h.name] == nil {
				header[h.name] = texts
			} else if len(texts) > 0 {
				header[h.name] = append(header[h.name], texts...)
			}
		} else if len(texts) > 0 {
			if media = texts[0]; !accepts(p.media, media) {
				return failed(fmt.Errorf("apidoc: operation %s: content type %q is not described", p.op.ID, media))
			}
		}
	}
	if status != http.StatusOK {
		c.SetStatus(status)
	}
	if p.bodyAt != nil {
		v = v.FieldByIndex(p.bodyAt)
	}
	if !bodyAllowed(status) {
		return failed(nil)
	}
	switch p.kind {
	case textOutput:
		return routing.Bytes(media, []byte(v.String())), nil
	case bytesOutput:
		return routing.Bytes(media, v.Bytes()), nil
	case readerOutput:
		reader, _ := v.Interface().(io.Reader)
		if reader == nil {
			return routing.Bytes(media, nil), nil
		}
		return routing.Stream(media, reader), nil
	case eventsOutput:
		return routing.HandlerResult(events(v, media, p.schema)), nil
	case jsonOutput:
		body, err := value.Encode(make([]byte, 0, 512), p.schema, v)
		if err != nil {
			return failed(fmt.Errorf("apidoc: operation %s: encode the response: %w", p.op.ID, err))
		}
		return routing.Bytes(media, body), nil
	}
	return failed(nil)
}

// headerOf returns the Content-Type of a described media type.
func headerOf(media string) string {
	switch {
	case strings.HasPrefix(media, "text/") && !strings.Contains(media, ";"):
		return media + "; charset=utf-8"
	case strings.Contains(media, "*"):
		return typeBytes
	}
	return media
}

// headerTexts returns the values of a header. The zero value is none.
func headerTexts(v reflect.Value) ([]string, error) {
	if v.IsZero() {
		return nil, nil
	}
	if v.Kind() == reflect.Slice && v.Type() != reflect.TypeFor[[]byte]() {
		var texts []string
		for i := range v.Len() {
			more, err := headerTexts(v.Index(i))
			if err != nil {
				return nil, err
			}
			texts = append(texts, more...)
		}
		return texts, nil
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch value := v.Addr().Interface().(type) {
	case *string:
		return []string{*value}, nil
	case *time.Time:
		return []string{value.UTC().Format(http.TimeFormat)}, nil
	case *http.Cookie:
		if err := value.Valid(); err != nil {
			return nil, err
		}
		return []string{value.String()}, nil
	case encoding.TextMarshaler:
		text, err := value.MarshalText()
		return []string{string(text)}, err
	}
	return []string{fmt.Sprint(v.Interface())}, nil
}
