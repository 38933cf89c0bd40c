package apidoc

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"

	"example.com/flowercafe/apidoc/internal/message"
	"example.com/flowercafe/apidoc/internal/schema"
	"example.com/flowercafe/apidoc/internal/value"
	"example.com/flowercafe/routing"
)

// This file reads bodies of JSON Lines: one value for each line, read when the operation's loop
// reaches it.

// lineBody is the plan to read a body as an iter.Seq2 of values and errors.
type lineBody struct {
	media         []string
	limit         int64          // of the body
	lineLimit     int            // of each line
	schema        *schema.Schema // of a line
	hasValidators bool           // a nested value may implement Validator
	timeouts      timeouts
}

// planLines plans a body that is read into a sequence, and describes it in d.
func planLines(p parameter, d *definition) (*lineBody, error) {
	if p.media == nil {
		p.media = []string{message.Lines, message.NDJSON}
	}
	element, hasErrors := elementOf(p.GoType)
	switch {
	case !hasErrors:
		return nil, fmt.Errorf("a line may be invalid: write iter.Seq2[%s, error]", element)
	case !message.AreLines(p.media...):
		return nil, fmt.Errorf("an iter.Seq2 reads a body of %s or %s, not of %s", message.Lines, message.NDJSON, strings.Join(p.media, ","))
	}
	err := withoutRules(p.Rules)
	if err != nil {
		return nil, err
	}
	p.GoType, p.AreLines = element, true
	err = d.describe(&p)
	return &lineBody{
		media: p.media, limit: d.limit, lineLimit: cmp.Or(d.lineLimit, DefaultLineLimit),
		schema: p.Schema, hasValidators: d.types.HasValidators, timeouts: d.timeouts,
	}, err
}

// read sets a sequence, which reads the body when it is iterated. Without a body it is empty.
func (b *lineBody) read(from incoming, v reflect.Value) ([]InputError, error) {
	r := from.request
	l := &lines{lineBody: b, request: r, done: !hasBody(r)}
	linesKey.Set(from.Context, l)
	if !l.done {
		if err := checkMedia(r, b.media, true); err != nil {
			return nil, err
		}
		if r.ContentLength > b.limit {
			return nil, longerThan(b.limit)
		}
		l.body = bufio.NewScanner(b.timeouts.body(from.Context, b.limit))
		l.body.Buffer(nil, b.lineLimit+len("\r\n"))
		l.body.Split(l.split)
	}
	element := v.Type().In(0).In(0)
	v.Set(reflect.MakeFunc(v.Type(), func(yield []reflect.Value) []reflect.Value {
		l.each(element, yield[0])
		return nil
	}))
	return nil, nil
}

// enter makes later lines be validated with the context of the interceptors.
func (b *lineBody) enter(c routing.Context, _ reflect.Value) {
	l, _ := linesKey.Get(c)
	l.request = c.Request()
}

// linesKey is the key of the lines of a request.
var linesKey = routing.NewKey[*lines]()

// lines are the lines of a request. They are read once: a second loop continues after the first.
type lines struct {
	*lineBody
	request *http.Request // with the context for Validators
	body    *bufio.Scanner
	text    []byte // of the current line, without white space around it
	number  int    // of the current line
	done    bool
}

// each calls yield with the values of the lines and their errors, until it returns false. An
// invalid value does not end the sequence; a read error does.
func (l *lines) each(element reflect.Type, yield reflect.Value) {
	var err error
	pair := []reflect.Value{reflect.New(element).Elem(), reflect.ValueOf(&err).Elem()} // yield gets copies
	for !l.done {
		if err = l.next(); err == nil && len(l.text) == 0 {
			continue
		}
		pair[0].SetZero()
		if err == nil {
			err = l.decode(pair[0])
		}
		if err != nil {
			pair[0].SetZero()
		}
		if !yield.Call(pair)[0].Bool() {
			return
		}
	}
}

// next reads the next line into text, which is empty at the end of the body.
func (l *lines) next() error {
	isLast, err := !l.body.Scan(), l.body.Err()
	l.number++
	l.text = l.body.Bytes()
	isLong := errors.Is(err, bufio.ErrTooLong) || len(l.text) > l.lineLimit
	l.done = isLast || isLong
	switch {
	case isLong:
		return tooLarge.Detailf("Line %d is larger than %d bytes", l.number, l.lineLimit)
	case err != nil && isLast:
		return unreadable(err, "The body is incomplete")
	}
	l.text = bytes.TrimSpace(l.text)
	return nil
}

// split splits lines and skips empty lines. The incomplete last line of a truncated body is not a
// line.
func (l *lines) split(data []byte, atEOF bool) (advance int, token []byte, err error) {
	start := 0
	for ; start < len(data) && (data[start] == '\n' || data[start] == '\r'); start++ {
		if data[start] == '\n' {
			l.number++
		}
	}
	advance, token, err = bufio.ScanLines(data[start:], atEOF && l.body.Err() == nil)
	return start + advance, token, err
}

// decode sets a value to the line.
func (l *lines) decode(v reflect.Value) error {
	if fault := notJSON(l.text); fault != "" {
		return badRequest.Detailf("Line %d %s", l.number, fault)
	}
	errs, err := value.Decode(l.request.Context(), l.schema, string(l.text), v, l.hasValidators)
	if err != nil {
		return err
	}
	for i := range errs {
		errs[i].Line = l.number
	}
	return Invalid(errs)
}
