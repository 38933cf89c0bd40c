package apidoc

import (
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/internal/method"
)

// This file plans and writes the headers of an output.

// outputHeader is a field that is sent as a header.
type outputHeader struct {
	name   string
	index  []int
	schema *schema.Schema // nil for a cookie
}

// planHeader plans a header. Content-Type and ETag must be strings.
func (p *outputPlan) planHeader(f reflect.StructField, name string, types *gotype.Definitions) error {
	key := http.CanonicalHeaderKey(name)
	described := newParameter(InHeader, name, f.Type, f.Tag)
	switch {
	case !method.IsToken(name):
		return fmt.Errorf("tag header:%q: write the header's name alone; it is sent unless the value is zero", name)
	case key == "Content-Type" && f.Type.Kind() != reflect.String:
		return errors.New("a Content-Type is a string")
	case key == "Etag" && f.Type.Kind() != reflect.String:
		return errors.New("an ETag is a string")
	case isCookie(f.Type):
		described.GoType = nil
	}
	if slices.ContainsFunc(p.headers, func(other outputHeader) bool { return other.name == key }) {
		return fmt.Errorf("two fields have the header %s: write one, which may be a slice", key)
	}
	h := outputHeader{name: key, index: f.Index}
	if err := described.readSchema(types); err != nil {
		return err
	}
	if described.Schema.Default != nil {
		return errors.New("a header of an output has no default: set the field, or leave the tag out")
	}
	if !newFieldPlan(described).schema.Scalar() {
		return fmt.Errorf("type %s: a header is text, a number, a boolean or a time, or a slice of these", f.Type)
	}
	if !isCookie(f.Type) {
		h.schema = described.Schema
	}
	p.headers = append(p.headers, h)
	if key != "Content-Type" { // which the body's media types describe
		p.headersOnly.Headers = append(p.headersOnly.Headers, described.described())
	}
	return nil
}

// writeHeaders writes the headers, and returns the content type of the body and the headers that
// were replaced. It adds to Set-Cookie, and to Vary, which caches need complete.
func (p *outputPlan) writeHeaders(to http.Header, v reflect.Value) (media string, replaced http.Header, err error) {
	isSet := false // the Content-Type, by a field
	media = p.contentType
	texts := make([]string, 0, len(p.headers)) // of all headers, in one allocation
	for _, h := range p.headers {
		start, field := len(texts), v.FieldByIndex(h.index)
		switch {
		case field.IsZero():
		case h.schema == nil:
			texts, err = appendCookies(texts, field)
		default:
			texts, err = value.AppendTexts(texts, h.schema, field)
		}
		own, before := texts[start:len(texts):len(texts)], to[h.name]
		switch {
		case err != nil:
			return "", replaced, fmt.Errorf("header %s: %w", h.name, err)
		case len(own) == 0:
			continue
		case h.name == "Content-Type" && !p.mayHave(own[0]):
			return "", replaced, fmt.Errorf("content type %q is not described", own[0])
		case h.name == "Content-Type":
			media, isSet = own[0], true
			continue
		case h.name == "Etag":
			own[0] = Version{Tag: own[0]}.quoted()
		}
		switch {
		case before == nil:
			to[h.name] = own
		case isAdded(h.name):
			to[h.name] = append(slices.Clip(before), own...)
		default:
			if replaced == nil {
				replaced = make(http.Header)
			}
			to[h.name], replaced[h.name] = own, before
		}
	}
	if set := to["Content-Type"]; set != nil && p.media != nil && (isSet || !p.mayHave(set[0])) {
		delete(to, "Content-Type") // a filter has set it, or routing.Provides
	}
	return media, replaced, nil
}

// mayHave reports whether the body may have a content type.
func (p *outputPlan) mayHave(contentType string) bool {
	return message.Has(p.media, p.described.AreListed, contentType)
}

// isAdded reports whether the values of a header are added to those that filters have set.
func isAdded(name string) bool { return name == "Set-Cookie" || name == "Vary" }

// undo restores the headers of a response whose output is not sent.
func (p *outputPlan) undo(to reply) {
	own, h := make(http.Header), to.Header()
	_, _, _ = p.writeHeaders(own, to.output)
	for name, values := range own {
		switch {
		case isAdded(name):
			h[name] = without(h[name], values)
		case slices.Equal(h[name], values): // an after filter may have set another
			h[name] = to.replaced[name]
		}
		if len(h[name]) == 0 {
			delete(h, name)
		}
	}
	delete(h, "Etag")
	delete(h, "Last-Modified")
}

// without returns a copy of all that lacks each of values once.
func without(all, values []string) []string {
	all = slices.Clone(all)
	for _, value := range values {
		if i := slices.Index(all, value); i >= 0 {
			all = slices.Delete(all, i, i+1)
		}
	}
	return all
}

func isCookie(t reflect.Type) bool {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == reflect.TypeFor[http.Cookie]()
}

// appendCookies appends the values of the header Set-Cookie, for a cookie or a slice of cookies.
func appendCookies(texts []string, v reflect.Value) (_ []string, err error) {
	switch {
	case v.IsZero():
		return texts, nil
	case v.Kind() == reflect.Pointer:
		return appendCookies(texts, v.Elem())
	case v.Kind() == reflect.Struct:
		c := v.Addr().Interface().(*http.Cookie)
		return append(texts, c.String()), c.Valid()
	}
	for i := range v.Len() {
		if texts, err = appendCookies(texts, v.Index(i)); err != nil {
			return texts, err
		}
	}
	return texts, nil
}
