package apidoc

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"slices"
	"unicode/utf8"
	"unsafe"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/internal/reuse"
	"example.com/flowercafe/routing"
)

// This file reads bodies that are one value: JSON, which is checked and decoded, and raw content.

// bodyPlan reads a body into an input. It returns the errors in the body, and a [Problem] if the
// body cannot be read.
type bodyPlan interface {
	read(c routing.Context, input reflect.Value) ([]InputError, error)
}

// wholeBody is the plan to read a body.
type wholeBody struct {
	parameter
	index  []int // of the field, nil for the whole input
	limit  int64
	isJSON bool           // it is decoded; else it is raw content
	schema *schema.Schema // nil for raw content without rules
	checks bool           // the value or a part of it checks itself
	time   deadlines      // of a stream
}

// planBody plans a body, and describes it in d.
func planBody(p parameter, index []int, d *definition) (*wholeBody, error) {
	t := p.Type
	isStream := t == readerType
	isContent := isStream || t == reflect.TypeFor[[]byte]()
	switch {
	case p.media == nil && isContent:
		p.media = []string{message.Bytes}
	case p.media == nil:
		p.media = []string{message.JSON}
	}
	p.Required = t.Kind() != reflect.Pointer
	b := &wholeBody{parameter: p, index: index, limit: d.limit, time: d.deadlines, isJSON: !isStream && message.IsJSON(p.media...)}
	switch rule := gotype.RuleIn(p.Rules); {
	case isStream && rule != "":
		return nil, fmt.Errorf("tag %s: a stream is not checked: read a []byte or a string, or limit its length with BodyLimit", rule)
	case !b.isJSON && !isContent && t.Kind() != reflect.String:
		other := slices.IndexFunc(p.media, func(m string) bool { return !message.IsJSON(m) })
		return nil, fmt.Errorf("a body of %s is read into a []byte, a string or an io.Reader, not into %s", p.media[other], t)
	}
	s, err := d.describe(p)
	if b.isJSON || gotype.RuleIn(p.Rules) != "" {
		b.schema, b.checks = s, d.types.Checks && b.isJSON
	}
	return b, err
}

// read sets a value to the body, which may be missing if it is not required.
func (b *wholeBody) read(c routing.Context, v reflect.Value) ([]InputError, error) {
	r := c.Request()
	if b.index != nil {
		v = v.FieldByIndex(b.index)
	}
	if v.Type() == readerType {
		v.Set(reflect.ValueOf(http.MaxBytesReader(nil, io.NopCloser(b.time.body(c)), b.limit)))
		return nil, checkMedia(r, b.media)
	}
	var content []byte
	if b.isJSON { // the value has copies of its parts
		memory := reuse.Get()
		defer func() { memory.Bytes = content; memory.Put() }()
		content = memory.Bytes
	}
	content, err := message.ReadBody(r, b.limit, content)
	switch {
	case err != nil:
		return nil, unreadable(err, "The body is incomplete")
	case len(content) == 0 && b.Required:
		return []InputError{{In: InBody, Code: schema.Required.Code, Detail: "is required, with the content type " + b.media[0]}}, nil
	case len(content) == 0:
		return nil, nil
	}
	if err := checkMedia(r, b.media); err != nil {
		return nil, err
	}
	switch {
	case b.isJSON:
		errs, isJSON, err := b.readJSON(r.Context(), content, v)
		if !isJSON {
			return nil, badRequest.With("The body is not JSON")
		}
		return errs, err
	case b.schema != nil:
		if wrong := b.schema.Refuse(string(content)); wrong != nil {
			return []InputError{parameter{In: InBody}.wrong(wrong)}, nil
		}
	}
	if v.Kind() == reflect.String {
		v.SetString(string(content))
	} else {
		v.SetBytes(content)
	}
	return nil, nil
}

// readJSON sets a value to JSON, and returns the errors in it. It reports false for other text. An
// error is that of a check that a value makes itself.
func (b *wholeBody) readJSON(ctx context.Context, content []byte, v reflect.Value) (errs []InputError, isJSON bool, err error) {
	if !json.Valid(content) || !utf8.Valid(content) { // RFC 8259, 8.1
		return nil, false, nil
	}
	text := unsafe.String(unsafe.SliceData(content), len(content)) // which is not kept
	errs, err = value.Decode(ctx, b.schema, text, v, b.checks)
	return errs, true, err
}
