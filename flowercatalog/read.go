package flowercatalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"
)

// ReadJSON reads flowers as /flowers/ writes them: a JSON array of objects with exactly the members
// slug and name, in UTF-8. An error names the flower by its number, starting at 1, and the member.
// ReadJSON does not call [CheckFlower].
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

// EachJSON is [ReadJSON] for more flowers than fit in memory: it calls each for every flower. If
// each returns an error, EachJSON stops and wraps it.
func EachJSON(r io.Reader, each func(Flower) error) error {
	// Package json would replace bytes that are not UTF-8.
	decoder := json.NewDecoder(transform.NewReader(r, encoding.UTF8Validator))
	if err := expect(decoder, json.Delim('['), "an array of flowers"); err != nil {
		return fmt.Errorf("flowercatalog: read flowers: %w", err)
	}
	for number := 1; decoder.More(); number++ {
		f, err := readFlower(decoder)
		if err == nil {
			err = each(f)
		}
		if err != nil {
			return fmt.Errorf("flowercatalog: read flowers: flower %d: %w", number, err)
		}
	}
	if err := expect(decoder, json.Delim(']'), "the end of the array"); err != nil {
		return fmt.Errorf("flowercatalog: read flowers: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return errors.New("flowercatalog: read flowers: there is something after the array")
	}
	return nil
}

func readFlower(decoder *json.Decoder) (f Flower, err error) {
	if err := expect(decoder, json.Delim('{'), "an object with the members slug and name"); err != nil {
		return f, err
	}
	members := [...]struct {
		name  string
		value *string
		read  bool
	}{{name: "slug", value: &f.Slug}, {name: "name", value: &f.Name}}
next:
	for decoder.More() {
		key, err := token(decoder)
		if err != nil {
			return f, err
		}
		for i := range members {
			m := &members[i]
			if key != m.name {
				continue
			}
			if m.read {
				return f, fmt.Errorf("the member %q occurs twice", m.name)
			}
			value, err := token(decoder)
			if err != nil {
				return f, fmt.Errorf("the member %q: %w", m.name, err)
			}
			if *m.value, m.read = value.(string); !m.read {
				return f, fmt.Errorf("the member %q must be a string", m.name)
			}
			continue next
		}
		return f, fmt.Errorf("the member %q is unknown: write slug and name", key)
	}
	if err := expect(decoder, json.Delim('}'), "the end of the object"); err != nil {
		return f, err
	}
	for _, m := range members {
		if !m.read {
			return f, fmt.Errorf("the member %q is missing", m.name)
		}
	}
	return f, nil
}

// expect reads a token, which must be want.
func expect(decoder *json.Decoder, want json.Token, what string) error {
	got, err := token(decoder)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("expected %s, found %v", what, got)
	}
	return nil
}

// token reads the next token. The end of the input is an error.
func token(decoder *json.Decoder) (json.Token, error) {
	t, err := decoder.Token()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return t, err
}
