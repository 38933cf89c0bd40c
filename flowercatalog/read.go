package flowercatalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"unicode/utf8"
)

// This file reads flowers as /flowers/ writes them, strictly: what encoding/json would correct in
// silence is an error.

// ReadJSON reads flowers as /flowers/ writes them: a JSON array of objects with exactly the members
// slug and name. It does not call [CheckFlower], and accepts duplicate slugs.
func ReadJSON(r io.Reader) ([]Flower, error) {
	flowers := []Flower{}
	err := EachJSON(r, func(f Flower) error {
		flowers = append(flowers, f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return flowers, nil
}

// EachJSON is [ReadJSON] for more flowers than fit in memory: it calls each for every flower.
func EachJSON(r io.Reader, each func(Flower) error) error {
	decoder := json.NewDecoder(r)
	err := expect(decoder, json.Delim('['), "an array of flowers")
	for number := 1; err == nil && decoder.More(); number++ {
		var f Flower
		if f, err = readFlower(decoder); err == nil {
			err = each(f)
		}
		err = wrap(fmt.Sprint("flower ", number), err)
	}
	if err == nil {
		err = expect(decoder, json.Delim(']'), "the end of the array")
	}
	if err == nil { // after an error nothing more is read: a pipe may stay open
		if _, more := decoder.Token(); more != io.EOF {
			err = errors.New("unexpected data after the array")
		}
	}
	return wrap("flowercatalog: read flowers", err)
}

// readFlower reads token by token: Decode would accept members that occur twice, are missing, or
// differ in letter case.
func readFlower(decoder *json.Decoder) (f Flower, err error) {
	if err := expect(decoder, json.Delim('{'), "an object with the members slug and name"); err != nil {
		return f, err
	}
	missing := map[json.Token]*string{"slug": &f.Slug, "name": &f.Name}
	for decoder.More() {
		member, err := token(decoder)
		if err != nil {
			return f, err
		}
		if member != "slug" && member != "name" {
			return f, fmt.Errorf("the member %q is unknown: write slug and name", member)
		}
		value := missing[member]
		if value == nil {
			return f, fmt.Errorf("the member %q occurs twice", member)
		}
		if err := unlessEnd(decoder.Decode((*text)(value))); err != nil {
			return f, fmt.Errorf("the member %q: %w", member, err)
		}
		delete(missing, member)
	}
	if err := expect(decoder, json.Delim('}'), "the end of the object"); err != nil {
		return f, err
	}
	for _, member := range []string{"slug", "name"} {
		if missing[member] != nil {
			return f, fmt.Errorf("the member %q is missing", member)
		}
	}
	return f, nil
}

// text is a string in JSON. Package json would replace bytes that are not UTF-8, and escapes of
// half a character.
type text string

// escapes finds the escapes of a JSON text. A submatch is an escape such as \ud800, half of a pair,
// without the other half: it stands for no character (RFC 8259, 8.2).
var escapes = regexp.MustCompile(`\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)`)

// UnmarshalJSON implements [json.Unmarshaler].
func (t *text) UnmarshalJSON(raw []byte) error {
	switch {
	case raw[0] != '"':
		return errors.New("write a string")
	case !utf8.Valid(raw):
		return errors.New("it is not UTF-8")
	}
	if bytes.Contains(raw, []byte(`\u`)) {
		for _, match := range escapes.FindAllSubmatch(raw, -1) {
			if match[1] != nil {
				return fmt.Errorf(`\%s is half a character: the other half is missing`, match[1])
			}
		}
	}
	return json.Unmarshal(raw, (*string)(t))
}

// expect reads a token, which must be want.
func expect(decoder *json.Decoder, want json.Token, what string) error {
	got, err := token(decoder)
	if err == nil && got != want {
		err = fmt.Errorf("expected %s, found %v", what, got)
	}
	return err
}

// token reads the next token. The end of the input is an error.
func token(decoder *json.Decoder) (json.Token, error) {
	t, err := decoder.Token()
	return t, unlessEnd(err)
}

// ended is an error of package json for a text that ended too early.
var ended = json.Unmarshal(nil, new(any)).Error()

// unlessEnd returns err, or that the input has ended too early.
func unlessEnd(err error) error {
	if err == io.EOF || err != nil && err.Error() == ended { // the latter since Go 1.27
		return io.ErrUnexpectedEOF
	}
	return err
}
