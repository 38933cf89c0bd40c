package apidoc

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"unicode/utf8"

	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// This file reads bodies that are one value: JSON, which is checked and decoded, and raw content.

// bodyPlan reads a body into an input. It returns the errors in the body, and a [Problem] if the
// body cannot be read.
type bodyPlan interface {
	read(r *http.Request, input reflect.Value) ([]InputError, error)
}

// wholeBody is the plan to read a body.
type wholeBody struct {
	index    []int // of the field, nil for the whole input
	media    []string
	required bool
	limit    int64
	schema   *schema.Schema // of JSON; nil for raw content
	decode   func(*schema.Schema, string, reflect.Value) []InputError
}

// planBody plans the body of an input, for a field or the whole input, and describes it in d.
func planBody(t reflect.Type, index []int, media string, d *definition) (*wholeBody, error) {
	isContent := t == readerType || t == reflect.TypeFor[[]byte]()
	switch {
	case media == "" && isContent:
		media = message.Bytes
	case media == "":
		media = message.JSON
	}
	b := &wholeBody{index: index, media: message.Split(media), required: t.Kind() != reflect.Pointer, limit: d.limit, decode: value.Decode}
	d.op.Parameters = append(d.op.Parameters, Parameter{
		Name: "body", In: InBody, Required: b.required, Type: Type{goType: t}, media: b.media,
	})
	if t == readerType || !message.IsJSON(b.media...) {
		if !isContent && t.Kind() != reflect.String {
			other := slices.IndexFunc(b.media, func(m string) bool { return !message.IsJSON(m) })
			return nil, fmt.Errorf("a body of %s is read into a []byte, a string or an io.Reader, not into %s", b.media[other], t)
		}
		return b, nil
	}
	var err error
	b.schema, err = inputSchema(t)
	return b, err
}

// read sets a value to the body, which may be missing if it is not required.
func (b *wholeBody) read(r *http.Request, v reflect.Value) ([]InputError, error) {
	if b.index != nil {
		v = v.FieldByIndex(b.index)
	}
	if v.Type() == readerType {
		v.Set(reflect.ValueOf(http.MaxBytesReader(nil, r.Body, b.limit)))
		return nil, checkMedia(r, b.media)
	}
	content, err := message.ReadBody(r, b.limit)
	switch {
	case err != nil:
		return nil, unreadable(err, "The body is incomplete")
	case len(content) == 0 && b.required:
		return []InputError{{In: InBody, Code: schema.Required.Code, Detail: "is required, with the content type " + b.media[0]}}, nil
	case len(content) == 0:
		return nil, nil
	}
	if err := checkMedia(r, b.media); err != nil {
		return nil, err
	}
	switch {
	case b.schema != nil:
		errs, isJSON := b.readJSON(content, v)
		if !isJSON {
			return nil, badRequest.With("The body is not JSON")
		}
		return errs, nil
	case v.Kind() == reflect.String:
		v.SetString(string(content))
	default:
		v.SetBytes(content)
	}
	return nil, nil
}

// readJSON sets a value to JSON, and returns the errors in it. It reports false for other text.
func (b *wholeBody) readJSON(content []byte, v reflect.Value) ([]InputError, bool) {
	if !json.Valid(content) || !utf8.Valid(content) { // RFC 8259, 8.1
		return nil, false
	}
	return b.decode(b.schema, string(content), v), true
}
