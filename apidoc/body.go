package apidoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// This file reads bodies that are one value: JSON, which is checked and decoded, and content that is
// handed on as it is.

// wholeBody tells how a body is read.
type wholeBody struct {
	index    []int // of the field, nil for the whole input
	media    []string
	required bool
	limit    int64
	schema   *schema.Schema // of JSON; nil for content
}

var readerType = reflect.TypeFor[io.Reader]()

// planBody plans the body of an input, at a field or as a whole, and describes it in d.
func (p *inputPlan) planBody(t reflect.Type, index []int, media string, d *definition) error {
	if p.body != nil {
		return errors.New("a request has one body: write one body tag")
	}
	isContent := t == readerType || t == reflect.TypeFor[[]byte]()
	switch {
	case media == "" && isContent:
		media = typeBytes
	case media == "":
		media = typeJSON
	}
	p.body = &wholeBody{index: index, media: splitMedia(media), required: t.Kind() != reflect.Pointer, limit: d.limit}
	d.op.Parameters = append(d.op.Parameters, Parameter{
		Name: "body", In: InBody, Required: p.body.required, Type: Type{goType: t}, media: p.body.media,
	})
	if !isJSON(media) {
		if !isContent && t.Kind() != reflect.String {
			return fmt.Errorf("a body of %s is read into a []byte, a string or an io.Reader, not into %s", media, t)
		}
		return nil
	}
	types := gotype.NewDefinitions()
	types.Input = true
	var err error
	p.body.schema, err = types.Read(t)
	return err
}

// read sets the value of an input to the body, which may be missing if it is not required.
func (b *wholeBody) read(r *http.Request, v reflect.Value) ([]InputError, error) {
	if b.index != nil {
		v = v.FieldByIndex(b.index)
	}
	if v.Type() == readerType {
		v.Set(reflect.ValueOf(http.MaxBytesReader(nil, r.Body, b.limit)))
		return nil, checkMedia(r, b.media)
	}
	content, err := readBody(r, b.limit)
	switch {
	case err != nil:
		return nil, err
	case len(content) == 0 && b.required:
		return []InputError{{In: InBody, Detail: "is required, with the content type " + b.media[0]}}, nil
	case len(content) == 0:
		return nil, nil
	}
	if err := checkMedia(r, b.media); err != nil {
		return nil, err
	}
	switch {
	case b.schema != nil && !json.Valid(content):
		return nil, badRequest.With("The body is not JSON")
	case b.schema != nil:
		return inBody(value.Decode(b.schema, content, v)), nil
	case v.Kind() == reflect.String:
		v.SetString(string(content))
	default:
		v.SetBytes(content)
	}
	return nil, nil
}

// inBody places problems in the body.
func inBody(problems []value.Problem) (errs []InputError) {
	for _, p := range problems {
		errs = append(errs, InputError{In: InBody, Pointer: p.Pointer, Detail: p.Detail})
	}
	return errs
}

// readBody reads a body of at most limit bytes.
func readBody(r *http.Request, limit int64) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	if r.ContentLength > limit {
		return nil, longerThan(limit)
	}
	const trusted = 64 << 10 // of what a client announces
	var content bytes.Buffer
	content.Grow(int(min(max(r.ContentLength, 0), trusted)) + bytes.MinRead)
	if _, err := content.ReadFrom(http.MaxBytesReader(nil, r.Body, limit)); err != nil {
		return nil, unreadable(err, "The body breaks off")
	}
	return content.Bytes(), nil
}

// unreadable makes a problem of an error of reading a body.
func unreadable(err error, detail string) error {
	if p := readProblem(err); p != nil {
		return p
	}
	return badRequest.With("%s", detail)
}

func longerThan(limit int64) *Problem {
	return tooLarge.With("The body is larger than %d bytes", limit)
}
