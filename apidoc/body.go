package apidoc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"example.com/flowercafe/apidoc/internal/gotype"
	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
)

// This file reads bodies that are one value: JSON, which is checked and decoded, raw content, and
// streams.

// wholeBody is the plan to read a body into memory.
type wholeBody struct {
	parameter
	limit         int64
	areListed     bool           // the media types, in a tag
	isJSON        bool           // the body is decoded, unlike raw content
	schema        *schema.Schema // nil for bytes without rules
	hasValidators bool           // a nested value may implement Validator
}

// planBody plans a body, and describes it in d.
func planBody(p parameter, d *definition) (*wholeBody, error) {
	t := p.GoType
	isBytes := t == reflect.TypeFor[[]byte]()
	areListed := p.media != nil
	switch {
	case p.media == nil && isBytes:
		p.media = []string{message.Bytes}
	case p.media == nil:
		p.media = []string{message.JSON}
	case isBytes && message.IsJSON(p.media...):
		return nil, errors.New("a []byte would be read from base64 text in JSON: write a json.RawMessage, or an io.Reader for the raw body")
	}
	p.Required = t.Kind() != reflect.Pointer
	b := &wholeBody{areListed: areListed, limit: d.limit, isJSON: message.IsJSON(p.media...)}
	err := d.describe(&p)
	b.parameter = p
	if err == nil && !b.isJSON && !isBytes && (t.Kind() != reflect.String || p.Schema.Resolve().Kind != "string") {
		other := slices.IndexFunc(p.media, func(m string) bool { return !message.IsJSON(m) })
		err = fmt.Errorf("a body of %s is read into a []byte, a string or an io.Reader, not into %s", p.media[other], t)
	}
	if !isBytes || gotype.RuleIn(p.Rules) != "" {
		b.schema, b.hasValidators = p.Schema, d.types.HasValidators
	}
	return b, err
}

// read sets v to the body. If the body is not required, it may be missing.
func (b *wholeBody) read(from incoming, v reflect.Value) ([]InputError, error) {
	r := from.request
	if r.ContentLength > 0 { // a wrong type is refused before the body arrives (RFC 9110, 10.1.1)
		if err := checkMedia(r, b.media, b.areListed); err != nil {
			return nil, err
		}
	}
	if v.Kind() == reflect.String && !b.isJSON && !isUTF8(r) {
		return nil, unsupportedType.Detailf("Send the text in UTF-8")
	}
	content, err := readBody(r, b.limit) // decoded values are copies, so a later route can read it again
	if err == nil && len(content) > 0 {
		from.buffered.rest, r.Body = content, from.buffered
	}
	switch {
	case err != nil:
		return nil, unreadable(err, "The body is incomplete")
	case len(content) == 0 && b.Required:
		return []InputError{{In: InBody, Code: schema.Required.Code, Detail: "is required, with the content type " + b.media[0]}}, nil
	case len(content) == 0:
		return nil, nil
	}
	if r.ContentLength < 0 {
		if err := checkMedia(r, b.media, b.areListed); err != nil {
			return nil, err
		}
	}
	if b.isJSON {
		if fault := notJSON(content); fault != "" {
			return nil, badRequest.Detailf("The body %s", fault)
		}
		return value.Decode(r.Context(), b.schema, string(content), v, b.hasValidators)
	}
	return b.setRaw(r.Context(), content, v)
}

// setRaw sets v to raw content, a text or bytes.
func (b *wholeBody) setRaw(ctx context.Context, content []byte, v reflect.Value) ([]InputError, error) {
	var fault *schema.Fault
	if v.Kind() != reflect.String {
		v.SetBytes(bytes.Clone(content))
		if b.schema != nil {
			fault = b.schema.Refuse(string(content))
		}
	} else if text := string(content); isText(text) {
		_, fault = b.schema.Resolve().Set(v, text)
	} else {
		fault = notText
	}
	switch {
	case fault != nil:
		return []InputError{inputError(InBody, "", fault)}, nil
	case b.hasValidators:
		return value.Validate(ctx, b.schema, v)
	}
	return nil, nil
}

// streamBody is the plan for a body that the operation reads from an io.Reader.
type streamBody struct {
	media     []string
	areListed bool // the media types, in a tag
	limit     int64
	timeouts  timeouts
}

// planStream plans a body that is a stream, and describes it in d.
func planStream(p parameter, d *definition) (*streamBody, error) {
	if rule := gotype.RuleIn(p.Rules); rule != "" {
		return nil, fmt.Errorf("tag %s: a stream is not checked: read a []byte or a string, or limit its length with BodyLimit", rule)
	}
	areListed := p.media != nil
	if !areListed {
		p.media = []string{message.Bytes}
	}
	return &streamBody{p.media, areListed, d.limit, d.timeouts}, d.describe(&p)
}

// read sets v to the reader. A body is not required: it may turn out to be empty.
func (b *streamBody) read(from incoming, v reflect.Value) ([]InputError, error) {
	v.Set(reflect.ValueOf(b.timeouts.body(from.Context, b.limit)))
	if !hasBody(from.request) {
		return nil, nil
	}
	return nil, checkMedia(from.request, b.media, b.areListed)
}

// notJSON returns why content cannot be read as JSON, or "". No text in Go represents half of a
// surrogate pair.
func notJSON(content []byte) string {
	switch {
	case !json.Valid(content):
		return "is not JSON"
	case !utf8.Valid(content): // RFC 8259, 8.1
		return "is not in UTF-8"
	case hasLoneSurrogate(content): // RFC 8259, 8.2
		return `has half of a surrogate pair, such as \ud83c without \udf38`
	}
	return ""
}

// hasLoneSurrogate reports whether JSON has an escape such as \ud800 without the other half of its
// pair. encoding/json would replace it.
func hasLoneSurrogate(content []byte) bool {
	for {
		at := bytes.IndexByte(content, '\\')
		if at < 0 {
			return false
		}
		content = content[at+1:]
		if content[0] != 'u' {
			content = content[1:]
			continue
		}
		unit := unitOf(content[1:])
		content = content[5:]
		if !utf16.IsSurrogate(unit) {
			continue
		}
		if !bytes.HasPrefix(content, []byte(`\u`)) || utf16.DecodeRune(unit, unitOf(content[2:])) == utf8.RuneError {
			return true
		}
		content = content[6:]
	}
}

// unitOf returns the unit of UTF-16 in four hexadecimal digits.
func unitOf(digits []byte) rune {
	unit, _ := strconv.ParseUint(string(digits[:4]), 16, 16) // the text is valid JSON
	return rune(unit)
}
