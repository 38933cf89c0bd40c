// Package reading reads flowers as /flowers/ writes them, strictly: what encoding/json would
// correct in silence is an error.
package reading

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"unicode/utf8"
)

// Each calls each for every flower of a JSON array of objects with exactly the members slug and
// name, in UTF-8 and without halves of surrogate pairs. If each returns an error, Each stops and
// wraps it.
func Each(r io.Reader, each func(slug, name string) error) error {
	decoder := json.NewDecoder(r)
	if err := expect(decoder, json.Delim('['), "an array of flowers"); err != nil {
		return err
	}
	for number := 1; decoder.More(); number++ {
		members, err := readFlower(decoder)
		if err == nil {
			err = each(members["slug"], members["name"])
		}
		if err != nil {
			return fmt.Errorf("flower %d: %w", number, err)
		}
	}
	if err := expect(decoder, json.Delim(']'), "the end of the array"); err != nil {
		return err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("there is something after the array")
	}
	return nil
}

// readFlower reads token by token: Decode would accept members that occur twice, are missing, or
// differ in letter case.
func readFlower(decoder *json.Decoder) (map[any]string, error) {
	if err := expect(decoder, json.Delim('{'), "an object with the members slug and name"); err != nil {
		return nil, err
	}
	read := make(map[any]string, 2)
	for decoder.More() {
		member, err := token(decoder)
		if err != nil {
			return nil, err
		}
		text, err := readText(decoder)
		switch _, twice := read[member]; {
		case member != "slug" && member != "name":
			return nil, fmt.Errorf("the member %q is unknown: write slug and name", member)
		case twice:
			return nil, fmt.Errorf("the member %q occurs twice", member)
		case err != nil:
			return nil, fmt.Errorf("the member %q: %w", member, err)
		}
		read[member] = text
	}
	if err := expect(decoder, json.Delim('}'), "the end of the object"); err != nil {
		return nil, err
	}
	for _, member := range []string{"slug", "name"} {
		if _, ok := read[member]; !ok {
			return nil, fmt.Errorf("the member %q is missing", member)
		}
	}
	return read, nil
}

// escapes finds the escapes of a JSON text. A submatch is an escape such as \ud800, half of a pair,
// without the other half: it stands for no character (RFC 8259, 8.2).
var escapes = regexp.MustCompile(`\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)`)

// readText reads a string. Package json would replace bytes that are not UTF-8, and escapes of half
// a character.
func readText(decoder *json.Decoder) (text string, err error) {
	var raw json.RawMessage
	if err := unlessEnd(decoder.Decode(&raw)); err != nil {
		return "", err
	}
	switch {
	case raw[0] != '"':
		return "", errors.New("write a string")
	case !utf8.Valid(raw):
		return "", errors.New("it is not UTF-8")
	}
	if bytes.Contains(raw, []byte(`\u`)) {
		for _, match := range escapes.FindAllSubmatch(raw, -1) {
			if match[1] != nil {
				return "", fmt.Errorf(`\%s is half a character: the other half is missing`, match[1])
			}
		}
	}
	return text, json.Unmarshal(raw, &text)
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
