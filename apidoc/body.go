package apidoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/routing"
)

// This file reads bodies: JSON, which is checked and decoded, and bodies as they are.

// planBody plans the body of an input, at a field or as a whole.
func (p *inputPlan) planBody(t reflect.Type, index []int, media string, d *definition) error {
	if p.body != nil {
		return errors.New("a request has one body: write one body tag")
	}
	required := t.Kind() != reflect.Pointer
	if media == "" && (t == reflect.TypeFor[[]byte]() || t == readerType) {
		media = typeBytes
	}
	if media == "" {
		media = typeJSON
	}
	d.op.Parameters = append(d.op.Parameters, Parameter{
		Name: "body", In: InBody, Required: required, Type: Type{goType: t}, media: splitMedia(media),
	})
	whole := wholeBody{index: index, media: splitMedia(media), required: required, limit: d.limit}
	if !isJSON(media) {
		if t != readerType && t != reflect.TypeFor[[]byte]() && t.Kind() != reflect.String {
			return fmt.Errorf("a body of %s is read into a []byte, a string or an io.Reader, not into %s", media, t)
		}
		p.body = &rawBody{whole, t}
		return nil
	}
	definitions := gotype.NewDefinitions()
	definitions.Input = true
	s, err := definitions.Read(t)
	if err != nil {
		return err
	}
	p.body = &jsonBody{whole, s}
	return nil
}

// wholeBody is what all bodies that are one value have in common.
type wholeBody struct {
	index    []int // of the field, nil for the whole input
	media    []string
	required bool
	limit    int64
}

func (b *wholeBody) release(routing.Context) {}

// target returns the value that the body is read into.
func (b *wholeBody) target(v reflect.Value) reflect.Value {
	if b.index == nil {
		return v
	}
	return v.FieldByIndex(b.index)
}

// load returns the body. It is nil without a problem if there is none and none must be.
func (b *wholeBody) load(r *http.Request) ([]byte, *Problem) {
	content, problem := readBody(r, b.limit)
	if problem != nil {
		return nil, problem
	}
	if len(content) > 0 {
		return content, checkMedia(r, b.media)
	}
	if b.required {
		return nil, invalid([]InputError{{In: InBody, Detail: "is required, with the content type " + b.media[0]}})
	}
	return nil, nil
}

// readBody reads a body of at most limit bytes.
func readBody(r *http.Request, limit int64) ([]byte, *Problem) {
	if r.Body == nil || r.Body == http.NoBody {
		return nil, nil
	}
	if r.ContentLength > limit {
		return nil, longerThan(limit)
	}
	const trusted = 64 << 10 // of what a client announces
	content := make([]byte, 0, min(max(r.ContentLength, 0), trusted)+bytes.MinRead)
	for {
		n, err := r.Body.Read(content[len(content):cap(content)])
		content = content[:len(content)+n]
		switch {
		case int64(len(content)) > limit:
			return nil, longerThan(limit)
		case err == io.EOF:
			return content, nil
		case err != nil:
			if p := readProblem(err); p != nil {
				return nil, p
			}
			return nil, badRequest.With("The body breaks off")
		case len(content) == cap(content):
			content = slices.Grow(content, len(content))
		}
	}
}

func longerThan(limit int64) *Problem {
	return tooLarge.With("The body is larger than %d bytes", limit)
}

// checkMedia refuses a body of another media type.
func checkMedia(r *http.Request, media []string) *Problem {
	header := r.Header.Get("Content-Type")
	if len(media) == 1 && header == media[0] {
		return nil
	}
	got, _, err := mime.ParseMediaType(header)
	for _, m := range media {
		if err == nil && matchesMedia(m, got) || m == typeBytes && header == "" {
			return nil
		}
	}
	return unsupportedType.With("Send the body with the content type %s", strings.Join(media, " or "))
}

// matchesMedia reports whether a media type is the described one. JSON has many names.
func matchesMedia(described, got string) bool {
	if prefix, ok := strings.CutSuffix(described, "*"); ok {
		return strings.HasPrefix(got, prefix)
	}
	return described == got || described == typeJSON && strings.HasSuffix(got, "+json") || described == typeBytes
}

func isJSON(media string) bool {
	return media == typeJSON || strings.HasSuffix(media, "+json")
}

func splitMedia(media string) []string {
	list := strings.Split(media, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// jsonBody is a body that is checked and decoded.
type jsonBody struct {
	wholeBody
	schema *schema.Schema
}

func (b *jsonBody) read(c routing.Context, v reflect.Value) (*Problem, []InputError, error) {
	content, problem := b.load(c.Request())
	if content == nil || problem != nil {
		return problem, nil, nil
	}
	if !json.Valid(content) {
		return badRequest.With("The body is not JSON"), nil, nil
	}
	return nil, inBody(value.Decode(b.schema, content, b.target(v))), nil
}

// inBody places problems in the body.
func inBody(problems []value.Problem) (errs []InputError) {
	for _, p := range problems {
		errs = append(errs, InputError{In: InBody, Pointer: p.Pointer, Detail: p.Detail})
	}
	return errs
}

// rawBody is a body that is handed on as it is.
type rawBody struct {
	wholeBody
	goType reflect.Type
}

var readerType = reflect.TypeFor[io.Reader]()

func (b *rawBody) read(c routing.Context, v reflect.Value) (*Problem, []InputError, error) {
	r := c.Request()
	if b.goType == readerType {
		if problem := checkMedia(r, b.media); problem != nil {
			return problem, nil, nil
		}
		b.target(v).Set(reflect.ValueOf(&limited{r.Body, b.limit, b.limit}))
		return nil, nil, nil
	}
	content, problem := b.load(r)
	if problem != nil {
		return problem, nil, nil
	}
	if target := b.target(v); b.goType.Kind() == reflect.String {
		target.SetString(string(content))
	} else {
		target.SetBytes(content)
	}
	return nil, nil, nil
}

// limited reads a body up to a limit, beyond which its error makes the response a 413.
type limited struct {
	body  io.Reader
	left  int64
	limit int64
}

// Read reads from the body.
func (l *limited) Read(p []byte) (int, error) {
	if int64(len(p)) > l.left+1 {
		p = p[:l.left+1]
	}
	n, err := l.body.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, longerThan(l.limit)
	}
	return n, err
}
